// Figures that a reader steps through or changes. Python (utils/figures/live.py) writes a still
// picture and its data; here is what moves. Each figure is a class with a state, a list of
// functions that draw a part of it, and one `update` that calls them all. The last lines
// make the figures of the page interactive. No dependencies but the board of utils/play.
import { Board, FILES, make, nameOf, readPlacement } from "../play/board.js";

/** A figure: what all kinds of them share. */
class Figure {
  /** @param root the element with the still picture and the data */
  constructor(root) {
    this.root = root;
    this.data = JSON.parse(root.dataset.figure);
    this.state = {};
    this.draws = [];
    this.stage = root.querySelector(".course-live-stage");
    this.line = root.querySelector(".course-live-line");
    this.line.setAttribute("aria-live", "polite");
    root.setAttribute("data-lm-suppress-shortcuts", "true"); // keys are not JupyterLab's here
  }

  /** Change the state, and draw it. */
  set(changes) {
    Object.assign(this.state, changes);
    this.update();
  }

  update() {
    for (const draw of this.draws) draw(this.state);
  }

  /** A button with a text; `title` is what a screen reader says. */
  button(text, act, title = text) {
    const about = { type: "button", textContent: text, title, "aria-label": title };
    const button = make("button", about);
    button.addEventListener("click", act);
    return button;
  }

  /** Put buttons above the line of text. */
  addButtons(...buttons) {
    this.line.before(make("div", { className: "course-live-choices" }, ...buttons));
  }
}

/** Steps with words, parts of a picture, perhaps a board, perhaps questions. */
class Steps extends Figure {
  constructor(root) {
    super(root);
    const { steps, first } = this.data;
    this.steps = steps;
    this.last = steps.length - 1;
    this.state = { step: (first + steps.length) % steps.length, answers: {} };
    this.parts = [...this.stage.querySelectorAll("[data-part]")];
    this.addControls();
    this.draws = [
      (state) => this.drawControls(state),
      (state) => this.drawParts(state),
      (state) => this.drawQuestion(state),
    ];
    const svg = this.stage.querySelector(".course-board");
    if (svg) this.draws.push(boardDrawer(svg, this));
    this.update();
  }

  go(step) {
    this.set({ step: Math.max(0, Math.min(this.last, step)) });
  }

  addControls() {
    const label = this.data.unit ?? "step";
    this.slider = make("input", { type: "range", min: 0, max: this.last, "aria-label": label });
    this.slider.addEventListener("input", () => this.go(Number(this.slider.value)));
    this.back = this.button("◀", () => this.go(this.state.step - 1), "one step back");
    this.on = this.button("▶", () => this.go(this.state.step + 1), "one step on");
    const hidden = !this.steps.some(({ ask }) => ask);
    this.choices = make("div", { className: "course-live-choices", hidden });
    const parts = [this.back, this.slider, this.on];
    this.line.before(make("div", { className: "course-live-controls" }, ...parts));
    this.line.after(this.choices);
    this.root.addEventListener("keydown", (event) => {
      const by = { ArrowLeft: -1, ArrowRight: 1, Home: -Infinity, End: Infinity }[event.key];
      const modified = event.ctrlKey || event.altKey || event.metaKey || event.shiftKey;
      if (!by || modified || event.target.closest("summary, details")) return;
      event.preventDefault();
      event.stopPropagation();
      this.go(this.state.step + by);
    });
  }

  drawControls({ step, answers }) {
    const { say, ask } = this.steps[step];
    const answer = answers[step];
    const given = ask && answer !== undefined;
    const praise = given ? (answer === ask.right ? " Right. " : " Not so. ") + ask.why : "";
    this.line.textContent = say + praise + (step === this.last ? this.result(answers) : "");
    this.slider.value = step;
    this.slider.setAttribute("aria-valuetext", `${step} of ${this.last}`);
    // A button that is disabled would lose the focus.
    this.back.setAttribute("aria-disabled", String(step === 0));
    this.on.setAttribute("aria-disabled", String(step === this.last));
  }

  result(answers) {
    const given = Object.entries(answers);
    const right = given.filter(([step, answer]) => answer === this.steps[step].ask.right);
    return given.length ? ` You answered ${given.length}, ${right.length} of them right.` : "";
  }

