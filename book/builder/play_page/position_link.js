// An address that leads to a position: play.html#fen=..., with _ in place of spaces.

const page = () => location.href.split("#")[0];

export function linkTo(fen) {
  return `${page()}#fen=${fen.replaceAll(" ", "_")}`;
}

/** The FEN in the address, or "". It is taken out of there, so that a reload goes on. */
export function takeLinked() {
  const fen = new URLSearchParams(location.hash.slice(1)).get("fen") ?? "";
  if (fen) history.replaceState(null, "", page());
  return fen.replaceAll("_", " ");
}
