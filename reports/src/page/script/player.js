// The round viewer: which round is shown, and the instant in it, which plays.
const SPEEDS = [5, 10, 20, 40, 80];
const STEPS = 1000;
// Whoever wants less motion gets two pictures a second instead of a moving one.
const reduced = matchMedia("(prefers-reduced-motion: reduce)");
const PAUSE = 500;

fields.round = {
  write: ({ round }) => {
    const run = traceRuns[round.run];
    return run ? `${run.arm},${run.rounds[round.index].round}` : "";
  },
  read: text => {
    const [arm, number] = text.split(",").map(Number);
    const run = traceRuns.findIndex(own => own.arm === arm);
    const index = run < 0 ? -1 : traceRuns[run].rounds.findIndex(own => own.round === number);
    return index < 0 ? undefined : { round: { run, index } };
  },
};
// What is shown now: made anew with the round and the width.
const player = { time: 0, playing: false, shown: null, key: "" };
const currentRound = () => {
  const run = traceRuns[state.round.run];
  return [run, run.rounds[state.round.index]];
};

const drawCursor = ({ frame, drawing }) => {
  const canvas = byId("gantt-cursor");
  const ratio = devicePixelRatio || 1;
  const context = canvas.getContext("2d");
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  context.clearRect(0, 0, drawing.width, drawing.height);
  const x = frame.across(player.time);
  context.fillStyle = player.shown.colors.mark;
  context.fillRect(x - 0.75, frame.top - 6, 1.5, frame.loadBottom - frame.top + 6);
};
const showMoment = () => {
  const { gantt: drawn, network, colors } = player.shown;
  drawCursor(drawn);
  const moment = momentOf(network, player.time);
  drawNetwork(byId("network"), network, moment, colors);
  const unit = drawn.frame.unit;
  const at = `${inUnit(player.time, unit)} of ${inUnit(drawn.frame.end, unit)} ${unit[1]}`;
  byId("round-time").value = Math.round(STEPS * player.time / drawn.frame.end);
  byId("round-time").setAttribute("aria-valuetext", at);
  byId("round-at").textContent = at;
  byId("round-now").textContent = momentWords(network, moment);
};
const setTime = time => {
  player.time = Math.min(player.shown.gantt.frame.end, Math.max(0, time));
  showMoment();
};
const setPlaying = playing => {
  player.playing = playing;
  byId("round-play").textContent = playing ? "Pause" : "Play";
};
const play = () => {
  const { end } = player.shown.gantt.frame;
  if (player.time >= end) setTime(0);
  setPlaying(true);
  let before = null;
  const frame = now => {
    if (!player.playing) return;
    const passed = before === null ? 0 : now - before;
    if (before === null) before = now;
    if (passed > (reduced.matches ? PAUSE : 0)) {
      before = now;
      const last = player.shown.gantt.frame.end;
      setTime(player.time + Math.min(passed, 1000) / 1000 * last / Number(byId("round-speed").value));
      if (player.time >= last) return setPlaying(false);
    }
    requestAnimationFrame(frame);
  };
  requestAnimationFrame(frame);
};

const legendOfRound = (frame, run) => {
  const agents = run.agents ? 1 : 0;
  byId("round-legend").replaceChildren(...kindsOf(frame.rows).map(part => {
    const key = make("span");
    const drawing = scene(26, 12);
    addSample(drawing, part, 0, 0);
    const canvas = make("canvas", undefined, key);
    paint(canvas, drawing);
    key.append(PARTS[part].words[agents]);
    return key;
  }));
};
const wordsOfRound = (run, round, frame) => {
  const rows = round.rows();
  const who = run.agents ? "agent" : "client";
  const bad = ["l", "x", "a", "f"].map(fate => [rows.filter(row => row.fate === fate).length, FATES[fate]])
    .filter(([count]) => count > 0);
  const [size, name] = secondsUnit(round.length);
  const said = [
    `Round ${round.round} of ${run.label} (${run.run}): ${digits(round.length / size)} ${name}, opened at `
      + `${digits(round.open, 6)} s of the run.`,
    `A row is ${run.agents ? "an" : "a"} ${who} that takes part, the last to be done at the bottom; a transfer is drawn from its sending to its `
      + "arrival, latency included.",
    frame.leftOut > 0 ? `${frame.leftOut} more ${who}s, which are done sooner, have no row.` : "",
    bad.length > 0
      ? `Pale is what served nothing (${bad.map(([count, words]) => `${words}: ${count}`).join(", ")}); `
        + "crosses end what was lost or cut off." : "",
    rows.some(row => row.start < 0 || row.end > frame.end * (1 + 1e-9))
      ? "Arrowheads: what began before the round opened, or goes on beyond the right edge." : "",
    `Below: ${run.agents ? "messages under way" : "transfers on the server’s links, downloads dashed"}.`,
  ];
  return said.filter(text => text).join(" ");
};
const wordsOfNetwork = (run, network) => {
  const links = network.most > 1 ? `, links wider with the transfers on them (up to ${network.most} at once)` : "";
  const kinds = run.agents ? "dots are messages" : "squares are downloads, dots uploads";
  const why = typeof run.network === "string" ? ` ${run.network} Drawn instead: who sends to whom.` : "";
  return `${kinds[0].toUpperCase()}${kinds.slice(1)}; their place on the way is the share of their time that has `
    + `passed${links}. Nodes have the colour of what they do. Rates spread a transfer’s bits evenly over its `
    + `time.${why}`;
};

