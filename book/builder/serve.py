"""Show the rendered book at http://localhost:8000: `python -m book.builder.serve`.

Python's own server takes the types of some files from the settings of the machine, and browsers
refuse modules and WebAssembly with a wrong type. It also lets browsers cache files, so that they
could show the last build.
"""

from __future__ import annotations

import functools
import http.server
import mimetypes
import os
import sys
from pathlib import Path
from typing import Annotated, Any

import typer

from book.builder.build import PAGE


class Handler(http.server.SimpleHTTPRequestHandler):
    """Serves files with the same types on every machine, and makes browsers check for changes."""

    extensions_map = (
        http.server.SimpleHTTPRequestHandler.extensions_map
        | mimetypes.MimeTypes().types_map[True]
        | {".js": "text/javascript", ".mjs": "text/javascript"}
    )
    protocol_version = "HTTP/1.1"  # one connection for the many files of a chapter

    def end_headers(self) -> None:
        """Add the header that makes browsers check for changes."""
        self.send_header("Cache-Control", "no-cache")
        super().end_headers()

    def translate_path(self, path: str) -> str:
        """The file for an address; a null byte, which no name can have, is replaced."""
        return super().translate_path(path.replace("%00", "%EF%BF%BD"))


class Server(http.server.ThreadingHTTPServer):
    """Python's server with room for all the connections that a browser opens at once."""

    request_queue_size = 128  # Python's own is 5: a browser that finds it full waits a second
    allow_reuse_address = os.name != "nt"  # on Windows two servers could share a port

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Ignore a browser that closed its connection."""
        if not isinstance(sys.exception(), ConnectionError):
            super().handle_error(request, client_address)


def make_server(folder: Path, port: int = 0, handler: type[Handler] = Handler) -> Server:
    """A server for a folder; port 0 is a free one."""
    return Server(("localhost", port), functools.partial(handler, directory=str(folder)))


def main(
    port: Annotated[int, typer.Option(min=0, max=65535, help="Where the book is served.")] = 8000,
) -> None:
    """Show the rendered book until Ctrl-C."""
    if not PAGE.is_file():
        raise SystemExit(f"{PAGE} is missing; make book builds it")
    try:
        server = make_server(PAGE.parent, port)
    except OSError as error:
        raise SystemExit(f"Port {port}: {error.strerror}. Try make serve PORT=8001") from None
    with server:
        print(f"The book is at http://localhost:{server.server_port}/ until Ctrl-C.", flush=True)
        try:
            server.serve_forever()
        except KeyboardInterrupt:
            print()


if __name__ == "__main__":
    typer.run(main)
