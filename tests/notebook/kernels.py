"""Running kernels of a project."""

from __future__ import annotations

import re
from typing import Any, NamedTuple

from jupyter_client.blocking.client import BlockingKernelClient
from jupyter_client.manager import KernelManager, start_new_kernel

from tests.helpers.loader_tools import SECONDS, CopiedProject

COLOUR = re.compile(r"\x1b\[[0-9;]*m")


class Outcome(NamedTuple):
    """What one cell printed and showed."""

    stdout: str
    stderr: str
    shown: list[dict[str, str]]
    result: str
    error: str


class Kernel:
    """A running kernel of a project."""

    def __init__(self, project: CopiedProject) -> None:
        self.manager: KernelManager
        self.client: BlockingKernelClient
        self.manager, self.client = start_new_kernel(
            startup_timeout=SECONDS,
            cwd=str(project.root),
            env=project.environment(IPYTHONDIR=str(project.root.parent / "ipython")),
        )

    def run(self, code: str, *, fails: bool = False) -> Outcome:
        """Execute a cell."""
        said = {"stdout": "", "stderr": "", "result": "", "error": ""}
        shown: list[dict[str, str]] = []

        def collect(message: dict[str, Any]) -> None:
            content = message["content"]
            match message["msg_type"]:
                case "stream":
                    said[content["name"]] += content["text"]
                case "display_data":
                    data = content["data"].items()
                    shown.append({kind: COLOUR.sub("", str(text)) for kind, text in data})
                case "execute_result":
                    said["result"] = content["data"]["text/plain"]
                case "error":
                    said["error"] = COLOUR.sub("", "\n".join(content["traceback"]))

        self.client.execute_interactive(code, output_hook=collect, timeout=SECONDS)
        assert bool(said["error"]) is fails, said["error"]
        return Outcome(shown=shown, **said)

    def value(self, expression: str) -> Any:
        """The value of an expression of literals; nothing may be printed or shown."""
        outcome = self.run(expression)
        assert (outcome.stdout, outcome.stderr, outcome.shown) == ("", "", [])
        return eval(outcome.result)

    def close(self) -> None:
        """End the kernel."""
        self.client.stop_channels()
        self.manager.shutdown_kernel(now=True)
