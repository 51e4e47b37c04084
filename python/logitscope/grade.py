"""`python -m logitscope.grade top_p.py`: the command line's grader, with this Python for the file.

The grader is JavaScript. It needs Node, and the repository or the npm package `logitscope`. All
flags are those of `logitscope grade`, and so are report, marks and exit code.
"""

from __future__ import annotations

import pathlib
import shutil
import subprocess
import sys
from typing import List, Optional, Sequence


def command() -> Optional[List[str]]:
    """Returns the command that runs Node's command line: that of the repository or package around
    this file or the current folder, else of node_modules, else of PATH; None if there is none."""
    node = shutil.which("node")
    here = pathlib.Path.cwd()
    for folder in (*pathlib.Path(__file__).resolve().parents, here, *here.parents):
        if node and (folder / "web" / "cli.js").is_file() and (folder / "package.json").is_file():
            return [node, str(folder / "web" / "cli.js")]
    found = shutil.which("logitscope", path="node_modules/.bin") or shutil.which("logitscope")
    return [found] if node and found else None


def main(arguments: Sequence[str]) -> int:
    """Runs the grader and returns its exit code; 2 if there is no grader."""
    program = command()
    if program is None:
        print(
            "logitscope: grading needs Node and the npm package logitscope in this folder "
            "(npm install FILE, the file of `make package`), or a copy of the repository around it",
            file=sys.stderr,
        )
        return 2
    is_chosen = any(word == "--python" or word.startswith("--python=") for word in arguments)
    own = [] if is_chosen else ["--python", sys.executable]
    return subprocess.call([*program, "grade", *arguments, *own])


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
