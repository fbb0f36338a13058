// The charts together: what points at one points at all, and a range brushed over in one is marked in all.
let charts = [];
const clearPointer = () => point({ cursor: null, lit: null });

// The mouse is at a position over a chart, in CSS pixels of the plot.
const pointAtPixel = (number, plot, view, left, top) => {
  if (left < 0) {
    if (pointer.cursor && pointer.cursor.chart === number && !pointer.cursor.keys) clearPointer();
    return;
  }
  const ratio = devicePixelRatio;
  const lit = nearestArm(view, plot.bbox.left + left * ratio, plot.bbox.top + top * ratio);
  point({ cursor: { chart: number, x: view.chart.x, value: plot.posToVal(left, "x") * view.unit[0] }, lit });
};
const brushed = (number, plot, view) => {
  const { left, width } = plot.select;
  if (width < 6) return;
  const [from, to] = [left, left + width].map(position => plot.posToVal(position, "x") * view.unit[0]);
  // Not inside of uPlot's own event, which still needs the chart.
  setTimeout(() => change({ range: { x: view.chart.x, from, to } }));
};
const listen = (number, plot, view) => {
  let start = null;
  plot.over.addEventListener("mousedown", event => { start = event.clientX; });
  plot.over.addEventListener("click", event => {
    if (start === null || Math.abs(event.clientX - start) > 4) return;
    if (pointer.lit !== null) togglePin(pointer.lit);
  });
  // A finger that moves sideways reads values; uPlot listens to the mouse alone.
  plot.over.addEventListener("pointermove", event => {
    if (event.pointerType !== "touch") return;
    const box = plot.over.getBoundingClientRect();
    pointAtPixel(number, plot, view(), event.clientX - box.left, event.clientY - box.top);
  });
};

// Keys of a chart.
const along = (view, value) => view.chart.logX ? Math.log10(value) : value;
const back = (view, position) => view.chart.logX ? Math.pow(10, position) : position;
const zoomBy = (view, factor) => {
  const [low, high] = view.x.map(value => along(view, value));
  const inside = pointer.cursor && pointer.cursor.x === view.chart.x;
  const middle = inside ? along(view, pointer.cursor.value) : (low + high) / 2;
  const [least, most] = view.full.map(value => along(view, value));
  const [from, to] = [low, high].map(end => middle + (end - middle) / factor);
  const hair = 1e-9 * (most - least);
  const whole = from <= least + hair && to >= most - hair;
  const ends = [Math.max(from, least), Math.min(to, most)].map(position => back(view, position));
  change({ range: whole ? null : { x: view.chart.x, from: ends[0], to: ends[1] } });
};
const speak = view => {
  const { value } = pointer.cursor;
  const pinned = view.curves.filter(curve => state.pinned.includes(curve.arm));
  const wanted = pinned.length > 0 ? pinned : view.curves.slice(0, 3);
  const read = curve => {
    const index = pointAt(curve.x(view.chart.x), value);
    return `${data.arms[curve.arm].label} ${index < 0 ? "not yet" : digits(curve.median()[index])}`;
  };
  const where = `${digits(value / view.unit[0])} ${view.unit[1] || view.axis.words}`;
  byId("spoken").textContent = `${where}: ${wanted.map(read).join(", ")}`;
};
const pressed = (event, number, plot, view) => {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  const [low, high] = view.x.map(value => along(view, value));
  const inside = pointer.cursor && pointer.cursor.x === view.chart.x;
  const now = inside ? along(view, pointer.cursor.value) : high;
  const step = (high - low) / (event.shiftKey ? 10 : 100);
  const moves = { ArrowLeft: now - step, ArrowRight: now + step, Home: low, End: high };
  if (event.key in moves) {
    const value = back(view, Math.min(high, Math.max(low, moves[event.key])));
    point({ cursor: { chart: number, x: view.chart.x, value, keys: true }, lit: null });
    speak(view);
  } else if (event.key === "+" || event.key === "=") {
    zoomBy(view, 2);
  } else if (event.key === "-") {
    zoomBy(view, 0.5);
  } else if (event.key === "Escape") {
    if (pointer.cursor) clearPointer(); else wholeRange();
  } else {
    return;
  }
  event.preventDefault();
};

views.push(() => {
  while (charts.length > state.charts.length) charts.pop().remove();
  document.querySelector(".chart").classList.toggle("many", state.charts.length > 1);
  while (charts.length < state.charts.length) charts.push(makeChart(charts.length));
  charts.forEach(chart => chart.update());
  byId("bands").checked = state.bands;
  byId("smooth").value = state.smooth === null ? "" : String(state.smooth);
  byId("add-chart").disabled = state.charts.length >= MOST_CHARTS;
  byId("marks").checked = state.marks;
  byId("reset-zoom").disabled = state.range === null && state.charts.every(chart => chart.y === null);
});
// After theme.js has made the page light.
window.addEventListener("beforeprint", () => charts.forEach(chart => chart.onPaper(true)));
window.addEventListener("afterprint", () => charts.forEach(chart => chart.onPaper(false)));
pointerViews.push(() => charts.forEach(chart => chart.follow()));
