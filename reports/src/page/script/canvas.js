// Lines, bands and dots on a canvas. A view is what is drawn: { chart, curves, unit, x: [from, to], y: [from, to] }.
// Many thin lines are drawn several times faster than many wide ones.
const MANY = 20;
const widthOf = (view, curve) => {
  if (state.pinned.includes(curve.arm)) return 2.6;
  // A line of several arms is told from that of the first of them, whose colour it has.
  if (data.arms[curve.arm].several) return 2.4;
  return view.curves.length > MANY ? 1 : 1.8;
};

// From values to pixels of the canvas: logarithms are kept, as they are most of the work of a new view.
const logarithms = new WeakMap();
const logsOf = values => {
  if (!logarithms.has(values)) logarithms.set(values, values.map(value => value > 0 ? Math.log10(value) : NaN));
  return logarithms.get(values);
};
const scaleOf = ([from, to], log, start, length) => {
  const [low, high] = log ? [Math.log10(from), Math.log10(to)] : [from, to];
  const scale = length / (high - low);
  const at = value => start + scale * ((log ? Math.log10(value) : value) - low);
  const all = values => {
    const own = log ? logsOf(values) : values;
    const placed = new Float64Array(own.length);
    for (let index = 0; index < own.length; index++) placed[index] = start + scale * (own[index] - low);
    return placed;
  };
  return { at, all };
};
const pixels = (plot, view) => {
  const { left, top, width, height } = plot.bbox;
  return {
    x: scaleOf(view.x, view.chart.logX, left, width),
    y: scaleOf(view.y, view.chart.logY, top + height, -height),
  };
};
// The pixels of every curve of a view, made anew when the view or its size change, and which points are in sight.
const place = (plot, view) => {
  const at = pixels(plot, view);
  view.at = at;
  view.placed = new Map(view.curves.map(curve => {
    const smooth = smoothOf(curve);
    const x = curve.x(view.chart.x);
    const sight = [Math.max(0, pointAt(x, view.x[0])), Math.min(x.length - 1, pointAt(x, view.x[1]) + 1)];
    const placed = { curve, x: at.x.all(x), y: at.y.all(curve.median()), smooth: smooth && at.y.all(smooth), sight };
    return [curve.arm, placed];
  }));
};

// Pixels of the canvas per pixel of the page; a file has no canvas.
const ratioOf = context => context.isFile ? 1 : devicePixelRatio;

// A path through points: of those in one column of pixels the first, the lowest, the highest and the last. A point
// without a place interrupts it.
const trace = (context, x, y, from, to) => {
  let [column, open] = [NaN, false];
  let low, high, last;
  const leave = () => {
    if (low < high) {
      context.lineTo(column, low);
      context.lineTo(column, high);
      context.lineTo(column, last);
    }
  };
  for (let index = from; index <= to; index++) {
    const [across, up] = [x[index], y[index]];
    if (Number.isNaN(across) || Number.isNaN(up)) {
      if (open) leave();
      [column, open] = [NaN, false];
      continue;
    }
    const now = Math.floor(across);
    if (open && now === column) {
      low = Math.min(low, up);
      high = Math.max(high, up);
      last = up;
      continue;
    }
    if (open) leave(); else context.moveTo(across - 0.5, up);
    context.lineTo(across, up);
    [column, open, low, high, last] = [now, true, up, up, up];
  }
  if (open) leave();
};
const stroke = (context, x, y, from, to, width) => {
  if (to < from) return;
  context.lineWidth = width * ratioOf(context);
  context.beginPath();
  trace(context, x, y, from, to);
  context.stroke();
};

// The index of the only point with a place, which is no line; -1 of none or several.
const onlyPoint = (x, y) => {
  let only = -1;
  for (let index = 0; index < y.length; index++) {
    if (Number.isNaN(x[index]) || Number.isNaN(y[index])) continue;
    if (only >= 0) return -1;
    only = index;
  }
  return only;
};
// A disk of corners: files have no arcs.
const dot = (context, x, y, radius) => {
  context.beginPath();
  for (let turn = 0; turn < 24; turn++) {
    const angle = 2 * Math.PI * turn / 24;
    context.lineTo(x + radius * Math.cos(angle), y + radius * Math.sin(angle));
  }
  context.closePath();
  context.fill();
};

