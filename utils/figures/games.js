// Steps through the game of a figure. Without this script the figure shows one position.
(() => {
  const root = document.currentScript.parentElement;
  const { positions, moves, lines, first, mark } = JSON.parse(root.dataset.game);
  const NAMES = { p: "pawn", n: "knight", b: "bishop", r: "rook", q: "queen", k: "king" };
  const FILES = root.dataset.black ? "hgfedcba" : "abcdefgh";
  const RANKS = root.dataset.black ? "12345678" : "87654321";
  const svg = root.querySelector("svg");
  const check = svg.querySelector("[fill^='url(#check']");
  const words = root.querySelector(".course-game-line");
  const make = (tag, properties) => Object.assign(document.createElement(tag), properties);

  function draw(ply) {
    for (const piece of svg.querySelectorAll(":scope > use")) piece.remove();
    const pieces = { white: [], black: [] };
    let square = 0;
    for (const letter of positions[ply].replaceAll("/", "")) {
      if (letter > "0" && letter < "9") {
        square += Number(letter);
        continue;
      }
      const [column, row] = [FILES.indexOf("abcdefgh"[square % 8]), RANKS.indexOf(8 - (square >> 3))];
      const use = document.createElementNS(svg.namespaceURI, "use");
      const side = letter < "a" ? "white" : "black";
      const name = NAMES[letter.toLowerCase()];
      use.setAttribute("href", `#${side}-${name}-${mark}`);
      pieces[side].push(`${name} ${"abcdefgh"[square % 8]}${8 - (square >> 3)}`);
      use.setAttribute("transform", `translate(${15 + 45 * column}, ${15 + 45 * row})`);
      svg.append(use);
      square += 1;
    }
    for (const rect of svg.querySelectorAll(".square")) {
      const name = rect.classList[rect.classList.length - 1];
      const last = ply > 0 && [0, 2].some((at) => moves[ply - 1].slice(at, at + 2) === name);
      rect.classList.remove("lastmove");
      if (last) rect.classList.replace(name, "lastmove"), rect.classList.add(name);
    }
    if (check) check.style.display = ply === first ? "" : "none";
    words.textContent = lines[ply];
    slider.value = ply;
    slider.setAttribute("aria-valuetext", lines[ply]);
    back.disabled = ply === 0;
    on.disabled = ply === moves.length;
    const [white, black] = [pieces.white.join(", "), pieces.black.join(", ")];
    svg.setAttribute("aria-label", `${lines[ply]} White: ${white}. Black: ${black}.`);
  }

  const slider = make("input", { type: "range", min: 0, max: moves.length });
  const step = (text, title, by) => {
    const onclick = () => draw(Number(slider.value) + by);
    const button = make("button", { type: "button", textContent: text, title, onclick });
    button.setAttribute("aria-label", title);
    return button;
  };
  const [back, on] = [step("◀", "one move back", -1), step("▶", "one move on", 1)];
  slider.setAttribute("aria-label", "half-move of the game");
  slider.oninput = () => draw(Number(slider.value));
  const controls = make("div", { className: "course-game-controls" });
  controls.append(back, slider, on);
  words.before(controls);
  words.setAttribute("aria-live", "polite");
  draw(first);
})();
