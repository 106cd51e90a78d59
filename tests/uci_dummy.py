"""A program that speaks UCI and misbehaves on request, for tests of matches."""

from __future__ import annotations

import sys
import time

import chess


def main() -> None:
    """Play the first legal move; the option Trick says what else to do."""
    trick, board = "none", chess.Board()
    for line in sys.stdin:
        words = line.split()
        match words[:1]:
            case ["uci"]:
                if "exit" in sys.argv:
                    return
                print("id name Dummy")
                print("option name Trick type string default none")
                print("option name UCI_LimitStrength type check default false")
                print("option name UCI_Elo type spin default 1500 min 1000 max 2000")
                print("uciok", flush=True)
            case ["isready"]:
                print("readyok", flush=True)
            case ["setoption"] if words[2] == "Trick":
                trick = words[4]
            case ["position"]:
                board = (
                    chess.Board() if words[1] == "startpos" else chess.Board(" ".join(words[2:8]))
                )
                if "moves" in words:
                    for uci in words[words.index("moves") + 1 :]:
                        board.push_uci(uci)
            case ["go"]:
                late = board.fullmove_number > 4
                if late and trick == "crash":
                    sys.exit(3)
                if late and trick == "hang":
                    time.sleep(60)
                if late and trick == "slow":
                    time.sleep(1.5)
                illegal = late and trick == "illegal"
                move = "a1h8" if illegal else next(iter(board.legal_moves)).uci()
                print(f"bestmove {move}", flush=True)
            case ["quit"]:
                return


if __name__ == "__main__":
    main()
