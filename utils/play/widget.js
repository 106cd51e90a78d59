// The panel around the board, and the connection to the widget in Python.
import { Arrows } from "./arrows.js";
import { Board, make } from "./board.js";
import { Players } from "./players.js";

// Buttons that step through the game: name, outline in a square of 16 by 16.
const STEPS = [
  ["first position", "M3 3v10M13 3L6 8l7 5z"],
  ["previous move", "M12 3L5 8l7 5z"],
  ["next move", "M4 3l7 5-7 5z"],
  ["last position", "M13 3v10M3 3l7 5-7 5z"],
];

/**
 * A board with everything beside it.
 * @param element where it is put
 * @param setup what never changes: pieces, engines, limits; perhaps functions: link(fen) gives an
 *   address for a position, opening(fens) the name of the opening
 * @param deliver is called with a command, such as {do: "undo"}
 * @param onShow is called when a position was drawn, with the number of plies before it
 * @returns draw, which draws a state; look, which shows the position after so many plies; and
 *   the arrows and the players that are drawn
 */
export function mount(element, setup, deliver, onShow = () => {}) {
  let state = { sans: [], positions: [] };
  let shown = 0; // plies before the position that is looked at
  let unseen = false; // whether a move was played while an earlier position was looked at
  let notice = ""; // what is wrong with the last click
  let premove = ""; // a move that waits for its turn
  let listed = ""; // what the list of moves was drawn from
  let changes = 0; // what a screen reader says is said anew only if it differs

  const say = (text) => (said.textContent = text + (changes++ % 2 ? "\u00a0" : ""));
  const send = (command) => {
    notify("");
    deliver(command);
  };
  const button = (text, act, properties = {}) => {
    const made = make("button", { type: "button", textContent: text, ...properties });
    made.addEventListener("click", act);
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
    const go = button(text, submit);
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
  const opening = make("p", { className: "cw-opening" });
  const list = make("ol", { className: "cw-moves", "aria-label": "moves" });

  const stopOrGo = () => send({ do: state.thinking ? "stop" : "go" });
  const stop = button("", stopOrGo, { className: "cw-stop" });
  const undo = button("Undo", () => send({ do: "undo" }));
  const flip = button("Flip", () => send({ do: "flip" }));
  const fresh = button("New game", () => send({ do: "new" }));
  const targets = [() => 0, () => shown - 1, () => shown + 1, () => state.sans.length];
  const steps = STEPS.map(([label, outline], index) => {
    const made = button("", () => look(targets[index]()), { title: label, "aria-label": label });
    made.innerHTML = `<svg viewBox="0 0 16 16" aria-hidden="true"><path d="${outline}"/></svg>`;
    return made;
  });
  const stepper = make("div", { className: "cw-steps", role: "group" }, ...steps);
  stepper.setAttribute("aria-label", "step through the game");
  const draw = button("", () => send({ do: "draw" }));
  const resign = button("Resign", () => send({ do: "resign" }));
  const buttons = make("div", { className: "cw-buttons" }, fresh, undo, flip, stop, draw, resign);

  const [engineField, engine] = chooser("Engine", setup.engines, (name) => ({ do: "engine", name }));
  const [limitField, limit] = chooser("Thinks", setup.limits, (text) => ({ do: "limit", text }));
  const sides = ["white", "black", "random", "both"].map((name) => [name, name]);
  const [sideField, side] = chooser("You play", sides, (name) => ({ do: "side", name }));

  const [moveForm, move] = form("Your move", "e4 or e2e4", "Play", () => {
    if (move.value.trim()) sendMove(move.value);
    move.value = "";
  });
  const [fenForm, fen] = form("FEN", "", "Load", () => send({ do: "fen", text: fen.value }));
  fenForm.append(button("Copy", () => copy(state.positions[shown].fen, "FEN")));
  if (setup.link) {
    fenForm.append(button("Copy link", () => copy(setup.link(state.positions[shown].fen), "Link")));
  }
  const pgn = make("textarea", { rows: 6, spellcheck: false, "aria-label": "PGN" });
  const loadPgn = button("Load PGN", () => send({ do: "pgn", text: pgn.value }));
  const copyPgn = button("Copy PGN", () => copy(state.pgn, "PGN"));
  const savePgn = button("Save PGN", save);
  const more = make(
    "details",
    { className: "cw-more" },
    make("summary", { textContent: "FEN and PGN" }),
    make("div", {}, fenForm, pgn, make("div", { className: "cw-buttons" }, loadPgn, copyPgn, savePgn)),
  );

  const sendMove = (text) => {
    look(state.sans.length);
    if (!state.moves.length && state.premoves.includes(text)) setPremove(text);
    else send({ do: "move", text, ply: state.sans.length });
  };
  const sayAnew = (text) => {
    notify("");
    say(text);
  };
  const refuse = (from, to) => notify(`${from} to ${to} is not a legal move.`);
  const board = new Board(boardPlace, setup.pieces, sendMove, sayAnew, refuse);
  const arrows = new Arrows(board);
  const players = new Players(setup.pieces);
  const labels = Object.fromEntries(setup.engines.map(([key, text]) => [key, text.split(" · ")[0]]));
  const cancel = () => premove && setPremove("");
  board.grid.addEventListener("pointerdown", cancel);
  board.grid.addEventListener("keydown", ({ key }) => key === "Escape" && cancel());
  const panel = make(
    "div",
    { className: "cw-panel" },
    players.root,
    make("div", { className: "cw-said" }, status, message, opening),
    buttons,
    stepper,
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

  async function copy(text, name) {
    try {
      await navigator.clipboard.writeText(text);
    } catch {
      const field = make("textarea", { value: text }); // without the permission: the old way
      root.append(field);
      field.select();
      document.execCommand("copy");
      field.remove();
    }
    say(`${name} copied`);
  }

  function save() {
    const address = URL.createObjectURL(new Blob([state.pgn + "\n"], { type: "text/plain" }));
    make("a", { href: address, download: "game.pgn" }).click();
    setTimeout(() => URL.revokeObjectURL(address), 1000);
  }

  /** Say what is wrong with a click; without a text, what Python says is wrong. */
  function notify(text) {
    const before = message.textContent;
    notice = text;
    message.textContent = notice || (state.message ?? "");
    message.hidden = !message.textContent;
    if (!message.hidden && !before) message.scrollIntoView({ block: "nearest" });
  }

  /** Note a move to be made as soon as it is legal; "" for none. */
  function setPremove(text) {
    premove = text;
    sayAnew(text ? `premove ${text.slice(0, 2)} to ${text.slice(2, 4)}` : "premove cancelled");
    drawPosition();
  }

  /** Look at the position after so many plies. */
  function look(ply) {
    shown = Math.min(Math.max(ply, 0), state.sans.length);
    notify("");
    drawPosition();
  }

  function drawPosition() {
    const { fen: text, last, check, evaluation } = state.positions[shown];
    const atEnd = shown === state.sans.length;
    const placement = text.split(" ")[0];
    const moves = state.moves.length ? state.moves : state.premoves;
    const view = { placement, last, check, black: state.black, premove: atEnd ? premove : "" };
    if (board.view.placement !== placement) arrows.clear();
    board.update({ ...view, moves: atEnd ? moves : [] });
    arrows.draw();
    const names = Object.entries(state.names).map(([side, name]) => [side, labels[name] ?? name]);
    const fens = state.positions.slice(0, shown + 1).map((position) => position.fen);
    opening.textContent = setup.opening?.(fens) ?? "";
    players.draw(Object.fromEntries(names), fens, state.black);
    if (fen.dataset.shown !== text) fen.value = fen.dataset.shown = text;
    const back = ` The board shows ply ${shown} of ${state.sans.length}.`;
    const words = state.status + (atEnd ? "" : back);
    if (status.textContent !== words) status.textContent = words;
    bar.style.visibility = evaluation ? "visible" : "hidden";
    if (evaluation) {
      bar.firstChild.style.setProperty("--share", `${evaluation.share * 100}%`);
      bar.lastChild.textContent = evaluation.text;
      bar.setAttribute("aria-label", `evaluation for White: ${evaluation.text}`);
      bar.classList.toggle("cw-turned", state.black);
    }
    unseen &&= !atEnd;
    steps.forEach((step, index) => {
      step.setAttribute("aria-disabled", String(index < 2 ? shown === 0 : atEnd));
    });
    steps.at(-1).classList.toggle("cw-unseen", unseen);
    const content = `${state.sans.join()} ${shown} ${state.positions[0].fen}`;
    if (listed !== content) drawMoves();
    listed = content;
    onShow(shown);
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
      const made = button(san, () => look(ply));
      made.tabIndex = ply === Math.max(shown, 1) ? 0 : -1;
      if (ply === shown) made.setAttribute("aria-current", "true");
      rows.at(-1).append(made);
    });
    const hadFocus = list.contains(document.activeElement);
    list.replaceChildren(...rows);
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
    look(shown + by);
  });

  /** Play the premove if its turn has come. */
  function playPremove(before) {
    const text = premove;
    if (!text || (!state.moves.length && state.premoves.length)) return;
    premove = "";
    if (state.sans.length < before.sans.length || state.result !== "*") return;
    if (state.moves.includes(text)) sendMove(text);
    else notify(`The premove ${text.slice(0, 2)} to ${text.slice(2, 4)} is not legal now.`);
  }

  function drawState(next) {
    const before = state;
    state = next;
    // Whoever looks at an earlier position goes on to do so while the game goes on.
    const stays =
      shown < before.sans.length &&
      before.positions.every(({ fen }, ply) => fen === state.positions[ply]?.fen);
    if (!stays) shown = state.sans.length;
    unseen ||= stays && state.sans.length > before.sans.length;
    notify(notice);
    drawPosition();
    stop.textContent = state.waiting ? "Engine, move" : "Move now";
    // A disabled button loses the focus, so it is only marked.
    stop.setAttribute("aria-disabled", String(!state.thinking && !state.waiting));
    undo.setAttribute("aria-disabled", String(!state.undo));
    draw.textContent = state.claim ? "Claim draw" : "Offer draw";
    draw.setAttribute("aria-disabled", String(!state.moves.length));
    resign.setAttribute("aria-disabled", String(state.result !== "*"));
    root.dataset.thinking = state.thinking;
    engine.value = state.engine;
    limit.value = state.limit;
    side.value = state.side;
    if (pgn.dataset.shown !== state.pgn) pgn.value = pgn.dataset.shown = state.pgn;
    playPremove(before);
  }

  return { draw: drawState, look, arrows, players };
}

export default {
  render({ model, el }) {
    const { draw } = mount(el, model.get("setup"), (command) => model.send(command));
    const redraw = () => draw(model.get("state"));
    redraw();
    model.on("change:state", redraw);
    return () => model.off("change:state", redraw);
  },
};
