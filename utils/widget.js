// The panel around the board, and the connection to the widget in Python.
import { Board, make } from "./board.js";

/**
 * A board with everything beside it.
 * @param element where it is put
 * @param setup what never changes: pieces, engines, limits
 * @param send is called with a command, such as {do: "undo"}
 * @returns a function that draws a state
 */
export function mount(element, setup, send) {
  let state = { sans: [] };
  let changes = 0; // what a screen reader says is said anew only if it differs

  const say = (text) => (said.textContent = text + (changes++ % 2 ? "\u00a0" : ""));
  const button = (text, command, properties = {}) => {
    const made = make("button", { type: "button", textContent: text, ...properties });
    made.addEventListener("click", () => send(typeof command === "object" ? command : command()));
    return made;
  };
  const chooser = (label, choices, command) => {
    const options = choices.map(([value, text]) => make("option", { value, textContent: text }));
    const select = make("select", { "aria-label": label }, ...options);
    select.addEventListener("change", () => send(command(select.value)));
    return [make("label", { className: "cw-field" }, make("span", {}, label), select), select];
  };
  const form = (label, placeholder, text, submit) => {
    const input = make("input", { type: "text", placeholder, "aria-label": label });
    Object.assign(input, { autocomplete: "off", spellcheck: false });
    const go = make("button", { type: "button", textContent: text });
    go.addEventListener("click", submit);
    // No <form>: within JupyterLab the Enter key does not submit one.
    input.addEventListener("keydown", (event) => {
      if (event.key === "Enter" && !event.isComposing) submit();
    });
    const name = make("label", {}, make("span", {}, label), input);
    return [make("div", { className: "cw-field" }, name, go), input];
  };

  const boardPlace = make("div", { className: "cw-place" });
  const bar = make("div", { className: "cw-bar", role: "img" }, make("div"), make("span"));
  const status = make("p", { className: "cw-status", role: "status", "aria-live": "polite" });
  const said = make("p", { className: "cw-hidden", role: "status", "aria-live": "polite" });
  const message = make("p", { className: "cw-message", role: "alert" });
  const list = make("ol", { className: "cw-moves", "aria-label": "moves" });

  const stop = button("", () => ({ do: state.thinking ? "stop" : "go" }), { className: "cw-stop" });
  const undo = button("Undo", { do: "undo" });
  const flip = button("Flip", { do: "flip" });
  const fresh = button("New game", { do: "new" });
  const buttons = make("div", { className: "cw-buttons" }, fresh, undo, flip, stop);

  const [engineField, engine] = chooser("Engine", setup.engines, (name) => ({ do: "engine", name }));
  const [limitField, limit] = chooser("Thinks", setup.limits, (text) => ({ do: "limit", text }));
  const sides = ["white", "black", "both"].map((name) => [name, name]);
  const [sideField, side] = chooser("You play", sides, (name) => ({ do: "side", name }));

  const [moveForm, move] = form("Your move", "e4 or e2e4", "Play", () => {
    if (move.value.trim()) sendMove(move.value);
    move.value = "";
  });
  const [fenForm, fen] = form("FEN", "", "Load", () => send({ do: "fen", text: fen.value }));
  const copyFen = make("button", { type: "button", textContent: "Copy" });
  fenForm.append(copyFen);
  copyFen.addEventListener("click", () => copy(state.fen, fen, "FEN"));
  const pgn = make("textarea", { readOnly: true, rows: 6, "aria-label": "PGN" });
  const copyPgn = make("button", { type: "button", textContent: "Copy PGN" });
  copyPgn.addEventListener("click", () => copy(state.pgn, pgn, "PGN"));
  const savePgn = make("button", { type: "button", textContent: "Save PGN" });
  savePgn.addEventListener("click", save);
  const more = make(
    "details",
    { className: "cw-more" },
    make("summary", { textContent: "FEN and PGN" }),
    make("div", {}, fenForm, pgn, make("div", { className: "cw-buttons" }, copyPgn, savePgn)),
  );

  const sendMove = (text) => send({ do: "move", text, ply: state.sans.length });
  const board = new Board(boardPlace, setup.pieces, sendMove, say);
  const panel = make(
    "div",
    { className: "cw-panel" },
    make("div", { className: "cw-said" }, status, message),
    buttons,
    list,
    moveForm,
    make("div", { className: "cw-fields" }, engineField, limitField, sideField),
    more,
  );
  const root = make(
    "div",
    { className: "cw-root", role: "region", "aria-label": "chess game" },
    make("div", { className: "cw-left" }, bar, boardPlace),
    panel,
    said,
  );
  // JupyterLab takes keys for its own commands unless it is told to leave them.
  root.setAttribute("data-lm-suppress-shortcuts", "true");
  element.append(make("div", { className: "cw-frame" }, root));

  async function copy(text, field, name) {
    try {
      await navigator.clipboard.writeText(text);
    } catch {
      field.select(); // without the permission: the old way
      document.execCommand("copy");
    }
    say(`${name} copied`);
  }

  function save() {
    const address = URL.createObjectURL(new Blob([state.pgn + "\n"], { type: "text/plain" }));
    make("a", { href: address, download: "game.pgn" }).click();
    setTimeout(() => URL.revokeObjectURL(address), 1000);
  }

  function drawMoves() {
    const shift = state.blackFirst ? 1 : 0;
    const rows = [];
    state.sans.forEach((san, index) => {
      const ply = index + 1;
      if (index === 0 || (index + shift) % 2 === 0) {
        const number = state.number + (index + shift - ((index + shift) % 2)) / 2;
        rows.push(make("li", {}, make("span", { textContent: `${number}.` })));
        if (index === 0 && shift) rows[0].append(make("span", { textContent: "…" }));
      }
      const shown = ply === state.ply;
      const made = button(san, { do: "show", ply });
      made.tabIndex = shown || (state.ply === 0 && index === 0) ? 0 : -1;
      if (shown) made.setAttribute("aria-current", "true");
      rows.at(-1).append(made);
    });
    const hadFocus = list.contains(document.activeElement);
    list.replaceChildren(...rows);
    list.hidden = rows.length === 0;
    const current = list.querySelector("[aria-current]");
    if (current) {
      const middle = current.parentElement.offsetTop - list.clientHeight / 2;
      list.scrollTop = Math.max(0, middle + 10); // not scrollIntoView: it moves the page
    } else list.scrollTop = 0;
    if (hadFocus) (current ?? list.querySelector("button"))?.focus({ preventScroll: true });
  }

  list.addEventListener("keydown", (event) => {
    const by = { ArrowLeft: -1, ArrowRight: 1, ArrowUp: -2, ArrowDown: 2 }[event.key];
    if (!by) return;
    event.preventDefault();
    send({ do: "step", by });
  });

  return function draw(next) {
    const before = state;
    state = next;
    board.update(state);
    if (status.textContent !== state.status) status.textContent = state.status;
    message.textContent = state.message;
    message.hidden = !state.message;
    if (state.message && !before.message) message.scrollIntoView({ block: "nearest" });
    stop.textContent = state.waiting ? "Engine, move" : "Move now";
    // A disabled button loses the focus, so it is only marked.
    stop.setAttribute("aria-disabled", String(!state.thinking && !state.waiting));
    undo.setAttribute("aria-disabled", String(!state.undo));
    root.dataset.thinking = state.thinking;
    root.dataset.ply = state.ply;
    engine.value = state.engine;
    limit.value = state.limit;
    side.value = state.side;
    pgn.value = state.pgn;
    if (before.fen !== state.fen) fen.value = state.fen;
    bar.style.visibility = state.evaluation ? "visible" : "hidden";
    if (state.evaluation) {
      const { share, text } = state.evaluation;
      bar.firstChild.style.setProperty("--share", `${share * 100}%`);
      bar.lastChild.textContent = text;
      bar.setAttribute("aria-label", `evaluation for White: ${text}`);
      bar.classList.toggle("cw-turned", state.black);
    }
    const game = (s) => `${s.sans.join()} ${s.ply} ${s.number}`;
    if (game(before) !== game(state)) drawMoves();
  };
}

export default {
  render({ model, el }) {
    const draw = mount(el, model.get("setup"), (command) => model.send(command));
    const redraw = () => draw(model.get("state"));
    redraw();
    model.on("change:state", redraw);
    return () => model.off("change:state", redraw);
  },
};
