// A page to play on. The board and its panel are those of the widget; Python runs in a worker,
// which receives no message while its engine searches. So the page keeps the worker's last
// state, terminates it when the reader wants something else, and lets a new one take up. The
// state is stored in the browser, too, so that a game outlives a reload.
import { make } from "./board.js";
import { mount } from "./widget.js";

const SPARE_DELAY = 500; // milliseconds of thinking after which a second worker is got ready
const SHOWN = 3; // arrows
const ENDS_THINKING = new Set(["stop", "undo", "new", "fen", "engine", "side"]);
const KEY = "chess-course-game-3"; // of the stored state; another one when its form changes

/** A worker with Python and an engine; what is sent before it is ready waits. */
class EngineWorker {
  constructor(onMessage) {
    this.onMessage = onMessage;
    this.ready = false;
    this.waiting = [];
    this.worker = new Worker(new URL("./worker.js", import.meta.url), { type: "module" });
    this.worker.onmessage = ({ data }) => this.#receive(JSON.parse(data));
    this.worker.onerror = () => onMessage(this, { failure: "Python did not start" });
  }

  send(command) {
    if (this.ready) this.worker.postMessage(JSON.stringify(command));
    else this.waiting.push(command);
  }

  /** Forget what was sent and not yet received. */
  clear() {
    this.waiting = [];
  }

  end() {
    this.worker.terminate();
    this.onMessage = () => {};
  }

  #receive(message) {
    if (message.ready) {
      this.ready = true;
      this.waiting.splice(0).forEach((command) => this.send(command));
    }
    this.onMessage(this, message);
  }
}

/** Whether a value has the keys and types of a model; where that has null, anything is good. */
function fits(value, model) {
  if (model === null) return true;
  if (Array.isArray(model)) {
    return Array.isArray(value) && value.every((part) => !model.length || fits(part, model[0]));
  }
  if (typeof value !== typeof model || value === null) return false;
  const keys = typeof model === "object" ? Object.keys(model) : [];
  return keys.every((key) => key in value && fits(value[key], model[key]));
}

/** The stored state, or null if there is none that can be drawn. A worker checks the rest. */
function readStored(model) {
  try {
    const state = JSON.parse(localStorage.getItem(KEY));
    return fits(state, model) && state.positions.length === state.sans.length + 1 ? state : null;
  } catch {
    return null; // storage is switched off, or the value is no JSON
  }
}

/** What is drawn of a stored state before a worker has checked it. */
function unchecked(state) {
  const positions = state.positions.map((position) => {
    return { ...position, evaluation: null, line: null };
  });
  return { ...state, positions, trees: [] };
}

/** Store a state, or remove what is stored. */
function store(state) {
  try {
    if (state) localStorage.setItem(KEY, JSON.stringify(state));
    else localStorage.removeItem(KEY);
  } catch {
    // Storage is switched off or full: the game is not kept.
  }
}

/** The outline of an arrow between two squares, on a board of 8 by 8. */
function outline(move, black) {
  const place = (file, rank) => {
    const x = file.charCodeAt(0) - 97;
    const y = 8 - Number(rank);
    return black ? [7.5 - x, 7.5 - y] : [x + 0.5, y + 0.5];
  };
  const [x, y] = place(move[0], move[1]);
  const [toX, toY] = place(move[2], move[3]);
  const length = Math.hypot(toX - x, toY - y);
  const [dx, dy] = [(toX - x) / length, (toY - y) / length];
  const point = (along, aside) => `${x + dx * along - dy * aside} ${y + dy * along + dx * aside}`;
  const neck = length - 0.35;
  const corners = [
    point(0.25, 0.08),
    point(neck, 0.08),
    point(neck, 0.22),
    point(length - 0.05, 0),
    point(neck, -0.22),
    point(neck, -0.08),
    point(0.25, -0.08),
  ];
  return `M${corners.join("L")}Z`;
}

function drawArrows(picture, moves, black) {
  const paths = moves.slice(0, SHOWN).map((move) => {
    const path = document.createElementNS(picture.namespaceURI, "path");
    path.setAttribute("d", outline(move, black));
    return path;
  });
  picture.replaceChildren(...paths);
}

