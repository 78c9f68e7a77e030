// The table of evaluations, which sorts and filters its rows, and the descriptions of points in plots.
"use strict";
(() => {
  const table = document.getElementById("evaluations");
  const body = table.tBodies[0];
  const heads = [...table.tHead.rows[0].cells];
  // The rows in the order of the evaluations.
  const rows = [...body.rows];

  // Cells have their number in data-v; cells with numbers in other rows, but none here, come last.
  const value = (row, column) => {
    const cell = row.cells[column];
    if (!heads[column].classList.contains("number")) return cell.textContent;
    return cell.dataset.v === undefined ? null : Number(cell.dataset.v);
  };
  const sort = (column) => {
    const descends = heads[column].ariaSort === "ascending";
    const keyed = rows.map((row, index) => [value(row, column), index, row]);
    keyed.sort(([a, i], [b, j]) => {
      if (a === null || b === null) return (a === null) - (b === null) || i - j;
      const order = typeof a === "number" ? a - b : a.localeCompare(b);
      return (descends ? -order : order) || i - j;
    });
    for (const head of heads) head.removeAttribute("aria-sort");
    heads[column].setAttribute("aria-sort", descends ? "descending" : "ascending");
    body.append(...keyed.map(([, , row]) => row));
  };
  heads.forEach((head, column) => head.firstElementChild.addEventListener("click", () => sort(column)));

  const search = document.getElementById("search");
  const outcome = document.getElementById("outcome");
  const shown = document.getElementById("shown");
  const all = shown.textContent;
  const texts = rows.map((row) => row.textContent.toLowerCase());
  const filter = () => {
    const words = search.value.toLowerCase().split(/\s+/);
    let count = 0;
    rows.forEach((row, index) => {
      const fits = !outcome.value || row.cells[3].textContent === outcome.value;
      row.hidden = !(fits && words.every((word) => texts[index].includes(word)));
      count += !row.hidden;
    });
    shown.textContent = count === rows.length ? all : `${count.toLocaleString("en")} of ${all}`;
  };
  search.addEventListener("input", filter);
  outcome.addEventListener("input", filter);
  const form = document.getElementById("filters");
  form.addEventListener("submit", (event) => event.preventDefault());
  form.hidden = false;
  // A browser may keep what was entered before the page was loaded again.
  filter();

  // The description of a point is the row of its evaluation.
  const tip = document.getElementById("tip");
  const describe = (row, x, y) => {
    const list = document.createElement("dl");
    heads.forEach((head, column) => {
      const [name, text] = [document.createElement("dt"), document.createElement("dd")];
      name.textContent = head.textContent;
      for (const part of row.cells[column].childNodes) text.append(part.cloneNode(true), " ");
      list.append(name, text);
    });
    tip.replaceChildren(list);
    tip.hidden = false;
    const { width, height } = tip.getBoundingClientRect();
    const beside = x + 14 + width > innerWidth ? x - 14 - width : x + 14;
    const below = y + 14 + height > innerHeight ? y - 14 - height : y + 14;
    tip.style.left = `${Math.max(4, beside)}px`;
    tip.style.top = `${Math.max(4, below)}px`;
  };
  const find = (row) => {
    if (row.hidden) {
      search.value = outcome.value = "";
      filter();
    }
    for (const other of rows) other.classList.toggle("found", other === row);
    row.scrollIntoView({ block: "center" });
  };

  for (const chart of document.querySelectorAll(".chart > svg")) {
    const marks = [...chart.querySelectorAll("[data-i]")];
    if (!marks.length) continue;
    for (const mark of marks) mark.querySelector("title").remove();
    const center = (mark) => {
      const { x, y, width, height } = mark.getBBox();
      return { x: x + width / 2, y: y + height / 2, row: rows[mark.dataset.i] };
    };
    let points;
    const measured = () => (points ??= marks.map(center).sort((a, b) => a.x - b.x));
    const ring = document.createElementNS(chart.namespaceURI, "circle");
    ring.setAttribute("class", "chosen");
    ring.setAttribute("r", "7");
    let chosen = null;
    const choose = (point) => {
      chosen = point;
      ring.setAttribute("cx", point.x);
      ring.setAttribute("cy", point.y);
      chart.append(ring);
      const at = new DOMPoint(point.x, point.y).matrixTransform(chart.getScreenCTM());
      describe(point.row, at.x, at.y);
    };
    const leave = () => {
      chosen = null;
      ring.remove();
      tip.hidden = true;
    };
    const nearest = (event) => {
      const at = new DOMPoint(event.clientX, event.clientY).matrixTransform(chart.getScreenCTM().inverse());
      let [best, least] = [null, 18];
      for (const point of measured()) {
        const distance = Math.hypot(point.x - at.x, point.y - at.y);
        if (distance < least) [best, least] = [point, distance];
      }
      return best;
    };
    chart.addEventListener("pointermove", (event) => {
      const point = nearest(event);
      if (!point) leave();
      else if (point !== chosen) choose(point);
    });
    chart.addEventListener("pointerleave", leave);
    chart.addEventListener("blur", leave);
    chart.addEventListener("click", (event) => {
      const point = nearest(event);
      if (point) find(point.row);
    });
    chart.addEventListener("keydown", (event) => {
      const steps = { ArrowRight: 1, ArrowLeft: -1 };
      if (event.key in steps) {
        const [all, step] = [measured(), steps[event.key]];
        const next = chosen ? all.indexOf(chosen) + step : step > 0 ? 0 : all.length - 1;
        choose(all[Math.min(Math.max(next, 0), all.length - 1)]);
        event.preventDefault();
      } else if (event.key === "Enter" && chosen) find(chosen.row);
      else if (event.key === "Escape") leave();
    });
  }

  for (const button of document.querySelectorAll(".copy")) {
    const source = document.getElementById(button.dataset.from);
    button.hidden = false;
    button.addEventListener("click", async () => {
      try {
        await navigator.clipboard.writeText(source.textContent);
        button.textContent = "Copied";
      } catch {
        // Where a page may not write to the clipboard, its reader copies what is selected.
        getSelection().selectAllChildren(source);
        button.textContent = "Selected";
      }
    });
  }
})();