const showRound = () => {
  const [run, round] = currentRound();
  const width = printing ? PAPER : Math.max(260, byId("round").clientWidth);
  const colors = { ...inks(), mark: ink("mark") };
  const drawn = gantt(run, round, width);
  player.shown = { run, round, gantt: drawn, network: networkOf(run, round, width), colors };
  const canvas = byId("gantt-canvas");
  paint(canvas, drawn.drawing);
  const cursor = byId("gantt-cursor");
  [cursor.width, cursor.height] = [canvas.width, canvas.height];
  [cursor.style.width, cursor.style.height] = [canvas.style.width, canvas.style.height];
  byId("round-arm").value = state.round.run;
  Object.assign(byId("round-number"), { max: run.rounds.length - 1, value: state.round.index });
  const words = `${round.round} (${state.round.index + 1} of ${run.rounds.length} traced)`;
  byId("round-number").setAttribute("aria-valuetext", words);
  byId("round-words").textContent = words;
  byId("round-before").disabled = state.round.index === 0;
  byId("round-next").disabled = state.round.index === run.rounds.length - 1;
  byId("gantt").setAttribute("aria-label", `Round ${round.round} of ${run.label}: what each node does when`);
  legendOfRound(drawn.frame, run);
  byId("round-about").textContent = wordsOfRound(run, round, drawn.frame);
  byId("network-about").textContent = wordsOfNetwork(run, player.shown.network);
  setTime(player.time);
};
// A round is laid out anew only where something of it has changed.
const showRoundAgain = () => {
  if (traceRuns.length === 0) return;
  const width = printing ? PAPER : byId("round").clientWidth;
  const key = [state.round.run, state.round.index, width, isDark(), printing, document.fonts.status].join();
  if (key === player.key) return;
  const place = [state.round.run, state.round.index].join();
  if (place !== player.place) player.time = 0;
  [player.key, player.place] = [key, place];
  showRound();
};
const goToRound = index => {
  const { run } = state.round;
  change({ round: { run, index: Math.min(traceRuns[run].rounds.length - 1, Math.max(0, index)) } });
};

// On paper drawings are pictures, as the charts are.
let printedRound = [];
const roundOnPaper = now => {
  printedRound.forEach(picture => picture.remove());
  const canvases = [byId("gantt-canvas"), byId("network")];
  [...canvases, byId("gantt-cursor")].forEach(canvas => { canvas.hidden = now; });
  printedRound = !now ? [] : canvases.map(canvas => {
    const picture = Object.assign(new Image(), { alt: byId("gantt").ariaLabel, decoding: "sync" });
    picture.src = canvas.toDataURL();
    canvas.after(picture);
    return picture;
  });
};

