// One chart: its choices, uPlot for axes, grid, cursor and selection, and the lines of canvas.js in it.
const FONT = "13px 'Fedbits Figure', serif";
const LABEL = "16px 'Fedbits Figure', serif";
// Width of a chart on paper: A4 and Letter have 700 pixels between usual margins.
const PAPER = 680;
const heightOf = width => width < 520 ? 300 : state.charts.length > 1 ? 340 : 460;

// A range as far as it has a place on the axis.
const inside = ({ from, to }, chart, full) => {
  const start = hasPlace(from, chart.logX) ? from : full[0];
  return start < to ? [start, to] : full;
};
// What a chart draws of the state.
const viewOf = chart => {
  const curves = shownCurves(chart);
  const axis = data.x[chart.x];
  const ends = quantities[chart.quantity].curves.map(curve => curve.x(chart.x).at(-1));
  const unit = unitOf(axis.kind, Math.max(0, ...ends));
  const full = fullRange(chart, curves);
  const zoomed = state.range && state.range.x === chart.x ? inside(state.range, chart, full) : full;
  const paled = state.range !== null && state.range.x !== chart.x;
  return { chart, curves, axis, unit, full, x: zoomed, y: heights(chart, curves, zoomed), paled, paper: ink("paper") };
};

const makeChart = number => {
  const own = () => state.charts[number];
  const element = make("section", undefined, byId("charts"));
  element.className = "one-chart";
  const controls = make("div", undefined, element);
  controls.className = "choices";
  const select = (words, id, all, then) => {
    const label = make("label", `${words} `, controls);
    const list = make("select", undefined, label);
    list.id = `${id}-${number}`;
    choices(list, all);
    list.addEventListener("change", () => then(Number(list.value)));
    return list;
  };
  const check = (words, id, key) => {
    const label = make("label", undefined, controls);
    const box = make("input", undefined, label);
    Object.assign(box, { type: "checkbox", id: `${id}-${number}` });
    label.append(` ${words}`);
    box.addEventListener("change", () => changeChart(number, { [key]: box.checked }));
    return box;
  };
  const listY = select("Show", "y", measured.map(index => [index, quantities[index].words]),
    quantity => changeChart(number, { quantity, logY: quantities[quantity].log, y: null }));
  const listX = select("against", "x", data.x.map((axis, index) => [index, axis.words]),
    x => changeChart(number, { x, logX: data.x[x].log }));
  const boxX = check("log x", "log-x", "logX");
  const boxY = check("log y", "log-y", "logY");
  if (number > 0) {
    button("Remove", controls, () => change({ charts: state.charts.filter((chart, index) => index !== number) }))
      .setAttribute("aria-label", `Remove chart ${number + 1}`);
  }
  const holder = make("div", undefined, element);
  holder.className = "plot";
  Object.assign(holder, { tabIndex: 0, id: `plot-${number}` });
  holder.setAttribute("role", "application");
  holder.setAttribute("aria-roledescription", "chart");
  const marks = make("p", undefined, element);
  marks.className = "hint";
  const files = make("p", undefined, element);
  files.className = "files";

  let [plot, view, over] = [null, null, null];
  // While a page is printed nothing is drawn any more that the layout of the paper would ask for.
  const widthNow = () => printing ? PAPER : Math.max(240, holder.clientWidth);
  const point = (left, top) => pointAtPixel(number, plot, view, left, top);
  const build = () => {
    view = viewOf(own());
    if (plot) plot.destroy();
    const { chart, axis, unit } = view;
    const scaled = value => value / unit[0];
    const side = (label, log, size, [from, to]) => {
      const grid = { stroke: ink("grid"), width: 1 };
      const shared = { label, labelFont: LABEL, font: FONT, stroke: ink("ink"), grid, ticks: grid, size };
      // uPlot has no steps above 10³² of its own, and leaves an axis bare that needs a larger one.
      const incrs = (plot, axis, low, high) => [Math.max(5, high - low)];
      if (!log) {
        const own = to - from > 1e32 ? { incrs, splits: (plot, axis, low, high) => evenTicks(low, high, 5) } : {};
        return { ...shared, ...own, values: (plot, values) => linearLabels(values) };
      }
      const splits = (plot, axis, low, high) => logPositions(low, high);
      const filter = (plot, values) => values;
      grid.filter = filter;
      return { ...shared, incrs, splits, filter, values: (plot, values) => logLabels(values) };
    };
    const width = widthNow();
    plot = new uPlot({
      width,
      height: heightOf(width),
      legend: { show: false },
      cursor: {
        points: { show: false }, y: false, drag: { x: true, y: false, setScale: false },
        bind: { dblclick: () => () => wholeRange() },
      },
      scales: {
        x: { time: false, distr: chart.logX ? 3 : 1, range: () => view.x.map(scaled) },
        y: { distr: chart.logY ? 3 : 1, range: () => view.y },
      },
      axes: [side(named(axis.words, unit), chart.logX, 44, view.x.map(scaled)),
        side(quantities[chart.quantity].words, chart.logY, 62, view.y)],
      series: [{}, { paths: () => null, points: { show: false } }],
      hooks: {
        draw: [plot => { drawCurves(plot, view); drawMarks(plot, view); resizeOver(); }],
        setCursor: [plot => { if (plot.cursor.event) point(plot.cursor.left, plot.cursor.top); }],
        setSelect: [plot => brushed(number, plot, view)],
      },
    }, [view.x.map(scaled), view.y], holder);
    over = make("canvas");
    over.className = "over";
    plot.over.before(over);
    listen(number, plot, () => view);
  };
  const resizeOver = () => {
    if (!over) return;
    const base = plot.ctx.canvas;
    [over.width, over.height] = [base.width, base.height];
    [over.style.width, over.style.height] = [base.style.width, base.style.height];
    drawPointer(plot, over.getContext("2d"), view);
  };
  const words = () => {
    const { chart, curves } = view;
    const { points, bands } = withoutPlace(chart, curves);
    const name = `${quantities[chart.quantity].words} against ${data.x[chart.x].words}`;
    const count = `${curves.length} of ${counted(data.arms.length, "arm", "arms")}`;
    holder.setAttribute("aria-label", `${name}, ${count}; arrow keys read values, which the table has, too`);
    const has = new Set(curves.map(curve => curve.arm));
    const without = data.arms.filter((arm, index) => state.shown[index] && !has.has(index)).map(arm => arm.label);
    const names = without.length > 6 ? `${without.length} of the arms shown` : without.join(", ");
    const hasMedians = curves.some(curve => smoothOf(curve));
    const medians = state.smooth === null ? "Lines that are noise are running medians over a thirtieth of their points"
      : `Full lines are running medians over ${state.smooth} % of a line’s points`;
    const plain = state.bands ? ", without bands" : "";
    const [above, below] = chart.y ? leavesFrame(curves, view) : [false, false];
    const beyond = [above && "above", below && "below"].filter(side => side).join(" and ");
    const said = [
      curves.length === 0 ? "No arm is shown that measured it." : "",
      view.x[0] > view.full[0] || view.x[1] < view.full[1] ? "Lines go on beyond the frame (“Whole range”)." : "",
      beyond ? `Values go on ${beyond} the frame, which the figure’s declaration limits (“Whole range”).` : "",
      without.length > 0 && curves.length > 0 ? `Not measured by ${names}.` : "",
      points > 0 ? `${counted(points, "point", "points")} at or below 0: no place on a logarithmic axis.` : "",
      bands > 0 ? `${counted(bands, "band goes", "bands go")} down to 0 or below.` : "",
      hasMedians ? `${medians}${plain}.` : "",
    ];
    marks.textContent = said.filter(text => text).join(" ");
  };
  const update = () => {
    const chart = own();
    [listY.value, listX.value, boxX.checked, boxY.checked] = [chart.quantity, chart.x, chart.logX, chart.logY];
    build();
    words();
    showFiles(files, number, () => ({ plot, view }));
  };
  const resize = () => {
    const width = widthNow();
    if (plot && Math.abs(width - plot.width) > 2) plot.setSize({ width, height: heightOf(width) });
  };
  const observer = new ResizeObserver(resize);
  observer.observe(holder);
  holder.addEventListener("keydown", event => pressed(event, number, plot, view));
  holder.addEventListener("blur", () => { if (pointer.cursor && pointer.cursor.keys) clearPointer(); });
  // Browsers print no canvas that was drawn for the print, but pictures.
  let picture = null;
  const onPaper = now => {
    if (picture) picture.remove();
    picture = now ? Object.assign(new Image(), { alt: holder.ariaLabel, decoding: "sync" }) : null;
    if (now) {
      plot.batch(() => plot.redraw(false));
      picture.src = plot.ctx.canvas.toDataURL();
      holder.after(picture);
    }
    holder.hidden = now;
  };
  return {
    update,
    onPaper,
    view: () => view,
    follow: () => { if (over) drawPointer(plot, over.getContext("2d"), view); },
    remove: () => { observer.disconnect(); if (plot) plot.destroy(); element.remove(); },
  };
};
