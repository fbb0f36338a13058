// A drawing as PDF: lines, areas and text in the page's own font, which the file holds, so that text stays text.
const fontBytes = once(() => {
  const code = document.querySelector("style").textContent.match(/data:font\/otf;base64,([^)]*)\)/)[1];
  return Uint8Array.from(atob(code), letter => letter.charCodeAt(0));
});
// What a PDF needs to know of the font: glyphs of characters, and their widths in thousandths of the size.
const face = once(() => {
  const view = new DataView(fontBytes().buffer);
  const tables = {};
  for (let index = 0; index < view.getUint16(4); index++) {
    const at = 12 + 16 * index;
    tables[String.fromCharCode(...fontBytes().subarray(at, at + 4))] = view.getUint32(at + 8);
  }
  const { head, hhea, hmtx, cmap } = tables;
  const perEm = view.getUint16(head + 18);
  const wide = view.getUint16(hhea + 34);
  const width = glyph => Math.round(1000 * view.getUint16(hmtx + 4 * Math.min(glyph, wide - 1)) / perEm);
  const metric = offset => Math.round(1000 * view.getInt16(hhea + offset) / perEm);
  const box = [36, 38, 40, 42].map(offset => Math.round(1000 * view.getInt16(head + offset) / perEm));
  return { glyphs: glyphsOf(view, cmap), width, ascent: metric(4), descent: metric(6), box };
});
// The map from characters to glyphs: of the tables' formats 4 and 12, which hold all of Unicode that fonts have.
const glyphsOf = (view, cmap) => {
  const glyphs = new Map();
  for (let index = 0; index < view.getUint16(cmap + 2); index++) {
    const table = cmap + view.getUint32(cmap + 8 + 8 * index);
    const format = view.getUint16(table);
    if (format === 12) {
      for (let group = 0; group < view.getUint32(table + 12); group++) {
        const [first, last, glyph] = [0, 4, 8].map(offset => view.getUint32(table + 16 + 12 * group + offset));
        for (let code = first; code <= last; code++) glyphs.set(code, glyph + code - first);
      }
    } else if (format === 4) {
      const count = view.getUint16(table + 6) / 2;
      for (let segment = 0; segment < count; segment++) {
        const at = place => table + 14 + 2 * segment + place;
        const [last, first] = [view.getUint16(at(0)), view.getUint16(at(2 * count + 2))];
        const [delta, offset] = [view.getUint16(at(4 * count + 2)), view.getUint16(at(6 * count + 2))];
        for (let code = first; code <= last && code < 0xffff; code++) {
          const own = offset === 0 ? code : view.getUint16(at(6 * count + 2) + offset + 2 * (code - first));
          const glyph = own === 0 && offset !== 0 ? 0 : (own + delta) & 0xffff;
          if (glyph !== 0) glyphs.set(code, glyph);
        }
      }
    }
  }
  return glyphs;
};
// The glyphs of a text: { letter, glyph, raised }. Raised digits are small ones; other characters that the font lacks
// are written as their code points, as in the figures.
const RAISE = { size: 0.68, rise: 0.34 };
const glyphsOfText = words => [...words].flatMap(letter => {
  const glyphOf = own => face().glyphs.get(own.codePointAt(0));
  const place = RAISED.indexOf(letter);
  if (place >= 0) {
    const own = "\u22120123456789"[place];
    return [{ letter: own, glyph: glyphOf(own), raised: true }];
  }
  if (glyphOf(letter) !== undefined) return [{ letter, glyph: glyphOf(letter), raised: false }];
  const code = `<U+${letter.codePointAt(0).toString(16).toUpperCase().padStart(4, "0")}>`;
  return [...code].map(own => ({ letter: own, glyph: glyphOf(own) || 0, raised: false }));
});

