// What the browser stores: the game and its clock, for this tab and for the next one that is
// opened, and whom the reader has beaten. Storage may be switched off or full.
const GAME = "chess-course-game-3"; // another one when the form of the state changes
const BEATEN = "chess-course-beaten";
const PLACES = ["sessionStorage", "localStorage"]; // of this tab, and of all
const beaten = new Set();

function read(place, key) {
  try {
    const text = window[place].getItem(key);
    return text === null ? undefined : JSON.parse(text);
  } catch {
    return undefined; // switched off, or no JSON
  }
}

/** Write a value; returns whether that was possible. */
function write(place, key, value) {
  try {
    window[place].setItem(key, JSON.stringify(value));
    return true;
  } catch {
    return false;
  }
}

/** Keep a value for this tab only. */
export function keepHere(key, value) {
  write(PLACES[0], key, value);
}

/** Keep a value; returns whether a reload will find it. */
export function keep(key, value) {
  const kept = PLACES.filter((place) => write(place, key, value));
  const failed = PLACES.filter((place) => !kept.includes(place));
  failed.forEach((place) => write(place, key, null)); // nothing old stays
  return kept.length > 0;
}

/** The value that was kept last, in this tab if there is one, or null. */
export function recall(key) {
  return PLACES.map((place) => read(place, key)).find((value) => value !== undefined) ?? null;
}

/** Whether a value has the keys and types of a model; where that has null, anything is good. */
function fits(value, model) {
  if (model === null) return true;
  if (Array.isArray(model)) {
    return Array.isArray(value) && value.every((part) => !model.length || fits(part, model[0]));
  }
  if (typeof value !== typeof model || value === null) return false;
  const keys = typeof model === "object" ? Object.keys(model) : [];
  return keys.every((key) => key in value && fits(value[key], model[key]));
}

/** Keep the state of a game, or none. */
export function keepGame(state) {
  return keep(GAME, state);
}

/** The kept state, or null if there is none that can be drawn. A worker checks the rest. */
export function recallGame(model) {
  const state = recall(GAME);
  return fits(state, model) && state.positions.length === state.sans.length + 1 ? state : null;
}

/** The engines that the reader has beaten; with one more if it is given. */
export function beatenEngines(engine = "") {
  const names = read("localStorage", BEATEN);
  for (const name of [engine, ...(Array.isArray(names) ? names : [])]) beaten.add(name);
  beaten.delete("");
  write("localStorage", BEATEN, [...beaten]);
  return beaten;
}
