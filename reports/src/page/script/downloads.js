// Files: those that stand beside the page, and what the charts show now.
const save = (name, blob) => {
  const link = make("a");
  Object.assign(link, { href: URL.createObjectURL(blob), download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
};
// A text that a spreadsheet would take for a formula stands behind an apostrophe, as in all tables of the program.
const guarded = text => {
  const bare = text.replace(/^'+/, "");
  const isNumber = bare.trim() === bare && Number.isFinite(Number(bare));
  return /^[=+\-@\t\r\n＝＋－＠]/.test(bare) && !isNumber ? `'${text}` : text;
};
// Seven digits are those of the page's lists, which hold whole numbers up to 2²⁴ exactly.
const cellOf = value => {
  if (typeof value !== "number") return `"${guarded(value).replace(/"/g, '""')}"`;
  const isExact = Number.isInteger(value) && Math.abs(value) <= 2 ** 24;
  return String(isExact ? value : Number(value.toPrecision(7)));
};
// The points of the shown arms in the range, chart by chart, with every axis.
const csv = charts => {
  const header = ["quantity", "arm", ...data.x.map(axis => axis.name), "median", "low", "high", "running"];
  const lines = [
    `# ${originOfPage()}`,
    `# What the charts show, to 7 digits${data.thinned ? ", thinned" : ""}; the report's files hold every round.`,
    header.join(","),
  ];
  for (const chart of charts) {
    for (const curve of shownCurves(chart)) {
      const [from, to] = chosenPoints(curve);
      const lists = [...data.x.map((axis, number) => curve.x(number)), curve.median()];
      const more = [curve.low, curve.high, curve.running].map(list => list && list());
      for (let index = from; index <= to; index++) {
        const cells = [quantities[chart.quantity].name, data.arms[curve.arm].label, ...lists.map(list => list[index])];
        lines.push([...cells.map(cellOf), ...more.map(list => list ? cellOf(list[index]) : "")].join(","));
      }
    }
  }
  return lines.join("\n") + "\n";
};
// A canvas as a drawing that takes a legend.
const drawingOn = context => ({
  path: ([x, y, toX, toY], { stroke, width, dash }) => {
    Object.assign(context, { strokeStyle: stroke, lineWidth: width });
    context.setLineDash(dash);
    context.beginPath();
    context.moveTo(x, y);
    context.lineTo(toX, toY);
    context.stroke();
  },
  text: (words, x, y, { fill }) => {
    Object.assign(context, { font: FONT, fillStyle: fill });
    context.fillText(words, x, y);
  },
});
// What the page shows of a chart, below a legend.
const picture = ({ plot, view }) => {
  const { width, height } = plot.ctx.canvas;
  const arms = view.curves.map(curve => data.arms[curve.arm]);
  const rows = arms.length <= MOST_LEGEND ? legendRows(arms, width / devicePixelRatio) : [];
  const top = Math.ceil(18 * rows.length * devicePixelRatio);
  const canvas = Object.assign(make("canvas"), { width, height: height + top });
  const context = canvas.getContext("2d");
  context.fillStyle = view.paper;
  context.fillRect(0, 0, width, height + top);
  context.drawImage(plot.ctx.canvas, 0, top);
  context.scale(devicePixelRatio, devicePixelRatio);
  addLegend(drawingOn(context), rows, 0, ink("ink"));
  const name = `${quantities[view.chart.quantity].name}-${data.x[view.chart.x].name}-view.png`;
  canvas.toBlob(blob => save(name, blob));
};
// The files of a chart's quantity, and the chart itself as a picture.
const showFiles = (element, number, current) => {
  const { quantity, x } = state.charts[number];
  const { name, figures } = quantities[quantity];
  element.replaceChildren();
  element.append("This chart: ");
  const title = ({ chart }) => `${quantities[chart.quantity].name}-${data.x[chart.x].name}-view`;
  offerFiles(element, {
    scene: () => [title(current().view), figureOf(current().view)],
    tex: () => [title(current().view), texOf(current().view, title(current().view))],
    csv: () => [title(current().view), csv([state.charts[number]])],
  });
  button("PNG", element, () => picture(current()));
  // A figure is about one axis, or about several.
  const others = data.x.filter((axis, index) => index !== x).map(axis => `${name}-${axis.name}`);
  for (const own of figures.filter(own => !others.includes(own))) {
    const files = make("span", `${own}: `, element);
    files.append(document.querySelector(`[data-files="${CSS.escape(own)}"]`).content.cloneNode(true));
  }
};
byId("view-data").addEventListener("click", () =>
  save("charts.csv", new Blob([csv(state.charts)], { type: "text/csv" })));
