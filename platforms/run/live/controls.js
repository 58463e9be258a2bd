// Buttons and keys. On a live page they control the run, on a saved one they move through the recording.
"use strict";

/** Whether there is something to draw. */
const isOpen = () => document.body.dataset.ready === "1";

/** Shows a cycle. */
function seek(cycle) {
  const run = ui.run;
  ui.cycle = clamp(Math.round(cycle), 0, run.total - 1);
  if (!ui.live && ui.cycle >= run.total - 1) ui.playing = false;
  keepInWindow();
  drawAll();
}

function drawAll() {
  measured([mapCanvas, stripCanvas, $("legendscale")], drawParts);
}
function drawParts() {
  drawClock();
  drawMap();
  drawTooltip();
  drawStrip();
  describeStrip();
  drawBars();
  drawPlace();
  writeAddress();
}

function drawClock() {
  const run = ui.run, live = ui.live, isPast = live && ui.cycle < live.cycle;
  const runs = live ? live.state === "runs" : ui.playing, isOver = live ? live.state === "over" : ui.cycle >= run.total - 1;
  const words = isPast ? (runs ? "runs; looking back" : "looking back") : isOver ? "finished" : runs ? "runs" : "paused";
  $("now").textContent = count(ui.cycle);
  $("of").textContent = "of " + count(run.total - 1);
  $("state").className = "chip " + (isPast ? "past" : isOver ? "over" : runs ? "runs" : "paused");
  $("state").lastElementChild.textContent = isOver && live?.how && live.how !== "finished" ? "over" : words;
  $("state").title = live?.how ?? "";
  $("runword").textContent = runs ? "Pause" : "Run";
  $("runicon").setAttribute("d", runs ? "M3 2h3v10H3zM8 2h3v10H8z" : "M3 1.5v11L12 7z");
  $("run").disabled = Boolean(live) && live.state === "over" && !isPast;
}

/** What the map shows. */
function show(quantity) {
  if (!(quantity in QUANTITIES[ui.run.kind])) return;
  ui.quantity = quantity;
  document.querySelectorAll("#quant button").forEach(button => button.setAttribute("aria-pressed", button.dataset.k === quantity));
  $("reason").hidden = quantity !== "waits";
  $("reason").value = ui.reason;
  $("span").hidden = $("links").hidden = !isHeat();
  if (ui.run.kind !== "fabric") $("links").hidden = true;
  $("span").hidden = !isHeat() && !ui.table;
  if (!isOpen()) return;
  drawMap();
  drawBars();
  writeAddress();
}

function select(cell) {
  ui.selected = ui.cursor = cell;
  ui.source = null;
  ui.place = null;
  askPlace();
  drawMap();
  drawPlace();
  drawStrip();
  writeAddress();
}

function showTable(isTable) {
  ui.table = isTable;
  $("astable").setAttribute("aria-pressed", isTable);
  $("tableview").hidden = !isTable;
  $("stage").hidden = isTable;
  $("tip").style.opacity = 0;
  show(ui.quantity);
}

function showSpan(span) {
  ui.span = span;
  document.querySelectorAll("#span button").forEach(button => button.setAttribute("aria-pressed", button.dataset.v === span));
  if (isOpen()) drawAll();
}

function showScale(scale) {
  ui.scale = scale;
  $("scale").textContent = "scale: " + { run: "run", interval: "interval", full: "100 %" }[scale];
  if (isOpen()) drawAll();
}

function showTheme(name, keep = true) {
  document.documentElement.dataset.theme = name;
  forgetColors();
  try {
    if (keep) localStorage.setItem("tessera-theme", name);
  } catch { /* a page from a file may have no storage */ }
  if (isOpen()) drawAll();
}
function themeAtBegin() {
  try {
    const kept = localStorage.getItem("tessera-theme");
    if (kept in RAMPS) return kept;
  } catch { /* as above */ }
  return matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light";
}

// --- the run
const STEPS = 240;  // of a recording without intervals of its own

function playOn() {
  if (!ui.playing) return;
  const run = ui.run, next = isMap() && run.kind === "fabric" ? run.ends[Math.min(run.last, interval() + 1)] - 1 : ui.cycle + run.total / STEPS;
  seek(next);
  if (ui.playing) setTimeout(playOn, 110);
}
function runOrPause() {
  if (ui.live && ui.live.state !== "over") {
    if (ui.live.state === "paused") ui.cycle = ui.live.cycle;
    return command(ui.live.state === "runs" ? "pause" : "go");
  }
  ui.playing = !ui.playing;
  if (ui.playing && ui.cycle >= ui.run.total - 1) ui.cycle = 0;
  drawClock();
  return playOn();
}
function stepOn() {
  if (isLiveNow() && ui.live.state === "paused") return command("step");
  return seek(ui.cycle + 1);
}
function runTo(cycle) {
  if (ui.live && ui.live.state !== "over" && cycle > ui.live.cycle) return command("until", cycle);
  return seek(cycle);
}

