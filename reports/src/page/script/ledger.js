// Where the bits of the shown arms went: a bar per arm, its parts hatched as in the figure, so that grey print tells
// them apart.
const ANGLES = { rising: 135, falling: 45, across: 180, upright: 90 };
const hatched = ({ hatch: { lines, dense, ink }, color, pale }) => {
  const step = dense ? 4 : 7;
  const stripes = `transparent 0 ${step - 1.2}px, ${ink} ${step - 1}px ${step}px`;
  const line = kind => `repeating-linear-gradient(${ANGLES[kind]}deg, ${stripes})`;
  const own = pale ? `${color}73` : color;
  return [...lines.map(line), `linear-gradient(${own}, ${own})`].join(", ");
};
const drawBars = () => {
  const element = byId("bars");
  element.replaceChildren();
  if (!data.ledger) return;
  const { kinds, bars } = data.ledger;
  const sum = bar => bar.reduce((sum, bits) => sum + bits, 0);
  const shown = data.arms.map((arm, number) => number).filter(number => state.shown[number]);
  const most = Math.max(...shown.map(number => sum(bars[number])), 0);
  const [size, name] = unitOf("bits", most);
  const keys = make("div", undefined, element);
  keys.className = "keys";
  kinds.forEach(kind => {
    const key = make("span", undefined, keys);
    make("i", undefined, key).style.background = hatched(kind);
    key.append(kind.words);
  });
  const value = make("p", shown.length > 0 ? "Move over a bar to read it. Mean bits per run." : "No arm is shown.");
  value.id = "bar-value";
  value.className = "hint";
  for (const number of shown) {
    const { label } = data.arms[number];
    const total = sum(bars[number]);
    const line = make("div", undefined, element);
    line.className = "bar";
    make("span", label, line).className = "name";
    const parts = make("span", undefined, line);
    parts.className = "parts";
    const said = kinds.flatMap((kind, index) => {
      const bits = bars[number][index];
      if (!(bits > 0)) return [];
      const part = make("span", undefined, parts);
      part.style.background = hatched(kind);
      part.style.width = `${100 * bits / most}%`;
      const words = `${kind.words}: ${digits(bits / size)} ${name} (${digits(100 * bits / total, 3)} %)`;
      part.title = `${label}, ${words}`;
      part.addEventListener("mouseenter", () => { value.textContent = part.title; });
      return [words];
    });
    parts.setAttribute("role", "img");
    parts.setAttribute("aria-label", said.join("; "));
    make("span", `${digits(total / size)} ${name}`, line).className = "sum";
  }
  element.append(value);
};
byId("bars").hidden = false;
byId("ledger-section").hidden = !data.ledger;
views.push(whenNew(() => [state.shown, isDark()], drawBars));
