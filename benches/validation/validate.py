#!/usr/bin/env python3
"""Measures every case of cases.py over real TCP: real times beside those that fedbits, ns-3 and SimGrid predict. Writes
benches/validation/cases.csv and its summary in docs/validation.md.

    cargo build --release -p fedbits-emulate --example transfers
    benches/validation/validate.py target/release/examples/transfers [--repeat 5] [--small] [--check] [--results FILE]
        [--write .] [NAME=COMMAND ...]

It needs the rights of `fedbits-emulate`. A COMMAND is a program that reads a case as `benches/peers/ns3/star.cc` does. With
--results the measurements are kept, and those already there are not made again; --check ends with 1 where `Tcp` misses
its goals in a case that repeats itself. Needs the standard library only.
"""

import argparse
import csv
import json
import pathlib
import shlex
import statistics
import subprocess
import sys

from cases import every_case, small_version

OURS = ["FairShare", "FairShare, acknowledgements", "Fifo", "Tcp"]
SHOWN = {"FairShare": "`FairShare`", "FairShare, acknowledgements": "`FairShare` + acks", "Fifo": "`Fifo()`", "Tcp": "`Tcp()`"}
DEEP = 10_000_000
# Cases whose own repeats differ by more than the goal cannot tell a model's error from chance.
GOALS = {"transfers": 5.0, "makespan": 2.0}


def measured(program, one, repeat):
    """The case over sockets and by fedbits' models."""
    text = json.dumps({key: value for key, value in one.items() if key not in ("kind", "measured")} | {"repeat": repeat})
    done = subprocess.run([program], input=text, capture_output=True, text=True, timeout=1_800)
    if done.returncode:
        sys.exit(f"{one['name']}: {done.stderr.strip()}")
    return json.loads(done.stdout)


def peer_text(one):
    """The case as star.cc reads it; one repeat."""
    lines = [f"star {one['server'][0]} {one['server'][1]}"]
    lines += [f"client {up} {down} {int(latency * 1e9)}" for up, down, latency in one["clients"]]
    lines += [f"opt cc {one.get('congestion', 'cubic')}", f"opt header {one['framing'][0]}", f"opt segment {one['framing'][1]}",
              f"opt fresh {int(one.get('fresh', False))}", f"opt idle {int(not one.get('keep_window', False))}",
              "opt quiet_ms 30"]
    if one.get("warm"):
        lines.append(f"opt warm {one['warm']}")
    room = one.get("room", DEEP)
    lines += [f"opt limit {room} {room}"] * (len(one["clients"]) + 1)
    for transfer in one["steps"]:
        if "reply" in transfer:
            after, size = transfer["reply"]["after_ns"], transfer["reply"]["bytes"]
            lines.append(f"echo {transfer['at_ns']} {transfer['to']} {transfer['bytes']} {after} {size}")
        else:
            lines.append(f"xfer {transfer['at_ns']} {transfer['from']} {transfer['to']} {transfer['bytes']}")
    return "\n".join([*lines, "round"]) + "\n"


def peer(command, one):
    """Milliseconds of each transfer by another program, and its seconds; none where it cannot play the case."""
    if one.get("loss") or one.get("fair"):
        return None, None
    done = subprocess.run(shlex.split(command), input=peer_text(one), capture_output=True, text=True, timeout=600)
    if done.returncode:
        return None, None
    rows = [tuple(map(int, line.split()[:3])) for line in done.stdout.splitlines()]
    times = []
    for transfer, (_, first, whole) in zip(one["steps"], rows):
        times.append(first / 1e6)
        if "reply" in transfer:
            times.append((whole - first - transfer["reply"]["after_ns"]) / 1e6)
    said = (done.stderr.strip().splitlines() or [""])[-1].split()
    return times, float(said[0]) if len(said) == 2 else None


def spans(played):
    """Milliseconds of each transfer."""
    return [(transfer["end_ns"] - transfer["start_ns"]) / 1e6 for transfer in played]


def makespan(played):
    return (max(transfer["end_ns"] for transfer in played) - min(transfer["start_ns"] for transfer in played)) / 1e6


def whole(one, times):
    """The makespan of predicted transfers, with the rests between a transfer and its answer."""
    ends, predicted = [], iter(times)
    for step in one["steps"]:
        end = step["at_ns"] / 1e6 + next(predicted)
        if "reply" in step:
            end += step["reply"]["after_ns"] / 1e6 + next(predicted)
        ends.append(end)
    return max(ends) - min(step["at_ns"] for step in one["steps"]) / 1e6


def errors(one, took, peers):
    """What a row of the table says."""
    first = one.get("measured", 0)
    real = [spans(run)[first:] for run in took["real"]]
    middle = [statistics.median(each) for each in zip(*real)]
    spread = statistics.median(100 * (max(each) - min(each)) / mid for each, mid in zip(zip(*real), middle))
    ends = [makespan(run[first:]) for run in took["real"]]
    end = statistics.median(ends)
    row = {"name": one["name"], "kind": one["kind"], "transfers": len(middle), "median_ms": statistics.median(middle),
           "makespan_ms": end, "spread": spread, "makespan_spread": 100 * (max(ends) - min(ends)) / end, "of": {}, "seconds": {},
           "late": max(report["relay"]["late"] / max(report["relay"]["packets"], 1) for report in took["reports"])}
    guesses = {name: (spans(took["predicted"][name])[first:], makespan(took["predicted"][name][first:]), took["seconds"][name])
               for name in OURS}
    for name, command in peers:
        times, seconds = peer(command, one)
        if times:
            total = whole(one, times) if first == 0 else max(times[first:])
            guesses[name] = times[first:], total, seconds
    for name, (times, total, seconds) in guesses.items():
        off = [abs(100 * (guess / mid - 1)) for guess, mid in zip(times, middle)]
        row["of"][name] = statistics.median(off), max(off), 100 * (total / end - 1)
        row["seconds"][name] = seconds
    return row


