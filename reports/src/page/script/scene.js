// A drawing as a list of marks, so that one description gives the picture on the page, as SVG and as PDF. Coordinates
// are pixels from the upper left corner.
const scene = (width, height) => {
  const marks = [];
  // points: [x, y, x, y, …]; style: { fill, stroke, width, dash, alpha, close }.
  const path = (points, style) => { if (points.length > 3) marks.push({ kind: "path", points, ...style }); };
  const box = (left, top, right, bottom, style) =>
    path([left, top, right, top, right, bottom, left, bottom], { close: true, ...style });
  // style: { size, anchor: "start" | "middle" | "end", turn: true for text that runs upwards, fill }.
  const text = (words, x, y, style) => {
    if (words) marks.push({ kind: "text", words, x, y, anchor: "start", ...style });
  };
  // What `draw` adds is seen inside of the box only.
  const inside = (left, top, right, bottom, draw) => {
    marks.push({ kind: "clip", left, top, right, bottom });
    draw();
    marks.push({ kind: "unclip" });
  };
  return { width, height, marks, path, box, text, inside };
};

const FAMILY = "'Fedbits Figure', serif";
const ruler = make("canvas").getContext("2d");
const widthOfText = (words, size) => {
  ruler.font = `${size}px ${FAMILY}`;
  return ruler.measureText(words).width;
};
// The text as far as it fits.
const fittedText = (words, size, room) => {
  if (widthOfText(words, size) <= room) return words;
  let kept = [...words];
  while (kept.length > 0 && widthOfText(`${kept.join("")}…`, size) > room) kept = kept.slice(0, -1);
  return `${kept.join("")}…`;
};

const trail = (context, { points, close }) => {
  context.beginPath();
  for (let at = 0; at < points.length; at += 2) context.lineTo(points[at], points[at + 1]);
  if (close) context.closePath();
};
const paintMark = (context, mark) => {
  if (mark.kind === "clip") {
    context.save();
    context.beginPath();
    context.rect(mark.left, mark.top, mark.right - mark.left, mark.bottom - mark.top);
    context.clip();
  } else if (mark.kind === "unclip") {
    context.restore();
  } else if (mark.kind === "path") {
    context.globalAlpha = mark.alpha ?? 1;
    trail(context, mark);
    if (mark.fill) {
      context.fillStyle = mark.fill;
      context.fill();
    }
    if (mark.stroke) {
      context.strokeStyle = mark.stroke;
      context.lineWidth = mark.width ?? 1;
      context.setLineDash(mark.dash ?? []);
      context.lineJoin = "round";
      context.stroke();
    }
    context.globalAlpha = 1;
  } else {
    context.save();
    context.translate(mark.x, mark.y);
    if (mark.turn) context.rotate(-Math.PI / 2);
    context.font = `${mark.size}px ${FAMILY}`;
    context.textAlign = mark.anchor === "middle" ? "center" : mark.anchor;
    context.fillStyle = mark.fill;
    context.fillText(mark.words, 0, 0);
    context.restore();
  }
};
// Makes the canvas as large as the drawing, sharp on every screen, and draws it.
const paint = (canvas, drawing) => {
  const ratio = devicePixelRatio || 1;
  [canvas.width, canvas.height] = [drawing.width, drawing.height].map(size => Math.round(size * ratio));
  [canvas.style.width, canvas.style.height] = [`${drawing.width}px`, `${drawing.height}px`];
  const context = canvas.getContext("2d");
  context.scale(ratio, ratio);
  drawing.marks.forEach(mark => paintMark(context, mark));
};

// Ticks of a linear axis from 0: round numbers, at most so many.
const evenTicks = (low, high, most) => steps(low, high, Math.max(1, most));

// Lines across a box that tell it from others without colours: pairs of ends, half a step from its edges.
const hatchLines = (lines, width, height, step) => lines.flatMap(line => {
  const reach = line === "across" ? height : line === "upright" ? width : width + height;
  const ends = at => {
    if (line === "across") return [0, at, width, at];
    if (line === "upright") return [at, 0, at, height];
    const [x0, y0] = [Math.min(at, width), Math.max(0, at - width)];
    const [x1, y1] = [Math.max(0, at - height), Math.min(at, height)];
    return line === "rising" ? [x0, y0, x1, y1] : [width - x0, y0, width - x1, y1];
  };
  return Array.from({ length: Math.max(0, Math.ceil(reach / step - 0.5)) }, (_, index) => ends((index + 0.5) * step));
});
const addHatch = (drawing, lines, [left, top, right, bottom], style) => {
  for (const [x0, y0, x1, y1] of hatchLines(lines, right - left, bottom - top, 6)) {
    drawing.path([left + x0, top + y0, left + x1, top + y1], style);
  }
};
