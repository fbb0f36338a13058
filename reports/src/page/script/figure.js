// A chart as a drawing for files: axes, grid and legend of its own, and the lines as canvas.js draws them.
const SIZE = [680, 420];
const TICK = 13;
const NAME = 15;

// A context that canvas.js draws on, which keeps what is drawn as marks.
const recorder = drawing => {
  let points = [];
  let trails = [];
  let dash = [];
  let box = null;
  const finish = () => { if (points.length > 3) trails.push(points); points = []; };
  const rgb = color => color.slice(0, 7);
  const alphaOf = color => color.length === 9 ? parseInt(color.slice(7), 16) / 255 : 1;
  const context = {
    isFile: true,
    globalAlpha: 1,
    setLineDash: lengths => { dash = lengths; },
    beginPath: () => { [points, trails, box] = [[], [], null]; },
    moveTo: (x, y) => { finish(); points.push(x, y); },
    lineTo: (x, y) => points.push(x, y),
    closePath: () => {},
    stroke: () => {
      finish();
      const style = { stroke: context.strokeStyle, width: context.lineWidth, dash, alpha: context.globalAlpha };
      trails.forEach(trail => drawing.path(trail, style));
    },
    fill: () => {
      finish();
      const alpha = alphaOf(context.fillStyle) * context.globalAlpha;
      const style = { fill: rgb(context.fillStyle), alpha, close: true };
      trails.forEach(trail => drawing.path(trail, style));
    },
    save: () => {},
    restore: () => drawing.marks.push({ kind: "unclip" }),
    rect: (left, top, width, height) => { box = { left, top, right: left + width, bottom: top + height }; },
    fillText: (words, x, y) => {
      drawing.text(words, x, y, { size: TICK, anchor: context.textAlign, fill: context.fillStyle });
    },
    clip: () => drawing.marks.push({ kind: "clip", ...box }),
  };
  return context;
};

// Positions and labels of the ticks of both axes, in values of the view.
const ticksOf = ([low, high], log, most, unit) => {
  const [from, to] = [low / unit, high / unit];
  const all = log ? logPositions(from, to) : evenTicks(from, to, most);
  const labels = log ? logLabels(all) : linearLabels(all);
  return all.map((value, index) => [value * unit, labels[index]]).filter(([value]) => value >= low && value <= high);
};
// Rows of the legend: names with the left ends of their samples.
const legendRows = (arms, width) => {
  const rows = [[]];
  let x = 0;
  for (const arm of arms) {
    const needed = 44 + widthOfText(arm.label, TICK) + 18;
    if (x > 0 && x + needed > width) {
      rows.push([]);
      x = 0;
    }
    rows[rows.length - 1].push([x, arm]);
    x += needed;
  }
  return arms.length > 0 ? rows : [];
};
const addLegend = (drawing, rows, left, fill = "#111111") => rows.forEach((row, index) => {
  for (const [x, arm] of row) {
    const y = 14 + 18 * index;
    const style = { stroke: colorOf(arm), width: 1.8, dash: arm.dash.map(length => 1.8 * length) };
    drawing.path([left + x, y - 4, left + x + 34, y - 4], style);
    drawing.text(arm.label, left + x + 42, y, { size: TICK, fill });
  }
});
const addAxes = (drawing, view, bbox, ticks) => {
  const at = pixels({ bbox }, view);
  const [right, bottom] = [bbox.left + bbox.width, bbox.top + bbox.height];
  for (const [value, label] of ticks.x) {
    const x = at.x.at(value);
    drawing.path([x, bbox.top, x, bottom], { stroke: "#e4e4e4" });
    drawing.text(label, x, bottom + 17, { size: TICK, anchor: "middle", fill: "#111111" });
  }
  for (const [value, label] of ticks.y) {
    const y = at.y.at(value);
    drawing.path([bbox.left, y, right, y], { stroke: "#e4e4e4" });
    drawing.text(label, bbox.left - 7, y + 4, { size: TICK, anchor: "end", fill: "#111111" });
  }
  drawing.text(named(view.axis.words, view.unit), (bbox.left + right) / 2, bottom + 38,
    { size: NAME, anchor: "middle", fill: "#111111" });
  drawing.text(quantities[view.chart.quantity].words, 15, (bbox.top + bottom) / 2,
    { size: NAME, anchor: "middle", turn: true, fill: "#111111" });
};
// A legend of more arms than this is left out.
const MOST_LEGEND = 30;
const figureOf = current => onWhite(() => {
  const view = { ...current, paper: "#ffffff" };
  const [width, height] = SIZE;
  const arms = view.curves.map(curve => data.arms[curve.arm]);
  const ticks = { x: ticksOf(view.x, view.chart.logX, 7, view.unit[0]), y: ticksOf(view.y, view.chart.logY, 7, 1) };
  const widest = Math.max(0, ...ticks.y.map(([, label]) => widthOfText(label, TICK)));
  const left = Math.ceil(widest) + 36;
  const rows = arms.length <= MOST_LEGEND ? legendRows(arms, width - left) : [];
  const top = 18 * rows.length + 10;
  const drawing = scene(width, height + top);
  const bbox = { left, top, width: width - left - 16, height: height - 54 };
  addLegend(drawing, rows, left);
  addAxes(drawing, view, bbox, ticks);
  const plot = { ctx: recorder(drawing), bbox };
  drawCurves(plot, view);
  drawMarks(plot, view);
  drawing.box(left, top, left + bbox.width, top + bbox.height, { stroke: "#444444" });
  return drawing;
});
