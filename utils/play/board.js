// A chess board to click, drag and type on. It knows no rules: it draws what it is given,
// and reports which of the given moves was chosen. No dependencies.

export const FILES = "abcdefgh";
const NAMES = { p: "pawn", n: "knight", b: "bishop", r: "rook", q: "queen", k: "king" };
const SLOP = 5; // pixels that a pointer may move before a click becomes a drag

/** An element with properties and children; a property with a dash is an attribute. */
export function make(tag, properties = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(properties)) {
    if (name.includes("-") || name === "role") element.setAttribute(name, value);
    else element[name] = value;
  }
  element.append(...children);
  return element;
}

/** The pieces of a FEN's first field by square: {e4: "P", ...}. */
export function readPlacement(placement) {
  const pieces = {};
  placement.split("/").forEach((row, index) => {
    let file = 0;
    for (const letter of row) {
      if (letter >= "1" && letter <= "8") file += Number(letter);
      else pieces[FILES[file++] + (8 - index)] = letter;
    }
  });
  return pieces;
}

/** The first field of a FEN, from pieces by square. */
export function writePlacement(pieces) {
  const row = (rank) => [...FILES].map((file) => pieces[file + rank] ?? "1").join("");
  const rows = [8, 7, 6, 5, 4, 3, 2, 1].map(row).join("/");
  return rows.replace(/1+/g, (ones) => ones.length);
}

/** A piece in words, such as "white king". */
export function nameOf(piece) {
  return `${piece < "a" ? "white" : "black"} ${NAMES[piece.toLowerCase()]}`;
}

