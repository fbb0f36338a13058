// Where the bits of the shown arms went: a bar per arm.
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
  const color = kind => kind.pale ? kind.color + "73" : kind.color;
  kinds.forEach(kind => {
    const key = make("span", undefined, keys);
    make("i", undefined, key).style.background = color(kind);
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
      part.style.background = color(kind);
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
views.push(drawBars);
