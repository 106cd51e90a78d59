// A worker that answers questions about the game while it goes on: a review, or what another
// engine sees. It answers one at a time; of questions that wait, only the last one is kept.
import { EngineWorker } from "./engine_worker.js";

export class Analyst {
  #worker = null;
  #answering = false;
  #next = null;

  /** @param onFound is called with {review}, {look} or {failure} */
  constructor(onFound) {
    this.onFound = onFound;
  }

  /** Ask a question, such as {do: "review"}, about the game of a state. */
  ask(question, state) {
    if (this.#answering) {
      this.#next = [question, state];
      return;
    }
    this.#answering = true;
    this.#worker ??= new EngineWorker((_from, message) => this.#receive(message));
    this.#worker.send({ do: "take up", state });
    this.#worker.send(question);
  }

  /** Stop answering. */
  end() {
    if (this.#answering) {
      this.#worker.end();
      this.#worker = null;
    }
    this.#answering = false;
    this.#next = null;
  }

  #receive({ review, look, failure }) {
    if (failure) {
      this.#worker.end();
      this.#worker = null;
    }
    if (review ?? look ?? failure) this.onFound({ review, look, failure });
    if (!failure && !review?.worst && !look?.done) return;
    this.#answering = false;
    const next = this.#next;
    this.#next = null;
    if (next) this.ask(...next);
  }
}
