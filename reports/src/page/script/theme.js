// Light or dark: by the system, or as chosen; on paper always light.
let printing = false;
views.push(() => {
  const theme = printing ? "light" : state.theme;
  document.documentElement.dataset.theme = theme;
  byId("theme").value = state.theme;
});
const darkSystem = matchMedia("(prefers-color-scheme: dark)");
const isDark = () => !printing && (state.theme === "dark" || (state.theme === "auto" && darkSystem.matches));
// A colour of the style sheet as the canvas wants it. Each is asked for once: the answer makes the browser lay out the
// styles of the page anew.
const inksKnown = { true: {}, false: {} };
const ink = name => {
  const known = inksKnown[isDark()];
  if (!known[name]) {
    byId("probe").style.setProperty("--asked", `var(--${name})`);
    known[name] = getComputedStyle(byId("probe")).color;
  }
  return known[name];
};
// Black lines are light on a dark page; the other colours stand out on both.
const colorOf = arm => isDark() && arm.color.toLowerCase() === "#000000" ? "#f0f0f0" : arm.color;
darkSystem.addEventListener("change", refresh);
for (const [event, now] of [["beforeprint", true], ["afterprint", false]]) {
  window.addEventListener(event, () => {
    printing = now;
    document.body.classList.toggle("printing", now);
    if (now) document.querySelectorAll("header details, figcaption details").forEach(own => { own.open = true; });
    refresh();
  });
}
