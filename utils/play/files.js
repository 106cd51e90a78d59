// Positions and games in and out: as text, as a file, as an address.
import { make } from "./board.js";
import { button, textField } from "./controls.js";

const MOST = 1_000_000; // bytes of a file that are read: only its first game is loaded

export class Files {
  /**
   * @param link gives an address for a FEN; undefined where there is none
   * @param send is called with a command
   * @param say is called with what a screen reader should say
   * @param notify is called with what is wrong
   */
  constructor(link, send, say, notify) {
    Object.assign(this, { send, say, notify });
    const load = button("Load FEN", () => send({ do: "fen", text: this.fen.value }));
    const copy = button("Copy FEN", () => this.#copy(this.shown, "FEN"));
    const buttons = link ? [button("Copy link", () => this.#copy(link(this.shown), "Link"))] : [];
    [this.fenField, this.fen] = textField("FEN", "", load, copy, ...buttons);
    this.pgn = make("textarea", { rows: 6, spellcheck: false, "aria-label": "PGN" });
    this.chosen = make("input", { type: "file", hidden: true, "aria-label": "PGN file" });
    this.chosen.addEventListener("change", () => {
      this.open(this.chosen.files[0]);
      this.chosen.value = ""; // the same file may be chosen again
    });
    const games = [
      button("Load PGN", () => send({ do: "pgn", text: this.pgn.value })),
      button("Open file", () => this.chosen.click()),
      button("Copy PGN", () => this.#copy(this.saved, "PGN")),
      button("Save PGN", () => this.#save()),
    ];
    const content = make("div", {}, this.fenField, this.pgn, this.chosen);
    content.append(make("div", { className: "cw-buttons" }, ...games));
    const summary = make("summary", { textContent: "FEN and PGN" });
    this.root = make("details", { className: "cw-more" }, summary, content);
  }

  /** Take the files that are dropped on an element. */
  takeDrops(element) {
    const over = (event) => {
      const file = event.dataTransfer?.types.includes("Files") ?? false;
      if (file) event.preventDefault();
      element.classList.toggle("cw-drop", file && event.type === "dragover");
    };
    for (const name of ["dragover", "dragleave", "drop"]) element.addEventListener(name, over);
    element.addEventListener("drop", ({ dataTransfer }) => this.open(dataTransfer.files[0]));
  }

  /** Draw the FEN of the position that is looked at, and the PGN of the game. */
  draw(fen, pgn) {
    if (this.shown !== fen) this.shown = this.fen.value = fen;
    if (this.saved !== pgn) this.saved = this.pgn.value = pgn;
  }

  /** Load the first game of a file. */
  async open(file) {
    if (!file) return;
    try {
      this.send({ do: "pgn", text: await file.slice(0, MOST).text(), file: file.name });
    } catch {
      this.notify(`${file.name} cannot be read.`);
    }
  }

  async #copy(text, name) {
    try {
      await navigator.clipboard.writeText(text);
    } catch {
      const field = make("textarea", { value: text }); // without the permission: the old way
      this.root.append(field);
      field.select();
      const copied = document.execCommand("copy");
      field.remove();
      if (!copied) return this.notify(`${name} could not be copied.`);
    }
    this.say(`${name} copied`);
  }

  #save() {
    const address = URL.createObjectURL(new Blob([this.saved + "\n"], { type: "text/plain" }));
    make("a", { href: address, download: "game.pgn" }).click();
    setTimeout(() => URL.revokeObjectURL(address), 1000);
  }
}
