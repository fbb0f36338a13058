// The traced rounds: what nodes did in each, as rows { part, fate, node, peer, purpose, start, end, bits } with times
// in seconds since the round opened.
const PARTS = {
  d: { words: ["download", "receive"], color: "#d55e00", hatch: ["rising"], lane: 2 },
  c: { words: ["compute", "compute"], color: "#009e73", hatch: ["upright"], lane: 1 },
  u: { words: ["upload", "send"], color: "#0072b2", hatch: [], lane: 0 },
  r: { words: ["restart", "restart"], color: "#808080", hatch: ["across", "falling"], lane: 1 },
  w: { words: ["wait", "wait"], color: "#cc79a7", hatch: [], pale: true, lane: 1 },
};
const FATES = { d: "", l: "late", x: "lost", a: "cut off", f: "under way when the run ended" };
const isLost = fate => fate === "x" || fate === "a";
const isTransfer = part => part === "d" || part === "u" || part === "m";
// The number at the end of a name; of one without it the name itself decides.
const numberOf = name => Number((name.match(/\d+$/) || [Infinity])[0]);

const traceRuns = (data.traces ? data.traces.runs : []).map(run => ({
  ...run,
  label: data.arms[run.arm].label,
  rounds: run.rounds.map(round => ({ ...round, rows: once(() => rowsOf(run, round)) })),
}));
const rowsOf = (run, round) => {
  const [node, peer, purpose, start, end, bits] =
    ["node", "peer", "purpose", "start", "end", "bits"].map(key => floats(round[key]));
  return Array.from(round.parts, (part, index) => ({
    part,
    fate: round.fates[index],
    node: node[index],
    peer: peer[index],
    purpose: run.purposes[purpose[index]],
    start: start[index],
    end: end[index],
    bits: bits[index],
  }));
};

// What a row says of the nodes at its ends: agents send and receive.
const barsOfRow = ({ part, fate, node, peer, start, end }) => {
  if (part !== "m") return [[node, { part, fate, start, end }]];
  return [[node, { part: "u", fate, start, end }], [peer, { part: "d", fate, start, end }]];
};
// Bars of one kind and fate that overlap are one.
const mergedBars = bars => {
  const group = bar => `${bar.part}${bar.fate}`;
  const all = [...bars].sort((a, b) => group(a).localeCompare(group(b)) || a.start - b.start);
  const merged = [];
  for (const bar of all) {
    const last = merged[merged.length - 1];
    if (last && group(last) === group(bar) && bar.start < last.end) last.end = Math.max(last.end, bar.end);
    else merged.push({ ...bar });
  }
  // Waits are below everything else.
  return merged.sort((a, b) => (b.part === "w") - (a.part === "w") || a.start - b.start);
};
// A row for each node: those that are done last stand at the bottom.
const nodesOf = (run, round) => {
  const nodes = new Map();
  for (const [node, bar] of round.rows().flatMap(barsOfRow)) {
    if (!nodes.has(node)) nodes.set(node, []);
    nodes.get(node).push(bar);
  }
  const all = [...nodes].map(([node, bars]) => {
    const done = Math.max(...bars.filter(bar => bar.part !== "w").map(bar => bar.end), 0);
    return { node, name: run.nodes[node], number: numberOf(run.nodes[node]), done, bars: mergedBars(bars) };
  });
  return all.sort((a, b) => a.done - b.done || a.number - b.number);
};
// Late parts are shown up to a quarter of the round's length.
const endOfRound = round => {
  const last = round.rows().reduce((most, row) => Math.max(most, row.end), round.length);
  return Math.min(last, 1.25 * round.length);
};
// How many transfers of a part are under way, from when on, until the round closes: [time, count, time, count, …].
const loadOf = (round, part) => {
  const changes = [[0, 0], [round.length, 0]];
  for (const row of round.rows()) {
    if (row.part !== part || row.start >= round.length) continue;
    changes.push([Math.max(0, row.start), 1], [Math.min(round.length, Math.max(0, row.end)), -1]);
  }
  changes.sort((a, b) => a[0] - b[0]);
  const load = [];
  let now = 0;
  changes.forEach(([time, change], index) => {
    now += change;
    if (index + 1 === changes.length || changes[index + 1][0] > time) load.push(time, now);
  });
  return load;
};
const mostOfLoad = load => load.reduce((most, value, index) => index % 2 ? Math.max(most, value) : most, 0);

const secondsUnit = seconds => unitOf("time", seconds);
const inUnit = (seconds, unit) => digits(seconds / unit[0], 4);