  drawParts({ step }) {
    const shown = {};
    for (const { show } of this.steps.slice(0, step + 1)) {
      for (const [name, news] of Object.entries(show)) shown[name] = { ...shown[name], ...news };
    }
    const { now } = this.steps[step];
    for (const part of this.parts) {
      const name = part.dataset.part;
      const { is = "", ...texts } = shown[name] ?? {};
      part.dataset.is = name === now ? `${is} now` : is;
      for (const text of part.querySelectorAll("[data-text]")) {
        text.textContent = texts[text.dataset.text] ?? "";
      }
    }
  }

  drawQuestion({ step, answers }) {
    const { ask } = this.steps[step];
    if (this.asked !== step) {
      this.asked = step;
      const buttons = (ask?.choices ?? []).map((text, index) =>
        this.button(text, () => this.set({ answers: { ...this.state.answers, [step]: index } })),
      );
      this.choices.replaceChildren(...buttons);
    }
    [...this.choices.children].forEach((button, index) => {
      const chosen = answers[step];
      button.setAttribute("aria-pressed", String(chosen === index));
      button.dataset.right = chosen === undefined ? "" : String(index === ask.right);
    });
  }
}

/** A function that draws the position of a step on a board that python-chess drew. */
function boardDrawer(svg, { steps, line, state }) {
  const mark = svg.querySelector("[id^='white-king-']").id.split("-").at(-1);
  const check = svg.querySelector("[fill^='url(#check']");
  const first = state.step;
  return ({ step }) => {
    const found = steps.slice(0, step + 1).findLast((one) => one.board);
    if (!found) return;
    const [placement, move] = found.board;
    for (const piece of svg.querySelectorAll(":scope > use")) piece.remove();
    const sides = { white: [], black: [] };
    for (const [square, letter] of Object.entries(readPlacement(placement))) {
      const [file, rank] = [FILES.indexOf(square[0]), Number(square[1]) - 1];
      const [side, kind] = nameOf(letter).split(" ");
      const use = document.createElementNS(svg.namespaceURI, "use");
      use.setAttribute("href", `#${side}-${kind}-${mark}`);
      use.setAttribute("transform", `translate(${15 + 45 * file}, ${330 - 45 * rank})`);
      svg.append(use);
      sides[side].push(`${kind} ${square}`);
    }
    for (const rect of svg.querySelectorAll(".square")) {
      const square = rect.classList[rect.classList.length - 1];
      rect.classList.remove("lastmove");
      if (square === move.slice(0, 2) || square === move.slice(2, 4)) {
        rect.classList.replace(square, "lastmove");
        rect.classList.add(square);
      }
    }
    if (check) check.style.display = step === first ? "" : "none";
    const [ours, theirs] = [sides.white.join(", "), sides.black.join(", ")];
    svg.setAttribute("aria-label", `${line.textContent} White: ${ours}. Black: ${theirs}.`);
  };
}

/** A tree whose branches are moved with the pointer or with keys; alpha-beta counts its leaves. */
class Order extends Figure {
  constructor(root) {
    super(root);
    this.svg = this.stage.querySelector(".course-order");
    this.svg.setAttribute("role", "group");
    this.svg.setAttribute("aria-label", this.data.alt);
    this.readTree();
    this.shapes = [...this.svg.querySelectorAll("[data-part]")];
    this.drawn = this.shapes.map((shape) => Number(shape.dataset.y));
    this.shapes.forEach((shape, index) => {
      shape.style.cursor = index ? "grab" : "";
      shape.setAttribute("role", "button");
      shape.addEventListener("focus", () => this.set({ cursor: index }));
    });
    this.lines = [...this.svg.querySelectorAll("line")];
    this.places = this.drawn;
    const names = Object.keys(this.data.orders);
    this.addButtons(...names.map((name) => this.button(name, () => this.use(name))));
    this.svg.addEventListener("keydown", (event) => this.key(event));
    this.svg.addEventListener("pointerdown", (event) => this.down(event));
    this.svg.addEventListener("pointermove", (event) => this.moved(event));
    // A finger on a node moves it; elsewhere it scrolls the page.
    const hold = (event) => event.target.closest("[data-part]") && event.preventDefault();
    this.svg.addEventListener("touchstart", hold, { passive: false });
    for (const end of ["pointerup", "pointercancel"]) {
      this.svg.addEventListener(end, () => this.set({ dragged: 0 }));
    }
    this.svg.addEventListener("focusout", () => this.set({ grabbed: 0 }));
    this.state = { cursor: 1, grabbed: 0, dragged: 0 };
    this.draws = [() => this.search(), () => this.drawNodes(), () => this.drawLine()];
    this.use(this.data.first);
    cancelAnimationFrame(this.frame); // the nodes begin where they belong
    this.places = this.targets();
    this.drawPlaces();
  }

