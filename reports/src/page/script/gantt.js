// A round as a drawing: a row per node with a bar for each thing that it does, the close of the round across all rows,
// below the transfers under way.
const MOST_ROWS = 300;
const PITCH = 15;
const SMALL = 12;
const AXIS = 13;
const LOAD_HEIGHT = 84;
const BELOW_AXIS = 42;

const inks = () => ({ ink: ink("ink"), soft: ink("soft"), grid: ink("grid"), rule: ink("rule"), paper: ink("paper") });
// The kinds of bars that occur, for the legend.
const kindsOf = rows => Object.keys(PARTS).filter(part => rows.some(row => row.bars.some(bar => bar.part === part)));

// Where the rows and the load of a round stand for a width.
const ganttFrame = (run, round, width, top) => {
  const all = nodesOf(run, round);
  const rows = all.slice(Math.max(0, all.length - MOST_ROWS));
  const widest = Math.max(...rows.map(row => widthOfText(row.name, SMALL)), 30);
  const left = Math.ceil(Math.min(widest, 0.3 * width)) + 16;
  const frame = { rows, leftOut: all.length - rows.length, left, right: width - 14, top, end: endOfRound(round) };
  frame.bottom = frame.top + PITCH * rows.length;
  frame.loadTop = frame.bottom + 16;
  frame.loadBottom = frame.loadTop + LOAD_HEIGHT;
  frame.height = frame.loadBottom + BELOW_AXIS;
  frame.unit = secondsUnit(frame.end);
  frame.across = time => frame.left + Math.min(1, Math.max(0, time / frame.end)) * (frame.right - frame.left);
  frame.timeAt = x => Math.min(1, Math.max(0, (x - frame.left) / (frame.right - frame.left))) * frame.end;
  return frame;
};

const overlapsOther = (bar, bars) => bars.some(other =>
  other !== bar && other.part !== "w" && other.start < bar.end && bar.start < other.end);