/** Cycles in which something begins or ends at the selected place. */
function eventsOfPlace() {
  const run = ui.run, threads = run.kind === "cores" ? [run.threadOf(ui.selected)].filter(Boolean) : run.threadsOf(ui.selected);
  return [...new Set(threads.flatMap(thread => thread.rows.flatMap(slice => [slice.begin, slice.end])))].sort((a, b) => a - b);
}
function toEvent(direction) {
  const cycles = eventsOfPlace();
  const found = direction > 0 ? cycles.find(cycle => cycle > ui.cycle) : cycles.reverse().find(cycle => cycle < ui.cycle);
  if (found !== undefined) seek(found);
}
function toInterval(direction) {
  const run = ui.run, f = clamp(interval() + direction, 0, run.last);
  seek(run.ends[f] - 1);
}

// --- keys
const ARROWS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };

function moveCursor([dx, dy], steps) {
  const run = ui.run;
  if (!isMap()) {
    const cells = lanesOf().map(lane => lane.cell), at = cells.indexOf(ui.cursor ?? ui.selected);
    ui.cursor = cells[clamp(at + (dx + dy) * steps, 0, cells.length - 1)] ?? ui.selected;
    ui.hover = null;
    return select(ui.cursor);
  }
  const stride = isFine() ? 1 : run.block, from = ui.cursor ?? ui.selected;
  const x = clamp(xOf(from) + dx * steps * stride, 0, run.gridColumns - 1), y = clamp(yOf(from) + dy * steps * stride, 0, run.gridRows - 1);
  ui.cursor = cellAt(x, y);
  ui.hover = null;
  $("tip").style.opacity = 0;
  drawMap();
  return undefined;
}

function goTo() {
  $("gotosays").textContent = `0 to ${ui.run.gridColumns - 1}, 0 to ${ui.run.gridRows - 1}`;
  $("gotoat").value = `${xOf(ui.selected)}, ${yOf(ui.selected)}`;
  $("goto").showModal();
  $("gotoat").select();
}
$("goto").querySelector("form").addEventListener("submit", event => {
  const [x, y] = $("gotoat").value.split(/[ ,]+/).map(Number);
  if (x >= 0 && y >= 0 && x < ui.run.gridColumns && y < ui.run.gridRows) {
    select(cellAt(x, y));
    return;
  }
  event.preventDefault();
  $("gotosays").textContent = `There is no place ${$("gotoat").value}: 0 to ${ui.run.gridColumns - 1}, 0 to ${ui.run.gridRows - 1}`;
});

$("gotocancel").onclick = () => $("goto").close();

const zoomIn = () => isMap() ? zoomBy(1.5) : zoomLanes(0.6);
const zoomOut = () => isMap() ? zoomBy(1 / 1.5) : zoomLanes(1.6);
function zoomFit() {
  if (!isMap()) return zoomLanes(0);
  ui.zoom = { k: 1, x: 0, y: 0 };
  return drawMap();
}

const KEYS = {
  ",": () => seek(ui.cycle - 1), ".": stepOn, "[": () => toInterval(-1), "]": () => toInterval(1),
  n: () => toEvent(1), p: () => toEvent(-1), f: () => document.querySelector(".follow")?.click(),
  "+": zoomIn, "=": zoomIn, "-": zoomOut, 0: zoomFit,
  b: () => show("busy"), w: () => show("waits"), k: () => show("links"),
  l: () => $("links").click(), t: () => $("astable").click(), d: () => $("theme").click(), g: goTo, "?": () => $("keys").showModal(),
};
addEventListener("keydown", event => {
  if (!ui.run || event.ctrlKey || event.metaKey || event.altKey || document.querySelector("dialog[open]")) return;
  if (event.target.matches("input:not([type=range]),select,textarea")) return;
  const isOnStage = document.activeElement === stage;
  if (isOnStage && event.key in ARROWS) moveCursor(ARROWS[event.key], event.shiftKey ? 10 : 1);
  else if (isOnStage && event.key === "Enter") select(ui.cursor ?? ui.selected);
  else if (event.key === " " && !event.target.matches("button")) runOrPause();
  else if (event.key in KEYS) KEYS[event.key]();
  else return;
  event.preventDefault();
});

$("run").onclick = runOrPause;
$("step").onclick = stepOn;
$("back").onclick = () => seek(ui.cycle - 1);
$("nextevent").onclick = () => toEvent(1);
$("go").onclick = () => runTo(Math.min(Number($("until").value.replace(/\D/g, "")), Number.MAX_SAFE_INTEGER));
$("until").onkeydown = event => { if (event.key === "Enter") $("go").click(); };
$("close").onclick = () => command("close");
$("theme").onclick = () => showTheme(theme() === "dark" ? "light" : "dark");
$("help").onclick = () => $("keys").showModal();
$("zoomin").onclick = zoomIn;
$("zoomout").onclick = zoomOut;
$("fit").onclick = zoomFit;
$("links").onclick = () => {
  ui.arrows = !ui.arrows;
  $("links").setAttribute("aria-pressed", ui.arrows);
  drawMap();
};
$("astable").onclick = () => showTable(!ui.table);
$("scale").onclick = () => showScale({ run: "interval", interval: "full", full: "run" }[ui.scale]);
$("reason").onchange = () => { ui.reason = $("reason").value; drawAll(); };
document.querySelectorAll("#span button").forEach(button => { button.onclick = () => showSpan(button.dataset.v); });
new ResizeObserver(() => { if (isOpen()) { drawMap(); drawStrip(); drawPlaceOverTime(); } }).observe(document.body);