export class Board {
  /**
   * @param element where the board is put
   * @param pictures parts of an SVG of 45 by 45 by piece: {P: "<g>...</g>", ...}
   * @param onMove is called with a chosen move in UCI notation, such as "e7e8q"
   * @param onSay is called with what a screen reader should say
   * @param onIllegal is called with two squares when the piece of the first one cannot go
   *   to the second
   */
  constructor(element, pictures, onMove, onSay = () => {}, onIllegal = () => {}) {
    this.pictures = pictures;
    this.onMove = onMove;
    this.onSay = onSay;
    this.onIllegal = onIllegal;
    this.view = { placement: "", moves: [], last: "", check: "", black: false };
    this.pieces = {};
    this.selected = "";
    this.cursor = "";
    this.drag = null;
    this.grid = make("div", { className: "cb-grid", role: "grid", "aria-label": "chess board" });
    this.cells = [];
    for (let row = 0; row < 8; row++) {
      const line = make("div", { className: "cb-row", role: "row" });
      for (let column = 0; column < 8; column++) {
        const shade = (row + column) % 2 ? "cb-dark" : "cb-light";
        const cell = make("div", { className: `cb-square ${shade}`, role: "gridcell" });
        this.cells.push(cell);
        line.append(cell);
      }
      this.grid.append(line);
    }
    this.ranks = make("div", { className: "cb-ranks", "aria-hidden": "true" });
    this.files = make("div", { className: "cb-files", "aria-hidden": "true" });
    this.field = make("div", { className: "cb-field" }, this.grid);
    this.root = make("div", { className: "cb-board" }, this.ranks, this.field, this.files);
    element.append(this.root);
    this.grid.addEventListener("keydown", (event) => this.#key(event));
    this.grid.addEventListener("pointerdown", (event) => this.#down(event));
    this.grid.addEventListener("pointermove", (event) => this.#moved(event));
    this.grid.addEventListener("pointerup", (event) => this.#up(event));
    this.grid.addEventListener("pointercancel", () => this.#drop());
  }

  /**
   * Draw a position.
   * @param view placement: first field of the FEN; moves: legal moves in UCI notation;
   *   last: the last move; check: the square of a king in check; black: Black at the bottom;
   *   premove: a move that waits for its turn, if there is one
   */
  update(view) {
    const before = this.view;
    const changed = (name) => String(before[name]) !== String(view[name]);
    if (changed("placement") || changed("moves") || changed("black")) {
      this.#drop();
      this.#closeChoice();
      this.selected = "";
    }
    const hadFocus = this.grid.contains(document.activeElement);
    this.view = view;
    this.pieces = readPlacement(view.placement);
    this.cursor ||= view.black ? "e7" : "e2";
    this.#draw();
    if (hadFocus && changed("black")) this.#cell(this.cursor).focus();
  }

  /** Choose a square: pick a piece up, put it down, or change one's mind. */
  choose(square) {
    const moves = this.#movesTo(square);
    const from = this.selected;
    this.selected = "";
    if (moves.length === 1) this.onMove(moves[0]);
    else if (moves.length > 1) this.#askPromotion(moves);
    else if (from !== square) {
      this.#select(square);
      if (from && !this.selected) this.onIllegal(from, square);
    }
    this.#draw();
  }

  #select(square) {
    const targets = new Set(this.#movesFrom(square).map((move) => move.slice(2, 4)));
    if (targets.size) {
      this.selected = square;
      this.onSay(`${nameOf(this.pieces[square])} ${square}, moves to ${[...targets].join(", ")}`);
    }
  }

  #movesFrom(square) {
    return this.view.moves.filter((move) => move.startsWith(square));
  }

  #movesTo(square) {
    return this.selected ? this.#movesFrom(this.selected + square) : [];
  }

  /** The square at a place of the drawn board, counted from its upper left corner. */
  #squareAt(row, column) {
    return this.view.black ? FILES[7 - column] + (row + 1) : FILES[column] + (8 - row);
  }

  #cell(square) {
    const file = FILES.indexOf(square[0]);
    const row = 8 - Number(square[1]);
    return this.cells[this.view.black ? (7 - row) * 8 + 7 - file : row * 8 + file];
  }

  #draw() {
    const { last, check, black, premove = "" } = this.view;
    const movable = new Set(this.view.moves.map((move) => move.slice(0, 2)));
    this.cells.forEach((cell, index) => {
      const square = this.#squareAt(Math.floor(index / 8), index % 8);
      const piece = this.pieces[square] ?? "";
      const target = this.#movesTo(square).length > 0;
      if (cell.dataset.piece !== piece) {
        cell.dataset.piece = piece;
        // The pictures are our own; nothing that a reader types gets here.
        cell.innerHTML = piece && `<svg viewBox="0 0 45 45" aria-hidden="true">${this.pictures[piece]}</svg>`;
      }
      cell.dataset.square = square;
      cell.tabIndex = square === this.cursor ? 0 : -1;
      const marks = {
        "cb-last": last.slice(0, 2) === square || last.slice(2, 4) === square,
        "cb-check": check === square,
        "cb-premove": premove.slice(0, 2) === square || premove.slice(2, 4) === square,
        "cb-selected": this.selected === square,
        "cb-target": target,
        "cb-movable": movable.has(square),
      };
      for (const [name, on] of Object.entries(marks)) cell.classList.toggle(name, on);
      const words = [square, piece ? nameOf(piece) : "empty"];
      if (check === square) words.push("in check");
      if (target) words.push("can move here");
      cell.setAttribute("aria-label", words.join(", "));
      cell.setAttribute("aria-selected", String(this.selected === square));
    });
    const letters = [...FILES].map((file) => make("span", { textContent: file }));
    const numbers = [...FILES].map((_, rank) => make("span", { textContent: 8 - rank }));
    this.files.replaceChildren(...(black ? letters.reverse() : letters));
    this.ranks.replaceChildren(...(black ? numbers.reverse() : numbers));
  }

