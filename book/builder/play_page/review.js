// The game afterwards: a graph of the evaluation, and the reader's worst moves with the engine's
// own and the reason. Python (utils/play/review.py) finds them; here they are drawn.
import { make } from "./board.js";
import { button, enable, shape } from "./controls.js";

export class Review {
  /**
   * @param ask is called when the reader wants a review
   * @param look shows the position after so many plies
   */
  constructor(ask, look) {
    this.look = look;
    this.button = button("Review the game", ask);
    this.said = make("p", { role: "status" });
    this.graph = shape("svg", { class: "play-graph", role: "img", preserveAspectRatio: "none" });
    this.graph.addEventListener("click", (event) => {
      const box = this.graph.getBoundingClientRect();
      this.look(Math.round(((event.clientX - box.left) / box.width) * this.plies));
    });
    this.worst = make("ol", { className: "play-worst" });
    const head = make("h2", { textContent: "How the game went" });
    this.root = make("section", { className: "play-review" }, head, this.button, this.said);
    this.root.append(this.graph, this.worst);
    this.forget();
  }

  /** Begin a review of a game with so many plies. */
  begin(plies) {
    this.forget();
    this.plies = plies;
    this.running = true;
    this.say("The engine looks at the game, from its end.");
  }

  /** Drop what was found: the game has changed. */
  forget() {
    this.running = false;
    this.plies = 0;
    this.looks = [];
    this.moves = null;
    this.worst.replaceChildren();
    this.say("");
  }

  /** Say why there is no review. */
  fail(failure) {
    this.forget();
    this.say(`The review has stopped. (${failure})`);
  }

  /** Take what Python has found: the evaluation at a ply, or at last the worst moves. */
  receive(found) {
    if ("ply" in found) {
      this.looks[found.ply] = found.evaluation;
      this.say(`The engine looks at the game: ${found.ply} positions to go.`);
    } else {
      this.running = false;
      this.moves = found.worst;
      this.say(this.moves.length ? "Your moves that cost most:" : "No move of yours cost much.");
      this.worst.replaceChildren(...this.moves.map((move) => this.#item(move)));
    }
  }

  /** The move that was better after so many plies, in a list, if the reader's was one of the worst. */
  better(ply) {
    return this.moves?.find((move) => move.ply === ply)?.better.moves.slice(0, 1);
  }

  say(text) {
    if (this.said.textContent !== text) this.said.textContent = text;
  }

  /** Draw the graph, with a line at the ply that is looked at. */
  draw(shown, possible) {
    enable(this.button, possible && !this.running);
    this.root.hidden = !possible;
    const known = this.looks.map((look, ply) => [ply, look?.share]).filter(([, share]) => share >= 0);
    this.graph.toggleAttribute("hidden", known.length < 2);
    if (known.length < 2) return;
    const width = Math.max(1, this.plies);
    this.graph.setAttribute("viewBox", `0 0 ${width} 1`);
    const points = known.map(([ply, share]) => `${ply} ${1 - share}`);
    const area = `M${known[0][0]} 1L${points.join("L")}L${known.at(-1)[0]} 1Z`;
    const marks = (this.moves ?? []).map(({ ply }) => this.#line(ply + 1, "play-bad"));
    this.graph.replaceChildren(
      shape("rect", { width, height: 1, class: "play-black" }),
      shape("path", { d: area, class: "play-white" }),
      shape("path", { d: `M0 .5H${width}`, class: "play-even" }),
      ...marks,
      this.#line(shown, "play-now"),
    );
    const ends = [known[0], known.at(-1)].map(([ply]) => this.looks[ply].text);
    const words = `evaluation for White at each ply, from ${ends[0]} to ${ends[1]}`;
    this.graph.setAttribute("aria-label", words);
  }

  #line(ply, name) {
    return shape("path", { d: `M${ply} 0V1`, class: name });
  }

  #item({ ply, move, better, answer, from, to, why }) {
    const label = `${move}, look at the position before it`;
    const see = button(move, () => this.look(ply), { "aria-label": label });
    const rest = answer.text ? ` Your move allows ${answer.text}.` : "";
    const words = ` The score for White went from ${from} to ${to}. ${why}`;
    const instead = make("p", {}, "Better is ", make("b", {}, better.text), `.${rest}`);
    return make("li", {}, see, words, instead);
  }
}
