// The numbers of the page: arms, axes and the lines of every quantity. Nothing is loaded from elsewhere.
const data = JSON.parse(document.getElementById("data").textContent);

// Lists are 32-bit floats in base 64, little-endian as all machines that browsers run on; or plain numbers.
const floats = code => {
  if (Array.isArray(code)) return Float64Array.from(code);
  const bytes = Uint8Array.from(atob(code.above || code), letter => letter.charCodeAt(0));
  const base = code.base || 0;
  return Float64Array.from(new Float32Array(bytes.buffer), value => base + value);
};
// Made when it is first asked for: most quantities are never looked at.
const once = make => {
  let made;
  return () => made === undefined ? (made = make()) : made;
};

const slopeOf = own => ({ ...own, x: own.x.map(code => once(() => floats(code))), y: once(() => floats(own.y)) });
const quantities = data.quantities.map(own =>
  own && { ...own, curves: [], rules: own.rules || [], slopes: (own.slopes || []).map(slopeOf) });
for (const line of data.lines) {
  const x = line.x.map(code => once(() => floats(code)));
  const running = line.running && once(() => floats(line.running));
  for (const { quantity, median, low, high, trend } of line.curves) {
    quantities[quantity].curves.push({
      arm: line.arm,
      rounds: line.rounds,
      x: axis => x[axis](),
      median: once(() => floats(median)),
      low: low && once(() => floats(low)),
      high: high && once(() => floats(high)),
      trend: trend && once(() => floats(trend)),
      running,
    });
  }
}
const measured = quantities.map((own, number) => number).filter(number => quantities[number]);
