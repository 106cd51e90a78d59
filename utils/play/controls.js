// Buttons, choices and fields of the panel.
import { make } from "./board.js";

/** A part of an SVG. */
export function shape(name, attributes) {
  const made = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  return made;
}

/** Mark whether a button can be used. A disabled one would lose the focus. */
export function enable(element, on) {
  element.setAttribute("aria-disabled", String(!on));
}

/** A button that acts while it can be used. */
export function button(text, act, properties = {}) {
  const made = make("button", { type: "button", textContent: text, ...properties });
  made.addEventListener("click", () => made.getAttribute("aria-disabled") === "true" || act());
  return made;
}

/** A button with an outline drawn in a square of 16 by 16, and its name. */
export function iconButton(name, outline, act) {
  const made = button("", act, { title: name, "aria-label": name });
  made.innerHTML = `<svg viewBox="0 0 16 16" aria-hidden="true"><path d="${outline}"/></svg>`;
  return made;
}

/** A field with a list of keys and labels; returns the field and the list. */
export function chooser(label, choices, onChange) {
  const options = choices.map(([value, textContent]) => make("option", { value, textContent }));
  const select = make("select", { "aria-label": label }, ...options);
  select.addEventListener("change", () => onChange(select.value));
  return [make("label", { className: "cw-field" }, make("span", {}, label), select), select];
}

/** A field for a text, with buttons; Enter does what the first one does. */
export function textField(label, placeholder, ...buttons) {
  const input = make("input", { type: "text", placeholder, "aria-label": label });
  Object.assign(input, { autocomplete: "off", spellcheck: false });
  // No <form>: within JupyterLab the Enter key does not submit one.
  input.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && !event.isComposing) buttons[0].click();
  });
  const name = make("label", {}, make("span", {}, label), input);
  return [make("div", { className: "cw-field" }, name, ...buttons), input];
}
