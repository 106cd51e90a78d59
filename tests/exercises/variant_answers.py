"""Right answers to variants: places of the solution, and what stands there in a variant.

The names in braces are those that vary, each with its number in the book and in the variant.
"""

RIGHT = {
    "s03-1": {
        "": "b = chess.Board('r3k2r/8/8/8/3pP3/8/5PPP/6K1 b kq e3 0 12')\n"
        "b.set_piece_at(chess.parse_square('{rook[1]}'[-2:]), chess.Piece.from_symbol('R'))\n"
        "b.fullmove_number = {number[1]}\n"
        "answer = b.fen(en_passant='fen')\n"
    },
    "s03-3": {"1.0 if": "{win[1]} if"},
    "s04-2": {
        "return super().play(board, limit)": (
            "return chess.engine.PlayResult("
            "{other[1].__name__}(board.legal_moves, key=chess.Move.uci), None)"
        )
    },
    "s05-3": {"> margin": "> margin * {part[1]} / 2"},
    "s06-3": {
        '"1-0": 2': '"1-0": {win[1]}',
        "else 2 - white": "else {{0: {win[1]}, 1: 1}}.get(white, 0)",
    },
    "s07-1": {"piece_type, 0)": "piece_type, {missing[1]})"},
    "s08-2": {"0.5": "{pair[1]}"},
    "s08-3": {"0.1": "{worth[1]}"},
    "s09-4": {"value_checkmate + depth": "{weight[0]}"},
    "s10-2": {"alpha >= beta": "{stops[0]}", "in tree:": "in tree[::{step[1]}]:"},
    "s11-1": {"range(1,": "range({first[1]},"},
    "s12-1": {
        "": "def worth_of(side, piece, _on, place):\n"
        "    kind = chess.PIECE_NAMES.index(piece)\n"
        "    return SQUARE_VALUES[side == 'white'][kind][chess.parse_square(place)]\n"
        "worth = {{name: worth_of(*name.split()) for name in worth}}\n"
    },
    "s13-1": {
        "": "from converted_notebooks.s12_piece_square_tables import PieceSquareEvaluator\n"
        "for san in gains:\n"
        "    after = by_hand_board.copy()\n"
        "    after.push_san(san)\n"
        "    here, there = map(PieceSquareEvaluator().heuristic, (by_hand_board, after))\n"
        "    gains[san] = -there - here\n"
    },
    "s14-1": {
        "": "captures = sorted(banquet.generate_legal_captures(), "
        "key=lambda m: -mvv_lva(banquet, m))\n"
        "answer = [banquet.san(move) for move in captures]\n"
    },
    "s14-4": {"amount // 2": "amount // {part[1]}", "amount > 1": "amount >= {part[1]}"},
    "s15-3": {
        "        for square in board.pieces(chess.PAWN, color):\n"
        "            key ^= numbers[color][chess.PAWN][square]": (
            "        for kind in {kinds[1]}:\n"
            "            for square in board.pieces(kind, color):\n"
            "                key ^= numbers[color][kind][square]"
        )
    },
    "s16-2": {"> 0": "> {least[1]}"},
    "s17-2": {"0.5": "{add[1]}", "/ 2": "{over[0]}"},
    "s18-1": {"30 * 6 + 6 * 18": "{opening[1]} * 6 + {ending[1]} * 18"},
    "s18-3": {
        "chess.BB_RANK_4 | chess.BB_RANK_5 | chess.BB_RANK_6": (
            "sum(chess.BB_RANKS[int(rank) - 1] for rank in '{ranks[1]}')"
        )
    },
    "s18-4": {"10 * away + 4 *": "{rim[1]} * away + {near[1]} *"},
    "s19-1": {
        "4, 24, 36": "4, 4 * ({size[1]} - 2), ({size[1]} - 2) ** 2\nsquares = {size[1]} ** 2",
        "(64 - 4)": "(squares - 4)",
        "(64 - 6)": "(squares - 6)",
        "(64 - 9)": "(squares - 9)",
        "pairs * 62": "pairs * (squares - 2)",
    },
    "s24-1": {"1.96": "{z[1]}"},
    "s24-3": {
        "len(scores) >= 8 and min(scores[-8:]) >= 500": (
            "len(scores) >= {run[1]} and min(scores[-{run[1]}:]) >= {least[1]}"
        ),
        "len(scores) >= 8 and max(scores[-8:]) <= -500": (
            "len(scores) >= {run[1]} and max(scores[-{run[1]}:]) <= -{least[1]}"
        ),
    },
    "s25-2": {"400": "{scale[1]}"},
}
