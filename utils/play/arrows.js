// Arrows and marked squares over a board: what an engine expects, and what a reader draws with
// the right mouse button. A click with the left one wipes the reader's away.
const SVG = "http://www.w3.org/2000/svg";

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
    this.picture = document.createElementNS(SVG, "svg");
    this.picture.setAttribute("viewBox", "0 0 8 8");
    this.picture.setAttribute("class", "cb-arrows");
    this.picture.setAttribute("aria-hidden", "true");
    board.field.append(this.picture);
    let from = "";
    board.grid.addEventListener("contextmenu", (event) => event.preventDefault());
    board.grid.addEventListener("pointerdown", (event) => {
      if (event.button === 2) {
        from = board.squareUnder(event);
        board.grid.setPointerCapture(event.pointerId);
      } else this.clear();
    });
    board.grid.addEventListener("pointerup", (event) => {
      const to = board.squareUnder(event);
      if (event.button === 2 && from && to) this.#toggle(from + to);
      from = "";
    });
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
    const paths = [
      ...this.expected.map((move) => [move.slice(0, 2), move.slice(2, 4), "cb-expected"]),
      ...this.own.map((squares) => [squares.slice(0, 2), squares.slice(2, 4), "cb-own"]),
    ];
    const { black } = this.board.view;
    this.picture.replaceChildren(
      ...paths.map(([from, to, name]) => {
        const shape = document.createElementNS(SVG, from === to ? "circle" : "path");
        const [cx, cy] = middle(from, black);
        const given = from === to ? { cx, cy, r: 0.44 } : { d: outline(from, to, black) };
        for (const [key, value] of Object.entries({ ...given, class: name })) {
          shape.setAttribute(key, value);
        }
        return shape;
      }),
    );
  }

  #toggle(squares) {
    const others = this.own.filter((other) => other !== squares);
    this.own = others.length < this.own.length ? others : [...this.own, squares];
    this.draw();
  }
}
