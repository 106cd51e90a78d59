// Who plays: a line for each side with its name, what it has captured, and its clock.
import { make, nameOf, readPlacement } from "./board.js";

const WORTH = { p: 1, n: 3, b: 3, r: 5, q: 9, k: 0 };

/** How often each piece stands in a position: {P: 8, ...}. */
function census(fen) {
  const counts = {};
  for (const piece of Object.values(readPlacement(fen.split(" ")[0]))) {
    counts[piece] = (counts[piece] ?? 0) + 1;
  }
  return counts;
}

/** The pieces that a side has captured on the way through some positions, the best ones first. */
export function captures(fens, color) {
  const theirs = (piece) => piece < "a" === (color === "black");
  const found = [];
  const counts = fens.map(census);
  for (let ply = 1; ply < fens.length; ply++) {
    const mover = fens[ply - 1].split(" ")[1] === "w" ? "white" : "black";
    for (const [piece, count] of Object.entries(counts[ply - 1])) {
      if (mover === color && theirs(piece) && count > (counts[ply][piece] ?? 0)) found.push(piece);
    }
  }
  return found.sort((a, b) => WORTH[b.toLowerCase()] - WORTH[a.toLowerCase()] || (a < b ? -1 : 1));
}

/** How many pawns a side's pieces are worth more than the other's. */
function lead(fen, color) {
  let sum = 0;
  for (const [piece, count] of Object.entries(census(fen))) {
    sum += count * WORTH[piece.toLowerCase()] * (piece < "a" ? 1 : -1);
  }
  return color === "white" ? sum : -sum;
}

/** Pieces in words: "2 pawns, knight". */
function inWords(pieces) {
  const words = pieces.map((piece) => nameOf(piece).split(" ")[1]);
  const kinds = [...new Set(words)];
  return kinds
    .map((kind) => {
      const count = words.filter((word) => word === kind).length;
      return count > 1 ? `${count} ${kind}s` : kind;
    })
    .join(", ");
}

export class Players {
  /** @param pictures of the pieces, as for a `Board` */
  constructor(pictures) {
    this.pictures = pictures;
    this.rows = {};
    for (const color of ["white", "black"]) {
      const parts = ["name", "taken", "lead", "clock"].map((part) => {
        return [part, make("span", { className: `cw-${part}` })];
      });
      const about = { className: `cw-player cw-${color}`, role: "group", "aria-label": color };
      const row = make("div", about);
      row.append(...parts.map(([, element]) => element));
      this.rows[color] = { row, ...Object.fromEntries(parts) };
      this.rows[color].taken.setAttribute("role", "img");
    }
    this.root = make("div", { className: "cw-players", role: "group", "aria-label": "players" });
  }

  /**
   * @param names by colour: {White: "You", ...}
   * @param fens of all positions up to the one that is looked at
   * @param black whether Black is at the bottom
   */
  draw(names, fens, black) {
    for (const [color, { name, taken, lead: ahead }] of Object.entries(this.rows)) {
      name.textContent = names[color[0].toUpperCase() + color.slice(1)];
      name.title = name.textContent;
      const pieces = captures(fens, color);
      const content = pieces.join("");
      if (taken.dataset.pieces !== content) {
        taken.dataset.pieces = content;
        // The pictures are our own; nothing that a reader types gets here.
        taken.innerHTML = pieces
          .map((piece) => `<svg viewBox="6 4 33 37" preserveAspectRatio="xMinYMid slice">${this.pictures[piece]}</svg>`)
          .join("");
      }
      taken.setAttribute("aria-label", pieces.length ? `captured ${inWords(pieces)}` : "");
      taken.hidden = !pieces.length;
      const more = lead(fens.at(-1), color);
      ahead.textContent = more > 0 ? `+${more}` : "";
    }
    const order = black ? ["white", "black"] : ["black", "white"];
    const wanted = order.map((color) => this.rows[color].row);
    if (this.root.firstChild !== wanted[0]) this.root.replaceChildren(...wanted);
  }

  /** Show the time that a side has left; without a text, no clock. */
  showClock(color, text, running, urgent) {
    const { clock } = this.rows[color];
    if (clock.textContent !== text) clock.textContent = text;
    clock.hidden = !text;
    clock.classList.toggle("cw-running", running);
    clock.classList.toggle("cw-urgent", urgent);
  }
}
