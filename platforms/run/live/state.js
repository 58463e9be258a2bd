// What the page shows now, what places are called, and the address that opens the same again.
"use strict";

const ui = {
  run: null,          // the Recording
  report: null,       // the report of a run that is over
  sources: {},
  sentences: null,    // of the watched cells, at the ends of intervals
  memory: {},         // symbols by cell
  live: null,         // {cycle, state, how}: the program answers; null: this is a file
  place: null,        // what the program last said of the selected cell
  cycle: 0,
  quantity: "busy",
  reason: "all",
  span: "interval",
  arrows: true,
  scale: "run",
  selected: 0,        // a cell
  hover: null,        // a cell, or null
  cursor: null,
  zoom: { k: 1, x: 0, y: 0 },
  playing: false,
  table: false,
  range: [0, 1],      // cycles that the strip shows
  window: [0, 1],     // cycles that the lanes of pipes show
  around: 150,        // cycles that the timeline of a place shows
  source: null,       // a line that was asked for
};

/** Quantities of the map by kind of machine. */
const QUANTITIES = {
  fabric: { busy: "Busy", waits: "Waits", links: "Links" },
  cores: { pipes: "Pipes over time" },
  mesh: { phase: "Phase", busy: "Busy", waits: "Waits" },
};
const isMap = () => ui.run.kind !== "cores";
const isHeat = () => isMap() && ui.quantity !== "phase";
const interval = () => ui.run.intervalOf(ui.cycle);
const isLiveNow = () => ui.live !== null && ui.cycle >= ui.live.cycle;

// --- names
const xOf = cell => cell % ui.run.gridColumns;
const yOf = cell => Math.floor(cell / ui.run.gridColumns);
const cellAt = (x, y) => y * ui.run.gridColumns + x;

/** What a cell is called; on a map of squares all cells of its square, unless `exact`. */
function nameOf(cell, exact = false) {
  const run = ui.run;
  if (run.kind !== "fabric") return run.about.names[cell].split(", phase ")[0];
  if (run.block === 1 || exact) return `tile (${xOf(cell)}, ${yOf(cell)})`;
  const side = (at, most) => {
    const first = Math.floor(at / run.block) * run.block, last = Math.min(most, first + run.block) - 1;
    return first === last ? String(first) : `${first}..${last}`;
  };
  return `tiles (${side(xOf(cell), run.gridColumns)}, ${side(yOf(cell), run.gridRows)})`;
}
/** "PE (1, 2)" where a program does not begin at tile (0, 0). */
function peOf(cell) {
  const [x, y] = ui.run.about.used;
  return ui.run.kind === "fabric" && (x || y) && hasProgram(cell) ? `PE (${xOf(cell) - x}, ${yOf(cell) - y})` : "";
}
/** "gemv.tasm:31" of "examples/gemv_stream/gemv.tasm:31 (task reduce)". */
const shortPlace = place => place.replace(/ \(.*/, "").split("/").at(-1);
const hasProgram = cell => ui.run.inside[ui.run.squareOf(cell)] === 1;
const wordsOf = key => ui.run.words[key] ?? key;
const colorOf = key => color(key === "waits" ? "wavelet" : key);

/** "cycles 3,400 to 3,419" of an interval, or of all up to it. */
function cyclesShown(f, span = ui.span) {
  const from = span === "all" ? 0 : ui.run.begin(f);
  return `cycles ${count(from)} to ${count(ui.run.ends[f] - 1)}`;
}
const unitOf = quantity => quantity === "links" ? " wavelets a cycle" : "";
const textOf = (quantity, value) => quantity === "links" ? value.toFixed(2) : percent(value);

// --- the address
let addressLater = 0;
/** Writes the state into the address, so that it can be kept and sent: a little later, once for a whole scrub. */
function writeAddress() {
  addressLater ||= setTimeout(putAddress, 150);
}
function putAddress() {
  addressLater = 0;
  const parts = new URLSearchParams();
  parts.set("place", `${xOf(ui.selected)},${yOf(ui.selected)}`);
  if (!isLiveNow() || ui.live.state === "over") parts.set("cycle", ui.cycle);
  if (isHeat()) parts.set("show", ui.quantity);
  if (ui.reason !== "all") parts.set("reason", ui.reason);
  if (ui.span !== "interval") parts.set("span", ui.span);
  if (ui.scale !== "run") parts.set("scale", ui.scale);
  if (ui.table) parts.set("table", 1);
  const address = "#" + parts.toString().replaceAll("%2C", ",");
  if (address !== location.hash) history.replaceState(null, "", address);
}
function readAddress() {
  const parts = new URLSearchParams(location.hash.slice(1)), run = ui.run;
  const [x, y] = (parts.get("place") ?? "").split(",").map(Number);
  if (x >= 0 && y >= 0 && x < run.gridColumns && y < run.gridRows) ui.selected = cellAt(x, y);
  if (parts.has("cycle")) ui.cycle = clamp(Number(parts.get("cycle")) || 0, 0, run.total - 1);
  if (parts.get("show") in QUANTITIES[run.kind]) ui.quantity = parts.get("show");
  if (run.reasons.includes(parts.get("reason"))) ui.reason = parts.get("reason");
  if (parts.get("span") === "all") ui.span = "all";
  if (["interval", "full"].includes(parts.get("scale"))) ui.scale = parts.get("scale");
  ui.table = parts.get("table") === "1";
}
