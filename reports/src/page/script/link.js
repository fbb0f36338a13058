// The state as the fragment of the page's address, so that it can be kept and sent: what differs from the first state.
const numbersOf = text => text === "" ? [] : text.split(",").flatMap(part => {
  const [first, last = first] = part.split("-").map(Number);
  const isRange = Number.isInteger(first) && last >= first && last < data.arms.length;
  return isRange ? Array.from({ length: last - first + 1 }, (_, index) => first + index) : [NaN];
});
const rangesOf = numbers => {
  const parts = [];
  for (const number of [...numbers].sort((a, b) => a - b)) {
    const last = parts[parts.length - 1];
    if (last && number === last[1] + 1) last[1] = number; else parts.push([number, number]);
  }
  return parts.map(([from, to]) => from === to ? from : `${from}-${to}`).join(",");
};
const axisNamed = name => data.x.findIndex(axis => axis.name === name);

// A name among others that commas and semicolons keep apart.
const nameIn = text => text.replace(/[%,;]/g, encodeURIComponent);
// Both ends of a range to a millionth of it, so that they stay apart where they differ little.
const endsOf = ({ from, to }) => {
  const more = Math.ceil(Math.log10(Math.max(Math.abs(from), Math.abs(to)) / (to - from)));
  return [from, to].map(end => Number(end.toPrecision(Math.min(17, 6 + Math.max(0, more)))));
};

// By key: the text of the state, and the part of the state that a text gives; undefined where the page has no such.
const fields = {
  chart: {
    write: ({ charts }) => charts.map(({ quantity, x, logX, logY, y }) => {
      const scales = (logX ? "x" : "") + (logY ? "y" : "");
      const name = nameIn(quantities[quantity].name);
      return [name, data.x[x].name, scales, ...(y || []).map(end => end ?? "")].join(",");
    }).join(";"),
    read: text => {
      const charts = text.split(";").map(part => {
        const [name, axis, logs = "", ...ends] = part.split(",");
        const quantity = quantities.findIndex(own => own && nameIn(own.name) === name);
        const y = ends.length === 2 ? ends.map(end => end === "" ? null : Number(end)) : null;
        return { quantity, x: axisNamed(axis), logX: logs.includes("x"), logY: logs.includes("y"), y };
      });
      const isKnown = ({ quantity, x, y }) => quantity >= 0 && x >= 0 && !(y && y.some(Number.isNaN));
      const known = charts.every(isKnown) && charts.length <= MOST_CHARTS;
      return known ? { charts } : undefined;
    },
  },
  arms: {
    write: ({ shown }) => rangesOf(shown.flatMap((own, number) => own ? [number] : [])),
    read: text => {
      const numbers = new Set(numbersOf(text));
      return numbers.has(NaN) ? undefined : { shown: data.arms.map((arm, number) => numbers.has(number)) };
    },
  },
  pin: {
    write: ({ pinned }) => rangesOf(pinned),
    read: text => numbersOf(text).includes(NaN) ? undefined : { pinned: numbersOf(text) },
  },
  range: {
    // All of every axis is the empty text.
    write: ({ range }) => range ? [data.x[range.x].name, ...endsOf(range)].join(",") : "",
    read: text => {
      if (text === "") return { range: null };
      const [name, from, to] = text.split(",");
      const range = { x: axisNamed(name), from: Number(from), to: Number(to) };
      return range.x >= 0 && range.from < range.to ? { range } : undefined;
    },
  },
  bands: { write: ({ bands }) => String(bands), read: text => ({ bands: text === "true" }) },
  marks: { write: ({ marks }) => String(marks), read: text => ({ marks: text === "true" }) },
  smooth: {
    write: ({ smooth }) => smooth === null ? "" : String(smooth),
    read: text => SMOOTHINGS.includes(Number(text)) ? { smooth: Number(text) } : undefined,
  },
  sort: {
    write: ({ sort }) => (sort.down ? "-" : "") + sort.by,
    read: text => {
      const by = text.replace("-", "");
      return /^(arm|runs|[xy][0-9])$/.test(by) ? { sort: { by, down: text.startsWith("-") } } : undefined;
    },
  },
  group: {
    write: ({ group }) => group < 0 ? "" : data.axes[group].name,
    read: text => {
      const group = data.axes.findIndex(axis => axis.name === text);
      return group >= 0 ? { group } : undefined;
    },
  },
  search: { write: ({ search }) => search, read: text => ({ search: text }) },
  theme: {
    write: ({ theme }) => theme,
    read: text => ["auto", "light", "dark"].includes(text) ? { theme: text } : undefined,
  },
};

const fragment = () => {
  const first = firstState();
  const parts = Object.entries(fields).filter(([, own]) => own.write(state) !== own.write(first));
  // What an address may hold as it is stays legible.
  const plain = text => encodeURIComponent(text).replace(/%2C/g, ",").replace(/%3B/g, ";");
  return parts.map(([key, own]) => `${key}=${plain(own.write(state))}`).join("&");
};
let written = "";
let timer = 0;
// Browsers limit how often an address may change.
const keep = () => {
  clearTimeout(timer);
  timer = setTimeout(() => {
    const now = fragment();
    if (now === written) return;
    written = now;
    history.replaceState(null, "", now ? `#${now}` : location.pathname + location.search);
  }, 150);
};
const restore = () => {
  const text = location.hash.slice(1);
  // The id of a section is no state.
  if (!text.includes("=") || text === written) return;
  written = text;
  const unknown = [];
  const parts = text.split("&").map(part => {
    const [key, value = ""] = part.split(/=(.*)/s);
    let found;
    try {
      found = Object.hasOwn(fields, key) ? fields[key].read(decodeURIComponent(value)) : undefined;
    } catch {
      // A % that no two digits follow.
    }
    if (!found) unknown.push(part);
    return found;
  });
  Object.assign(state, firstState(), ...parts);
  byId("note").hidden = unknown.length === 0;
  byId("note").textContent = `The address asks for what this report does not have: ${unknown.join(", ")}`;
};
views.push(keep);
window.addEventListener("hashchange", () => {
  restore();
  refresh();
});