// What a bar under the mouse says.
const readBar = event => {
  const { run, round, gantt: { frame } } = player.shown;
  const bounds = byId("gantt-cursor").getBoundingClientRect();
  const [x, y] = [event.clientX - bounds.left, event.clientY - bounds.top];
  const own = frame.rows[Math.floor((y - frame.top) / PITCH)];
  if (!own || x < frame.left) return "";
  const time = frame.timeAt(x);
  const hair = 2 * frame.end / (frame.right - frame.left);
  const isUnder = row => (row.node === own.node || (row.part === "m" && row.peer === own.node))
    && row.start - hair <= time && time <= row.end + hair;
  const found = round.rows().filter(isUnder).sort((a, b) => (a.part === "w") - (b.part === "w"));
  const words = row => {
    const doing = row.part === "m" ? `message to ${run.nodes[row.peer]}` : PARTS[row.part].words[run.agents ? 1 : 0];
    const when = `${inUnit(row.start, frame.unit)} to ${inUnit(row.end, frame.unit)} ${frame.unit[1]}`;
    const [size, name] = unitOf("bits", row.bits);
    const bits = row.bits > 0 ? `, ${digits(row.bits / size)} ${name}` : "";
    const more = [row.purpose.replace(/_/g, " "), FATES[row.fate]].filter(text => text).join(", ");
    return `${doing} ${when}${bits}${more ? ` (${more})` : ""}`;
  };
  return found.length > 0 ? `${own.name}: ${found.slice(0, 3).map(words).join("; ")}` : own.name;
};
const roundCsv = () => {
  const { run, round } = player.shown;
  const header = ["arm", "round", "part", "node", "peer", "purpose", "start_s", "end_s", "bits", "fate"];
  const names = { d: "download", c: "compute", u: "upload", m: "message", r: "restart", w: "wait" };
  const line = row => [cellOf(run.label), round.round,
    ...[names[row.part], run.nodes[row.node], run.nodes[row.peer], row.purpose, row.start, row.end].map(cellOf),
    row.bits, cellOf(FATES[row.fate])].join(",");
  return [
    `# ${originOfPage()}`,
    "# Seconds count from the opening of the round, to 7 digits; trace.csv of the run has times of the run.",
    header.join(","), ...round.rows().map(line),
  ].join("\n") + "\n";
};

const startRounds = () => {
  const none = traceRuns.length === 0;
  const isTraced = data.traces && data.traces.leftOut.length > 0;
  byId("round").hidden = none;
  byId("round-none").hidden = !none || Boolean(isTraced);
  byId("round-left-out").hidden = !isTraced;
  if (isTraced) {
    const { leftOut, most } = data.traces;
    const more = leftOut.length > 8 ? ` and ${leftOut.length - 8} more` : "";
    const names = leftOut.slice(0, 8).join(", ") + more;
    byId("round-left-out").textContent = `The page has room for ${most} parts of rounds. Left out: ${names}. `
      + "trace.csv of the runs has them.";
  }
  if (none) return;
  choices(byId("round-arm"), traceRuns.map((run, index) => [index, run.label]));
  choices(byId("round-speed"), SPEEDS.map(seconds => [seconds, `a round in ${seconds} s`]));
  byId("round-speed").value = 20;
  byId("round-time").max = STEPS;
  byId("round-arm").addEventListener("change", event => {
    const run = Number(event.target.value);
    // The same round of the other arm, where it was traced.
    const index = traceRuns[run].rounds.findIndex(own => own.round === currentRound()[1].round);
    change({ round: { run, index: Math.max(0, index) } });
  });
  byId("round-number").addEventListener("input", event => goToRound(Number(event.target.value)));
  byId("round-before").addEventListener("click", () => goToRound(state.round.index - 1));
  byId("round-next").addEventListener("click", () => goToRound(state.round.index + 1));
  byId("round-play").addEventListener("click", () => player.playing ? setPlaying(false) : play());
  byId("round-time").addEventListener("input", event =>
    setTime(Number(event.target.value) / STEPS * player.shown.gantt.frame.end));
  const over = byId("gantt-cursor");
  over.addEventListener("pointermove", event => { byId("gantt-value").textContent = readBar(event) || READ_BARS; });
  over.addEventListener("click", event =>
    setTime(player.shown.gantt.frame.timeAt(event.clientX - over.getBoundingClientRect().left)));
  new ResizeObserver(showRoundAgain).observe(byId("round"));
  const name = () => `round-${player.shown.round.round}`;
  offerFiles(byId("round-files"), {
    csv: () => [name(), roundCsv()],
    scene: () => [name(), onWhite(() => gantt(player.shown.run, player.shown.round, PAPER, true).drawing)],
  });
  byId("gantt-value").textContent = READ_BARS;
  window.addEventListener("beforeprint", () => roundOnPaper(true));
  window.addEventListener("afterprint", () => roundOnPaper(false));
  views.push(showRoundAgain);
};
const READ_BARS = "Move over a bar to read it; click for this instant in the network below.";