const hexOf = (number, digits = 4) => number.toString(16).padStart(digits, "0");
const channels = color => {
  const [, hex] = color.match(/^#([0-9a-f]{6})/i) || [];
  const all = hex ? [0, 2, 4].map(at => parseInt(hex.slice(at, at + 2), 16)) : color.match(/[\d.]+/g).map(Number);
  return all.slice(0, 3).map(value => short(value / 255)).join(" ");
};
// The drawing as the content of a PDF page, and what it uses: transparencies and glyphs.
const contentOf = drawing => {
  const [alphas, used] = [[1], new Map()];
  const alphaOf = alpha => {
    if (!alphas.includes(alpha)) alphas.push(alpha);
    return `/A${alphas.indexOf(alpha)} gs`;
  };
  const path = ({ points, close, fill, stroke, width, dash, alpha }) => {
    const trail = pointsOf(points).map((point, index) => `${point.replace(",", " ")} ${index ? "l" : "m"}`).join("\n");
    const paint = fill && stroke ? "B" : fill ? "f" : "S";
    const how = [alphaOf(alpha ?? 1), fill && `${channels(fill)} rg`, stroke && `${channels(stroke)} RG`,
      stroke && `${short(width ?? 1)} w [${(dash || []).map(short).join(" ")}] 0 d`];
    return `${how.filter(own => own).join(" ")}\n${trail}${close ? " h" : ""} ${paint}`;
  };
  const text = ({ words, x, y, size, anchor, turn, fill }) => {
    const glyphs = glyphsOfText(words);
    glyphs.forEach(({ letter, glyph }) => used.set(glyph, letter));
    const share = ({ glyph, raised }) => face().width(glyph) * (raised ? RAISE.size : 1);
    const length = glyphs.reduce((sum, own) => sum + share(own), 0) * size / 1000;
    const back = anchor === "middle" ? length / 2 : anchor === "end" ? length : 0;
    const place = turn ? `0 -1 -1 0 ${short(x)} ${short(y + back)}` : `1 0 0 -1 ${short(x - back)} ${short(y)}`;
    const letters = raised => raised
      ? `/F ${short(RAISE.size * size)} Tf ${short(RAISE.rise * size)} Ts` : `/F ${size} Tf 0 Ts`;
    const runs = [];
    for (const { glyph, raised } of glyphs) {
      const last = runs[runs.length - 1];
      if (last && last.raised === raised) last.codes += hexOf(glyph); else runs.push({ raised, codes: hexOf(glyph) });
    }
    const body = runs.map(({ raised, codes }) => `${letters(raised)} <${codes}> Tj`).join(" ");
    return `${alphaOf(1)} ${channels(fill)} rg BT ${place} Tm ${body} ET`;
  };
  const clip = ({ left, top, right, bottom }) =>
    `q ${[left, top, right - left, bottom - top].map(short).join(" ")} re W n`;
  const kinds = { path, text, clip, unclip: () => "Q" };
  const body = drawing.marks.map(mark => kinds[mark.kind](mark)).join("\n");
  return { body: `0.75 0 0 -0.75 0 ${short(0.75 * drawing.height)} cm 1 j\n${body}\n`, alphas, used };
};

const deflated = async bytes => {
  // Without it, in old browsers, the file is larger.
  if (typeof CompressionStream === "undefined") return null;
  const stream = new Blob([bytes]).stream().pipeThrough(new CompressionStream("deflate"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
};
const utf16 = text => `<feff${Array.from(text, letter => letter).flatMap(letter =>
  Array.from({ length: letter.length }, (_, index) => hexOf(letter.charCodeAt(index)))).join("")}>`;
// What text of the file means, for those who search and copy it.
const meaning = used => {
  const entries = [...used].map(([glyph, letter]) => `<${hexOf(glyph)}> ${utf16(letter).replace("feff", "")}`);
  const blocks = [];
  for (let at = 0; at < entries.length; at += 100) {
    const block = entries.slice(at, at + 100);
    blocks.push(`${block.length} beginbfchar`, ...block, "endbfchar");
  }
  return ["/CIDInit /ProcSet findresource begin 12 dict begin begincmap /CMapName /M def /CMapType 2 def",
    "1 begincodespacerange <0000> <ffff> endcodespacerange", ...blocks, "endcmap end end"].join("\n");
};
const pdfOf = async (drawing, title) => {
  const { body, alphas, used } = contentOf(drawing);
  const { box, ascent, descent } = face();
  const widths = [...used.keys()].map(glyph => `${glyph} [${face().width(glyph)}]`).join(" ");
  const size = [drawing.width, drawing.height].map(length => short(0.75 * length)).join(" ");
  const states = alphas.map((alpha, index) => `/A${index} <</CA ${short(alpha)} /ca ${short(alpha)}>>`).join(" ");
  const bytes = text => new TextEncoder().encode(text);
  const objects = [
    "<</Type /Catalog /Pages 2 0 R>>",
    "<</Type /Pages /Kids [3 0 R] /Count 1>>",
    `<</Type /Page /Parent 2 0 R /MediaBox [0 0 ${size}] /Contents 4 0 R `
      + `/Resources <</Font <</F 5 0 R>> /ExtGState <<${states}>>>>>>`,
    ["", bytes(body)],
    "<</Type /Font /Subtype /Type0 /BaseFont /FedbitsFigure /Encoding /Identity-H /DescendantFonts [6 0 R] "
      + "/ToUnicode 9 0 R>>",
    "<</Type /Font /Subtype /CIDFontType0 /BaseFont /FedbitsFigure /FontDescriptor 7 0 R "
      + `/CIDSystemInfo <</Registry (Adobe) /Ordering (Identity) /Supplement 0>> /W [${widths}]>>`,
    `<</Type /FontDescriptor /FontName /FedbitsFigure /Flags 4 /FontBBox [${box.join(" ")}] /ItalicAngle 0 `
      + `/Ascent ${ascent} /Descent ${descent} /CapHeight 700 /StemV 80 /FontFile3 8 0 R>>`,
    ["/Subtype /OpenType", fontBytes()],
    ["", bytes(meaning(used))],
    `<</Title ${utf16(title)} /Subject ${utf16(originOfPage())} /Producer (fedbits)>>`,
  ];
  return new Blob(await filed(objects, bytes), { type: "application/pdf" });
};
// The objects with their table of contents.
const filed = async (objects, bytes) => {
  const [parts, places] = [[], []];
  let length = 0;
  const add = part => { parts.push(part); length += part.length; };
  add(bytes("%PDF-1.6\n%\u00e4\u00f6\u00fc\n"));
  for (const [index, object] of objects.entries()) {
    places.push(length);
    add(bytes(`${index + 1} 0 obj\n`));
    if (typeof object === "string") {
      add(bytes(object));
    } else {
      const packed = await deflated(object[1]);
      const content = packed || object[1];
      add(bytes(`<<${object[0]} /Length ${content.length}${packed ? " /Filter /FlateDecode" : ""}>>\nstream\n`));
      add(content);
      add(bytes("\nendstream"));
    }
    add(bytes("\nendobj\n"));
  }
  const start = length;
  const table = places.map(place => `${String(place).padStart(10, "0")} 00000 n \n`).join("");
  add(bytes(`xref\n0 ${objects.length + 1}\n0000000000 65535 f \n${table}trailer\n`
    + `<</Size ${objects.length + 1} /Root 1 0 R /Info ${objects.length} 0 R>>\nstartxref\n${start}\n%%EOF\n`));
  return parts;
};