const addBar = (drawing, frame, colors, bar, bars, top) => {
  const look = PARTS[bar.part];
  const [from, to] = [frame.across(bar.start), frame.across(bar.end)];
  const room = PITCH - 3;
  const isShared = bar.part !== "w" && overlapsOther(bar, bars);
  const [above, below] = isShared ? [look.lane / 3, (look.lane + 1) / 3] : [0, 1];
  const box = [from, top + 1.5 + above * room, Math.max(to, from + 0.6), top + 1.5 + below * room];
  const pale = look.pale || bar.fate !== "d";
  drawing.box(...box, { fill: look.color, alpha: pale ? 0.35 : 1 });
  const lines = { stroke: pale ? look.color : "#ffffff", width: 1, alpha: 0.8 };
  if (to - from > 5) addHatch(drawing, look.hatch, box, lines);
  // A light edge keeps neighbours apart in grey print.
  if (to - from > 3) drawing.path([box[2], box[1], box[2], box[3]], { stroke: colors.paper, width: 1 });
  const middle = (box[1] + box[3]) / 2;
  const stroke = { stroke: colors.ink, width: 1.3 };
  if (isLost(bar.fate) && bar.end <= frame.end) {
    drawing.path([to - 3.5, middle - 3.5, to + 3.5, middle + 3.5], stroke);
    drawing.path([to - 3.5, middle + 3.5, to + 3.5, middle - 3.5], stroke);
  }
  if (bar.start < 0) drawing.path([from + 4, middle - 3, from, middle, from + 4, middle + 3], stroke);
  if (bar.end > frame.end * (1 + 1e-9)) drawing.path([to - 4, middle - 3, to, middle, to - 4, middle + 3], stroke);
};
const addRows = (drawing, frame, colors) => {
  frame.rows.forEach(({ name, bars }, index) => {
    const top = frame.top + index * PITCH;
    const words = fittedText(name, SMALL, frame.left - 16);
    drawing.text(words, frame.left - 8, top + PITCH - 4, { size: SMALL, anchor: "end", fill: colors.ink });
    bars.forEach(bar => addBar(drawing, frame, colors, bar, bars, top));
  });
};
const addLoad = (drawing, run, round, frame, colors) => {
  const parts = run.agents ? [["m", "u"]] : [["u", "u"], ["d", "d"]];
  const loads = parts.map(([part, look]) => [loadOf(round, part), PARTS[look].color, part === "d"]);
  const most = Math.max(1, ...loads.map(([load]) => mostOfLoad(load)));
  const up = count => frame.loadBottom - count / most * LOAD_HEIGHT;
  const ticks = [...new Set(evenTicks(0, most, 3).filter(Number.isInteger))];
  for (const tick of ticks) {
    drawing.path([frame.left, up(tick), frame.right, up(tick)], { stroke: colors.grid });
    drawing.text(digits(tick), frame.left - 8, up(tick) + 4, { size: SMALL, anchor: "end", fill: colors.ink });
  }
  for (const [load, color, dashed] of loads) {
    const points = [];
    for (let at = 0; at < load.length; at += 2) {
      points.push(frame.across(load[at]), up(at ? load[at - 1] : 0), frame.across(load[at]), up(load[at + 1]));
    }
    drawing.path(points, { fill: color, alpha: 0.2, close: true });
    drawing.path(points, { stroke: color, width: 1.5, dash: dashed ? [5, 3] : [] });
  }
};
const addTimes = (drawing, round, frame, colors) => {
  const room = Math.floor((frame.right - frame.left) / 70);
  const high = frame.end / frame.unit[0];
  for (const tick of evenTicks(0, high, Math.max(2, Math.min(8, room)))) {
    const x = frame.across(tick * frame.unit[0]);
    drawing.path([x, frame.loadBottom, x, frame.loadBottom + 4], { stroke: colors.ink });
    drawing.text(digits(tick, 6), x, frame.loadBottom + 17, { size: SMALL, anchor: "middle", fill: colors.ink });
  }
  const words = `time since the round opened (${frame.unit[1]})`;
  const middle = (frame.left + frame.right) / 2;
  drawing.text(words, middle, frame.loadBottom + 36, { size: AXIS, anchor: "middle", fill: colors.ink });
  const close = frame.across(round.length);
  const style = { stroke: colors.ink, width: 1.3, dash: [1.5, 3] };
  drawing.path([close, frame.top - 4, close, frame.loadBottom], style);
  const anchor = close > frame.left + 0.8 * (frame.right - frame.left) ? "end" : "middle";
  drawing.text("the round closes", close, frame.top - 7, { size: SMALL, anchor, fill: colors.soft });
};
// A sample of what a bar looks like.
const addSample = (drawing, part, left, top) => {
  const box = [left, top, left + 26, top + 12];
  const look = PARTS[part];
  drawing.box(...box, { fill: look.color, alpha: look.pale ? 0.35 : 1 });
  addHatch(drawing, look.hatch, box, { stroke: "#ffffff", width: 1, alpha: 0.8 });
};
// On the page the legend stands beside the drawing, in a file within it.
const gantt = (run, round, width, isFile = false) => {
  const [frame, colors] = [ganttFrame(run, round, width, isFile ? 46 : 20), inks()];
  const drawing = scene(width, frame.height);
  if (isFile) {
    kindsOf(frame.rows).forEach((part, index) => {
      addSample(drawing, part, frame.left + 105 * index, 6);
      const words = PARTS[part].words[run.agents ? 1 : 0];
      drawing.text(words, frame.left + 105 * index + 32, 17, { size: AXIS, fill: colors.ink });
    });
  }
  addRows(drawing, frame, colors);
  addLoad(drawing, run, round, frame, colors);
  for (const [top, bottom] of [[frame.top, frame.bottom], [frame.loadTop, frame.loadBottom]]) {
    drawing.box(frame.left, top, frame.right, bottom, { stroke: colors.rule });
  }
  addTimes(drawing, round, frame, colors);
  return { drawing, frame };
};
