"""The gallery: the first figure of every built-in scenario, with its caption and the command that makes it.

    python site/gallery.py PROGRAM FOLDER [--seconds S] [--engine FILE]

With an engine for browsers (`tools/engine`) each scenario whose data are synthetic has a page that runs it, in FOLDER/pages/run; the pages
share the engine. Figures are kept in FOLDER/kept, by digest of program and scenario, and made again only where one of them has changed. What has no figure here
says why: it needs data that are not there, or more than S seconds.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import re
import shutil
import subprocess
from pathlib import Path


def say(program: Path, *words: str, seconds: float | None = None) -> subprocess.CompletedProcess[str]:
    return subprocess.run([program, *words], capture_output=True, text=True, timeout=seconds, check=False)


def make(program: Path, entry: dict[str, str], folder: Path, seconds: float, engine: Path | None) -> str | None:
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
        if engine is not None:
            page = ["--format", "html", "--page", "run", "--engine", str(engine), "--out", str(folder / "page")]
            said = say(program, "report", str(out), *page, seconds=seconds)
            # The message on a data file that stays outside.
            if said.returncode == 0 and "is without the data file" not in said.stderr:
                shutil.copy(folder / "page" / "report.html", folder / "page.html")
    except subprocess.TimeoutExpired:
        return f"not drawn here: it takes more than {seconds:.0f} seconds on the machine that makes this site"
    figures = [Path(line) for line in drawn.stdout.splitlines() if line.endswith(".svg")]
    if not figures:
        return "not drawn here: its runs leave nothing to draw"
    shutil.copy(figures[0], folder / "figure.svg")
    caption = figures[0].with_suffix(".txt")
    (folder / "caption.txt").write_text(caption.read_text() if caption.exists() else "")
    return None


MODULE = re.compile(r'(id="module">)([^<]*)(</script>)')


def share_engine(page: str, pages: Path) -> str:
    """The page without its engine, which a script beside it gives to all pages."""
    found = MODULE.search(page)
    assert found is not None, "a page that runs has an engine"
    script = f"document.getElementById('module').textContent = '{found[2]}';\n"
    (pages / "engine.js").write_text(script)
    page = page[: found.start(2)] + page[found.end(2) :]
    page = page.replace('id="module"></script>', 'id="module"></script>\n<script src="engine.js"></script>', 1)
    return page.replace("script-src 'unsafe-inline'", "script-src 'self' 'unsafe-inline'", 1)


def kept(
    program: Path, entry: dict[str, str], folder: Path, seconds: float, build: str, engine: Path | None
) -> tuple[Path, str | None]:
    """The folder of the figure, made where it is not there yet; and why there is none."""
    text = say(program, "show", entry["name"]).stdout
    digest = hashlib.blake2b((build + text).encode(), digest_size=10).hexdigest()
    own = folder / "kept" / digest
    reason = own / "reason.txt"
    if not (own / "figure.svg").exists() and not reason.exists():
        shutil.rmtree(own, ignore_errors=True)
        own.mkdir(parents=True)
        why = make(program, entry, own, seconds, engine)
        if why is not None:
            reason.write_text(why)
        shutil.rmtree(own / "out", ignore_errors=True)
        shutil.rmtree(own / "figures", ignore_errors=True)
        shutil.rmtree(own / "page", ignore_errors=True)
    return own, reason.read_text() if reason.exists() else None


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("program", type=Path)
    options.add_argument("folder", type=Path)
    options.add_argument("--seconds", type=float, default=60.0)
    options.add_argument("--engine", type=Path)
    given = options.parse_args()
    entries = json.loads(say(given.program, "list", "--json").stdout)
    build = hashlib.blake2b(given.program.read_bytes()).hexdigest()
    if given.engine is not None:
        build += hashlib.blake2b(given.engine.read_bytes()).hexdigest()
    pages = given.folder / "pages" / "run"
    shutil.rmtree(pages, ignore_errors=True)
    pages.mkdir(parents=True)
    page = ["# Gallery", "", "The first figure of each built-in scenario, drawn by the command below it.", ""]
    group = None
    for entry in sorted(entries, key=lambda entry: entry["group"] != "Start here"):
        if entry["group"] != group:
            group = entry["group"]
            page += [f"## {group}", ""]
        own, why = kept(given.program, entry, given.folder, given.seconds, build, given.engine)
        page += [f"### {entry['name']}", "", entry["about"], ""]
        if why is None:
            name = entry["name"].replace("/", "-") + ".svg"
            shutil.copy(own / "figure.svg", given.folder / name)
            page += [f"![The first figure of {entry['name']}]({name})", "", *(own / "caption.txt").read_text().splitlines(), ""]
        else:
            page += [f"*{why}*", ""]
        if (own / "page.html").exists():
            name = entry["name"].replace("/", "-") + ".html"
            (pages / name).write_text(share_engine((own / "page.html").read_text(), pages))
            page += [f'<a href="../../run/{name}">Run it here</a>, with your own settings or another scenario.', ""]
        page += ["```sh", f"fedbits run {entry['name']}", "```", ""]
    (given.folder / "gallery.md").write_text("\n".join(page))


if __name__ == "__main__":
    main()
