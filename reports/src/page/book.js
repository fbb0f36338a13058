"use strict";
// Shows the page of the scenario that the address names, or the first.
const pages = JSON.parse(document.getElementById("pages").textContent);
let shown = null;
const show = () => {
  const named = new URLSearchParams(location.hash.slice(1)).get("scenario");
  const [name, page] = pages.find(([name]) => name === named) || pages[0];
  if (name === shown) return;
  shown = name;
  document.title = name;
  document.querySelector("iframe").srcdoc = page;
  for (const link of document.querySelectorAll("nav a")) link.ariaCurrent = link.textContent === name ? "page" : null;
};
window.addEventListener("hashchange", show);
show();