/** The trees of the engines' last moves, side by side. */
function drawTrees(place, trees) {
  const most = Math.max(1, ...trees.map((tree) => tree.nodes ?? 0));
  const show = (value) => (value === null ? "–" : value.toLocaleString("en"));
  const rows = trees.map((tree) => {
    const bar = make("div", { className: "play-bar" });
    bar.style.width = `${(100 * (tree.nodes ?? 0)) / most}%`;
    const texts = [tree.move, show(tree.depth), show(tree.nodes), tree.seconds.toFixed(2)];
    return make(
      "tr",
      {},
      make("th", { scope: "row", textContent: tree.engine }),
      ...texts.map((textContent) => make("td", { textContent })),
      make("td", { "aria-hidden": "true" }, bar),
    );
  });
  const heads = ["engine", "move", "plies", "positions", "seconds"];
  const head = make(
    "tr",
    {},
    ...heads.map((textContent) => make("th", { scope: "col", textContent })),
    make("td"),
  );
  const caption = make("caption", { textContent: "The tree of each engine's last move" });
  place.replaceChildren(make("table", {}, caption, make("thead", {}, head), make("tbody", {}, ...rows)));
  place.hidden = trees.length === 0;
}

function start(element, look) {
  const stored = readStored(look.state);
  let kept = stored ?? look.state; // what a worker told last, for the next one
  let state = stored ? unchecked(stored) : kept;
  let thought = null; // what the engine has found so far
  let flipped = false;
  let failure = "";
  let timer = 0;
  let spare = null; // a second worker, ready to take up
  let active = null; // the worker that has the game

  element.replaceChildren();
  const draw = mount(element, look.setup, send, drawLine);
  const picture = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  picture.setAttribute("viewBox", "0 0 8 8");
  picture.setAttribute("class", "play-arrows");
  picture.setAttribute("aria-hidden", "true");
  element.querySelector(".cb-field").append(picture);
  const line = make("p", { className: "play-line" });
  const arrows = make("input", { type: "checkbox", checked: true });
  arrows.addEventListener("change", show);
  const trees = make("div", { className: "play-trees", tabIndex: 0, role: "region" });
  trees.setAttribute("aria-label", "trees of the engines");
  const choice = make("label", {}, arrows, "show what the engine expects");
  element.firstChild.append(make("div", { className: "play-more" }, line, choice, trees));

  function show() {
    const black = state.black !== flipped;
    const view = { ...state, black };
    if (thought) {
      const { evaluation } = thought;
      view.positions = state.positions.with(-1, { ...state.positions.at(-1), evaluation });
    }
    if (!active.ready && !failure) {
      view.status = `Python is starting.${state.moves.length ? " You can move already." : ""}`;
    }
    if (failure) view.message = failure;
    draw(view);
    drawTrees(trees, state.trees);
    element.dataset.ready = active.ready;
    element.dataset.thinking = state.thinking;
  }

  /** What the engine expects after so many plies; its present search is about the last position. */
  function drawLine(ply) {
    const live = ply === state.sans.length ? thought : null;
    const expected = arrows.checked ? (live ?? state.positions[ply]).line : null;
    drawArrows(picture, expected?.moves ?? [], state.black !== flipped);
    const depth = live ? `${live.tree.depth} plies deep: ` : "Expected: ";
    line.textContent = expected?.text ? depth + expected.text : "";
  }

  function onMessage(from, message) {
    if (message.failure) {
      failure = `This copy of the book has no Python for browsers. (${message.failure})`;
      if (from === spare) spare = null;
    }
    if (from !== active) return;
    if (message.state) {
      state = kept = message.state;
      thought = null;
      const begun = state.sans.length || state.positions[0].fen !== look.state.positions[0].fen;
      store(begun ? state : null);
      clearTimeout(timer);
      if (state.thinking && !spare && (navigator.deviceMemory ?? 8) >= 4) {
        timer = setTimeout(() => (spare ??= new EngineWorker(onMessage)), SPARE_DELAY);
      }
    }
    if (message.thought) thought = message.thought;
    show();
  }

  function send(command) {
    if (command.do === "new") store(null);
    if (command.do === "flip") {
      flipped = !flipped;
      show();
    } else if (state.thinking && ENDS_THINKING.has(command.do)) replace(command);
    else active.send(command);
  }

  /** End the worker that thinks; another one takes up its game and does the command. */
  function replace(command) {
    clearTimeout(timer);
    if (active.ready) {
      active.end();
      active = spare ?? new EngineWorker(onMessage);
      spare = null;
    } else active.clear();
    const takeUp = { do: "take up", state: kept };
    if (command.do === "stop") {
      active.send({ ...takeUp, answer: thought ? thought.move : "", thought });
    } else {
      active.send(takeUp);
      active.send(command);
    }
    state = { ...state, thinking: false, moves: [], status: "The engine has stopped." };
    show();
  }

  active = new EngineWorker(onMessage);
  if (stored) {
    active.send({ do: "take up", state: kept });
    if (state.thinking) active.send({ do: "go" });
  }
  show();
}

const element = document.getElementById("play");
const answer = await fetch(new URL("./first.json", import.meta.url));
const look = await answer.json();
if (look.python) start(element, look);
else element.textContent = "This copy of the book was built without Python for browsers.";
