// Elements of the page, and numbers with their units as words.
const byId = id => document.getElementById(id);
const make = (name, content, parent) => {
  const element = document.createElement(name);
  if (content !== undefined) element.textContent = content;
  if (parent) parent.append(element);
  return element;
};
const button = (words, parent, then) => {
  const element = make("button", words, parent);
  element.type = "button";
  element.addEventListener("click", then);
  return element;
};
// Fills a list of choices, of which each has a value and words.
const choices = (select, all) => select.replaceChildren(...all.map(([value, words]) => new Option(words, value)));

const minus = text => text.replace(/-/g, "\u2212");
const digits = (value, count = 4) => {
  if (value === null || value === undefined) return "–";
  if (value === 0) return "0";
  const size = Math.abs(value);
  const whole = Math.max(count, Math.floor(Math.log10(size)) + 1);
  const plain = size < 1e6 && size >= 1e-3;
  return minus(plain ? String(Number(value.toPrecision(whole))) : value.toExponential(count - 1));
};
const UNITS = {
  bits: [[1e12, "Tbit"], [1e9, "Gbit"], [1e6, "Mbit"], [1e3, "kbit"], [1, "bit"]],
  time: [[3600, "h"], [1, "s"], [1e-3, "ms"], [1e-6, "µs"], [1e-9, "ns"]],
  energy: [[1e6, "MJ"], [1e3, "kJ"], [1, "J"], [1e-3, "mJ"]],
  count: [[1, ""]],
};
// The size and the name of the unit of an axis that reaches this far; hours from two hours on.
const unitOf = (kind, most) => {
  const units = UNITS[kind];
  return units.find(([size]) => most >= (size === 3600 ? 7200 : size)) || units[units.length - 1];
};
const named = (words, unit) => words + (unit[1] ? ` (${unit[1]})` : "");

// "1 point", "2 points": the words for one and for more.
const counted = (count, one, more) => `${count} ${count === 1 ? one : more}`;

// Positions of a logarithmic axis: powers of ten; where fewer than three are inside, their multiples by 2 and 5, too;
// where these are fewer than two, even steps.
const power = value => Math.round(Math.log10(value));
const isPower = value => Math.abs(Math.log10(value) - power(value)) < 1e-9;
const steps = (low, high, most) => {
  const least = (high - low) / most;
  const size = Math.pow(10, Math.floor(Math.log10(least)));
  const step = size * [1, 2, 5, 10].find(digit => digit * size >= least);
  const [first, last] = [Math.ceil(low / step), Math.floor(high / step)];
  return Array.from({ length: Math.max(0, last - first + 1) }, (_, index) => (first + index) * step);
};
const logPositions = (low, high) => {
  const [first, last] = [Math.floor(Math.log10(low)), Math.ceil(Math.log10(high))];
  const powers = Array.from({ length: last - first + 1 }, (_, index) => first + index);
  const inside = value => value >= low * (1 - 1e-9) && value <= high * (1 + 1e-9);
  const own = powers.filter(exponent => inside(Math.pow(10, exponent)));
  const every = Math.ceil(own.length / 9);
  if (own.length > 2) return own.filter(exponent => exponent % every === 0).map(exponent => Math.pow(10, exponent));
  const multiples = powers.flatMap(exponent => [1, 2, 5].map(digit => digit * Math.pow(10, exponent))).filter(inside);
  return multiples.length > 1 ? multiples : steps(low, high, 5);
};
const RAISED = "⁻⁰¹²³⁴⁵⁶⁷⁸⁹";
const raised = exponent => `10${String(exponent).replace(/[-0-9]/g, c => RAISED["-0123456789".indexOf(c)])}`;
const logLabels = values => {
  const plain = values.some(value => !isPower(value)) || values.every(value => Math.abs(power(value)) < 4);
  return values.map(value => plain ? digits(value, 5) : raised(power(value)));
};
const linearLabels = values => values.map(value => digits(value, 6));
