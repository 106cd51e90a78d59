"""Show the rendered book at http://localhost:8000: `python -m book.builder.serve`.

Python's own server leaves the types of some files to the machine it runs on, and browsers
run no module and no WebAssembly of another type. Nor does it say that files may change,
so that a browser could show the last build.
"""

from __future__ import annotations

import argparse
import functools
import http.server
import sys
from collections.abc import Sequence
from pathlib import Path

from book.builder.build import PAGE

TYPES = {
    ".css": "text/css",
    ".html": "text/html",
    ".ipynb": "application/json",
    ".js": "text/javascript",
    ".json": "application/json",
    ".mjs": "text/javascript",
    ".svg": "image/svg+xml",
    ".wasm": "application/wasm",
    ".whl": "application/zip",
    ".zip": "application/zip",
}


class Handler(http.server.SimpleHTTPRequestHandler):
    """Serves files with the right types; what has changed is fetched anew.

    Args:
        prefix: where the book is on the server, as on a shared site: "/" or "/name/".
        quiet: whether requests are not listed.
    """

    extensions_map = http.server.SimpleHTTPRequestHandler.extensions_map | TYPES
    protocol_version = "HTTP/1.1"  # one connection for the many files of a chapter

    def __init__(
        self, *arguments: object, prefix: str = "/", quiet: bool = False, **options: object
    ) -> None:
        self.prefix, self.quiet = prefix, quiet
        super().__init__(*arguments, **options)  # type: ignore[arg-type]

    def end_headers(self) -> None:
        """Adds that a copy may be used only after a look whether it is still good."""
        self.send_header("Cache-Control", "no-cache")
        super().end_headers()

    def translate_path(self, path: str) -> str:
        """The file for an address; what is outside of the prefix does not exist."""
        if not path.startswith(self.prefix) or "%00" in path:
            return str(Path(self.directory, "there is no such file"))
        return super().translate_path("/" + path.removeprefix(self.prefix))

    def log_message(self, format: str, *arguments: object) -> None:
        """Lists a request, unless it is quiet."""
        if not self.quiet:
            super().log_message(format, *arguments)


def make_server(
    folder: Path, port: int = 0, *, host: str = "localhost", prefix: str = "/", quiet: bool = False
) -> http.server.ThreadingHTTPServer:
    """A server for a folder; port 0 is a free one."""
    handler = functools.partial(Handler, directory=str(folder), prefix=prefix, quiet=quiet)
    return http.server.ThreadingHTTPServer((host, port), handler)


def main(arguments: Sequence[str] | None = None) -> int:
    """Serves until Ctrl-C."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--port", type=int, default=8000)
    options = parser.parse_args(arguments)
    try:
        server = make_server(PAGE.parent, options.port)
    except OSError as error:
        print(f"Port {options.port}: {error.strerror}. Try make serve PORT=8001", file=sys.stderr)
        return 1
    with server:
        print(f"The book is at http://localhost:{server.server_port}/ until Ctrl-C.", flush=True)
        try:
            server.serve_forever()
        except KeyboardInterrupt:
            print()
    return 0


if __name__ == "__main__":
    sys.exit(main())
