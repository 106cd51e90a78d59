// A page to play on: the board and its panel are those of the widget, `PageGame` has the game, and
// what is below the board is put together here.
import { Analyst } from "./analyst.js";
import { make } from "./board.js";
import { Clock } from "./clock.js";
import { SecondEngine } from "./second_engine.js";
import { beatenEngines, keepGame, recallGame } from "./storage.js";
import { linkTo, takeLinked } from "./position_link.js";
import { PageGame } from "./page_game.js";
import { Review } from "./review.js";
import { SearchTable } from "./search_table.js";
import { mount } from "./widget.js";

const SHOWN = 3; // arrows of what the engine expects
const LOOK = "1 s"; // how long another engine looks at a position

const file = async (name) => (await fetch(new URL(name, import.meta.url))).json();

function start(element, first) {
  let names = {}; // of openings by the first two fields of a FEN
  const key = (fen) => fen.split(" ", 2).join(" ");
  const setup = {
    ...first.setup,
    link: linkTo,
    opening: (fens) => names[key(fens.findLast((fen) => key(fen) in names) ?? "")],
  };
  element.replaceChildren();
  const panel = mount(element, setup, send, drawPly);
  const clock = new Clock(panel.players, (side) => send({ do: "flag", side }), show);
  panel.fields.append(clock.field);

  const note = make("p", { className: "play-note", role: "status" });
  const score = make("p", { className: "play-score" });
  const line = make("p", { className: "play-line" });
  const expects = make("input", { type: "checkbox", checked: true });
  expects.addEventListener("change", show);
  const choice = make("label", {}, expects, "show what the engine expects");
  const searches = new SearchTable();
  const analyst = new Analyst(({ review: found, look: seen, failure }) => {
    if (failure && review.running) review.fail(failure);
    else if (failure) second.fail(failure);
    if (found) review.receive(found);
    if (seen) second.receive(seen);
    show();
  });
  const second = new SecondEngine(first.setup.engines, show, (question) => {
    const known = game.told.positions[question.ply]?.fen === question.fen;
    if (known) analyst.ask({ do: "look", ...question, limit: LOOK }, game.told);
    else second.again(); // Python does not know the position yet
  });
  const review = new Review(
    () => {
      review.begin(game.state.sans.length);
      analyst.end();
      second.again();
      analyst.ask({ do: "review" }, game.told);
      show();
    },
    (ply) => {
      panel.look(ply);
      panel.board.scrollIntoView({ block: "nearest" });
    },
  );
  const below = make("div", { className: "play-more cw-controls" });
  below.append(note, score, review.root, line, choice, second.root, searches.root);
  panel.frame.append(below);

  const opponents = [...panel.engine.options];
  const labels = opponents.map((option) => option.textContent);

  /** Mark the opponents that were beaten in the list. */
  function markBeaten(engine = "") {
    const beaten = beatenEngines(engine);
    opponents.forEach((option, index) => {
      option.textContent = (beaten.has(option.value) ? "✓ " : "") + labels[index];
    });
    const count = opponents.filter(({ value }) => beaten.has(value)).length;
    score.textContent = count ? `You have beaten ${count} of ${opponents.length} opponents.` : "";
  }

  /** Keep a game that was begun. */
  function keepBegun() {
    const { state } = game;
    const begun = state.sans.length || state.positions[0].fen !== first.state.positions[0].fen;
    const kept = keepGame(begun ? state : null);
    note.textContent = kept ? "" : "This browser keeps no game for this page: a reload ends it.";
  }

  function told(before) {
    const { state } = game;
    if (String(state.sans) !== String(before.sans)) {
      if (review.running) {
        analyst.end();
        second.again();
      }
      review.forget();
    }
    if (state.beaten) markBeaten(state.beaten);
    keepBegun();
  }

  function show() {
    const fens = game.state.positions.map(({ fen }) => fen);
    clock.follow(fens, game.runs);
    panel.draw(game.view);
    searches.draw(game.state.trees);
    element.dataset.ready = game.ready;
    element.dataset.thinking = game.state.thinking;
  }

  /** Draw what belongs to the position after so many plies; a search is about the last one. */
  function drawPly(ply) {
    const { state } = game;
    const live = ply === state.sans.length ? game.info : null;
    const expected = expects.checked ? (live ?? state.positions[ply]).line : null;
    panel.arrows.expect(review.better(ply) ?? expected?.moves.slice(0, SHOWN) ?? []);
    const depth = live ? `${live.tree.depth} plies deep: ` : "Expected: ";
    line.textContent = expected?.text ? depth + expected.text : "";
    review.draw(ply, state.sans.length > 1);
    second.look(ply, state.positions[ply].fen);
  }

  function send(command) {
    const engineSide = game.state.person === "white" ? "black" : "white";
    game.send(clock.on ? { ...command, seconds: clock.share(engineSide) } : command);
  }

  /** Go to the position that the address of the page leads to, if there is one. */
  function follow() {
    const fen = takeLinked();
    const { sans, result } = game.state;
    const question = "Leave your game for the position of this link?";
    const goes = fen && (!sans.length || result !== "*" || confirm(question));
    if (goes) send({ do: "fen", text: fen });
    return goes;
  }

  const stored = recallGame(first.state);
  const game = new PageGame(first.state, stored, told, show);
  markBeaten();
  if (!follow() && stored?.thinking) send({ do: "go" });
  show();
  addEventListener("hashchange", follow);
  file("./openings.json").then((found) => {
    names = found;
    show();
  });
}

const element = document.getElementById("play");
const first = await file("./first.json");
if (first.python) start(element, first);
else element.textContent = "This copy of the book was built without Python for browsers.";