  #key(event) {
    const steps = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] };
    if (event.ctrlKey || event.altKey || event.metaKey) return;
    // A screen reader may put the focus on any square.
    const { square = this.cursor } = event.target.dataset;
    if (square !== this.cursor) this.#moveCursor(square);
    if (event.key in steps) {
      const index = this.cells.indexOf(this.#cell(this.cursor));
      const row = Math.floor(index / 8) + steps[event.key][0];
      const column = (index % 8) + steps[event.key][1];
      if (row >= 0 && row < 8 && column >= 0 && column < 8) {
        this.#moveCursor(this.#squareAt(row, column));
      }
    } else if (event.key === "Enter" || event.key === " ") {
      this.choose(this.cursor);
    } else if (event.key === "Escape" && this.selected) {
      this.selected = "";
      this.onSay("cancelled");
      this.#draw();
    } else return;
    event.preventDefault();
    event.stopPropagation();
  }

  #moveCursor(square) {
    this.#cell(this.cursor).tabIndex = -1;
    this.cursor = square;
    this.#cell(square).tabIndex = 0;
    this.#cell(square).focus({ preventScroll: true });
  }

  /** The square under a pointer; none outside the board. */
  squareUnder(event) {
    const box = this.grid.getBoundingClientRect();
    const column = Math.floor(((event.clientX - box.left) / box.width) * 8);
    const row = Math.floor(((event.clientY - box.top) / box.height) * 8);
    const inside = row >= 0 && row < 8 && column >= 0 && column < 8;
    return inside ? this.#squareAt(row, column) : "";
  }

  #down(event) {
    if (event.button !== 0 || !event.isPrimary) return;
    const square = this.squareUnder(event);
    if (!square) return;
    event.preventDefault(); // no selection of text, no dragging of pictures
    this.#moveCursor(square);
    this.drag = { square, x: event.clientX, y: event.clientY, moving: false, fresh: false };
    if (this.selected !== square && this.#movesFrom(square).length) {
      this.selected = "";
      this.#select(square);
      this.drag.fresh = true;
      this.#draw();
    }
    this.grid.setPointerCapture(event.pointerId);
  }

  #moved(event) {
    if (!this.drag || this.drag.square !== this.selected) return;
    const x = event.clientX - this.drag.x;
    const y = event.clientY - this.drag.y;
    if (!this.drag.moving && Math.hypot(x, y) < SLOP) return;
    this.drag.moving = true;
    const cell = this.#cell(this.drag.square);
    cell.classList.add("cb-dragged");
    cell.firstChild.style.transform = `translate(${x}px, ${y}px)`;
    for (const other of this.cells) {
      other.classList.toggle("cb-under", other.dataset.square === this.squareUnder(event));
    }
  }

  #up(event) {
    const { drag } = this;
    if (!drag) return;
    const square = this.squareUnder(event);
    this.#drop();
    if (drag.moving) {
      const moves = square ? this.#movesTo(square) : [];
      if (moves.length) this.choose(square);
      else {
        this.selected = ""; // the piece is back where it was
        if (square && square !== drag.square) this.onIllegal(drag.square, square);
      }
      this.#draw();
    } else if (square === drag.square && !drag.fresh) this.choose(square);
  }

  /** Put a dragged piece back. */
  #drop() {
    if (!this.drag) return;
    const cell = this.#cell(this.drag.square);
    this.drag = null;
    cell.classList.remove("cb-dragged");
    if (cell.firstChild) cell.firstChild.style.transform = "";
    for (const other of this.cells) other.classList.remove("cb-under");
  }

  #askPromotion(moves) {
    const white = moves[0][3] === "8";
    const buttons = moves.map((move) => {
      const letter = white ? move[4].toUpperCase() : move[4];
      const button = make("button", { type: "button", "aria-label": NAMES[move[4]] });
      button.innerHTML = `<svg viewBox="0 0 45 45" aria-hidden="true">${this.pictures[letter]}</svg>`;
      button.addEventListener("click", () => {
        this.#closeChoice();
        this.onMove(move);
      });
      return button;
    });
    this.choice = make(
      "div",
      { className: "cb-choice", role: "dialog", "aria-modal": "true", "aria-label": "promote to" },
      make("div", { className: "cb-choices" }, ...buttons),
    );
    this.choice.addEventListener("click", (event) => {
      if (event.target === this.choice) this.#closeChoice();
    });
    this.choice.addEventListener("keydown", (event) => {
      const place = buttons.indexOf(document.activeElement);
      const back = event.key === "ArrowLeft" || (event.key === "Tab" && event.shiftKey);
      if (event.key === "Escape") this.#closeChoice();
      else if (back) buttons.at(place - 1).focus();
      else if (event.key === "ArrowRight" || event.key === "Tab") {
        buttons[(place + 1) % buttons.length].focus();
      } else return;
      event.preventDefault();
      event.stopPropagation();
    });
    this.field.append(this.choice);
    buttons[0].focus();
    this.onSay("Promote to which piece?");
  }

  #closeChoice() {
    if (!this.choice) return;
    const hadFocus = this.choice.contains(document.activeElement);
    this.choice.remove();
    this.choice = null;
    if (hadFocus) this.#cell(this.cursor).focus();
  }
}
