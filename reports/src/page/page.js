"use strict";
// The page's script: a chart of convergence with a choice of axes and arms, and the ledger's bars. All numbers come from the
// element #data; nothing is loaded.
(() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const byId = id => document.getElementById(id);
  const make = (name, content, parent) => {
    const element = document.createElement(name);
    if (content !== undefined) element.textContent = content;
    if (parent) parent.append(element);
    return element;
  };
  const first = data.x.findIndex(x => x.name === "bits_total");
  const state = {
    x: first,
    y: 0,
    shown: data.arms.map(arm => arm.shown),
    logX: data.x[first].log,
    logY: data.quantities.length > 0 && data.quantities[0].log,
    bands: true,
  };

  // Numbers and units.
  const digits = (value, count = 4) => {
    if (value === null || value === undefined) return "–";
    if (value === 0) return "0";
    const size = Math.abs(value);
    const text = size >= 1e6 || size < 1e-3 ? value.toExponential(count - 1) : String(Number(value.toPrecision(Math.max(count, Math.floor(Math.log10(size)) + 1))));
    return text.replace(/-/g, "\u2212");
  };
  const unitOf = (kind, most) => {
    const units = {
      bits: [[1e12, "Tbit"], [1e9, "Gbit"], [1e6, "Mbit"], [1e3, "kbit"], [1, "bit"]],
      time: [[3600, "h"], [1, "s"], [1e-3, "ms"], [1e-6, "µs"]],
      energy: [[1e6, "MJ"], [1e3, "kJ"], [1, "J"], [1e-3, "mJ"]],
      count: [[1, ""]],
    }[kind];
    // Hours from two hours on.
    return units.find(([size]) => most >= (size === 3600 ? 7200 : size)) || units[units.length - 1];
  };
  const quantity = () => data.quantities[state.y];
  const axis = () => data.x[state.x];

  // The chart.
  let chart = null;
  let unit = [1, ""];
  let dots = [];
  const shownCurves = () => quantity().curves.filter(curve => state.shown[curve.arm]);
  const xOf = curve => curve.x[state.x];
  const fits = (value, log) => value !== null && (!log || value > 0);

  // uPlot wants one list of x for all lines: the union, with gaps where a line has no point.
  const joined = curves => {
    const all = [...new Set(curves.flatMap(xOf))].filter(x => fits(x, state.logX)).sort((a, b) => a - b);
    const position = new Map(all.map((x, index) => [x, index]));
    const lines = curves.map(curve => {
      const line = new Array(all.length).fill(null);
      xOf(curve).forEach((x, index) => {
        const at = position.get(x);
        if (at !== undefined && fits(curve.median[index], state.logY)) line[at] = curve.median[index];
      });
      return line;
    });
    return [all.map(x => x / unit[0]), ...lines];
  };

  const drawBands = plot => {
    if (!state.bands) return;
    const context = plot.ctx;
    const box = plot.bbox;
    context.save();
    context.beginPath();
    context.rect(box.left, box.top, box.width, box.height);
    context.clip();
    const lowest = plot.scales.y.min;
    for (const curve of shownCurves().filter(curve => curve.low)) {
      const indices = xOf(curve).map((x, index) => index)
        .filter(index => fits(xOf(curve)[index], state.logX) && fits(curve.median[index], state.logY));
      const x = index => plot.valToPos(xOf(curve)[index] / unit[0], "x", true);
      const y = value => plot.valToPos(fits(value, state.logY) ? value : lowest, "y", true);
      context.beginPath();
      indices.forEach(index => context.lineTo(x(index), y(curve.high[index])));
      indices.slice().reverse().forEach(index => context.lineTo(x(index), y(curve.low[index])));
      context.closePath();
      context.fillStyle = data.arms[curve.arm].color + "2e";
      context.fill();
    }
    context.restore();
  };

  // The last recorded point of a curve that is not right of x, in the unit of the axis; before its first point there is none.
  const pointAt = (curve, x) => {
    const all = xOf(curve);
    let [low, high] = [0, all.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (all[middle] / unit[0] <= x * (1 + 1e-12)) low = middle + 1; else high = middle;
    }
    return low - 1;
  };

  const showValues = plot => {
    const left = plot.cursor.left;
    const over = left !== null && left !== undefined && left >= 0;
    const x = over ? plot.posToVal(left, "x") : null;
    const name = axis().words + (unit[1] ? ` (${unit[1]})` : "");
    byId("hint").textContent = over ? `at ${name} = ${digits(x)}` : "Move over the plot to read values.";
    dots.forEach(dot => { dot.hidden = true; });
    for (const curve of quantity().curves) {
      const row = rows[curve.arm];
      const index = over ? pointAt(curve, x) : curve.median.length - 1;
      // Of replicates that have ended the last value counts; the brackets show how many go on.
      const goOn = curve.running && index >= 0 && curve.running[index] < curve.running[0] ? ` (${curve.running[index]}/${curve.running[0]} go on)` : "";
      row.y.textContent = index < 0 ? "–" : digits(curve.median[index]) + goOn;
      row.x.textContent = index < 0 ? "–" : digits(xOf(curve)[index] / unit[0]);
      if (over && index >= 0 && state.shown[curve.arm] && fits(curve.median[index], state.logY)) {
        const dot = dots[curve.arm];
        dot.style.left = plot.valToPos(xOf(curve)[index] / unit[0], "x") + "px";
        dot.style.top = plot.valToPos(curve.median[index], "y") + "px";
        dot.hidden = false;
      }
    }
  };

  const font = "13px 'Fedbits Figure', serif";
  // Powers of ten as such; of the numbers between them those that uPlot leaves room for.
  const logLabels = values => values.map(value => {
    if (value === null) return "";
    const power = Math.round(Math.log10(value));
    if (Math.abs(Math.log10(value) - power) > 1e-9) return "";
    const raised = String(power).replace(/[-0-9]/g, c => "⁻⁰¹²³⁴⁵⁶⁷⁸⁹"["-0123456789".indexOf(c)]);
    return Math.abs(power) < 4 ? digits(value) : `10${raised}`;
  });
  const labels = log => log ? (plot, values) => logLabels(values) : (plot, values) => values.map(value => value === null ? "" : digits(value, 6));

  const draw = () => {
    const curves = shownCurves();
    const most = Math.max(0, ...quantity().curves.flatMap(curve => xOf(curve)[xOf(curve).length - 1]));
    unit = unitOf(axis().kind, most);
    const name = axis().words + (unit[1] ? ` (${unit[1]})` : "");
    byId("head-y").textContent = quantity().words;
    byId("head-x").textContent = unit[1] || axis().words;
    if (chart) chart.destroy();
    const element = byId("plot");
    const grid = { stroke: "#e4e4e4", width: 1 };
    chart = new uPlot({
      width: Math.max(320, element.clientWidth),
      height: 480,
      legend: { show: false },
      cursor: { points: { show: false }, y: false, drag: { x: true, y: false } },
      scales: { x: { time: false, distr: state.logX ? 3 : 1 }, y: { distr: state.logY ? 3 : 1 } },
      axes: [
        { label: name, labelFont: "16px 'Fedbits Figure', serif", font, grid, ticks: grid, size: 44, values: labels(state.logX) },
        { label: quantity().words, labelFont: "16px 'Fedbits Figure', serif", font, grid, ticks: grid, size: 62, values: labels(state.logY) },
      ],
      series: [{}, ...curves.map(curve => {
        const arm = data.arms[curve.arm];
        return { label: arm.label, stroke: arm.color, width: 1.8, dash: arm.dash.map(length => 1.8 * length), spanGaps: true, points: { show: curve.median.length === 1 } };
      })],
      hooks: { drawAxes: [drawBands], setCursor: [showValues] },
    }, joined(curves), element);
    dots = data.arms.map(arm => {
      const dot = make("div", undefined, chart.over);
      dot.className = "dot";
      dot.style.background = arm.color;
      dot.hidden = true;
      return dot;
    });
    showValues(chart);
    drawBars();
  };

  // Choices.
  const choose = (parent, group, names, chosen, then) => names.forEach((name, index) => {
    const label = make("label", undefined, byId(parent));
    const input = make("input", undefined, label);
    Object.assign(input, { type: "radio", name: group, checked: index === chosen });
    input.addEventListener("change", () => then(index));
    label.append(` ${name}`);
  });
  const scales = () => {
    byId("log-x").checked = state.logX;
    byId("log-y").checked = state.logY;
  };

  const sample = arm => {
    const dash = arm.dash.map(length => 1.6 * length).join(" ");
    const space = "http://www.w3.org/2000/svg";
    const svg = document.createElementNS(space, "svg");
    svg.setAttribute("width", "34");
    svg.setAttribute("height", "10");
    const line = document.createElementNS(space, "path");
    for (const [name, value] of [["d", "M1 5H33"], ["stroke", arm.color], ["stroke-width", "2"], ["stroke-dasharray", dash], ["fill", "none"]]) line.setAttribute(name, value);
    svg.append(line);
    return svg;
  };
  const rows = data.arms.map((arm, number) => {
    const row = make("tr", undefined, byId("arms").tBodies[0]);
    const label = make("label", undefined, make("td", undefined, row));
    const input = make("input", undefined, label);
    Object.assign(input, { type: "checkbox", checked: state.shown[number] });
    label.append(sample(arm), arm.label);
    const own = { row, input, y: make("td", "", row), x: make("td", "", row) };
    input.addEventListener("change", () => show(other => other === number ? input.checked : state.shown[other]));
    return own;
  });
  const show = wanted => {
    state.shown = data.arms.map((arm, number) => wanted(number));
    rows.forEach((own, number) => {
      own.input.checked = state.shown[number];
      own.row.className = state.shown[number] ? "" : "off";
    });
    if (data.quantities.length > 0) draw(); else drawBars();
  };
  const button = (words, parent, then) => make("button", words, parent).addEventListener("click", then);
  const all = make("div", undefined, byId("levels"));
  button("all", all, () => show(() => true));
  button("none", all, () => show(() => false));
  data.axes.forEach((axis, index) => {
    const line = make("div", `${axis.name}: `, byId("levels"));
    axis.levels.forEach((level, number) => {
      // Every arm of this level goes away, or comes back, as a whole.
      const has = arm => data.arms[arm].levels[index] === number;
      button(level, line, () => {
        const on = data.arms.some((_, arm) => has(arm) && state.shown[arm]);
        show(arm => has(arm) ? !on : state.shown[arm]);
      });
    });
  });

  // The ledger.
  const drawBars = () => {
    const element = byId("bars");
    element.replaceChildren();
    if (!data.ledger) return;
    const { kinds, bars } = data.ledger;
    const sum = bar => bar.reduce((sum, bits) => sum + bits, 0);
    const shown = data.arms.map((_, number) => number).filter(number => state.shown[number]);
    const most = Math.max(...shown.map(number => sum(bars[number])), 0);
    const [size, name] = unitOf("bits", most);
    const keys = make("div", undefined, element);
    keys.className = "keys";
    const color = kind => kind.pale ? kind.color + "73" : kind.color;
    kinds.forEach(kind => {
      const key = make("span", undefined, keys);
      make("i", undefined, key).style.background = color(kind);
      key.append(kind.words);
    });
    const value = make("p", "Move over a bar to read it. Mean bits per run.");
    value.id = "bar-value";
    value.className = "hint";
    for (const number of shown) {
      const line = make("div", undefined, element);
      line.className = "bar";
      make("span", data.arms[number].label, line).className = "name";
      const parts = make("span", undefined, line);
      parts.className = "parts";
      kinds.forEach((kind, index) => {
        const bits = bars[number][index];
        if (!(bits > 0)) return;
        const part = make("span", undefined, parts);
        part.style.background = color(kind);
        part.style.width = `${100 * bits / most}%`;
        const words = `${data.arms[number].label}, ${kind.words}: ${digits(bits / size)} ${name} (${digits(100 * bits / sum(bars[number]), 3)} %)`;
        part.title = words;
        part.addEventListener("mouseenter", () => { value.textContent = words; });
      });
      make("span", `${digits(sum(bars[number]) / size)} ${name}`, line).className = "sum";
    }
    element.append(value);
  };

  byId("bars").hidden = false;
  if (!data.ledger) byId("ledger-section").hidden = true;
  if (data.quantities.length === 0) {
    byId("lines").hidden = true;
    drawBars();
    return;
  }
  byId("live").hidden = false;
  choose("choose-y", "y", data.quantities.map(own => own.words), state.y, index => {
    state.y = index;
    state.logY = quantity().log;
    scales();
    draw();
  });
  choose("choose-x", "x", data.x.map(own => own.words), state.x, index => {
    state.x = index;
    state.logX = axis().log;
    scales();
    draw();
  });
  for (const [id, key] of [["log-x", "logX"], ["log-y", "logY"], ["bands", "bands"]]) {
    byId(id).addEventListener("change", event => { state[key] = event.target.checked; draw(); });
  }
  scales();
  show(number => state.shown[number]);
  let width = 0;
  new ResizeObserver(() => {
    const now = byId("plot").clientWidth;
    if (chart && Math.abs(now - width) > 2) {
      width = now;
      chart.setSize({ width: Math.max(320, now), height: 480 });
    }
  }).observe(byId("plot"));
  // Labels on the canvas wait for the font inside this page.
  document.fonts.ready.then(() => { if (chart) chart.redraw(false, true); });
})();