  /** Nodes by number: parent, children, plies from the root, and White's value of a leaf. */
  readTree() {
    this.nodes = this.data.nodes.map(([children, leaf]) => ({ children, leaf, ply: 0 }));
    this.nodes.forEach(({ children, ply }, index) => {
      for (const child of children) Object.assign(this.nodes[child], { parent: index, ply: ply + 1 });
    });
  }

  /** Put the nodes into an order that the data names. */
  use(name) {
    const rank = new Map(this.data.orders[name].map((node, index) => [node, index]));
    for (const { children } of this.nodes) children.sort((a, b) => rank.get(a) - rank.get(b));
    this.set({ name });
  }

  /** The nodes from the root down, in their present order. */
  walk(index = 0) {
    return [index, ...this.nodes[index].children.flatMap((child) => this.walk(child))];
  }

  /** Alpha-beta: what is visited, and what each node is worth to White. */
  search() {
    for (const node of this.nodes) Object.assign(node, { is: "cut", text: "" });
    this.visited = 0;
    const value = (index, low, high) => {
      const node = this.nodes[index];
      const [white, bounds] = [(node.ply % 2 === 0) === this.data.white, [low, high]];
      node.is = "done";
      let best = node.leaf ?? (white ? -Infinity : Infinity);
      if (node.leaf !== null) this.visited += 1;
      for (const child of node.children) {
        if (white ? best >= high : best <= low) {
          this.nodes[child].is = "cut top";
          continue;
        }
        const found = value(child, low, high);
        if (white) low = Math.max(low, (best = Math.max(best, found)));
        else high = Math.min(high, (best = Math.min(best, found)));
      }
      const mark = best <= bounds[0] ? "≤" : best >= bounds[1] ? "≥" : "";
      const sign = best > 0 ? "+" : best < 0 ? "−" : "";
      node.text = (node.leaf === null ? mark : "") + sign + Math.abs(best);
      return best;
    };
    value(0, -Infinity, Infinity);
  }

  drawNodes() {
    const { cursor, grabbed, dragged } = this.state;
    this.nodes.forEach((node, index) => {
      const shape = this.shapes[index];
      const kind = node.children.length ? "branch" : "leaf";
      const place = index ? this.place(index) : 0;
      shape.dataset.is = index && (grabbed || dragged) === index ? `${node.is} now` : node.is;
      shape.querySelector("[data-text]").textContent = node.text;
      shape.setAttribute("tabindex", index === cursor ? 0 : -1);
      const name = this.data.labels[index] || `ply ${node.ply}, ${kind} ${place + 1}`;
      const words = index ? name : "root";
      shape.setAttribute("aria-label", `${words}, ${node.text || "cut"}`);
      shape.setAttribute("aria-pressed", String(index > 0 && grabbed === index));
    });
    this.glide();
  }

  drawLine() {
    const { leaves, fewest } = this.data;
    const { name, grabbed } = this.state;
    const { visited } = this;
    const praise = visited <= fewest ? ", as few as any of these orders needs" : "";
    const title = name ? `${name[0].toUpperCase()}${name.slice(1)}: ` : "";
    const help = grabbed
      ? "Move it with the up and down keys, and let go with Enter."
      : "Drag a node up or down; or choose one with the arrow keys, and hold it with Enter.";
    this.line.textContent = `${title}${visited} of ${leaves} leaves visited${praise}. ${help}`;
  }

  siblings(index) {
    return this.nodes[this.nodes[index].parent].children;
  }

  place(index) {
    return this.siblings(index).indexOf(index);
  }

