// A page to play on. The board and its panel are those of the widget; Python is in a worker,
// which can be asked nothing while its engine thinks. So the page keeps what the worker has
// told last, ends it when the reader wants something else, and lets a new one take up.
import { make } from "./board.js";
import { mount } from "./widget.js";

const PATIENCE = 500; // milliseconds of thinking after which a second worker is got ready
const SHOWN = 3; // arrows
const ENDS_THINKING = new Set(["stop", "undo", "new", "fen", "engine", "side"]);

/** A worker; what is sent before it is ready waits. */
class Mind {
  constructor(hear) {
    this.hear = hear;
    this.ready = false;
    this.waiting = [];
    this.worker = new Worker(new URL("./worker.js", import.meta.url), { type: "module" });
    this.worker.onmessage = ({ data }) => this.#receive(JSON.parse(data));
    this.worker.onerror = () => hear(this, { failure: "Python did not start" });
  }

  send(command) {
    if (this.ready) this.worker.postMessage(JSON.stringify(command));
    else this.waiting.push(command);
  }

  end() {
    this.worker.terminate();
    this.hear = () => {};
  }

  #receive(message) {
    if (message.ready) {
      this.ready = true;
      this.waiting.splice(0).forEach((command) => this.send(command));
    }
    this.hear(this, message);
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
  let state = look.state;
  let thought = null; // what the engine has found so far
  let flipped = false;
  let failure = "";
  let timer = 0;
  let spare = null;
  let mind = null;

  element.replaceChildren();
  const draw = mount(element, look.setup, send);
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
    if (thought) view.evaluation = { share: thought.share, text: thought.text };
    if (!mind.ready && !failure) view.status = "Python is starting. You can move already.";
    if (failure) view.message = failure;
    draw(view);
    const expected = (thought ?? state).line;
    const shown = arrows.checked && expected ? expected : { moves: [], text: "" };
    drawArrows(picture, shown.moves, black);
    const depth = thought ? `${thought.tree.depth} plies deep: ` : "Expected: ";
    line.textContent = shown.text && depth + shown.text;
    drawTrees(trees, state.trees);
    element.dataset.ready = mind.ready;
    element.dataset.thinking = state.thinking;
  }

  function hear(from, message) {
    if (message.failure) {
      failure = `This copy of the book has no Python for browsers. (${message.failure})`;
      if (from === spare) spare = null;
    }
    if (from !== mind) return;
    if (message.state) {
      state = message.state;
      thought = null;
      clearTimeout(timer);
      if (state.thinking && !spare && (navigator.deviceMemory ?? 8) >= 4) {
        timer = setTimeout(() => (spare ??= new Mind(hear)), PATIENCE);
      }
    }
    if (message.thought) thought = message.thought;
    show();
  }

  function send(command) {
    if (command.do === "flip") {
      flipped = !flipped;
      show();
    } else if (state.thinking && ENDS_THINKING.has(command.do)) replace(command);
    else mind.send(command);
  }

  /** End the worker that thinks; another one takes up its game and does the command. */
  function replace(command) {
    mind.end();
    clearTimeout(timer);
    mind = spare ?? new Mind(hear);
    spare = null;
    const takeUp = { do: "take up", kept: state.kept };
    if (command.do === "stop") {
      mind.send({ ...takeUp, answer: thought ? thought.move : "", thought });
    } else {
      mind.send(takeUp);
      mind.send(command);
    }
    state = { ...state, thinking: false, moves: [], status: "The engine has stopped." };
    show();
  }

  mind = new Mind(hear);
  show();
}

const element = document.getElementById("play");
const answer = await fetch(new URL("./first.json", import.meta.url));
const look = await answer.json();
if (look.python) start(element, look);
else element.textContent = "This copy of the book was built without Python for browsers.";
