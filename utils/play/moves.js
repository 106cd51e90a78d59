// The list of moves, and the buttons that step through the game.
import { make } from "./board.js";
import { button, enable, iconButton } from "./controls.js";

const STEPS = [
  ["first position", "M3 3v10M13 3L6 8l7 5z"],
  ["previous move", "M12 3L5 8l7 5z"],
  ["next move", "M4 3l7 5-7 5z"],
  ["last position", "M13 3v10M3 3l7 5-7 5z"],
];

export class Moves {
  /** @param look shows the position after so many plies */
  constructor(look) {
    this.look = look;
    this.shown = this.last = 0; // plies
    this.drawn = "";
    const targets = [() => 0, () => this.shown - 1, () => this.shown + 1, () => this.last];
    this.steps = STEPS.map(([name, outline], index) => {
      return iconButton(name, outline, () => look(targets[index]()));
    });
    this.stepper = make("div", { className: "cw-steps", role: "group" }, ...this.steps);
    this.stepper.setAttribute("aria-label", "step through the game");
    this.list = make("ol", { className: "cw-moves", "aria-label": "moves" });
    this.list.addEventListener("keydown", (event) => {
      const by = { ArrowLeft: -1, ArrowRight: 1, ArrowUp: -2, ArrowDown: 2 }[event.key];
      if (!by) return;
      event.preventDefault();
      look(this.shown + by);
    });
  }

  /**
   * @param state of the game
   * @param shown plies before the position that is looked at
   * @param unseen whether a move was played since then
   */
  draw(state, shown, unseen) {
    this.shown = shown;
    this.last = state.sans.length;
    this.steps.forEach((step, index) => enable(step, shown !== (index < 2 ? 0 : this.last)));
    this.steps.at(-1).classList.toggle("cw-unseen", unseen);
    const content = `${state.sans.join()} ${shown} ${state.positions[0].fen}`;
    if (this.drawn !== content) this.#drawList(state);
    this.drawn = content;
  }

  #drawList({ sans, number, blackFirst }) {
    const shift = blackFirst ? 1 : 0;
    const rows = [];
    sans.forEach((san, index) => {
      const ply = index + 1;
      const half = index + shift; // plies since White's move in the first row
      if (!rows.length || half % 2 === 0) {
        const text = `${number + Math.floor(half / 2)}.`;
        rows.push(make("li", {}, make("span", { textContent: text })));
        if (half % 2) rows[0].append(make("span", { textContent: "…" }));
      }
      const made = button(san, () => this.look(ply));
      made.tabIndex = ply === Math.max(this.shown, 1) ? 0 : -1;
      if (ply === this.shown) made.setAttribute("aria-current", "true");
      rows.at(-1).append(made);
    });
    const hadFocus = this.list.contains(document.activeElement);
    this.list.replaceChildren(...rows);
    const current = this.list.querySelector("[aria-current]");
    // Not scrollIntoView: it moves the page.
    const middle = current ? current.parentElement.offsetTop - this.list.clientHeight / 2 : 0;
    this.list.scrollTop = Math.max(0, middle + 10);
    if (hadFocus) (current ?? this.list.querySelector("button"))?.focus({ preventScroll: true });
  }
}
