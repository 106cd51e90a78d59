// A worker with Python and an engine; what is sent before it is ready waits.
export class EngineWorker {
  /** @param onMessage is called with this worker and what it tells */
  constructor(onMessage) {
    this.onMessage = onMessage;
    this.ready = false;
    this.waiting = [];
    this.sent = 0; // how many commands it was given
    this.done = 0; // and how many it has done
    this.worker = new Worker(new URL("./worker.js", import.meta.url), { type: "module" });
    this.worker.onmessage = ({ data }) => this.#receive(JSON.parse(data));
    this.worker.onerror = ({ message }) => {
      this.onMessage(this, { failure: message || "Python did not start" });
    };
  }

  send(command) {
    this.sent += 1;
    if (this.ready) this.#post(command);
    else this.waiting.push(command);
  }

  /** Send a command that is done before the last one, which waits. */
  sendBeforeLast(command) {
    this.sent += 1;
    this.waiting.splice(-1, 0, command);
  }

  /** Forget what was sent and not yet received. */
  clear() {
    this.sent -= this.waiting.length;
    this.waiting = [];
  }

  end() {
    this.worker.terminate();
    this.onMessage = () => {};
  }

  #post(command) {
    this.worker.postMessage(JSON.stringify(command));
  }

  #receive(message) {
    if (message.done) {
      this.done += 1;
      return;
    }
    if (message.ready) {
      this.ready = true;
      this.waiting.splice(0).forEach((command) => this.#post(command));
    }
    this.onMessage(this, message);
  }
}
