// What is shown: the one state of the page. Whoever changes it calls `change`; whoever shows it is among `views`, and a
// file that adds to it adds its part to `state` and, in link.js's `fields`, to the address.
// The part of the vertical axis that is shown is `y`: its ends, of which one may be null, as all of it.
const chartOf = (quantity, x) => ({ quantity, x, logX: data.x[x].log, logY: quantities[quantity].log, y: null });
const firstCharts = () => data.opening.charts.map(({ quantity, x, logX, logY, y }) => {
  const usual = chartOf(quantity, x);
  return { ...usual, logX: logX ?? usual.logX, logY: logY ?? usual.logY, y: y ?? null };
});
const firstState = () => ({
  charts: data.opening.charts.length > 0 ? firstCharts() : measured.slice(0, 1).map(quantity => chartOf(quantity, 0)),
  shown: data.arms.map((arm, number) => data.opening.arms.includes(number)),
  pinned: [],
  bands: data.band.shown,
  // The lines of the declared figure that are no arms.
  marks: true,
  // Share of a line's points that a running median takes together, in percent; null: where the quantity is noise.
  smooth: null,
  // A range of an axis that was brushed over: { x, from, to }.
  range: data.opening.range,
  sort: { by: "arm", down: false },
  // Number of the axis of the study whose levels group the table; -1 for none.
  group: -1,
  search: "",
  theme: "auto",
  // The traced round that is shown: numbers of its run and of the round among those of the run.
  round: { run: 0, index: 0 },
});
const state = firstState();
const views = [];
const refresh = () => views.forEach(view => view());
const change = part => {
  Object.assign(state, part);
  refresh();
};
// A view that is shown anew only when its key has changed.
const whenNew = (key, view) => {
  let last;
  return () => {
    const now = JSON.stringify(key());
    if (now === last) return;
    last = now;
    view();
  };
};
// All of every axis.
const wholeRange = () => change({ range: null, charts: state.charts.map(chart => ({ ...chart, y: null })) });
const changeChart = (number, part) => {
  change({ charts: state.charts.map((own, index) => index === number ? { ...own, ...part } : own) });
};
const togglePin = arm => {
  const has = state.pinned.includes(arm);
  change({ pinned: has ? state.pinned.filter(own => own !== arm) : [...state.pinned, arm] });
};

// What the mouse or the keys point at: `cursor` is { chart, x, value } on the axis x of a chart, `lit` the number of an
// arm. They change with every move, so they are no part of the state.
const pointer = { cursor: null, lit: null };
const pointerViews = [];
let waiting = false;
const point = part => {
  Object.assign(pointer, part);
  if (waiting) return;
  waiting = true;
  requestAnimationFrame(() => {
    waiting = false;
    pointerViews.forEach(view => view());
  });
};
