// Where the bits of the shown arms went: a bar per arm, its parts hatched as in the figure, so that grey print tells
// them apart.
const ANGLES = { rising: 135, falling: 45, across: 180, upright: 90 };
const hatched = ({ hatch: { lines, dense, ink }, color, cover }) => {
  const step = dense ? 4 : 7;
  const stripes = `transparent 0 ${step - 1.2}px, ${ink} ${step - 1}px ${step}px`;
  const line = kind => `repeating-linear-gradient(${ANGLES[kind]}deg, ${stripes})`;
  const own = color + Math.round(255 * cover).toString(16).padStart(2, "0");
  return [...lines.map(line), `linear-gradient(${own}, ${own})`].join(", ");
};
const sumOf = bar => bar.reduce((sum, bits) => sum + bits, 0);
// The parts of an arm's bar, in shares of it.
const makeBar = (number, value) => {
  const { kinds, bars } = data.ledger;
  const { label } = data.arms[number];
  const total = sumOf(bars[number]);
  const [size, name] = unitOf("bits", total);
  const line = make("div");
  line.className = "bar";
  make("span", label, line).className = "name";
  const room = make("span", undefined, line);
  room.className = "room";
  const parts = make("span", undefined, room);
  parts.className = "parts";
  const said = kinds.flatMap((kind, index) => {
    const bits = bars[number][index];
    if (!(bits > 0)) return [];
    const part = make("span", undefined, parts);
    part.style.background = hatched(kind);
    part.style.width = `${100 * bits / total}%`;
    const words = `${kind.words}: ${digits(bits / size)} ${name} (${digits(100 * bits / total, 3)} %)`;
    part.title = `${label}, ${words}`;
    part.addEventListener("mouseenter", () => { value.textContent = part.title; });
    return [words];
  });
  parts.setAttribute("role", "img");
  parts.setAttribute("aria-label", said.join("; "));
  const sum = make("span", undefined, line);
  sum.className = "sum";
  return { number, total, line, parts, sum };
};
// All bars are made once: what is shown changes their lengths.
const makeBars = once(() => {
  const element = byId("bars");
  const keys = make("div", undefined, element);
  keys.className = "keys";
  data.ledger.kinds.forEach(kind => {
    const key = make("span", undefined, keys);
    make("i", undefined, key).style.background = hatched(kind);
    key.append(kind.words);
  });
  const value = make("p");
  value.id = "bar-value";
  value.className = "hint";
  const all = data.arms.map((arm, number) => makeBar(number, value));
  element.append(...all.map(({ line }) => line), value);
  return { all, value };
});
const drawBars = () => {
  if (!data.ledger) return;
  const { all, value } = makeBars();
  const most = Math.max(...all.filter(({ number }) => state.shown[number]).map(({ total }) => total), 0);
  const [size, name] = unitOf("bits", most);
  for (const { number, total, line, parts, sum } of all) {
    line.hidden = !state.shown[number];
    if (line.hidden) continue;
    parts.style.width = `${100 * total / most}%`;
    sum.textContent = `${digits(total / size)} ${name}`;
  }
  value.textContent = most > 0 ? "Move over a bar to read it. Mean bits per run." : "No arm is shown.";
};
byId("bars").hidden = false;
byId("ledger-section").hidden = !data.ledger;
views.push(whenNew(() => [state.shown], drawBars));
