// A drawing as SVG and as PDF, and the light colours that files have.
const ENTITIES = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };
const xml = text => text.replace(/[&<>"]/g, letter => ENTITIES[letter]);
// What the page was made from: the line that every figure of the report has.
const originOfPage = () => document.querySelector("meta[name=fedbits]").content;
// Two decimals. What lies farther out than anybody sees is nearer, as a PDF has no exponents.
const FAR = 1e15;
const short = value => String(Math.round(100 * Math.min(FAR, Math.max(-FAR, value))) / 100);
const pointsOf = points => {
  const all = [];
  for (let at = 0; at < points.length; at += 2) all.push(`${short(points[at])},${short(points[at + 1])}`);
  return all;
};
const svgMark = mark => {
  if (mark.kind === "path") {
    const dash = mark.dash && mark.dash.length > 0 ? ` stroke-dasharray="${mark.dash.map(short).join(" ")}"` : "";
    const stroke = mark.stroke ? ` stroke="${mark.stroke}" stroke-width="${short(mark.width ?? 1)}"${dash}` : "";
    const alpha = (mark.alpha ?? 1) < 1 ? ` opacity="${short(mark.alpha)}"` : "";
    const trail = `M${pointsOf(mark.points).join(" ")}${mark.close ? "Z" : ""}`;
    return `<path d="${trail}" fill="${mark.fill || "none"}"${stroke}${alpha}/>`;
  }
  const turn = mark.turn ? ` transform="rotate(-90 ${short(mark.x)} ${short(mark.y)})"` : "";
  const anchor = mark.anchor === "start" ? "" : ` text-anchor="${mark.anchor}"`;
  return `<text x="${short(mark.x)}" y="${short(mark.y)}" font-size="${mark.size}" fill="${mark.fill}"${anchor}${turn}>`
    + `${xml(mark.words)}</text>`;
};
const svgOf = (drawing, title) => {
  const { width, height } = drawing;
  let clips = 0;
  const body = drawing.marks.map(mark => {
    if (mark.kind === "unclip") return "</g>";
    if (mark.kind !== "clip") return svgMark(mark);
    const [x, y, w, h] = [mark.left, mark.top, mark.right - mark.left, mark.bottom - mark.top].map(short);
    clips++;
    return `<clipPath id="c${clips}"><rect x="${x}" y="${y}" width="${w}" height="${h}"/></clipPath>`
      + `<g clip-path="url(#c${clips})">`;
  });
  // The page has the font once, in its style sheet.
  const font = document.querySelector("style").textContent.match(/@font-face\{[^}]*\}/)[0];
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" `
      + `font-family="${FAMILY}" stroke-linejoin="round">`,
    `<title>${xml(title)}</title>`,
    `<desc>${xml(originOfPage())}</desc>`,
    `<style>${font}</style>`,
    `<rect width="${width}" height="${height}" fill="#ffffff"/>`,
    ...body, "</svg>", "",
  ].join("\n");
};

// What is drawn for a file is drawn in the colours of paper.
const onWhite = draw => {
  const before = [printing, document.documentElement.dataset.theme];
  printing = true;
  document.documentElement.dataset.theme = "light";
  try {
    return draw();
  } finally {
    [printing, document.documentElement.dataset.theme] = before;
  }
};
// Buttons for files: `csv` and `tex` give [name, text], `scene` gives [name, drawing].
const offerFiles = (element, { csv, tex, scene }) => {
  const text = (words, make, ending, type) => button(words, element, () => {
    const [name, content] = make();
    save(`${name}.${ending}`, new Blob([content], { type }));
  });
  if (scene) {
    const svg = () => {
      const [name, drawing] = scene();
      return [name, svgOf(drawing, name)];
    };
    text("SVG", svg, "svg", "image/svg+xml");
    button("PDF", element, async () => {
      const [name, drawing] = scene();
      save(`${name}.pdf`, await pdfOf(drawing, name));
    });
  }
  if (tex) text("TeX", tex, "tex", "text/x-tex");
  if (csv) text("CSV", csv, "csv", "text/csv");
};
