// Begins: the choices of the whole page, then everything is shown once.
const smoothings = SMOOTHINGS.map(own => [String(own), own ? `over ${own} %` : "none"]);
choices(byId("smooth"), [["", "as in the figures"], ...smoothings]);
choices(byId("group"), [["-1", "nothing"], ...data.axes.map((axis, number) => [String(number), axis.name])]);
byId("group-label").hidden = data.axes.length === 0;
const onChange = (id, part) => byId(id).addEventListener("change", event => change(part(event.target)));
const onClick = (id, then) => byId(id).addEventListener("click", then);
onChange("theme", list => ({ theme: list.value }));
onChange("bands", box => ({ bands: box.checked }));
onChange("smooth", list => ({ smooth: list.value === "" ? null : Number(list.value) }));
onChange("group", list => ({ group: Number(list.value) }));
byId("search").addEventListener("input", event => change({ search: event.target.value }));
onClick("show-found", () => { const own = found(); show(number => own.includes(number) || state.shown[number]); });
onClick("hide-found", () => { const own = found(); show(number => !own.includes(number) && state.shown[number]); });
onClick("add-chart", () => {
  const used = state.charts.map(chart => chart.quantity);
  const next = measured.find(quantity => !used.includes(quantity)) ?? measured[0];
  change({ charts: [...state.charts, chartOf(next, state.charts[0].x)] });
});
onClick("reset-zoom", wholeRange);
onChange("marks", box => ({ marks: box.checked }));
byId("marks-label").hidden = !quantities.some(own => own && own.rules.length + own.slopes.length > 0);
byId("bands-words").textContent = data.band.switch;
byId("lines-words").textContent = data.band.words;
onClick("start-again", () => change(firstState()));
onClick("copy-link", () => {
  const said = text => { byId("copy-link").textContent = text; };
  // Where the clipboard is forbidden, the address itself is the link.
  const copied = navigator.clipboard ? navigator.clipboard.writeText(location.href) : Promise.reject();
  copied.then(() => said("Link copied"), () => said("The link is the address of this page"));
});
// The fragment is the state's: a section is gone to without it.
document.querySelectorAll('a[href^="#"]').forEach(link => link.addEventListener("click", event => {
  const section = byId(link.getAttribute("href").slice(1));
  if (!section) return;
  event.preventDefault();
  if (!section.hasAttribute("tabindex")) section.tabIndex = -1;
  section.scrollIntoView();
  section.focus({ preventScroll: true });
}));
byId("thinned").hidden = !data.thinned;
byId("thinned").textContent = data.thinned;
byId("tools").hidden = false;
document.querySelector("nav details").open = innerWidth > 600;
byId("live").hidden = measured.length === 0;
byId("lines").hidden = measured.length === 0;
startRounds();
restore();
refresh();
// Labels on the canvas wait for the font inside this page.
document.fonts.ready.then(refresh);
