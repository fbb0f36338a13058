// Light or dark: by the system, or as chosen; on paper always light.
let printing = false;
views.push(() => {
  const theme = printing ? "light" : state.theme;
  document.documentElement.dataset.theme = theme;
  byId("theme").value = state.theme;
});
// A colour of the style sheet as the canvas wants it.
const ink = name => {
  document.body.style.setProperty("--asked", `var(--${name})`);
  return getComputedStyle(byId("probe")).color;
};
const isDark = () => !printing
  && (state.theme === "dark" || (state.theme === "auto" && matchMedia("(prefers-color-scheme: dark)").matches));
// Black lines are light on a dark page; the other colours stand out on both.
const colorOf = arm => isDark() && arm.color.toLowerCase() === "#000000" ? "#f0f0f0" : arm.color;
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", refresh);
for (const [event, now] of [["beforeprint", true], ["afterprint", false]]) {
  window.addEventListener(event, () => {
    printing = now;
    document.body.classList.toggle("printing", now);
    if (now) document.querySelectorAll("header details, figcaption details").forEach(own => { own.open = true; });
    refresh();
  });
}
