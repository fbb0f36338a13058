"""The gallery: the first figure of every built-in scenario, with its caption and the command that makes it.

    python site/gallery.py PROGRAM FOLDER [--seconds S]

Figures are kept in FOLDER/kept, by digest of program and scenario, and made again only where one of them has changed. What has no figure here
says why: it needs data that are not there, or more than S seconds.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import shutil
import subprocess
from pathlib import Path


def say(program: Path, *words: str, seconds: float | None = None) -> subprocess.CompletedProcess[str]:
    return subprocess.run([program, *words], capture_output=True, text=True, timeout=seconds, check=False)


def make(program: Path, entry: dict[str, str], folder: Path, seconds: float) -> str | None:
    """Makes the figure and its caption in a folder; says why there is none."""
    out = folder / "out"
    words = ["run", entry["name"], "--out", str(out), "--quiet", "--no-figures"]
    try:
        done = say(program, *words, seconds=seconds)
        if done.returncode not in (0, 1):
            first = next((line for line in done.stderr.splitlines() if line.strip()), "it cannot be run")
            return f"not drawn here: {first.removeprefix('fedbits: ').removeprefix('Error: ')}"
        to = str(folder / "figures")
        drawn = say(program, "report", str(out), "--format", "svg", "--out", to, "--quiet", seconds=seconds)
    except subprocess.TimeoutExpired:
        return f"not drawn here: it takes more than {seconds:.0f} seconds on the machine that makes this site"
    figures = [Path(line) for line in drawn.stdout.splitlines() if line.endswith(".svg")]
    if not figures:
        return "not drawn here: its runs leave nothing to draw"
    shutil.copy(figures[0], folder / "figure.svg")
    caption = figures[0].with_suffix(".txt")
    (folder / "caption.txt").write_text(caption.read_text() if caption.exists() else "")
    return None


def kept(program: Path, entry: dict[str, str], folder: Path, seconds: float, build: str) -> tuple[Path, str | None]:
    """The folder of the figure, made where it is not there yet; and why there is none."""
    text = say(program, "show", entry["name"]).stdout
    digest = hashlib.blake2b((build + text).encode(), digest_size=10).hexdigest()
    own = folder / "kept" / digest
    reason = own / "reason.txt"
    if not (own / "figure.svg").exists() and not reason.exists():
        shutil.rmtree(own, ignore_errors=True)
        own.mkdir(parents=True)
        why = make(program, entry, own, seconds)
        if why is not None:
            reason.write_text(why)
        shutil.rmtree(own / "out", ignore_errors=True)
        shutil.rmtree(own / "figures", ignore_errors=True)
    return own, reason.read_text() if reason.exists() else None


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("program", type=Path)
    options.add_argument("folder", type=Path)
    options.add_argument("--seconds", type=float, default=60.0)
    given = options.parse_args()
    entries = json.loads(say(given.program, "list", "--json").stdout)
    build = hashlib.blake2b(given.program.read_bytes()).hexdigest()
    page = ["# Gallery", "", "The first figure of each built-in scenario, drawn by the command below it.", ""]
    group = None
    for entry in sorted(entries, key=lambda entry: entry["group"] != "Start here"):
        if entry["group"] != group:
            group = entry["group"]
            page += [f"## {group}", ""]
        own, why = kept(given.program, entry, given.folder, given.seconds, build)
        page += [f"### {entry['name']}", "", entry["about"], ""]
        if why is None:
            name = entry["name"].replace("/", "-") + ".svg"
            shutil.copy(own / "figure.svg", given.folder / name)
            page += [f"![The first figure of {entry['name']}]({name})", "", *(own / "caption.txt").read_text().splitlines(), ""]
        else:
            page += [f"*{why}*", ""]
        page += ["```sh", f"fedbits run {entry['name']}", "```", ""]
    (given.folder / "gallery.md").write_text("\n".join(page))


if __name__ == "__main__":
    main()
