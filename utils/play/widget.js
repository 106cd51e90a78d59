// The panel around the board, and the connection to the widget in Python.
import { Arrows } from "./arrows.js";
import { Board, make } from "./board.js";
import { button, chooser, enable, textField } from "./controls.js";
import { Files } from "./files.js";
import { Moves } from "./moves.js";
import { Players } from "./players.js";

/**
 * A board with everything beside it.
 * @param element where it is put
 * @param setup what never changes: pieces, engines, limits; perhaps functions: link(fen) gives an
 *   address for a position, opening(fens) the name of the opening
 * @param deliver is called with a command, such as {do: "undo"}
 * @param onShow is called when a position was drawn, with the number of plies before it
 * @returns draw, which draws a state; look, which shows the position after so many plies; the
 *   arrows and the players that are drawn; and the elements of the board, the list of engines,
 *   all fields, and the frame around everything
 */
export function mount(element, setup, deliver, onShow = () => {}) {
  let state = { sans: [], positions: [] };
  let shown = 0; // plies before the position that is looked at
  let unseen = false; // whether a move was played while an earlier position was looked at
  let notice = ""; // what is wrong with the last click
  let premove = ""; // a move that waits for its turn
  let changes = 0; // what a screen reader says is said anew only if it differs

  const say = (text) => (said.textContent = text + (changes++ % 2 ? "\u00a0" : ""));
  const send = (command) => {
    notify("");
    deliver(command);
  };
  const boardPlace = make("div", { className: "cw-place" });
  const bar = make("div", { className: "cw-bar", role: "img" }, make("div"), make("span"));
  const status = make("p", { className: "cw-status", role: "status", "aria-live": "polite" });
  const said = make("p", { className: "cw-hidden", role: "status", "aria-live": "polite" });
  const message = make("p", { className: "cw-message", role: "alert" });
  const opening = make("p", { className: "cw-opening" });

  const fresh = button("New game", () => send({ do: "new" }));
  const undo = button("Undo", () => send({ do: "undo" }));
  const flip = button("Flip", () => send({ do: "flip" }));
  const go = () => send({ do: state.thinking ? "stop" : "go" });
  const stop = button("Move now", go, { className: "cw-stop" });
  const draw = button("", () => send({ do: "draw" }));
  const resign = button("Resign", () => send({ do: "resign" }));
  const buttons = make("div", { className: "cw-buttons" }, fresh, undo, flip, stop, draw, resign);

  const choose = (label, choices, command) => {
    return chooser(label, choices, (value) => send(command(value)));
  };
  const [engineField, engine] = choose("Engine", setup.engines, (name) => ({ do: "engine", name }));
  const [limitField, limit] = choose("Thinks", setup.limits, (text) => ({ do: "limit", text }));
  const sides = ["white", "black", "random", "both"].map((name) => [name, name]);
  const [sideField, side] = choose("You play", sides, (name) => ({ do: "side", name }));
  const [moveField, move] = textField("Your move", "e4", button("Play", () => {
    if (move.value.trim()) sendMove(move.value);
    move.value = "";
  }));

  const sendMove = (text) => {
    look(state.sans.length);
    if (!state.moves.length && state.premoves.includes(text)) setPremove(text);
    else if (state.premoves.length) notify("While the engine thinks, write a move as g1f3.");
    else send({ do: "move", text, ply: state.sans.length });
  };
  const sayAnew = (text) => {
    notify("");
    say(text);
  };
  const refuse = (from, to) => notify(`${from} to ${to} is not a legal move.`);
  const board = new Board(boardPlace, setup.pieces, sendMove, sayAnew, refuse);
  const arrows = new Arrows(board);
  const moves = new Moves(look);
  const files = new Files(setup.link, send, say, notify);
  const players = new Players(setup.pieces);
  const labels = Object.fromEntries(setup.engines.map(([key, text]) => [key, text.split(" · ")[0]]));
  const cancel = () => premove && setPremove("");
  board.grid.addEventListener("pointerdown", cancel);
  board.grid.addEventListener("keydown", ({ key }) => key === "Escape" && cancel());
  const choices = [moveField, sideField, engineField, limitField];
  const fields = make("div", { className: "cw-fields" }, ...choices);
  const panel = make(
    "div",
    { className: "cw-panel cw-controls" },
    players.root,
    make("div", { className: "cw-said" }, status, message, opening),
    buttons,
    make("div", { className: "cw-tools" }, moves.stepper, arrows.button),
    moves.list,
    fields,
    files.root,
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
  const frame = make("div", { className: "cw-frame" }, root);
  element.append(frame);
  files.takeDrops(root);

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
    const { fen, last, check, evaluation } = state.positions[shown];
    const atEnd = shown === state.sans.length;
    const placement = fen.split(" ")[0];
    const choices = state.moves.length ? state.moves : state.premoves;
    const view = { placement, last, check, black: state.black, premove: atEnd ? premove : "" };
    if (board.view.placement !== placement) arrows.clear();
    board.update({ ...view, moves: atEnd ? choices : [] });
    arrows.draw();
    const names = Object.entries(state.names).map(([side, name]) => [side, labels[name] ?? name]);
    const fens = state.positions.slice(0, shown + 1).map((position) => position.fen);
    opening.textContent = setup.opening?.(fens) ?? "";
    players.draw(Object.fromEntries(names), fens, state.black);
    files.draw(fen, state.pgn);
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
    moves.draw(state, shown, unseen);
    onShow(shown);
  }

  /** Play the premove if its turn has come. */
  function playPremove(before) {
    const text = premove;
    if (!text || (!state.moves.length && state.premoves.length)) return;
    premove = "";
    drawPosition();
    if (state.sans.length < before.sans.length || state.result !== "*") return;
    if (state.moves.includes(text)) sendMove(text);
    else notify(`The premove ${text.slice(0, 2)} to ${text.slice(2, 4)} is not legal now.`);
  }

  function drawState(next) {
    const before = state;
    state = next;
    // A reader who looks at an earlier position goes on to do so while the game goes on.
    const stays =
      shown < before.sans.length &&
      before.positions.every(({ fen }, ply) => fen === state.positions[ply]?.fen);
    if (!stays) shown = state.sans.length;
    unseen ||= stays && state.sans.length > before.sans.length;
    notify(notice);
    drawPosition();
    enable(stop, state.thinking || state.waiting);
    enable(undo, state.undo);
    draw.textContent = state.claim ? "Claim draw" : "Offer draw";
    enable(draw, state.moves.length);
    enable(resign, state.result === "*");
    root.dataset.thinking = state.thinking;
    engine.value = state.engine;
    limit.value = state.limit;
    side.value = state.side;
    playPremove(before);
  }

  return { draw: drawState, look, arrows, players, board: board.root, engine, fields, frame };
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