  /** Move a node to another place among its siblings. */
  move(index, place) {
    const siblings = this.siblings(index);
    if (!index || place < 0 || place >= siblings.length || place === this.place(index)) return;
    siblings.splice(place, 0, ...siblings.splice(this.place(index), 1));
    this.set({ name: "" });
  }

  /** Where each node belongs in the present order: leaves in rows, others amid what is below. */
  targets() {
    const places = [];
    let rows = 0;
    const lay = (index) => {
      const below = this.nodes[index].children.map(lay);
      const y = below.length ? (below[0] + below.at(-1)) / 2 : (rows++ + 0.5) * this.data.row + 2;
      return (places[index] = y);
    };
    lay(0);
    return places;
  }

  /** Let the nodes glide to their places. */
  glide() {
    cancelAnimationFrame(this.frame);
    const [from, to, began] = [this.places, this.targets(), performance.now()];
    const time = matchMedia("(prefers-reduced-motion: reduce)").matches ? 0 : 250;
    const step = (now) => {
      const share = time ? Math.min(1, Math.max(0, (now - began) / time)) : 1;
      this.places = to.map((y, index) => from[index] + (y - from[index]) * share);
      this.drawPlaces();
      if (share < 1) this.frame = requestAnimationFrame(step);
    };
    step(began);
  }

  drawPlaces() {
    this.shapes.forEach((shape, index) => {
      shape.setAttribute("transform", `translate(0 ${this.places[index] - this.drawn[index]})`);
    });
    this.nodes.forEach(({ parent, is }, index) => {
      if (!index) return;
      const line = this.lines[index - 1];
      line.setAttribute("y1", this.places[parent]);
      line.setAttribute("y2", this.places[index]);
      line.dataset.is = is;
    });
  }

  down(event) {
    const shape = event.target.closest("[data-part]");
    const index = this.shapes.indexOf(shape);
    if (index < 1 || event.button !== 0) return;
    event.preventDefault();
    shape.focus({ preventScroll: true });
    this.svg.setPointerCapture(event.pointerId);
    this.set({ dragged: index, cursor: index });
  }

  /** The dragged node takes the place of the sibling that is nearest to the pointer. */
  moved(event) {
    const { dragged } = this.state;
    if (!dragged) return;
    const box = this.svg.getBoundingClientRect();
    const y = ((event.clientY - box.top) / box.height) * this.svg.viewBox.baseVal.height;
    const targets = this.targets();
    const far = this.siblings(dragged).map((sibling) => Math.abs(targets[sibling] - y));
    this.move(dragged, far.indexOf(Math.min(...far)));
  }

  key(event) {
    const { cursor, grabbed } = this.state;
    const by = { ArrowUp: -1, ArrowDown: 1 }[event.key];
    if (event.ctrlKey || event.altKey || event.metaKey) return;
    const { parent, children, ply } = this.nodes[cursor];
    if (event.key === "Enter" || event.key === " ") this.set({ grabbed: grabbed ? 0 : cursor });
    else if (event.key === "Escape" && grabbed) this.set({ grabbed: 0 });
    else if (by && grabbed) this.move(grabbed, this.place(grabbed) + by);
    else if (by) {
      const row = this.walk().filter((index) => this.nodes[index].ply === ply);
      this.shapes[row[row.indexOf(cursor) + by] ?? cursor].focus();
    } else if (event.key === "ArrowLeft" && !grabbed) this.shapes[parent ?? cursor].focus();
    else if (event.key === "ArrowRight" && !grabbed) this.shapes[children[0] ?? cursor].focus();
    else return;
    event.preventDefault();
    event.stopPropagation();
  }
}

/** A board on which pieces are moved, and the terms of its score. */
class Scores extends Figure {
  constructor(root) {
    super(root);
    const svg = this.stage.querySelector(".course-board");
    const place = make("div", { className: "course-score-board" });
    const pictures = {};
    for (const letter of "PNBRQKpnbrqk") {
      const shape = svg.querySelector(`[id^='${nameOf(letter).replace(" ", "-")}-']`);
      pictures[letter] = shape.outerHTML.replace(/ (id|class)="[^"]*"/g, "");
    }
    svg.replaceWith(place);
    this.board = new Board(place, pictures, (move) => this.play(move));
    for (const name of ["pointerdown", "pointerup", "keydown"]) {
      this.board.grid.addEventListener(name, () => this.set({ selected: this.board.selected }));
    }
    this.rows = [...this.stage.querySelectorAll("[data-term]")];
    this.addButtons(this.button("start again", () => this.begin()));
    this.draws = [() => this.drawBoard(), () => this.drawTerms(), () => this.drawLine()];
    this.begin();
  }

