// Lines as numbers: what of them is in sight, at which point they are, and their running medians.
const SMOOTHINGS = [0, 1, 2, 5, 10];
const MOST_CHARTS = 4;

const shownCurves = chart => quantities[chart.quantity].curves.filter(curve => state.shown[curve.arm]);
const hasPlace = (value, log) => !log || value > 0;

// The last recorded point that is not right of a value; before the first point there is none: -1. What has no place on
// the axis (NaN, as 0 on a logarithmic one) is left of all.
const pointAt = (all, value) => {
  let [low, high] = [0, all.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (all[middle] > value + 1e-6 * Math.abs(value)) high = middle; else low = middle + 1;
  }
  return low - 1;
};

// The points of a curve that lie in the range that was brushed over, whatever axis that is of: first and last, if any.
// Where the range lies between two points it is these.
const chosenPoints = curve => {
  const last = curve.median().length - 1;
  if (!state.range) return [0, last];
  const all = curve.x(state.range.x);
  const own = all.findIndex(value => value >= state.range.from);
  const [first, final] = [own < 0 ? last + 1 : own, pointAt(all, state.range.to)];
  return final >= 0 && final < first && first <= last ? [final, first] : [first, final];
};

const windowOf = (count, percent) => 2 * Math.floor(count * percent / 200) + 1;
const medians = new WeakMap();
// The running median over so many percent of the points, at the ends over fewer; null where that is one point.
const smoothed = (curve, percent) => {
  const values = curve.median();
  const half = (windowOf(values.length, percent) - 1) / 2;
  if (half === 0) return null;
  const known = medians.get(curve);
  if (known && known.percent === percent) return known.values;
  const median = index => {
    const part = values.slice(Math.max(0, index - half), index + half + 1).sort();
    return (part[(part.length - 1) >> 1] + part[part.length >> 1]) / 2;
  };
  const made = Float64Array.from(values, (value, index) => median(index));
  medians.set(curve, { percent, values: made });
  return made;
};

// The running median that is drawn in place of a line: over the chosen share of its points, else that of the figures,
// which lines have that are noise from round to round; null where it is the line itself.
const smoothOf = curve => state.smooth !== null ? smoothed(curve, state.smooth) : curve.trend ? curve.trend() : null;
const hasBand = curve => state.bands && curve.low && !smoothOf(curve);

// How many points of the curves have no place on logarithmic axes, and how many bands reach to where there is none.
const withoutPlace = (chart, curves) => {
  let [points, bands] = [0, 0];
  for (const curve of curves) {
    const [x, y] = [curve.x(chart.x), curve.median()];
    for (let index = 0; index < y.length; index++) {
      if (!hasPlace(x[index], chart.logX) || !hasPlace(y[index], chart.logY)) points++;
    }
    if (chart.logY && hasBand(curve) && curve.low().some(value => value <= 0)) bands++;
  }
  return { points, bands };
};

// No axis reaches farther than those of the figures, and none farther than numbers do.
const LARGEST = 1e300;
const [SMALLEST_END, LARGEST_END] = [1e-307, 1e307];
// The range of an axis of a chart with a margin, from the values that have a place on it.
const extent = (least, most, log, margin) => {
  if (!(most >= least)) return log ? [0.1, 1] : [0, 1];
  const [low, high] = [least, most].map(end => Math.min(LARGEST, Math.max(log ? 1 / LARGEST : -LARGEST, end)));
  if (log) {
    const room = high > low ? Math.pow(10, margin * (Math.log10(high) - Math.log10(low))) : 1.5;
    return [Math.max(SMALLEST_END, low / room), Math.min(LARGEST_END, high * room)];
  }
  const room = high > low ? margin * (high - low) : 0.1 * Math.abs(low) || 1;
  return [low - room, high + room];
};
const fullRange = (chart, curves) => {
  let [low, high] = [Infinity, -Infinity];
  for (const curve of curves) {
    const all = curve.x(chart.x);
    const first = chart.logX ? all.find(value => value > 0) : all[0];
    if (first === undefined) continue;
    low = Math.min(low, first);
    high = Math.max(high, all[all.length - 1]);
  }
  return extent(low, high, chart.logX, low < high ? 0 : 1);
};
// The value of a line at a place between two of its points: straight on the axes of the chart, as it is drawn.
const onAxis = (value, log) => log ? (value > 0 ? Math.log10(value) : NaN) : value;
const between = (x, y, at, { logX, logY }) => {
  const index = pointAt(x, at);
  const [before, here, after] = [x[index], at, x[index + 1]].map(value => onAxis(value, logX));
  const [first, last] = [y[index], y[index + 1]].map(value => onAxis(value, logY));
  const own = first + (here - before) / (after - before) * (last - first);
  return logY ? Math.pow(10, own) : own;
};
const heights = (chart, curves, [from, to]) => {
  let [low, high] = [Infinity, -Infinity];
  const take = value => {
    if (!hasPlace(value, chart.logY)) return;
    if (value < low) low = value;
    if (value > high) high = value;
  };
  for (const curve of curves) {
    const x = curve.x(chart.x);
    for (const y of [curve.median(), ...hasBand(curve) ? [curve.low(), curve.high()] : []]) {
      for (let index = 0; index < y.length; index++) {
        if (x[index] >= from && x[index] <= to) take(y[index]);
      }
      // Lines enter and leave between their points, too.
      [from, to].forEach(end => take(between(x, y, end, chart)));
    }
  }
  if (state.marks) quantities[chart.quantity].rules.forEach(rule => take(rule.y));
  return limited(chart, extent(low, high, chart.logY, 0.04));
};
// The vertical range as far as the chart's own limits have a place on its axis.
const limited = (chart, [low, high]) => {
  if (!chart.y) return [low, high];
  const ends = chart.y.map((end, index) => end !== null && hasPlace(end, chart.logY) ? end : [low, high][index]);
  return ends[0] < ends[1] ? ends : [low, high];
};
// Do some of the lines leave the frame above, below?
const leavesFrame = (curves, view) => {
  const leaves = [false, false];
  for (const curve of curves) {
    const [x, y] = [curve.x(view.chart.x), curve.median()];
    for (let index = 0; index < y.length; index++) {
      if (x[index] < view.x[0] || x[index] > view.x[1] || !hasPlace(y[index], view.chart.logY)) continue;
      if (y[index] < view.y[0]) leaves[1] = true;
      if (y[index] > view.y[1]) leaves[0] = true;
    }
  }
  return leaves;
};
