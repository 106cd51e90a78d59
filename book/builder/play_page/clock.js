// A chess clock for the page: it follows the game, ply by ply, so that an undo gives the time
// back. Another game begins with full time, and so does a clock that is chosen within a game. The
// first move of each side is free. Times are in milliseconds.
import { chooser } from "./controls.js";
import { keep, keepHere, recall } from "./storage.js";

const CONTROLS = [
  ["", "no clock"],
  ["60+0", "1 min"],
  ["180+2", "3 min + 2 s"],
  ["300+3", "5 min + 3 s"],
  ["600+5", "10 min + 5 s"],
  ["1800+20", "30 min + 20 s"],
];
const KEY = "chess-course-clock-1"; // of what is kept
const FREE = 2; // plies that take no time
const URGENT = 10_000; // below this, tenths of a second are shown
const TICK = 100;
const MOVES = 30; // an engine's time is shared out as if the game had so many more moves
const LEAST = 0.05; // seconds that an engine has for a move in any case

/** A time as on a clock: 4:05, or 0:07.3 when little is left. */
export function clockText(time) {
  const tenths = Math.max(0, time < URGENT ? Math.ceil(time / 100) : Math.ceil(time / 1000) * 10);
  const rest = String(Math.floor((tenths / 10) % 60)).padStart(2, "0");
  return `${Math.floor(tenths / 600)}:${rest}${time < URGENT ? `.${tenths % 10}` : ""}`;
}

/** The time control and the times at each ply that were kept, if they can be read. */
function recallTimes() {
  const none = { control: "", times: [] };
  const { control, times } = recall(KEY) ?? none;
  const known = CONTROLS.some(([value]) => value === control) && Array.isArray(times);
  return known && times.every((one) => one?.white >= 0 && one.black >= 0) ? { control, times } : none;
}

export class Clock {
  /**
   * @param players whose rows show the times
   * @param onFlag is called with a side, "white" or "black", that has no time left
   * @param onChange is called when the reader has chosen another time control
   */
  constructor(players, onFlag, onChange) {
    this.players = players;
    this.onFlag = onFlag;
    this.since = null; // when the present position came up, if time runs
    this.turn = "white";
    this.fallen = false; // whether no time was left in the present position
    [this.field, this.select] = chooser("Clock", CONTROLS, (control) => {
      this.#choose(control, []);
      onChange();
    });
    const { control, times } = recallTimes();
    this.#choose(control, times);
    setInterval(() => this.on && this.#show(), TICK);
    // Another tab may have stored another game meanwhile.
    addEventListener("pagehide", () => this.#keep(keepHere));
  }

  /** Whether the game is played with a clock. */
  get on() {
    return this.control !== "";
  }

  /** The seconds that an engine of this side should spend on its move. */
  share(side) {
    return Math.max(LEAST, this.#left(side) / 1000 / MOVES + 0.8 * this.increment / 1000);
  }

  /**
   * Take note of the game.
   * @param fens of all its positions
   * @param goes whether somebody's time runs
   */
  follow(fens, goes) {
    if (!this.on) return;
    const side = (ply) => (fens[ply].split(" ")[1] === "w" ? "white" : "black");
    const positions = fens.map((fen) => fen.split(" ", 2).join(" "));
    const other = this.positions.some((one, ply) => positions[ply] && one !== positions[ply]);
    if (other) this.#choose(this.control, []);
    const now = fens.length;
    // Plies of before the clock was chosen, or of a game that was loaded, have cost no time.
    const free = this.positions.length ? now - 1 : now;
    while (this.times.length < free) this.times.push({ ...this.times.at(-1) });
    this.positions = positions;
    const known = this.times.length;
    let late = ""; // who has moved without time: a page in the background ticks seldom
    while (this.times.length < now) {
      const mover = side(this.times.length - 1);
      const next = { ...this.times.at(-1), [mover]: this.#left(mover) };
      if (!next[mover]) late = mover;
      else if (this.times.length > FREE) next[mover] += this.increment;
      this.times.push(next);
      this.since = null;
    }
    if (known > now) this.times.length = now;
    if (known !== now) {
      this.since = null;
      this.fallen = false;
    }
    this.turn = side(now - 1);
    const runs = goes && now > FREE && !this.fallen;
    if (!runs && this.since !== null) {
      this.times.at(-1)[this.turn] = this.#left(this.turn);
      this.since = null;
    } else if (runs) this.since ??= performance.now();
    this.#keep();
    this.#show();
    if (goes && late) this.#fall(late);
  }

  /** Begin with a time control; the times at each ply, if they are known. */
  #choose(control, times) {
    const [base, increment] = control.split("+").map(Number);
    this.control = control;
    this.increment = 1000 * (increment ?? 0);
    this.times = times.length ? times : [{ white: 1000 * base, black: 1000 * base }];
    this.positions = [];
    this.since = null;
    this.fallen = false;
    this.select.value = control;
    this.#keep();
    this.#show();
  }

  #left(side) {
    const left = this.times.at(-1)[side];
    const running = this.since !== null && side === this.turn;
    return running ? Math.max(0, left - (performance.now() - this.since)) : left;
  }

  #show() {
    for (const side of ["white", "black"]) {
      const left = this.#left(side);
      const running = this.since !== null && side === this.turn;
      const text = this.on ? clockText(left) : "";
      this.players.showClock(side, text, running, this.on && left < URGENT);
      if (running && left <= 0) this.#fall(side);
    }
  }

  /** A side has no time left. */
  #fall(side) {
    this.times.at(-1)[side] = 0;
    this.since = null;
    this.fallen = true;
    this.onFlag(side);
  }

  /** Keep the times, as they are now. */
  #keep(store = keep) {
    const now = { ...this.times.at(-1), [this.turn]: this.#left(this.turn) };
    store(KEY, { control: this.control, times: [...this.times.slice(0, -1), now] });
  }
}
