// What the page draws before Python has answered: a move that was just made, or just taken back,
// a new game, and a position that was loaded. Python's answer replaces it.
import { FILES, readPlacement, writePlacement } from "./board.js";

// Which rights to castle are gone when a piece leaves a square or is taken there.
const ENDS_CASTLING = { e1: "KQ", a1: "Q", h1: "K", e8: "kq", a8: "q", h8: "k" };

/** The placement after a legal move in UCI notation. */
export function placementAfter(placement, move) {
  const pieces = readPlacement(placement);
  const [from, to] = [move.slice(0, 2), move.slice(2, 4)];
  const piece = pieces[from];
  const files = FILES.indexOf(to[0]) - FILES.indexOf(from[0]);
  const pawn = piece.toLowerCase() === "p";
  if (pawn && files && !pieces[to]) delete pieces[to[0] + from[1]]; // en passant
  if (piece.toLowerCase() === "k" && Math.abs(files) === 2) {
    const [corner, beside] = files > 0 ? ["h", "f"] : ["a", "d"];
    pieces[beside + from[1]] = pieces[corner + from[1]];
    delete pieces[corner + from[1]];
  }
  const promoted = move[4] && (piece === "P" ? move[4].toUpperCase() : move[4]);
  pieces[to] = promoted || piece;
  delete pieces[from];
  return writePlacement(pieces);
}

/** The FEN after a legal move; whether a capture en passant is possible is for Python to say. */
export function fenAfter(fen, move) {
  const [placement, side, castling, , clock, number] = fen.split(" ");
  const pieces = readPlacement(placement);
  const [from, to] = [move.slice(0, 2), move.slice(2, 4)];
  const gone = (ENDS_CASTLING[from] ?? "") + (ENDS_CASTLING[to] ?? "");
  const rights = [...castling].filter((right) => !gone.includes(right)).join("") || "-";
  const resets = pieces[to] || pieces[from].toLowerCase() === "p";
  const fields = [placementAfter(placement, move), side === "w" ? "b" : "w", rights, "-"];
  return [...fields, resets ? 0 : Number(clock) + 1, Number(number) + (side === "b")].join(" ");
}

/** A state after a move of the person, which is listed in UCI notation until Python names it. */
export function withMove(state, move) {
  const latest = state.positions.at(-1);
  const fen = fenAfter(latest.fen, move);
  return {
    ...state,
    positions: [...state.positions, { ...latest, fen, last: move, check: "", line: null, by: null }],
    sans: [...state.sans, move],
    moves: [],
    before: state.moves,
    premoves: [],
    claim: "",
    undo: true,
    status: `You move ${move.slice(0, 2)} to ${move.slice(2, 4)}.`,
    message: "",
  };
}

/** A state without the person's last move, to which there is no answer yet. */
export function withoutMove(state) {
  const idle = { thinking: false, waiting: false, premoves: [], before: [], claim: "" };
  return {
    ...state,
    ...idle,
    positions: state.positions.slice(0, -1),
    sans: state.sans.slice(0, -1),
    moves: state.before,
    undo: state.sans.length > 1,
    status: "Taken back. Your move.",
  };
}

/** A new game with the same settings; `first` is the first look at the page. */
export function newGame(state, first) {
  const { engine, limit, side, person, names, black } = state;
  const known = side === "white" || side === "both"; // who moves first is a person
  const moves = known ? first.moves : [];
  return { ...first, engine, limit, side, person, names, black, moves, status: "New game." };
}

/** A new game from a position; the same state if the text does not look like a FEN. */
export function withPosition(state, first, text) {
  const fen = text.trim();
  if (!/^([1-8pnbrqk]+\/){7}[1-8pnbrqk]+ [wb] /i.test(fen)) return state;
  const game = newGame(state, first);
  return { ...game, moves: [], positions: [{ ...game.positions[0], fen }] };
}
