// The whole machine: what runs, where the cycles go, the lines that waited most, how it ended.
"use strict";

/** A row with a bar: of a share of the cycles, with its words. */
function barRow(key, words, share, text, press) {
  const dot = el("span", { className: "sw" }), part = el("i"), track = el("span", { className: "track" }, part);
  dot.style.background = part.style.background = colorOf(key);
  part.style.width = clamp(100 * share, 0, 100) + "%";
  const children = [dot, el("span", { textContent: words }), el("span", { className: "v", textContent: text }), track];
  return press ? el("button", { onclick: press }, ...children) : el("div", { className: "row" }, ...children);
}

function drawFacts() {
  const run = ui.run, about = run.about, [x, y, width, height] = about.used;
  const cells = { fabric: "tiles", mesh: "nodes", cores: "" }[run.kind];
  const size = run.kind === "cores" ? `${run.gridRows} cores` : `${run.gridColumns} \u00d7 ${run.gridRows} ${cells}`;
  const rows = [["machine", `${about.machine}, ${size}`]];
  if (width * height !== run.gridColumns * run.gridRows && width > 0)
    rows.push(["program", `${width} \u00d7 ${height} at (${x}, ${y})`]);
  rows.push(["length", `${count(run.total)} cycles, ${(run.total * about.period_ps / 1e6).toFixed(2)} us`]);
  rows.push(["recording", `${count(run.ends.length)} intervals` + (run.tracks.size > 0 ? ", events" : "")]);
  if (run.block > 1) rows.push(["a square", `${run.block} \u00d7 ${run.block} tiles`]);
  $("program").textContent = about.program.split("/").slice(-2).join("/");
  $("title").textContent = about.program.split("/").at(-1);
  $("facts").replaceChildren(...rows.flatMap(([name, text]) => [el("dt", { textContent: name }), el("dd", { textContent: text })]));
}

/** A click shows the reason on the map. */
function drawBars() {
  const run = ui.run, shares = run.sharesOf(interval(), ui.span);
  const rows = Object.entries(shares).filter(([, share]) => share > 0.0004).sort((a, b) => b[1] - a[1]);
  const idle = 1 - sum(Object.values(shares));
  if (idle > 0.0004) rows.push(["idle", idle]);
  $("barsof").textContent = ui.span === "all" ? "since start" : "this interval";
  $("bars").replaceChildren(...rows.map(([key, share]) => {
    const can = isMap() && key !== "idle";
    const row = barRow(key, wordsOf(key), share, percent(share), can ? () => showReason(key) : null);
    const isShown = key === "busy" ? ui.quantity === "busy" : ui.quantity === "waits" && ui.reason === key;
    if (can) row.setAttribute("aria-pressed", isShown);
    return row;
  }));
}
function showReason(key) {
  ui.reason = key === "busy" ? "all" : key;
  show(key === "busy" ? "busy" : "waits");
}

function drawLines() {
  const lines = ui.report?.waits?.lines ?? [];
  $("linesof").textContent = lines.length > 0 ? "cycles" : "";
  if (lines.length === 0) {
    const text = ui.report ? "No source line waited." : "Lines are counted at the end of the run.";
    return $("lines").replaceChildren(el("li", { className: "note", textContent: text }));
  }
  const what = entry => [entry.what || wordsOf(entry.reason), entry.thread].filter(Boolean).join(", ");
  return $("lines").replaceChildren(...lines.slice(0, 8).map(entry => el("li", {}, el("button", {
    title: "Show the line", onclick: () => { ui.source = entry.place; drawPlace(); },
  }, el("span", { className: "place", textContent: shortPlace(entry.place) }),
  el("span", { className: "num soft", textContent: count(entry.cycles) }), el("span", { className: "why", textContent: what(entry) })))));
}

/** Of a run that did not finish as it should: the causes, as the terminal has them. */
function drawEnd() {
  const report = ui.report, text = report && report.status !== "finished" ? report.message : "";
  $("ends").hidden = !text;
  $("endtext").textContent = text || "";
}

function drawMachine() {
  drawFacts();
  drawLines();
  drawEnd();
}
