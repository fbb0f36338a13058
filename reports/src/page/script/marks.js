// The lines of the declared figure that are no arms: values, ends of arms and slopes, with their names.
const slopesOf = view => quantities[view.chart.quantity].slopes.filter(slope => state.shown[slope.arm]);
const rulesOf = view => quantities[view.chart.quantity].rules;
const nameMark = (context, words, x, y, align) => {
  const ratio = ratioOf(context);
  context.font = `${13 * ratio}px ${FAMILY}`;
  [context.textAlign, context.textBaseline] = [align, "alphabetic"];
  context.fillText(words, x, y - 5 * ratio);
};
const drawMarks = (plot, view) => {
  if (!state.marks) return;
  const context = plot.ctx;
  const ratio = ratioOf(context);
  const { left, width } = plot.bbox;
  const at = pixels(plot, view);
  clipped(plot, context, () => {
    context.strokeStyle = context.isFile ? "#444444" : ink("soft");
    context.fillStyle = context.isFile ? "#444444" : ink("ink");
    context.lineWidth = 1.4 * ratio;
    context.setLineDash([2 * ratio, 3 * ratio]);
    for (const { y, words } of rulesOf(view).filter(rule => hasPlace(rule.y, view.chart.logY))) {
      const up = at.y.at(y);
      context.beginPath();
      context.moveTo(left, up);
      context.lineTo(left + width, up);
      context.stroke();
      nameMark(context, words, left + width - 8 * ratio, up, "end");
    }
    for (const { x, y, words } of slopesOf(view)) {
      const [across, up] = [at.x.all(x[view.chart.x]()), at.y.all(y())];
      stroke(context, across, up, 0, up.length - 1, 1.4);
      nameMark(context, words, across[0] + 8 * ratio, up[0], "start");
    }
    context.setLineDash([]);
  });
};
// The same for pgfplots.
const texMarks = view => {
  if (!state.marks) return [];
  const [from, to] = view.x.map(value => texNumber(value / view.unit[0]));
  const rules = rulesOf(view).filter(rule => hasPlace(rule.y, view.chart.logY)).map(({ y, tex }) =>
    `\\addplot[black!70, densely dotted, forget plot] coordinates {(${from},${texNumber(y)}) (${to},${texNumber(y)})}\n`
    + `node[pos=1, above left, font=\\footnotesize] {${tex}};`);
  const slopes = slopesOf(view).map(({ x, y, tex }) => {
    const across = x[view.chart.x]();
    const pairs = Array.from(y(), (value, index) => [across[index], value])
      .filter(([first, value]) => hasPlace(first, view.chart.logX) && hasPlace(value, view.chart.logY));
    const every = Math.ceil(pairs.length / 50);
    const thinned = pairs.filter((pair, index) => index % every === 0 || index === pairs.length - 1);
    return `\\addplot[black!70, densely dotted, forget plot] coordinates {\n${coordinates(thinned, view.unit[0])}\n}`
      + `\nnode[pos=0, above right, font=\\footnotesize] {${tex}};`;
  });
  return [...rules, ...slopes];
};
