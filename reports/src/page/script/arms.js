// The table of the arms: which are shown and pinned, and their values at the cursor or at their ends.
const sample = arm => {
  const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  const line = document.createElementNS("http://www.w3.org/2000/svg", "path");
  const dash = arm.dash.map(length => 1.6 * length).join(" ");
  const width = arm.several ? 3.4 : 2;
  const values = { d: "M1 5H33", stroke: colorOf(arm), "stroke-width": width, "stroke-dasharray": dash, fill: "none" };
  Object.entries(values).forEach(([name, value]) => line.setAttribute(name, value));
  const size = { width: 34, height: 10, "aria-hidden": true };
  Object.entries(size).forEach(([name, value]) => svg.setAttribute(name, value));
  svg.append(line);
  return svg;
};
const show = wanted => change({ shown: data.arms.map((arm, number) => wanted(number)) });
const found = () => {
  const words = state.search.toLowerCase().split(/\s+/).filter(word => word);
  const has = arm => words.every(word => arm.label.toLowerCase().includes(word));
  return data.arms.map((arm, number) => number).filter(number => has(data.arms[number]));
};

// The columns: the arm, its runs, and of every chart the value and where it was measured.
const columns = () => [
  { by: "arm", head: "arm" },
  { by: "runs", head: "runs" },
  ...state.charts.flatMap((chart, number) => {
    const curves = new Map(quantities[chart.quantity].curves.map(curve => [curve.arm, curve]));
    const view = charts[number].view();
    const x = view.unit[1] || view.axis.words;
    return [
      { by: `y${number}`, head: quantities[chart.quantity].words, curves, of: (curve, index) => curve.median()[index] },
      { by: `x${number}`, head: x, curves, of: (curve, index) => curve.x(chart.x)[index] / view.unit[0] },
    ];
  }),
];
const endOf = (column, arm) => {
  const curve = column.curves.get(arm);
  return curve ? column.of(curve, curve.median().length - 1) : null;
};
const sorted = (numbers, all) => {
  const { by, down } = state.sort;
  const column = all.find(own => own.by === by) || all[0];
  const key = arm => column.curves ? endOf(column, arm) : column.by === "runs" ? data.arms[arm].runs : arm;
  // What has no value stands last in either order.
  const order = (one, other) => one === null || other === null
    ? (one === null) - (other === null) : (down ? -1 : 1) * (one - other);
  const pinned = arm => state.pinned.includes(arm) ? 0 : 1;
  return [...numbers].sort((a, b) => pinned(a) - pinned(b) || order(key(a), key(b)) || a - b);
};

let rows = [];
let groups = [];
let tableColumns = [];
const header = all => {
  const row = make("tr");
  const head = column => {
    const cell = make("th", undefined, row);
    const isSorted = state.sort.by === column.by;
    cell.scope = "col";
    cell.setAttribute("aria-sort", !isSorted ? "none" : state.sort.down ? "descending" : "ascending");
    const sort = { by: column.by, down: isSorted && !state.sort.down };
    const arrow = !isSorted ? "" : state.sort.down ? " ▼" : " ▲";
    const own = button(column.head + arrow, cell, () => change({ sort }));
    own.id = `sort-${column.by}`;
  };
  all.forEach(head);
  byId("arms").tHead.replaceChildren(row);
};
const armRow = (number, all, body) => {
  const arm = data.arms[number];
  const row = make("tr", undefined, body);
  row.dataset.arm = number;
  const first = make("div", undefined, make("td", undefined, row));
  const pin = button("pin", first, () => togglePin(number));
  pin.className = "pin";
  pin.id = `pin-${number}`;
  pin.setAttribute("aria-pressed", state.pinned.includes(number));
  pin.setAttribute("aria-label", `Pin ${arm.label}`);
  const label = make("label", undefined, first);
  const box = make("input", undefined, label);
  Object.assign(box, { type: "checkbox", id: `show-${number}` });
  box.addEventListener("change", () => show(other => other === number ? box.checked : state.shown[other]));
  label.append(sample(arm));
  make("span", arm.label, label);
  make("td", String(arm.runs), row);
  const cells = all.slice(2).map(() => make("td", "", row));
  row.addEventListener("mouseenter", () => point({ lit: number }));
  row.addEventListener("mouseleave", () => point({ lit: null }));
  return { number, row, cells, box };
};
const groupRow = (axis, level, members, body) => {
  const row = make("tr", undefined, body);
  row.className = "group";
  const cell = make("th", undefined, row);
  Object.assign(cell, { colSpan: tableColumns.length, scope: "rowgroup" });
  const label = make("label", undefined, cell);
  const box = make("input", undefined, label);
  Object.assign(box, { type: "checkbox", id: `level-${level}` });
  box.addEventListener("change", () => show(number => members.includes(number) ? box.checked : state.shown[number]));
  const name = level === undefined ? "of several levels" : axis.levels[level];
  const words = make("span", undefined, label);
  groups.push({ box, words, members, name: ` ${axis.name}: ${name}` });
};