// One line as it stands among others: thin where replicates have ended, pale outside of the range brushed over, and
// pale behind its running median.
const drawLine = (context, view, placed, width) => {
  const { curve, x, y, smooth, sight } = placed;
  const arm = data.arms[curve.arm];
  const alpha = context.globalAlpha;
  context.strokeStyle = colorOf(arm);
  const dash = arm.dash.map(length => length * Math.max(width, 1.4) * ratioOf(context));
  context.setLineDash(dash);
  // Of many thin lines nobody sees the corners, and round ones take half as long again.
  context.lineJoin = view.curves.length > MANY ? "bevel" : "round";
  const running = curve.running && curve.running();
  const ends = running ? running.findIndex(count => count < running[0]) : -1;
  const thin = ends < 0 ? y.length : Math.max(0, ends - 1);
  const part = (values, first, last, width) => {
    const [from, to] = [Math.max(first, sight[0]), Math.min(last, sight[1])];
    stroke(context, x, values, from, Math.min(to, thin), width);
    stroke(context, x, values, Math.max(from, thin), to, 0.45 * width);
  };
  const [from, to] = view.paled ? chosenPoints(curve) : [0, y.length - 1];
  const faint = share => { context.globalAlpha = share * alpha; };
  const line = smooth || y;
  if (smooth) {
    faint(0.3);
    context.setLineDash([]);
    part(y, from, to, Math.min(width, 1));
    context.setLineDash(dash);
  }
  if (view.paled) {
    faint(0.18);
    part(line, 0, y.length - 1, width);
  }
  faint(1);
  part(line, from, to, width);
  context.setLineDash([]);
  const only = onlyPoint(x, line);
  if (only >= Math.max(from, sight[0]) && only <= Math.min(to, sight[1])) {
    context.fillStyle = colorOf(arm);
    dot(context, x[only], line[only], 2 * width * ratioOf(context));
  }
};
// The band as an outline through the widest of every column of pixels; values without a place lie on the lower edge.
const bandOf = (view, { curve, x, y, sight }) => {
  const [low, high] = [curve.low(), curve.high()].map(view.at.y.all);
  const floor = view.at.y.at(view.y[0]);
  const [xs, lows, highs] = [[], [], []];
  for (let index = sight[0]; index <= sight[1]; index++) {
    if (Number.isNaN(x[index]) || Number.isNaN(y[index])) continue;
    const [below, above] = [low[index], high[index]].map(value => Number.isNaN(value) ? floor : value);
    const last = xs.length - 1;
    if (last >= 0 && Math.floor(xs[last]) === Math.floor(x[index])) {
      lows[last] = Math.max(lows[last], below);
      highs[last] = Math.min(highs[last], above);
    } else {
      xs.push(x[index]);
      lows.push(below);
      highs.push(above);
    }
  }
  return { xs, lows, highs };
};
const drawBand = (context, view, placed) => {
  if (!hasBand(placed.curve)) return;
  const { xs, lows, highs } = bandOf(view, placed);
  context.beginPath();
  for (let index = 0; index < xs.length; index++) context.lineTo(xs[index], highs[index]);
  for (let index = xs.length - 1; index >= 0; index--) context.lineTo(xs[index], lows[index]);
  context.closePath();
  context.fillStyle = colorOf(data.arms[placed.curve.arm]) + "2e";
  context.fill();
};
const clipped = (plot, context, draw) => {
  const { left, top, width, height } = plot.bbox;
  context.save();
  context.beginPath();
  context.rect(left, top, width, height);
  context.clip();
  draw();
  context.restore();
};

const drawCurves = (plot, view) => clipped(plot, plot.ctx, () => {
  place(plot, view);
  const all = [...view.placed.values()];
  const isPinned = ({ curve }) => state.pinned.includes(curve.arm);
  const others = all.some(isPinned) ? 0.35 : 1;
  for (const pinned of [false, true]) {
    const own = all.filter(placed => isPinned(placed) === pinned);
    plot.ctx.globalAlpha = pinned ? 1 : others;
    own.forEach(placed => drawBand(plot.ctx, view, placed));
    own.forEach(placed => drawLine(plot.ctx, view, placed, widthOf(view, placed.curve)));
  }
});

// What follows the mouse, on a canvas above: the lit line, the others behind a veil, and a dot on every line.
const drawPointer = (plot, context, view) => {
  context.clearRect(0, 0, context.canvas.width, context.canvas.height);
  if (!view.placed) return;
  const lit = view.placed.get(pointer.lit);
  clipped(plot, context, () => {
    if (lit) {
      context.globalAlpha = 0.6;
      context.fillStyle = view.paper;
      context.fillRect(0, 0, context.canvas.width, context.canvas.height);
      context.globalAlpha = 1;
      drawLine(context, view, lit, 3);
    }
    if (!pointer.cursor) return;
    for (const { curve, x, y, smooth } of lit ? [lit] : view.placed.values()) {
      const index = pointAt(curve.x(pointer.cursor.x), pointer.cursor.value);
      if (index < 0 || Number.isNaN(x[index])) continue;
      context.beginPath();
      context.arc(x[index], (smooth || y)[index], 4 * devicePixelRatio, 0, 2 * Math.PI);
      context.fillStyle = colorOf(data.arms[curve.arm]);
      context.fill();
      context.lineWidth = 1.5 * devicePixelRatio;
      context.strokeStyle = view.paper;
      context.stroke();
    }
  });
};

// The arm whose line passes nearest to a position in pixels of the canvas; null where none is near.
const nearestArm = (view, across, up) => {
  let [best, distance] = [null, 14 * devicePixelRatio];
  for (const [arm, { x, y, smooth }] of view.placed || []) {
    const line = smooth || y;
    const first = x.findIndex(place => !Number.isNaN(place));
    if (first < 0) continue;
    const index = Math.max(first, pointAt(x, across));
    const next = Math.min(index + 1, x.length - 1);
    const share = x[next] > x[index] ? Math.min(1, Math.max(0, (across - x[index]) / (x[next] - x[index]))) : 0;
    const own = Math.abs(line[index] + share * (line[next] - line[index]) - up);
    const past = Math.max(0, x[first] - across, across - x[x.length - 1]);
    if (own + past < distance) [best, distance] = [arm, own + past];
  }
  return best;
};