  begin() {
    const { board, terms } = this.data;
    this.board.update({ ...this.board.view, placement: "" }); // no piece is selected any more
    this.set({ board, terms, before: terms, last: "", selected: "" });
  }

  /** What a tables' score is made of, for pieces by square. */
  sum(pieces) {
    const terms = Object.fromEntries(Object.keys(this.data.terms).map((term) => [term, 0]));
    for (const [square, letter] of Object.entries(pieces)) {
      const { value, table } = this.data.pieces[letter];
      const [side, sign] = letter < "a" ? ["White", 1] : ["Black", -1];
      terms[`${side}'s pieces`] += sign * value;
      terms[`${side}'s squares`] += sign * table[indexOf(square)];
    }
    return terms;
  }

  /** Any piece may go to any square but that of a king or of its own side. */
  moves() {
    const { board, last } = this.state;
    if (this.data.moves) return last ? [] : Object.keys(this.data.moves);
    const pieces = readPlacement(board);
    const all = [...FILES].flatMap((file) => [1, 2, 3, 4, 5, 6, 7, 8].map((rank) => file + rank));
    const white = (letter) => letter < "a";
    return Object.entries(pieces).flatMap(([from, letter]) =>
      all
        .filter((to) => !/k/i.test(pieces[to] ?? ""))
        .filter((to) => !pieces[to] || white(pieces[to]) !== white(letter))
        .filter((to) => !/p/i.test(letter) || !/[18]/.test(to))
        .map((to) => from + to),
    );
  }

  play(move) {
    const { board, terms } = this.state;
    if (this.data.moves) {
      const after = this.data.moves[move];
      const changed = { ...this.data.terms, ...after.terms };
      this.set({ board: after.board, before: terms, terms: changed, last: move, selected: "" });
      return;
    }
    const pieces = readPlacement(board);
    pieces[move.slice(2, 4)] = pieces[move.slice(0, 2)];
    delete pieces[move.slice(0, 2)];
    const placement = writePlacement(pieces);
    const found = this.sum(pieces);
    this.set({ board: placement, before: terms, terms: found, last: move, selected: "" });
  }

  drawBoard() {
    const { board, last, selected } = this.state;
    const { view, cells, pieces } = this.board;
    if (view.placement !== board || view.last !== last) {
      this.board.update({ placement: board, moves: this.moves(), last, check: "", black: false });
    }
    const table = this.data.pieces?.[pieces[selected]]?.table;
    for (const cell of cells) {
      const entry = table?.[indexOf(cell.dataset.square)];
      if (entry === undefined) delete cell.dataset.number;
      else cell.dataset.number = signed(entry);
      const colour = entry < 0 ? "213, 94, 0" : "61, 143, 209";
      const heat = entry ? `rgba(${colour}, ${Math.min(1, 0.2 + Math.abs(entry) / 60)})` : "";
      cell.style.setProperty("--heat", heat || "transparent");
    }
  }

  drawTerms() {
    const [now, before] = [withScore(this.state.terms), withScore(this.state.before)];
    const largest = Math.max(1, ...Object.values(this.state.terms).map(Math.abs));
    for (const row of this.rows) {
      const [value, change] = [...row.cells].slice(-2);
      const name = row.dataset.term;
      const difference = Math.round(now[name]) - Math.round(before[name]);
      value.textContent = signed(now[name]);
      change.textContent = difference ? signed(difference) : "";
      row.hidden = !difference && !Math.round(now[name]) && name !== "score";
      row.dataset.is = difference ? (difference > 0 ? "up" : "down") : "";
      const bar = row.querySelector(".course-live-bar");
      if (!bar || name === "score") continue;
      bar.style.setProperty("--size", Math.abs(now[name]) / largest);
      bar.dataset.side = now[name] < 0 ? "black" : "white";
    }
  }

