"use strict";
(() => {
// The chart of the page. uPlot draws axes, grid, cursor and selection. The lines are drawn here, because uPlot wants
// the same values of x for all of them.
const byId = id => document.getElementById(id);
const make = (name, parent, properties) =>
  parent.appendChild(Object.assign(document.createElement(name), properties));

// A list is plain numbers, or 32-bit floats in base 64, little-endian like all machines that run browsers.
const floats = code => {
  if (Array.isArray(code)) return Float64Array.from(code);
  const bytes = Uint8Array.from(atob(code.above || code), letter => letter.charCodeAt(0));
  return Float64Array.from(new Float32Array(bytes.buffer), value => (code.base || 0) + value);
};
const linesOf = numbers => {
  const lines = numbers.y.map(() => new Map());
  for (const { arm, x, ended, curves } of numbers.lines) {
    const costs = x.map((code, axis) => floats(code).map(value => value / numbers.x[axis].unit));
    for (const { quantity, ...lists } of curves) {
      const decoded = name => lists[name] && floats(lists[name]);
      const [median, low, high, smooth] = ["median", "low", "high", "trend"].map(decoded);
      lines[quantity].set(arm, { arm, x: axis => costs[axis], median, low, high, smooth, ended });
    }
  }
  return lines;
};
// The numbers that are shown, their lines, and those of the page before anything was played in it.
let [data, lines, published] = [null, [], null];

const opening = () =>
  ({ ...data.opening, logX: data.x[data.opening.x].log, zoom: null, shown: new Set(data.shown) });
const state = { bands: true, lit: null };
const darkSystem = matchMedia("(prefers-color-scheme: dark)");

// A newly shown arm gets its look in the figures or, if a shown arm has that, the first free one, and keeps it while it
// is shown. When all are taken, hues follow in steps of the golden angle, which never repeat.
const looks = new Map();
const assignLooks = () => {
  [...looks.keys()].filter(arm => !state.shown.has(arm)).forEach(arm => looks.delete(arm));
  const taken = new Set(looks.values());
  for (const arm of state.shown) {
    if (looks.has(arm)) continue;
    let look = data.arms[arm].look % data.looks.length;
    for (let next = 0; taken.has(look); next += 1) look = next;
    taken.add(look);
    looks.set(arm, look);
  }
};
const lookOf = arm => {
  const [look, dark] = [looks.get(arm), darkSystem.matches];
  const hue = `hsl(${(137.508 * look) % 360} 75% ${dark ? 65 : 42}%)`;
  const { color, dash } = data.looks[look] || { color: hue, dash: [] };
  return { color: color === "#000000" && dark ? "#f0f0f0" : color, dash };
};
// The lines as published, pale, behind those of an arm of the same name.
const paleLines = () => {
  if (!published || published.data === data) return [];
  const [{ data: old, lines: all }, { words }] = [published, data.y[state.y]];
  const number = old.y.findIndex(quantity => quantity && quantity.words === words);
  const [axis, unit] = [data.x[state.x], old.x[state.x]?.unit];
  const scaled = line => x => line.x(x).map(value => value * unit / axis.unit);
  const arm = line => data.arms.findIndex(({ label }) => label === old.arms[line.arm].label);
  const pale = line => ({ ...line, arm: arm(line), x: scaled(line), low: null, ended: null, pale: true });
  return number < 0 || !unit ? [] : [...all[number].values()].map(pale).filter(line => state.shown.has(line.arm));
};

// Numbers as text; powers of ten as such where an axis is logarithmic.
const digits = (value, count = 4) => {
  const size = Math.abs(value);
  const plain = value === 0 || (size < 1e6 && size >= 1e-3);
  const whole = size >= 1 ? Math.floor(Math.log10(size)) + 1 : 1;
  const text = plain ? Number(value.toPrecision(Math.max(count, whole))) : value.toExponential(count - 1);
  return String(text).replace(/-/g, "\u2212");
};
const RAISED = "⁻⁰¹²³⁴⁵⁶⁷⁸⁹";
const raised = power => `10${String(power).replace(/./g, digit => RAISED["-0123456789".indexOf(digit)])}`;
const labels = (values, log) => {
  const isFar = log && values.some(value => value && Math.abs(Math.log10(value)) > 3);
  return values.map(value => value === null ? "" : isFar ? raised(Math.round(Math.log10(value))) : digits(value, 6));
};

// The range of an axis with a margin. Its ends are numbers, however large the values are.
const extent = (low, high, log, margin) => {
  if (!(high >= low)) return log ? [0.1, 1] : [0, 1];
  if (!log) {
    const room = high > low ? margin * (high - low) : Math.abs(low) / 10 || 1;
    return [Math.max(low - room, -1e307), Math.min(high + room, 1e307)];
  }
  const room = high > low ? Math.pow(10, margin * Math.log10(high / low)) : 1.5;
  return [Math.max(low / room, 1e-307), Math.min(high * room, 1e307)];
};
const hasPlace = (value, log) => Number.isFinite(value) && (!log || value > 0);
const bandOf = line => state.bands && !line.smooth && line.low ? [line.low, line.high] : [];
// What is drawn: the shown lines, and the ranges of both axes.
const view = () => {
  const all = [...paleLines(), ...[...lines[state.y].values()].filter(line => state.shown.has(line.arm))];
  const range = (lists, log, margin) => {
    let [low, high] = [Infinity, -Infinity];
    for (const [values, keep] of lists) {
      values.forEach((value, at) => {
        if (keep(at) && hasPlace(value, log)) [low, high] = [Math.min(low, value), Math.max(high, value)];
      });
    }
    return extent(low, high, log, margin);
  };
  const x = state.zoom || range(all.map(line => [line.x(state.x), () => true]), state.logX, 0);
  const y = range(all.flatMap(line => {
    const costs = line.x(state.x);
    // The points next to a zoomed range count, because lines enter and leave it from there.
    const keep = at => !state.zoom || ((costs[at + 1] ?? costs[at]) >= x[0] && (costs[at - 1] ?? costs[at]) <= x[1]);
    return [line.median, ...bandOf(line)].map(values => [values, keep]);
  }), state.logY, 0.04);
  return { all, x, y };
};

// From values to pixels of the canvas.
const scales = plot => [["x", state.logX], ["y", state.logY]]
  .map(([axis, log]) => value => hasPlace(value, log) ? plot.valToPos(value, axis, true) : NaN);
const draw = (plot, shown) => {
  const [context, ratio] = [plot.ctx, devicePixelRatio];
  const [atX, atY] = scales(plot);
  const { left, top, width, height } = plot.bbox;
  context.save();
  context.beginPath();
  context.rect(left, top, width, height);
  context.clip();
  const isLit = line => line.arm === state.lit;
  for (const line of [...shown.all.filter(line => !isLit(line)), ...shown.all.filter(isLit)]) {
    const [xs, values, [low, high]] = [line.x(state.x), line.median, bandOf(line)];
    const { color, dash } = lookOf(line.arm);
    [context.strokeStyle, context.fillStyle, context.lineJoin] = [color, color, "bevel"];
    if (low) {
      context.globalAlpha = isLit(line) ? 0.3 : 0.15;
      context.beginPath();
      for (let at = 0; at < xs.length; at += 1) context.lineTo(atX(xs[at]), atY(high[at]));
      for (let at = xs.length - 1; at >= 0; at -= 1) {
        context.lineTo(atX(xs[at]), hasPlace(low[at], state.logY) ? atY(low[at]) : top + height);
      }
      context.fill();
    }
    const stroke = (values, from, to, size, alpha, dashes) => {
      context.globalAlpha = alpha;
      context.lineWidth = size * ratio;
      context.setLineDash(dashes.map(length => length * 1.8 * ratio));
      context.beginPath();
      // Interrupted at points without a place on the axes.
      for (let at = from, open = false; at <= to; at += 1) {
        const [x, y] = [atX(xs[at]), atY(values[at])];
        if (!open) context.moveTo(x - 0.5, y);
        open = !Number.isNaN(x + y);
        if (open) context.lineTo(x, y);
      }
      context.stroke();
    };
    const [last, size] = [xs.length - 1, isLit(line) ? 3.2 : shown.all.length > 20 ? 1.2 : 1.8];
    const pale = (line.pale ? 0.3 : 1) * (state.lit === null || isLit(line) ? 1 : 0.45);
    // The line is thin where some runs have ended. Behind its running median it is pale.
    const end = Math.max(0, (line.ended ?? last + 1) - 1);
    if (line.smooth) stroke(values, 0, last, 1, 0.25 * pale, []);
    const main = line.smooth || values;
    stroke(main, 0, Math.min(end, last), size, pale, dash);
    if (end < last) stroke(main, end, last, 0.45 * size, pale, dash);
    if (last === 0) context.fillRect(atX(xs[0]) - 3 * ratio, atY(values[0]) - 3 * ratio, 6 * ratio, 6 * ratio);
  }
  context.restore();
};

// The nearest line to a position in pixels of the page, and its nearest point.
const nearest = (plot, shown, left, top) => {
  const ratio = devicePixelRatio;
  const [atX, atY] = scales(plot);
  const [x, y] = [left * ratio + plot.bbox.left, top * ratio + plot.bbox.top];
  let best = { distance: 40 * ratio };
  for (const line of shown.all.filter(line => !line.pale)) {
    const [xs, values] = [line.x(state.x), line.smooth || line.median];
    const place = at => [atX(xs[at]) - x, atY(values[at]) - y];
    for (let at = 0; at < xs.length; at += 1) {
      const [[fromX, fromY], [toX, toY]] = [place(at), place(Math.min(at + 1, xs.length - 1))];
      const [stepX, stepY] = [toX - fromX, toY - fromY];
      const along = -(fromX * stepX + fromY * stepY) / (stepX * stepX + stepY * stepY);
      const share = Math.min(1, Math.max(0, along || 0));
      const distance = Math.hypot(fromX + share * stepX, fromY + share * stepY);
      if (distance < best.distance) best = { distance, line, at: share < 0.5 ? at : at + 1 };
    }
  }
  return best.line && best;
};

let [plot, shown, dot] = [null, null, null];
const light = arm => {
  if (arm === state.lit) return;
  state.lit = arm;
  for (const label of byId("legend").children) label.classList.toggle("lit", Number(label.dataset.arm) === arm);
  plot.redraw(false, false);
};
const read = () => {
  const { left, top } = plot.cursor;
  const found = left >= 0 && nearest(plot, shown, left, top);
  dot.hidden = !found;
  light(found ? found.line.arm : null);
  byId("reading").textContent = "Move over the chart to read values.";
  if (!found) return;
  const { line, at } = found;
  const [x, y] = [line.x(state.x)[at], (line.smooth || line.median)[at]];
  const [band, ended] = [bandOf(line), line.ended !== null && at >= line.ended];
  byId("reading").textContent = `${data.arms[line.arm].label}: ${data.y[state.y].words} = ${digits(y)}`
    + `${band.length ? ` (quartiles ${digits(band[0][at])} to ${digits(band[1][at])})` : ""}`
    + ` at ${data.x[state.x].words} = ${digits(x)}${ended ? "; some runs have ended" : ""}`;
  const [atX, atY] = scales(plot);
  const [px, py] = [atX(x) - plot.bbox.left, atY(y) - plot.bbox.top].map(value => value / devicePixelRatio);
  Object.assign(dot.style, { left: `${px}px`, top: `${py}px`, background: lookOf(line.arm).color });
};

const build = () => {
  assignLooks();
  shown = view();
  if (plot) plot.destroy();
  const holder = byId("plot");
  const style = getComputedStyle(holder);
  const [ink, grid] = [style.color, { stroke: style.borderTopColor, width: 1 }];
  const side = (label, log, size, [from, to]) => {
    const fonts = { font: `13px ${style.fontFamily}`, labelFont: `15px ${style.fontFamily}` };
    // Powers of ten, as far as there are two; uPlot knows no steps above 10³².
    const [first, last] = [Math.ceil(Math.log10(from)), Math.floor(Math.log10(to))];
    const every = Math.ceil((last - first + 1) / 8);
    const length = Math.floor((last - first) / every) + 1;
    const powers = () => Array.from({ length }, (_, at) => 10 ** (first + at * every));
    const splits = log ? last > first && powers() : to - from >= 1e32 && [from, to];
    const axis = { label, size, stroke: ink, ...fonts, grid, ticks: grid, values: (_, values) => labels(values, log) };
    const all = (plot, values) => values;
    return !splits ? axis : { ...axis, splits: () => splits, incrs: () => [Math.max(5, to - from)], filter: all };
  };
  const width = Math.max(240, holder.clientWidth);
  plot = new uPlot({
    width,
    height: width < 520 ? 320 : 460,
    legend: { show: false },
    cursor: {
      points: { show: false },
      drag: { x: true, y: false, setScale: false },
      bind: { dblclick: () => () => change({ zoom: null }) },
    },
    scales: {
      x: { time: false, distr: state.logX ? 3 : 1, range: () => shown.x },
      y: { distr: state.logY ? 3 : 1, range: () => shown.y },
    },
    axes: [side(data.x[state.x].words, state.logX, 44, shown.x), side(data.y[state.y].words, state.logY, 66, shown.y)],
    series: [{}, { paths: () => null, points: { show: false } }],
    hooks: {
      draw: [plot => draw(plot, shown)],
      setCursor: [() => { if (dot) read(); }],
      setSelect: [plot => {
        const { left, width } = plot.select;
        const zoom = [left, left + width].map(pixel => plot.posToVal(pixel, "x"));
        // uPlot is not done with the event that ended the selection, and must not be destroyed before.
        if (width > 4) queueMicrotask(() => change({ zoom }));
      }],
    },
  }, [shown.x, shown.y], holder);
  dot = make("div", plot.over, { className: "dot", hidden: true });
  // The tests read the chart here.
  Object.assign(holder, { plot, drawn: shown });
};

const swatch = arm => {
  const { color, dash } = state.shown.has(arm) ? lookOf(arm) : { color: "#8888", dash: [] };
  return `<svg width="34" height="10" aria-hidden="true"><path d="M1 5H33" stroke="${color}"
    stroke-width="2.2" stroke-dasharray="${dash.map(length => 1.8 * length).join(" ")}"/></svg>`;
};
const say = () => {
  const without = [...state.shown].filter(arm => !lines[state.y].has(arm)).map(arm => data.arms[arm].label);
  const isOff = xs => (y, at) => !hasPlace(y, state.logY) || !hasPlace(xs[at], state.logX);
  const points = shown.all.reduce((sum, line) => sum + line.median.filter(isOff(line.x(state.x))).length, 0);
  byId("said").textContent = [
    shown.all.some(line => line.smooth) ? `Full lines are running medians over ${data.y[state.y].window} points.`
      : "Bands show the quartiles.",
    without.length > 0 ? `Not measured: ${without.length > 6 ? `${without.length} arms` : without.join(", ")}.` : "",
    points > 0 ? `Not on a logarithmic axis, at or below 0: ${points} points.` : "",
    data.thinned === null ? "" : "Lines are thinned: the CSV files hold all points.",
    data.left_out > 0 ? `${data.left_out} more arms are not in the chart.` : "",
  ].filter(text => text).join(" ");
};
const show = () => {
  build();
  for (const label of byId("legend").children) {
    const arm = Number(label.dataset.arm);
    label.children[0].checked = state.shown.has(arm);
    label.children[1].innerHTML = swatch(arm);
  }
  [byId("x").value, byId("y").value] = [state.x, state.y];
  [byId("log-x").checked, byId("log-y").checked, byId("bands").checked] = [state.logX, state.logY, state.bands];
  byId("whole").disabled = !state.zoom;
  read();
  say();
};
const change = changes => (Object.assign(state, changes, { lit: null }), show());

// Shows other numbers; what was chosen stays chosen.
const take = text => {
  const [former, names] = [data, new Set(data && [...state.shown].map(arm => data.arms[arm].label))];
  const chosen = former && { x: state.x, y: former.y[state.y]?.words };
  [data, state.lit] = [JSON.parse(text), null];
  lines = linesOf(data);
  published ||= { data, lines };
  [byId("nothing").hidden, byId("live").hidden] = [Boolean(data.opening), !data.opening];
  if (!data.opening) return;
  const { shown, ...first } = opening();
  const y = chosen ? data.y.findIndex(quantity => quantity && quantity.words === chosen.y) : -1;
  const isKnown = ({ label }) => !former || names.has(label) || former.arms.every(arm => arm.label !== label);
  const kept = former ? data.arms.flatMap((arm, number) => isKnown(arm) ? [number] : []) : [...shown];
  Object.assign(state, y < 0 ? first : { x: chosen.x, y, zoom: null }, { shown: new Set(kept) });
  looks.clear();
  [byId("x"), byId("y"), byId("legend")].forEach(element => element.replaceChildren());
  data.x.forEach((axis, number) => make("option", byId("x"), { value: number, textContent: axis.words }));
  data.y.forEach((quantity, number) => {
    if (quantity) make("option", byId("y"), { value: number, textContent: quantity.words });
  });
  data.arms.forEach((arm, number) => {
    const label = make("label", byId("legend"));
    label.dataset.arm = number;
    make("input", label, { type: "checkbox" }).addEventListener("change", event => {
      state.shown[event.target.checked ? "add" : "delete"](number);
      change({});
    });
    make("span", label, { className: "swatch" });
    make("span", label, { textContent: arm.label });
    label.addEventListener("mouseenter", () => light(number));
    label.addEventListener("mouseleave", () => light(null));
  });
  show();
};

const on = (id, event, changes) => byId(id).addEventListener(event, ({ target }) => change(changes(target)));
on("x", "change", ({ value }) => ({ x: Number(value), logX: data.x[value].log, zoom: null }));
on("y", "change", ({ value }) => ({ y: Number(value), logY: data.y[value].log }));
on("log-x", "change", ({ checked }) => ({ logX: checked, zoom: null }));
on("log-y", "change", ({ checked }) => ({ logY: checked }));
on("bands", "change", ({ checked }) => ({ bands: checked }));
on("whole", "click", () => ({ zoom: null }));
on("all", "click", () => ({ shown: new Set(data.arms.keys()) }));
on("none", "click", () => ({ shown: new Set() }));
on("first", "click", opening);
darkSystem.addEventListener("change", () => { if (plot) show(); });
new ResizeObserver(() => {
  if (plot && Math.abs(byId("plot").clientWidth - plot.width) > 2) show();
}).observe(byId("plot"));
window.takeNumbers = take;
take(byId("data").textContent);
})();
