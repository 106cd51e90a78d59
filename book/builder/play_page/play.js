// A page to play on. The board and its panel are those of the widget; Python runs in a worker,
// which receives no message while its engine searches. So the page keeps the worker's last
// state, terminates it when the reader wants something else, and lets a new one take up. The
// state is stored in the browser, too, so that a game outlives a reload.
import { newGame, withMove, withoutMove } from "./ahead.js";
import { make } from "./board.js";
import { Clock } from "./clock.js";
import { Eyes } from "./eyes.js";
import { Review } from "./review.js";
import { mount } from "./widget.js";

const SPARE_DELAY = 500; // milliseconds of thinking after which a second worker is got ready
const SHOWN = 3; // arrows
const EYES = "1 s"; // how long another engine looks at a position
const ENDS_THINKING = new Set(
  ["stop", "undo", "new", "fen", "pgn", "engine", "side", "resign", "flag"],
);
const KEY = "chess-course-game-3"; // of the stored state; another one when its form changes
const BEATEN = "chess-course-beaten"; // of the stored list of engines that were beaten

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

/** The engines that the reader has beaten; with one more if it is given. */
function beaten(engine = "") {
  try {
    const names = new Set(JSON.parse(localStorage.getItem(BEATEN)) ?? []);
    if (engine && !names.has(engine)) {
      localStorage.setItem(BEATEN, JSON.stringify([...names.add(engine)]));
    }
    return names;
  } catch {
    return new Set(engine ? [engine] : []);
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

/** An address that opens this page with a position. */
function linkTo(fen) {
  return `${location.href.split("#")[0]}#fen=${fen.replaceAll(" ", "_")}`;
}

/** The FEN in the address of this page, or null; it is taken out, so that a reload goes on. */
function linkedPosition() {
  const fen = new URLSearchParams(location.hash.slice(1)).get("fen");
  if (fen) history.replaceState(null, "", location.href.split("#")[0]);
  return fen?.replaceAll("_", " ");
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
  let ahead = false; // whether a move is drawn of which the worker has not told yet
  let flipped = false;
  let failure = "";
  let timer = 0;
  let spare = null; // a second worker, ready to take up
  let active = null; // the worker that has the game
  let analyst = null; // a worker that looks at the game while it goes on
  let asked = null; // what it is asked when it has told all of the last question
  let answering = false;

  let names = {}; // of openings by the first two fields of a FEN

  element.replaceChildren();
  const key = (fen) => fen.split(" ", 2).join(" ");
  const setup = {
    ...look.setup,
    link: linkTo,
    opening: (fens) => names[key(fens.findLast((fen) => key(fen) in names) ?? "")],
  };
  const { draw, arrows, players, look: lookAt } = mount(element, setup, send, drawLine);
  const line = make("p", { className: "play-line" });
  const expects = make("input", { type: "checkbox", checked: true });
  expects.addEventListener("change", show);
  const score = make("p", { className: "play-score" });
  const trees = make("div", { className: "play-trees", tabIndex: 0, role: "region" });
  trees.setAttribute("aria-label", "trees of the engines");
  const choice = make("label", {}, expects, "show what the engine expects");
  const clock = new Clock(players, (side) => send({ do: "flag", side }), show);
  element.querySelector(".cw-fields").append(clock.field);
  const eyes = new Eyes(look.setup.engines, (question) => ask({ do: "eyes", ...question, limit: EYES }));
  eyes.select.addEventListener("change", show);
  const review = new Review(
    () => {
      review.begin(state.sans.length);
      endAnalyst();
      ask({ do: "review" });
      show();
    },
    (ply, moves) => {
      lookAt(ply);
      if (moves.length) arrows.expect(moves);
      element.querySelector(".cb-board").scrollIntoView({ block: "nearest" });
    },
  );
  const more = make("div", { className: "play-more" });
  more.append(score, review.root, line, choice, eyes.root, trees);
  element.firstChild.append(more);
  const opponents = [...element.querySelector("select[aria-label=Engine]").options];
  const labels = opponents.map((option) => option.textContent);
  markBeaten("");

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
    const fens = state.positions.map(({ fen }) => fen);
    clock.follow(fens, active.ready && state.result === "*" && !failure);
    draw(view);
    drawTrees(trees, state.trees);
    element.dataset.ready = active.ready;
    element.dataset.thinking = state.thinking;
  }

  /** Mark the opponents that were beaten in the list. */
  function markBeaten(engine) {
    const known = beaten(engine);
    opponents.forEach((option, index) => {
      option.textContent = (known.has(option.value) ? "✓ " : "") + labels[index];
    });
    const count = opponents.filter(({ value }) => known.has(value)).length;
    score.textContent = count ? `You have beaten ${count} of ${opponents.length} opponents.` : "";
  }

  /** What the engine expects after so many plies; its present search is about the last position. */
  function drawLine(ply) {
    const live = ply === state.sans.length ? thought : null;
    const expected = expects.checked ? (live ?? state.positions[ply]).line : null;
    arrows.expect((expected?.moves ?? []).slice(0, SHOWN));
    const depth = live ? `${live.tree.depth} plies deep: ` : "Expected: ";
    line.textContent = expected?.text ? depth + expected.text : "";
    review.draw(ply, state.sans.length > 1);
    eyes.look(ply, state.positions[ply].fen);
  }

  /** Ask the analyst about the game; of questions that wait, only the last one is kept. */
  function ask(question) {
    if (answering) {
      asked = question;
      return;
    }
    answering = true;
    analyst ??= new EngineWorker(heard);
    analyst.send({ do: "take up", state: kept });
    analyst.send(question);
  }

  /** What the analyst tells. */
  function heard(_from, { review: found, eyes: seen, failure: wrong }) {
    if (found) review.receive(found);
    if (seen) eyes.receive(seen);
    if (!wrong && !found?.worst && !seen?.done) {
      if (found) show();
      return;
    }
    answering = false;
    const next = asked;
    asked = null;
    if (next) ask(next);
    show();
  }

  /** End the analyst; the answer does not matter any more. */
  function endAnalyst() {
    if (answering) analyst?.end();
    if (answering) analyst = null;
    answering = false;
    asked = null;
  }

  function onMessage(from, message) {
    if (message.failure) {
      failure = `This copy of the book has no Python for browsers. (${message.failure})`;
      if (from === spare) spare = null;
    }
    if (from !== active) return;
    if (message.state) {
      if (String(message.state.sans) !== String(kept.sans)) {
        if (review.running) endAnalyst();
        review.forget();
      }
      state = kept = message.state;
      thought = null;
      ahead = false;
      if (state.beaten) markBeaten(state.beaten);
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

  function send(order) {
    const engineSide = state.person === "white" ? "black" : "white";
    const command = clock.on ? { ...order, seconds: clock.share(engineSide) } : order;
    if (command.do === "new") store(null);
    if (command.do === "flip") {
      flipped = !flipped;
      show();
    } else if ((state.thinking || ahead) && ENDS_THINKING.has(command.do)) replace(command);
    else {
      active.send(command);
      if (command.do === "move" && state.moves.includes(command.text)) {
        state = withMove(state, command.text);
        ahead = true;
        show();
      }
    }
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
      // The worker that takes up does not know of a move that was only drawn.
      if (command.do !== "undo" || !ahead) active.send(command);
    }
    if (command.do === "undo") state = withoutMove(state);
    else if (command.do === "new") state = newGame(state, look.state);
    else state = { ...state, thinking: false, moves: [], status: "The engine has stopped." };
    ahead = false;
    show();
  }

  active = new EngineWorker(onMessage);
  if (stored) active.send({ do: "take up", state: kept });
  const linked = linkedPosition();
  const question = "Leave your game for the position of this link?";
  if (linked && (!stored || state.result !== "*" || confirm(question))) {
    active.send({ do: "fen", text: linked });
    state = { ...newGame(state, look.state), moves: [] };
    const placed = /^[1-8pnbrqk/]+ [wb] /i.test(linked);
    if (placed) state.positions = [{ ...state.positions[0], fen: linked }];
  } else if (stored && state.thinking) active.send({ do: "go" });
  show();
  fetch(new URL("./openings.json", import.meta.url))
    .then((found) => found.json())
    .then((found) => {
      names = found;
      show();
    });
}

const element = document.getElementById("play");
const answer = await fetch(new URL("./first.json", import.meta.url));
const look = await answer.json();
if (look.python) start(element, look);
else element.textContent = "This copy of the book was built without Python for browsers.";
