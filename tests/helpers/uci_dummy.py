"""A program that speaks UCI and plays the first legal move, or misbehaves as its argument says."""

from __future__ import annotations

import sys
import time

import chess


def main(trick: str) -> None:
    """Answer what the other side says; the trick is an argument, or the option Trick."""
    board = chess.Board()
    for line in sys.stdin:
        words = line.split()
        match words[:1]:
            case ["uci"] if trick == "exit":
                return
            case ["uci"]:
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
                place, _, moves = line.partition(" moves ")
                fen = place.partition(" fen ")[2].strip()
                board = chess.Board(fen or chess.STARTING_FEN)
                for uci in moves.split():
                    board.push_uci(uci)
            case ["go"]:
                if trick == "crash":
                    sys.exit(3)
                time.sleep({"hang": 60, "slow": 0.8, "slower": 4}.get(trick, 0))
                first = next(iter(board.legal_moves)).uci()
                move = {"illegal": "a1h8", "san": "Nf3", "resign": "(none)"}.get(trick, first)
                print(f"bestmove {move}", flush=True)
            case ["quit"]:
                return


if __name__ == "__main__":
    main(*sys.argv[1:] or ["none"])
