// What another chapter's engine says of the position on the board.
import { make } from "./board.js";
import { chooser } from "./controls.js";

const DELAY = 400; // milliseconds that a position is looked at before the engine is asked

export class SecondEngine {
  /**
   * @param engines keys and labels
   * @param onChange is called when another engine was chosen
   * @param ask is called with {engine, ply, fen} when an engine is wanted
   */
  constructor(engines, onChange, ask) {
    this.ask = ask;
    this.wanted = ""; // what was asked last
    this.timer = 0;
    this.labels = Object.fromEntries(engines);
    const choices = [["", "nobody else"], ...engines];
    const [field, select] = chooser("Also seen by", choices, onChange);
    this.select = select;
    this.said = make("p", { className: "play-second-said", role: "status" });
    this.root = make("div", { className: "play-second" }, field, this.said);
  }

  /** The position at a ply is looked at; the FEN says whether it is another one. */
  look(ply, fen) {
    const engine = this.select.value;
    const wanted = engine && `${engine} ${fen}`;
    if (wanted === this.wanted) return;
    this.wanted = wanted;
    this.found = ""; // what the engine has told
    clearTimeout(this.timer);
    this.fen = fen;
    this.said.textContent = engine && `${engine} looks at the position.`;
    if (engine) this.timer = setTimeout(() => this.ask({ engine, ply, fen }), DELAY);
  }

  /** Ask anew when a position is looked at next: the last question was dropped. */
  again() {
    this.wanted = "";
  }

  /** Say that there will be no answer to the last question. */
  fail(failure) {
    if (this.select.value) this.said.textContent = `The engine has stopped. (${failure})`;
  }

  /** Take what the engine has told so far. */
  receive({ engine, fen, done, said, tree, line, evaluation }) {
    if (engine !== this.select.value || fen !== this.fen) return; // of an earlier question
    const name = this.labels[engine].split(" · ")[0];
    if (!done) {
      const { depth, nodes, move } = tree;
      const size = `${depth} plies deep, ${nodes.toLocaleString("en")} positions`;
      this.found = `${name} plays ${move}, score for White ${evaluation.text}; ${size}: ${line.text}`;
      this.said.textContent = this.found;
    } else if (!this.found) this.said.textContent = `${name}: ${said}.`;
    if (done) this.found = "";
  }
}
