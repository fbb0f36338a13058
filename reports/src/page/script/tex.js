// A chart as source for pgfplots: the shown points with the axes as they are, to be edited and set in the document's
// own letters. What lies in one column of pixels is its first, lowest, highest and last point, as on the page.
const TEX_COLUMNS = 600;

// Numbers of the points that can be told apart, in parts: a point without a place interrupts a line.
const visible = (x, y, [first, last]) => {
  const parts = [[]];
  let column = NaN;
  let own = [];
  const leave = () => { parts[parts.length - 1].push(...[...new Set(own)].sort((a, b) => a - b)); };
  for (let index = first; index <= last; index++) {
    if (Number.isNaN(x[index]) || Number.isNaN(y[index])) {
      leave();
      [column, own] = [NaN, []];
      if (parts[parts.length - 1].length > 0) parts.push([]);
      continue;
    }
    const now = Math.floor(x[index]);
    if (now !== column) {
      leave();
      [column, own] = [now, [index, index, index, index]];
    } else {
      own[3] = index;
      if (y[index] < y[own[1]]) own[1] = index;
      if (y[index] > y[own[2]]) own[2] = index;
    }
  }
  leave();
  return parts.filter(part => part.length > 0);
};
const texNumber = value => String(Number(value.toPrecision(6)));
const coordinates = (pairs, unit) => {
  const words = pairs.map(([x, y]) => `(${texNumber(x / unit)},${texNumber(y)})`);
  const lines = [];
  for (let at = 0; at < words.length; at += 6) lines.push(words.slice(at, at + 6).join(" "));
  return lines.join("\n");
};
const texPlots = (view, placed, index) => {
  const { curve, x, y, smooth, sight } = placed;
  const arm = data.arms[curve.arm];
  const unit = view.unit[0];
  const across = curve.x(view.chart.x);
  const has = value => hasPlace(value, view.chart.logY);
  const plots = [];
  if (hasBand(curve)) {
    const numbers = visible(x, y, sight).flat();
    const [low, high] = [curve.low(), curve.high()];
    const floor = value => has(value) ? value : view.y[0];
    const edge = values => numbers.map(at => [across[at], floor(values[at])]);
    const outline = [...edge(high), ...edge(low).reverse()];
    plots.push(`\\addplot[arm${index}, draw=none, fill, fill opacity=0.18, forget plot] coordinates {\n`
      + `${coordinates(outline, unit)}\n} -- cycle;`);
  }
  const line = (values, heights, options) => {
    const parts = visible(x, heights, sight).map(part => part.map(at => [across[at], values[at]]));
    const mark = parts.flat().length === 1 ? ", mark=*" : "";
    // An empty line interrupts the plot.
    const text = parts.map(pairs => coordinates(pairs, unit)).join("\n\n");
    plots.push(`\\addplot[arm${index}${options}${mark}] coordinates {\n${text}\n};`);
  };
  if (smooth) line(curve.median(), y, ", solid, opacity=0.3, thin, forget plot");
  if (smooth) line(smoothOf(curve), smooth, ""); else line(curve.median(), y, "");
  plots.push(`\\addlegendentry{${arm.tex}}`);
  return plots.join("\n");
};
const texStyle = (curve, index) => {
  const arm = data.arms[curve.arm];
  const dash = arm.dash.map((length, place) => `${place % 2 ? "off" : "on"} ${short(0.8 * length)}pt`).join(" ");
  const color = `\\definecolor{arm${index}}{HTML}{${arm.color.slice(1).toUpperCase()}}`;
  const style = `arm${index}/.style={color=arm${index}, line width=0.8pt${dash ? `, dash pattern=${dash}` : ""}}`;
  return [color, style];
};
const texOf = (current, title) => {
  const view = { ...current };
  place({ bbox: { left: 0, top: 0, width: TEX_COLUMNS, height: 400 } }, view);
  const all = [...view.placed.values()];
  const styles = all.map(({ curve }, index) => texStyle(curve, index));
  const { chart, axis, unit } = view;
  const [xs, ys] = [view.x.map(value => texNumber(value / unit[0])), view.y.map(texNumber)];
  const options = [
    "width=\\linewidth, height=0.62\\linewidth", "grid=major, grid style={black!12}",
    `xmode=${chart.logX ? "log" : "linear"}, ymode=${chart.logY ? "log" : "linear"}`,
    `xmin=${xs[0]}, xmax=${xs[1]}, ymin=${ys[0]}, ymax=${ys[1]}, empty line=jump`,
    `xlabel={${named(axis.tex, unit).replace("µ", "\\textmu{}")}}, ylabel={${quantities[chart.quantity].tex}}`,
    "legend style={font=\\small, draw=none, fill=none, at={(0.5,1.03)}, anchor=south}",
    "legend columns=2, legend cell align=left",
    ...styles.map(([, style]) => style),
  ];
  return [
    `% ${title}: needs \\usepackage{pgfplots} and \\pgfplotsset{compat=1.16} in the preamble.`,
    `% ${originOfPage()}`,
    "% The points that can be told apart in the part shown, to 6 digits; the report's CSV files hold every round.",
    "\\begin{tikzpicture}", ...styles.map(([color]) => color), "\\begin{axis}[", `${options.join(",\n")},`, "]",
    ...all.map((placed, index) => texPlots(view, placed, index)),
    ...texMarks(view),
    "\\end{axis}", "\\end{tikzpicture}", "",
  ].join("\n");
};
