// The game as the page knows it, and the worker that plays it. A worker receives no message
// while its engine searches. So the page keeps what the worker told last, ends the worker when
// the reader wants something else, and lets a second one take up.
import { newGame, withMove, withoutMove, withPosition } from "./predicted_state.js";
import { EngineWorker } from "./engine_worker.js";

const SPARE_DELAY = 500; // milliseconds of thinking after which a second worker is got ready
const ENDS_THINKING = new Set(
  ["stop", "undo", "new", "fen", "pgn", "engine", "side", "resign", "flag"],
);

/** What is drawn of a stored state before a worker has checked it. */
function unchecked(state) {
  const positions = state.positions.map((position) => {
    return { ...position, evaluation: null, line: null };
  });
  return { ...state, positions, trees: [] };
}

export class PageGame {
  #first;
  #active;
  #spare = null;
  #timer = 0;
  #ahead = false; // whether a move is drawn of which the worker has not told yet
  #drawn = 0; // how many commands of the worker's are drawn: what it tells of fewer is old
  #flipped = false;
  #failure = "";

  /**
   * @param first the state of a new game
   * @param stored the state where the page was left, or null
   * @param onTold is called when a worker has told a state, with the one before
   * @param onChange is called when something has changed that is drawn
   */
  constructor(first, stored, onTold, onChange) {
    this.#first = first;
    this.onTold = onTold;
    this.onChange = onChange;
    this.told = stored ?? first; // what a worker told last, for the next one
    this.state = stored ? unchecked(stored) : first; // what is drawn
    this.info = null; // what the engine has found so far
    this.#active = this.#newWorker();
    if (stored) this.#active.send({ do: "take up", state: stored });
  }

  /** Whether Python has started. */
  get ready() {
    return this.#active.ready;
  }

  /** Whether somebody can move. */
  get runs() {
    return this.ready && !this.#failure && this.state.result === "*";
  }

  /** The state to be drawn, with what the engine has found so far. */
  get view() {
    const view = { ...this.state, black: this.state.black !== this.#flipped };
    if (this.info) {
      const { evaluation } = this.info;
      view.positions = view.positions.with(-1, { ...view.positions.at(-1), evaluation });
    }
    if (this.#failure) view.message = this.#failure;
    else if (!this.ready) {
      view.status = `Python is starting.${view.moves.length ? " You can move already." : ""}`;
    }
    return view;
  }

  /** Do a command, as `Session.handle` describes them. What is known of it is drawn at once. */
  send(command) {
    // Another engine is chosen before it answers a move that waits for Python.
    const early = command.do === "engine" && !this.ready && this.#ahead;
    const ends = !early && ENDS_THINKING.has(command.do) && (this.state.thinking || this.#ahead);
    const drawn = this.#after(command, ends);
    if (command.do === "side" && command.name !== "random") this.#flipped = false;
    if (command.do === "flip") this.#flipped = !this.#flipped;
    else if (early) this.#active.sendBeforeLast(command);
    else if (ends) this.#replace(command);
    else this.#active.send(command);
    this.#ahead = !ends && (this.#ahead || (command.do === "move" && drawn !== this.state));
    // A limit is drawn at once, too, but changes nothing of what the worker tells of the game.
    if (drawn !== this.state && command.do !== "limit") this.#drawn = this.#active.sent;
    this.state = drawn;
    this.onChange();
  }

  #newWorker() {
    return new EngineWorker((from, message) => this.#receive(from, message));
  }

  /** The state as a command will change it, as far as that is known. */
  #after(command, ends) {
    const { state } = this;
    const stopped = { thinking: false, moves: [], status: "The engine has stopped." };
    const ended = ends ? { ...state, ...stopped } : state;
    switch (command.do) {
      case "move":
        return state.moves.includes(command.text) ? withMove(state, command.text) : state;
      case "new":
        return newGame(state, this.#first);
      case "fen":
        return withPosition(ended, this.#first, command.text);
      case "limit":
        this.told = { ...this.told, limit: command.text };
        return { ...state, limit: command.text };
      case "engine":
        this.told = { ...this.told, engine: command.name };
        return { ...ended, engine: command.name };
      case "side":
        this.told = { ...this.told, side: command.name };
        return { ...ended, side: command.name };
      case "undo":
        return ends ? withoutMove(state) : state;
      default:
        return ended;
    }
  }

  /** End the worker that thinks; another one takes up its game and does the command. */
  #replace(command) {
    clearTimeout(this.#timer);
    this.#failure = "";
    if (this.ready) {
      this.#active.end();
      this.#active = this.#spare ?? this.#newWorker();
      this.#spare = null;
    } else this.#active.clear();
    const takeUp = { do: "take up", state: this.told };
    const { info } = this;
    this.info = null;
    if (command.do === "stop") Object.assign(takeUp, { answer: info?.move ?? "", info });
    this.#active.send(takeUp);
    // The worker that takes up does not know of a move that was only drawn.
    const done = command.do === "stop" || (command.do === "undo" && this.#ahead);
    if (!done) this.#active.send(command);
  }

  #receive(from, { failure, state, info }) {
    if (failure) from.end();
    if (failure && from === this.#spare) this.#spare = null;
    if (from !== this.#active) return;
    if (failure) {
      this.#failure = this.ready
        ? `Python has stopped. A reload of the page goes on with the game. (${failure})`
        : `Python did not start. A reload of the page tries again. (${failure})`;
    }
    if (state && from.done + 1 >= this.#drawn) {
      const before = this.told;
      this.state = this.told = state;
      this.info = null;
      this.#ahead = false;
      this.onTold(before);
      clearTimeout(this.#timer);
      if (state.thinking && !this.#spare && (navigator.deviceMemory ?? 8) >= 4) {
        this.#timer = setTimeout(() => (this.#spare ??= this.#newWorker()), SPARE_DELAY);
      }
    }
    if (info && from.done + 1 >= this.#drawn) this.info = info;
    this.onChange();
  }
}
