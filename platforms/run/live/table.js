// The map as a table, for eyes and programs that read: the same values in the same intervals.
"use strict";

const MOST_ROWS = 64;

function columnsOfTable() {
  const run = ui.run, f = interval(), of = (quantity, reason) => cell => run.value(run.squareOf(cell), f, ui.span, quantity, reason);
  const columns = [["busy", of("busy"), percent], ["waits", of("waits", "all"), percent]];
  if (run.kind === "fabric") columns.push(["busiest link", of("links"), value => value.toFixed(2)]);
  const cycles = run.cyclesOf(f, ui.span);
  for (const reason of run.seen)
    columns.push([reason.replaceAll("_", " "), of("waits", reason), value => count(value * cycles)]);
  return columns;
}

function drawTable() {
  const run = ui.run, columns = columnsOfTable(), cells = [];
  for (let square = 0; square < run.squares; square++) if (run.inside[square]) cells.push(run.cellOf(square));
  const order = columns[{ waits: 1, links: 2 }[ui.quantity] ?? 0] ?? columns[0];
  const quantity = { links: "links", waits: "waits" }[ui.quantity] ?? "busy", values = run.values(interval(), ui.span, quantity, "all");
  const by = new Map(cells.map(cell => [cell, values[run.squareOf(cell)]]));
  cells.sort((a, b) => by.get(b) - by.get(a) || a - b);
  const head = el("tr", {}, ...["place", ...columns.map(([name]) => name)].map(name =>
    el("th", { textContent: name, scope: "col", ...(name === order[0] ? { "aria-sort": "descending" } : {}) })));
  const body = el("tbody", {}, ...cells.slice(0, MOST_ROWS).map(cell => {
    const isSelected = run.squareOf(cell) === run.squareOf(ui.selected);
    return el("tr", { className: isSelected ? "selected" : "" }, el("td", {}, el("button", { textContent: nameOf(cell), onclick: () => select(cell) })),
      ...columns.map(([, value, text]) => el("td", { textContent: text(value(cell)) })));
  }));
  const shares = `busy, waits${run.kind === "fabric" ? " and links" : ""} in every cycle, reasons in cycles`;
  $("tableview").replaceChildren(
    el("table", {}, el("caption", { className: "vh", textContent: `Places by ${order[0]}, ${cyclesShown(interval())}` }), el("thead", {}, head), body),
    el("p", { className: "faint", textContent:
      `${cyclesShown(interval())}; ${shares}; ${Math.min(MOST_ROWS, cells.length)} of ${count(cells.length)} places, most first` }));
  drawReading();
}
