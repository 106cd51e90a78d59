// Arrows and marked squares over a board: what an engine expects, and what a reader draws: with
// the right mouse button, or after a press on "draw arrows" with a finger, the left button or
// the Enter key. A later click on the board wipes the reader's away.
import { iconButton, shape } from "./controls.js";

/** The middle of a square on a board of 8 by 8. */
function middle(square, black) {
  const x = square.charCodeAt(0) - 97;
  const y = 8 - Number(square[1]);
  return black ? [7.5 - x, 7.5 - y] : [x + 0.5, y + 0.5];
}

/** The outline of an arrow between two squares. */
function outline(from, to, black) {
  const [x, y] = middle(from, black);
  const [toX, toY] = middle(to, black);
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

export class Arrows {
  /** @param board the `Board` over which they are drawn */
  constructor(board) {
    this.board = board;
    this.expected = [];
    this.own = [];
    const about = { viewBox: "0 0 8 8", class: "cb-arrows", "aria-hidden": "true" };
    this.picture = shape("svg", about);
    board.field.append(this.picture);
    this.from = ""; // where an arrow begins that is not finished
    this.to = "";
    this.button = iconButton("draw arrows", "M3 13L13 3M13 3H6M13 3v7", () => {
      this.drawing = !this.drawing;
      this.#begin("");
    });
    this.drawing = false;
    this.#begin("");
    const { grid } = board;
    grid.addEventListener("contextmenu", (event) => event.preventDefault());
    // Before the board sees them: what is drawn moves no piece.
    grid.addEventListener("pointerdown", (event) => this.#down(event), { capture: true });
    grid.addEventListener("keydown", (event) => this.#key(event), { capture: true });
    grid.addEventListener("pointermove", (event) => this.from && this.#point(event));
    grid.addEventListener("pointerup", (event) => {
      this.#point(event);
      this.#finish(this.to);
    });
    grid.addEventListener("pointercancel", () => this.#begin(""));
  }

  /** Show the moves that an engine expects, in UCI notation, the first one most clearly. */
  expect(moves) {
    this.expected = moves;
    this.draw();
  }

  /** Wipe away what the reader has drawn. */
  clear() {
    if (!this.own.length) return;
    this.own = [];
    this.draw();
  }

  /** Draw all anew, as when the board was turned. */
  draw() {
    const unfinished = this.from && this.to ? [this.from + this.to] : [];
    const paths = [
      ...this.expected.map((move) => [move.slice(0, 2), move.slice(2, 4), "cb-expected"]),
      ...[...this.own, ...unfinished].map((squares) => [squares.slice(0, 2), squares.slice(2, 4), "cb-own"]),
    ];
    const { black } = this.board.view;
    this.picture.replaceChildren(
      ...paths.map(([from, to, name]) => {
        if (from !== to) return shape("path", { d: outline(from, to, black), class: name });
        const [cx, cy] = middle(from, black);
        return shape("circle", { cx, cy, r: 0.44, class: name });
      }),
    );
  }

  #down(event) {
    if (event.button !== 2 && !this.drawing) {
      this.clear();
      return;
    }
    event.stopPropagation();
    this.#begin(this.board.squareUnder(event));
    this.board.grid.setPointerCapture(event.pointerId);
  }

  #key(event) {
    const { square } = event.target.dataset;
    if (!this.drawing || !["Enter", " ", "Escape"].includes(event.key)) return;
    event.preventDefault();
    event.stopPropagation();
    if (event.key === "Escape") this.#begin("");
    else if (this.from) this.#finish(square);
    else this.#begin(square);
  }

  /** Begin an arrow on a square, or none. */
  #begin(square) {
    this.from = this.to = square;
    this.button.setAttribute("aria-pressed", String(this.drawing));
    this.board.grid.classList.toggle("cb-drawing", this.drawing);
    this.draw();
  }

  /** Let the unfinished arrow follow a pointer. */
  #point(event) {
    const to = this.board.squareUnder(event);
    if (!this.from || to === this.to) return;
    this.to = to;
    this.draw();
  }

  /** End an arrow on a square; the same one a second time is taken away. */
  #finish(to) {
    const squares = this.from && to ? this.from + to : "";
    const others = this.own.filter((other) => other !== squares);
    const fresh = squares && others.length === this.own.length;
    this.own = fresh ? [...others, squares] : others;
    if (squares) this.board.onSay(`${fresh ? "drawn" : "wiped away"}: ${this.from} to ${to}`);
    this.#begin("");
  }
}