// The names of the lines above the charts, as the table may be far below; of many arms it alone has them.
const MOST_NAMES = 12;
const fillLegend = () => {
  const shown = data.arms.map((arm, number) => number).filter(number => state.shown[number]);
  byId("legend").replaceChildren(...shown.length > MOST_NAMES ? [] : shown.map(number => {
    const key = make("span");
    key.append(sample(data.arms[number]), data.arms[number].label);
    key.addEventListener("mouseenter", () => point({ lit: number }));
    key.addEventListener("mouseleave", () => point({ lit: null }));
    return key;
  }));
};
const fillTable = () => {
  const focused = document.activeElement && document.activeElement.id;
  tableColumns = columns();
  header(tableColumns);
  const body = byId("arms").tBodies[0];
  body.replaceChildren();
  groups = [];
  const numbers = sorted(found(), tableColumns);
  const axis = data.axes[state.group];
  // Several arms as one have no level.
  const levels = axis ? [...axis.levels.keys(), undefined] : [null];
  rows = levels.flatMap(level => {
    const members = numbers.filter(number => level === null || data.arms[number].levels[state.group] === level);
    if (level !== null && members.length > 0) groupRow(axis, level, members, body);
    return members.map(number => armRow(number, tableColumns, body));
  });
  const [count, all] = [numbers.length, data.arms.length];
  const which = count === all ? `all ${all}` : `the ${count} found`;
  byId("show-found").textContent = `Show ${which}`;
  byId("hide-found").textContent = `Hide ${which}`;
  byId("search").value = state.search;
  byId("group").value = String(state.group);
  markShown();
  showValues();
  // Who works with the keyboard stays where they were.
  if (focused && byId(focused) && byId(focused) !== document.activeElement) byId(focused).focus();
};
// Which arms are shown, in the rows that stand there.
const markShown = () => {
  for (const { number, row, box } of rows) {
    row.classList.toggle("off", !state.shown[number]);
    box.checked = state.shown[number];
  }
  for (const { box, words, members, name } of groups) {
    const on = members.filter(number => state.shown[number]).length;
    Object.assign(box, { checked: on > 0, indeterminate: on > 0 && on < members.length });
    words.textContent = `${name} (${on} of ${members.length} shown)`;
  }
};
// Of replicates that have ended the last value counts; the brackets say how many go on.
const goOn = (curve, index) => {
  const running = curve.running && curve.running();
  return running && running[index] < running[0] ? ` (${running[index]}/${running[0]} go on)` : "";
};
const showValues = () => {
  const { cursor, lit } = pointer;
  if (cursor) {
    const view = charts[cursor.chart] && charts[cursor.chart].view();
    if (!view) return;
    byId("hint").textContent = `at ${named(view.axis.words, view.unit)} = ${digits(cursor.value / view.unit[0])}`;
  } else {
    byId("hint").textContent = "At the ends; move over a chart to read values.";
  }
  for (const { number, row, cells } of rows) {
    row.classList.toggle("lit", lit === number);
    tableColumns.slice(2).forEach((column, place) => {
      const curve = column.curves.get(number);
      const last = curve ? curve.median().length - 1 : -1;
      const index = curve && cursor ? pointAt(curve.x(cursor.x), cursor.value) : last;
      const more = cursor && index >= 0 && column.by.startsWith("y") ? goOn(curve, index) : "";
      cells[place].textContent = index < 0 ? "–" : digits(column.of(curve, index)) + more;
    });
  }
};
const tableKey = () => {
  const { charts, pinned, sort, group, search } = state;
  return [charts.map(({ quantity, x }) => [quantity, x]), pinned, sort, group, search, isDark()];
};
views.push(
  whenNew(tableKey, fillTable),
  whenNew(() => [state.shown], markShown),
  whenNew(() => [state.shown, isDark()], fillLegend),
);
pointerViews.push(showValues);