def summary(rows, names):
    """Medians over the cases whose repeats spread less than the goal."""
    steady = [row for row in rows if row["spread"] < GOALS["transfers"]]
    ending = [row for row in rows if row["makespan_spread"] < GOALS["makespan"]]
    goals = GOALS["transfers"], GOALS["makespan"]
    yield (f"| median error of a transfer, %, {len(steady)} cases | "
           + " | ".join(f"{statistics.median(of(steady, name, 0)):.2f}" for name in names) + " |")
    yield (f"| … of them within {goals[0]:g} % | "
           + " | ".join(f"{sum(one <= goals[0] for one in of(steady, name, 0))}/{len(of(steady, name, 0))}" for name in names) + " |")
    yield (f"| median error of the makespan, %, {len(ending)} cases | "
           + " | ".join(f"{statistics.median(map(abs, of(ending, name, 2))):.2f}" for name in names) + " |")
    yield (f"| … of them within {goals[1]:g} % | "
           + " | ".join(f"{sum(abs(one) <= goals[1] for one in of(ending, name, 2))}/{len(of(ending, name, 2))}" for name in names) + " |")


def of(rows, name, which):
    return [row["of"][name][which] for row in rows if name in row["of"]]


def summarized(rows, names, text):
    """docs/validation.md with this summary between its marks."""
    head, _, rest = text.partition("<!-- measured -->\n")
    _, end, behind = rest.partition("<!-- end of measured -->\n")
    lines = ["| | " + " | ".join(SHOWN.get(name, name) for name in names) + " |", "|---|" + "---|" * len(names), *summary(rows, names)]
    clocks = [[row["seconds"].get(name) for row in rows if row["seconds"].get(name)] for name in names]
    lines.append("| seconds for all cases | " + " | ".join(f"{sum(one):.2g}" if one else "–" for one in clocks) + " |")
    return "\n".join([head + "<!-- measured -->\n", *lines, "", end + behind])


COLUMNS = ["group", "case", "transfers", "real_ms", "makespan_ms", "spread", "model", "median_error", "largest_error",
           "makespan_error"]


def write_cases(rows, names, path):
    """A row for each case and model; times in ms, spread and errors in per cent."""
    with path.open("w", newline="") as file:
        out = csv.writer(file, lineterminator="\n")
        out.writerow(COLUMNS)
        for row in rows:
            case = [row["kind"], row["name"], row["transfers"]]
            case += [f"{row[key]:.1f}" for key in ("median_ms", "makespan_ms", "spread")]
            out.writerows([*case, name, *(f"{error:.1f}" for error in row["of"][name])] for name in names if name in row["of"])


def misses(row):
    """Is Tcp off where the repeats are not?"""
    median, _, end = row["of"]["Tcp"]
    transfers, ends = row["spread"] < GOALS["transfers"], row["makespan_spread"] < GOALS["makespan"]
    return (transfers and median > GOALS["transfers"]) or (ends and abs(end) > GOALS["makespan"])


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("transfers")
    parser.add_argument("peers", nargs="*", metavar="NAME=COMMAND")
    parser.add_argument("--repeat", type=int, default=5)
    parser.add_argument("--small", action="store_true", help="a few cases")
    parser.add_argument("--check", action="store_true", help="end with 1 where Tcp misses its goals")
    parser.add_argument("--results", type=pathlib.Path)
    parser.add_argument("--write", type=pathlib.Path, help="the folder of the repository")
    args = parser.parse_intermixed_args()
    peers = [one.split("=", 1) for one in args.peers]
    kept = {}
    if args.results and args.results.exists():
        kept = {tuple(row["case"]): row for row in map(json.loads, args.results.open())}
    rows = []
    for one in small_version() if args.small else every_case():
        key = one["kind"], one["name"]
        took = kept.get(key) or measured(args.transfers, one, args.repeat) | {"case": key}
        if args.results and key not in kept:
            with args.results.open("a") as file:
                file.write(json.dumps(took) + "\n")
        if key in kept:
            took |= {name: measured(args.transfers, one, 0)[name] for name in ("predicted", "seconds")}
        rows.append(errors(one, took, peers))
        said = "  ".join(f"{name} {a:.1f}/{b:.1f}/{c:+.1f}" for name, (a, b, c) in rows[-1]["of"].items())
        print(f"{one['kind']}: {one['name']}  {rows[-1]['median_ms']:.1f} ms, spread {rows[-1]['spread']:.1f} %, "
              f"late {100 * rows[-1]['late']:.2f} %  {said}", flush=True)
    names = OURS + [name for name, _ in peers]
    print("\n".join(summary(rows, names)))
    if args.write:
        page = args.write / "docs/validation.md"
        page.write_text(summarized(rows, names, page.read_text()))
        write_cases(rows, names, args.write / "benches/validation/cases.csv")
    missed = [row["name"] for row in rows if misses(row)]
    if args.check and missed:
        sys.exit(f"Tcp misses its goals: {', '.join(missed)}")


if __name__ == "__main__":
    main()