  drawLine() {
    const { board, before, terms, last, selected } = this.state;
    const [now, then] = [withScore(terms).score, withScore(before).score];
    const pieces = readPlacement(board);
    let said = "Choose a piece, and a square for it.";
    if (selected) {
      const entry = this.data.pieces?.[pieces[selected]]?.table[indexOf(selected)];
      const worth = entry === undefined ? "" : `, for its side worth ${signed(entry)} there`;
      said = `The ${nameOf(pieces[selected])} stands on ${selected}${worth}. Choose a square.`;
    } else if (last) {
      const [from, to] = [last.slice(0, 2), last.slice(2, 4)];
      said = `The ${nameOf(pieces[to])} has gone from ${from} to ${to}. `;
      said += `The score changes by ${signed(Math.round(now) - Math.round(then))}, `;
      said += `to ${signed(now)} in White's view.`;
      if (this.data.moves) said += " Start again to try another move.";
    }
    this.line.textContent = said;
  }
}

/** Matches under a sequential test: the true difference is set, and games arrive. */
class Sprt extends Figure {
  constructor(root) {
    super(root);
    const walks = this.stage.querySelector("[data-part='walks']");
    const svg = (tag) => document.createElementNS(walks.namespaceURI, tag);
    [this.walk, this.dot] = [svg("path"), svg("circle")];
    this.walk.setAttribute("class", "walk");
    this.dot.setAttribute("r", 4.5);
    walks.replaceChildren(this.walk, this.dot);
    this.addControls();
    this.draws = [() => this.drawWalk(), () => this.drawControls(), () => this.drawLine()];
    this.set({ truth: this.data.first, run: 0, step: 0, playing: false });
  }

  addControls() {
    const { truths } = this.data;
    const slider = (name, max, act) => {
      const input = make("input", { type: "range", min: 0, max, "aria-label": name });
      input.addEventListener("input", () => act(Number(input.value)));
      const shown = make("span");
      const look = { className: "course-live-controls course-sprt-controls" };
      this.line.before(make("label", look, make("span", {}, name), input, shown));
      return [input, shown];
    };
    const last = truths.length - 1;
    this.truth = slider("true difference", last, (truth) => this.begin({ truth, run: 0 }));
    this.step = slider("games", 1, (step) => this.set({ step, playing: false }));
    this.playing = this.button("let games arrive", () => this.play());
    const next = () => (this.state.run + 1) % this.data.runs[this.state.truth].length;
    const another = this.button("another match", () => this.begin({ run: next() }));
    this.addButtons(this.playing, another);
  }

  /** The ratios of the present match. */
  ratios() {
    return this.data.runs[this.state.truth][this.state.run].llr;
  }

  begin(changes) {
    this.set({ ...changes, step: 0, playing: false });
  }

  /** Let the games arrive, or stop them. */
  play() {
    const ended = this.state.step === this.ratios().length - 1;
    this.set({ playing: !this.state.playing, step: ended ? 0 : this.state.step });
    if (!this.state.playing) return; // `drawControls` has stopped the clock
    const each = matchMedia("(prefers-reduced-motion: reduce)").matches ? Infinity : 1;
    const arrive = () => {
      if (!this.root.isConnected) clearInterval(this.clock);
      if (!this.state.playing || !this.root.isConnected) return;
      const last = this.ratios().length - 1;
      const step = Math.min(last, this.state.step + each);
      this.set({ step, playing: step < last });
    };
    clearInterval(this.clock);
    this.clock = setInterval(arrive, 40);
    arrive();
  }

  drawWalk() {
    const [left, across, zero, up] = this.data.place;
    const shown = this.ratios().slice(0, this.state.step + 1);
    const places = shown.map((llr, index) => `${left + index * across} ${zero - llr * up}`);
    this.walk.setAttribute("d", `M${places.join("L")}`);
    const [x, y] = places.at(-1).split(" ");
    this.dot.setAttribute("cx", x);
    this.dot.setAttribute("cy", y);
  }

