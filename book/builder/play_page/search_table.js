// A table of how large the search of each engine's last move was.
import { make } from "./board.js";

const HEADS = ["engine", "move", "plies", "positions", "seconds"];

const show = (value) => (value === null ? "–" : value.toLocaleString("en"));

export class SearchTable {
  constructor() {
    this.root = make("div", { className: "play-searches", tabIndex: 0, role: "region" });
    this.root.setAttribute("aria-label", "trees of the engines");
    const heads = HEADS.map((textContent) => make("th", { scope: "col", textContent }));
    const caption = make("caption", { textContent: "The tree of each engine's last move" });
    this.body = make("tbody");
    const head = make("thead", {}, make("tr", {}, ...heads, make("td")));
    this.root.append(make("table", {}, caption, head, this.body));
  }

  draw(trees) {
    const most = Math.max(1, ...trees.map((tree) => tree.nodes ?? 0));
    const rows = trees.map(({ engine, move, depth, nodes, seconds }) => {
      const bar = make("div");
      bar.style.width = `${(100 * (nodes ?? 0)) / most}%`;
      const texts = [move, show(depth), show(nodes), seconds.toFixed(2)];
      const cells = texts.map((textContent) => make("td", { textContent }));
      const head = make("th", { scope: "row", textContent: engine });
      return make("tr", {}, head, ...cells, make("td", { "aria-hidden": "true" }, bar));
    });
    this.body.replaceChildren(...rows);
    this.root.hidden = !trees.length;
  }
}
