"""A board on which a reader moves pieces, and the terms of its score.

With piece-square tables any piece may go to any square, since the script has the tables. With
other evaluations a reader can make the legal moves, whose terms Python has computed.
"""

from __future__ import annotations

import html
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import chess

from utils.figures import Figure
from utils.figures.live import live_board, live_figure, side_by_side, signed

_STYLE = Path(__file__).parents[1].joinpath("play", "board.css").read_text(encoding="utf-8")


def piece_square_figure(
    board: chess.Board,
    values: Mapping[chess.PieceType, int],
    tables: Mapping[chess.PieceType, Sequence[int]],
    caption: str,
    *,
    name: str,
    alt: str,
) -> Figure:
    """A score of piece-square tables: a reader moves any piece anywhere.

    Args:
        board: the position to begin with.
        values: centipawns of each piece type.
        tables: centipawns of a white piece on each square, a1 first, by piece type.

    Raises:
        ValueError: a piece type without a value or without a table of 64 numbers.
    """
    pieces: dict[str, Any] = {}
    for kind in chess.PIECE_TYPES:
        if kind not in values or len(tables.get(kind, ())) != 64:
            raise ValueError(
                f"figure {name}: expected a value and 64 numbers for the {chess.piece_name(kind)}"
            )
        symbol, table = chess.piece_symbol(kind), tables[kind]
        mirrored = [table[chess.square_mirror(square)] for square in chess.SQUARES]
        pieces[symbol.upper()] = {"value": values[kind], "table": list(table)}
        pieces[symbol] = {"value": values[kind], "table": mirrored}
    terms = dict.fromkeys(
        ("White's pieces", "White's squares", "Black's pieces", "Black's squares"), 0.0
    )
    for square, piece in board.piece_map().items():
        side, sign = ("White", 1) if piece.color else ("Black", -1)
        found = pieces[piece.symbol()]
        terms[f"{side}'s pieces"] += sign * found["value"]
        terms[f"{side}'s squares"] += sign * found["table"][square]
    return _figure(board, terms, {"pieces": pieces}, caption, name=name, alt=alt, bars=False)


def moves_figure(
    board: chess.Board,
    explain: Callable[[chess.Board], Mapping[str, float]],
    caption: str,
    *,
    name: str,
    alt: str,
) -> Figure:
    """The terms of an evaluation, and how each legal move of either side changes them.

    Args:
        explain: the terms of a position in White's view, centipawns, the largest first.

    Raises:
        ValueError: a side has no legal move, or is in check while the other is to move.
    """
    terms = dict(explain(board))
    base = [board.copy(stack=False) for _ in range(2)]
    base[1].turn = not board.turn
    base[1].ep_square = None
    moves: dict[str, dict[str, Any]] = {}
    for one in base:
        if not one.is_valid() or not any(one.legal_moves):
            raise ValueError(f"figure {name}: one side cannot move in {one.fen()}")
        for move in one.legal_moves:
            if move.promotion and move.promotion != chess.QUEEN:
                continue
            one.push(move)
            found, placement = dict(explain(one)), one.board_fen()
            one.pop()
            changed = {
                term: round(found.get(term, 0.0), 1)
                for term in dict.fromkeys([*terms, *found])
                if abs(found.get(term, 0.0) - terms.get(term, 0.0)) > 0.05
            }
            moves[move.uci()] = {"terms": changed, "board": placement}
    for made in moves.values():
        for term in made["terms"]:
            terms.setdefault(term, 0.0)
    return _figure(board, terms, {"moves": moves}, caption, name=name, alt=alt, bars=True)


def _figure(
    board: chess.Board,
    terms: Mapping[str, float],
    data: Mapping[str, Any],
    caption: str,
    *,
    name: str,
    alt: str,
    bars: bool,
) -> Figure:
    total = sum(terms.values())
    largest = max([abs(value) for value in terms.values()], default=0) or 1
    rows = "".join(
        _row(term, value, value / largest if bars else None) for term, value in terms.items()
    )
    listed = (
        '<table class="course-table"><thead><tr><th scope="col">in White\'s view</th>'
        f'{"<td></td>" if bars else ""}<th scope="col">centipawns</th>'
        '<th scope="col">change</th></tr></thead>'
        f"<tbody>{rows}{_row('score', total, 0 if bars else None)}</tbody></table>"
    )
    both = side_by_side(live_board(board, alt=alt), listed, "course-score")
    still = f"<style>{_STYLE}</style>{both}"
    content = {
        "board": board.board_fen(),
        "terms": {term: round(value, 1) for term, value in terms.items()},
        **data,
    }
    line = f"The score of this position is {signed(round(total))} in White's view."
    told = [f"{term} {signed(round(value))}" for term, value in terms.items() if round(value)]
    words = f"{alt} {line} {', '.join(told) or 'All terms are 0'}."
    return live_figure("scores", still, content, caption, name=name, alt=words, line=line)


def _row(term: str, value: float, share: float | None) -> str:
    bar, hidden = "", "" if round(value) or term == "score" else " hidden"
    if share is not None:
        side = "black" if share < 0 else "white"
        bar = (
            f'<td><span class="course-live-bar" data-side="{side}" '
            f'style="--size: {abs(share):.3f}"></span></td>'
        )
    return (
        f'<tr data-term="{html.escape(term)}"{hidden}><th scope="row">{html.escape(term)}</th>{bar}'
        f"<td>{signed(round(value))}</td><td></td></tr>"
    )