  drawControls() {
    const { truth, step, playing } = this.state;
    if (!playing) clearInterval(this.clock);
    const set = ([input, shown], value, words) => {
      input.value = value;
      input.setAttribute("aria-valuetext", words);
      shown.textContent = words;
    };
    this.step[0].max = this.ratios().length - 1;
    set(this.truth, truth, `${signed(this.data.truths[truth])} Elo`);
    set(this.step, step, String(step * this.data.games));
    this.playing.textContent = playing ? "stop" : "let games arrive";
    this.playing.setAttribute("aria-label", this.playing.textContent);
  }

  drawLine() {
    const { truth, run, step, playing } = this.state;
    const llr = this.ratios();
    const elo = signed(this.data.truths[truth]);
    const number = (llr[step] < 0 ? "−" : "+") + Math.abs(llr[step]).toFixed(2);
    let said = `The true difference is ${elo} Elo. This is match ${run + 1} of `;
    said += `${this.data.runs[truth].length}. Let the games arrive: which bound is reached?`;
    if (step) {
      said = `${step * this.data.games} games, log-likelihood ratio ${number}. `;
      said += step === llr.length - 1 ? this.data.runs[truth][run].end : "No verdict yet.";
    }
    this.line.setAttribute("aria-live", playing ? "off" : "polite"); // a screen reader waits
    this.line.textContent = said;
  }
}

/** A board on which a square is chosen, and the set of squares that belongs to it. */
class Bits extends Figure {
  constructor(root) {
    super(root);
    const svg = this.stage.querySelector(".course-bits");
    svg.setAttribute("role", "group");
    this.parts = [...svg.querySelectorAll("[data-part]")];
    this.bits = [...this.stage.querySelectorAll("[data-bit]")];
    this.parts.forEach((part, square) => {
      part.setAttribute("role", "button");
      part.setAttribute("aria-label", this.data.squares[square].say);
      part.addEventListener("click", () => this.set({ square }));
    });
    svg.addEventListener("keydown", (event) => this.key(event));
    this.draws = [() => this.drawSquares(), () => this.drawNumber()];
    this.set({ square: this.data.first });
  }

  drawSquares() {
    const { set, pin, say } = this.data.squares[this.state.square];
    const [on, line] = [set, pin].map((hex) => BigInt(`0x${hex}`));
    const has = (squares, square) => (squares >> BigInt(square)) & 1n;
    this.parts.forEach((part, square) => {
      const now = square === this.state.square;
      const states = { on: has(on, square), pin: has(line, square), now };
      part.dataset.is = Object.keys(states).filter((name) => states[name]).join(" ");
      part.setAttribute("tabindex", now ? 0 : -1);
      part.setAttribute("aria-pressed", String(now));
    });
    for (const bit of this.bits) {
      bit.textContent = has(on, bit.dataset.bit);
      bit.dataset.is = bit.textContent === "1" ? "on" : "";
    }
    this.line.textContent = say;
  }

  drawNumber() {
    const hex = this.data.squares[this.state.square].set.padStart(16, "0");
    this.stage.querySelector("[data-number]").textContent = `0x${hex.match(/..../g).join("_")}`;
  }

  key(event) {
    const by = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] };
    const [right, up] = by[event.key] ?? [];
    if (right === undefined || event.ctrlKey || event.altKey || event.metaKey) return;
    event.preventDefault();
    event.stopPropagation();
    const { square } = this.state;
    const [file, rank] = [(square % 8) + right, Math.floor(square / 8) + up];
    if (file < 0 || file > 7 || rank < 0 || rank > 7) return;
    this.set({ square: 8 * rank + file });
    this.parts[this.state.square].focus();
  }
}

/** A number of a square, a1 first. */
function indexOf(square) {
  return FILES.indexOf(square[0]) + 8 * (Number(square[1]) - 1);
}

/** Terms with their sum. */
function withScore(terms) {
  return { ...terms, score: Object.values(terms).reduce((sum, value) => sum + value, 0) };
}

function signed(value) {
  const whole = Math.round(value);
  return (whole > 0 ? "+" : whole < 0 ? "−" : "") + Math.abs(whole);
}

const KINDS = { steps: Steps, order: Order, scores: Scores, sprt: Sprt, bits: Bits };
for (const root of document.querySelectorAll(".course-live:not([data-live])")) {
  root.dataset.live = "true";
  new KINDS[JSON.parse(root.dataset.figure).kind](root);
}
