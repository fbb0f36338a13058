// Tables of the page whose heads sort them.
const sortable = table => {
  const heads = [...table.tHead.rows[0].cells];
  const compare = (one, other) => {
    const [a, b] = [one, other].map(text => text === "" ? NaN : Number(text));
    return Number.isNaN(a - b) ? one.localeCompare(other, "en", { numeric: true }) : a - b;
  };
  heads.forEach((head, column) => {
    const words = head.textContent;
    head.textContent = "";
    head.scope = "col";
    head.setAttribute("aria-sort", "none");
    button(words, head, () => {
      const down = head.getAttribute("aria-sort") === "ascending";
      heads.forEach(own => own.setAttribute("aria-sort", "none"));
      head.setAttribute("aria-sort", down ? "descending" : "ascending");
      const text = row => row.cells[column].textContent;
      const body = table.tBodies[0];
      body.append(...[...body.rows].sort((a, b) => (down ? -1 : 1) * compare(text(a), text(b))));
    });
  });
};
document.querySelectorAll("table.sortable").forEach(sortable);
