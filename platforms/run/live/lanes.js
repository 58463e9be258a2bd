// AI cores: a lane for each pipe over time, clusters in groups; operations full, waits thin and colored by reason.
"use strict";

const LANES_LEFT = 96, LANES_TOP = 26;
let lanesDrawn = { rows: [], width: 1 };

/** The pipes that did something, by cluster, core, and the way of data through a core. */
function lanesOf() {
  const run = ui.run;
  if (run.lanes) return run.lanes;
  const order = ["S", "MTE2", "MTE1", "V", "M", "MTE3", "FIX"], lanes = [];
  run.about.tracks.forEach(([cluster], cell) => {
    const thread = run.threadOf(cell);
    if (!thread) return;
    const [core, pipe] = thread.name.split(" ");
    lanes.push({ cell, cluster, name: thread.name, core, rank: order.indexOf(pipe), rows: thread.rows });
  });
  lanes.sort((a, b) => a.cluster - b.cluster || a.core.localeCompare(b.core) || a.rank - b.rank);
  if (!ui.live || ui.live.state === "over") run.lanes = lanes;
  return lanes;
}

function busiestLane() {
  const busy = lane => sum(lane.rows.filter(slice => !slice.reason).map(slice => slice.end - slice.begin));
  return lanesOf().reduce((best, lane) => !best || busy(lane) > busy(best) ? lane : best, null)?.cell ?? 0;
}

/** What is under way in a row of slices in a cycle; undefined: nothing. */
function sliceAt(rows, cycle) {
  let low = 0, high = rows.length;
  while (low < high) {
    const middle = low + high >> 1;
    if (rows[middle].begin <= cycle) low = middle + 1;
    else high = middle;
  }
  for (let i = low - 1; i >= 0 && i >= low - 8; i--) if (rows[i].end > cycle) return rows[i];
  return undefined;
}
/** The slices that touch some cycles. */
function* slicesIn(rows, from, to) {
  let low = 0, high = rows.length;
  while (low < high) {
    const middle = low + high >> 1;
    if (rows[middle].end < from) low = middle + 1;
    else high = middle;
  }
  for (let i = Math.max(0, low - 8); i < rows.length && rows[i].begin <= to; i++) if (rows[i].end >= from) yield rows[i];
}

function drawLanes(g, width, height) {
  const lanes = lanesOf(), groups = new Set(lanes.map(lane => lane.cluster)).size;
  const high = Math.max(5, Math.min(22, (height - LANES_TOP - 8 - 16 * groups) / Math.max(1, lanes.length)));
  const [from, to] = ui.window, w = Math.max(1, width - LANES_LEFT - 10), xOfCycle = cycle => LANES_LEFT + (cycle - from) / (to - from) * w;
  lanesDrawn = { rows: [], width: w };
  for (const tick of ticks(from, to, w, 90)) {
    g.strokeStyle = color("hair");
    line(g, xOfCycle(tick), LANES_TOP, xOfCycle(tick), height);
    textAt(g, count(tick), xOfCycle(tick), 12, "center");
  }
  let y = LANES_TOP, cluster = -1;
  for (const lane of lanes) {
    if (lane.cluster !== cluster) {
      cluster = lane.cluster;
      y += 16;
      g.font = font(11, "600");
      textAt(g, "cluster " + cluster, 10, y - 8, "left", "soft");
    }
    lanesDrawn.rows.push({ cell: lane.cell, y, height: high });
    drawLane(g, lane, y, high, width, xOfCycle);
    y += high;
  }
  if (lanes.length === 0) textAt(g, "No pipe has done anything yet.", LANES_LEFT, LANES_TOP + 20, "left", "soft");
  drawNow(g, xOfCycle(ui.cycle), height, LANES_LEFT + w);
}

function drawLane(g, lane, y, high, width, xOfCycle) {
  const bar = Math.max(2, high - (high > 8 ? 2 : 0.6)), right = width - 10, isSelected = lane.cell === ui.selected;
  if (isSelected) {
    g.fillStyle = color("accent-wash");
    g.fillRect(0, y - 0.5, width, high);
  }
  g.font = font(clamp(high - 1, 8, 11));
  if (high > 7.5) textAt(g, lane.name, LANES_LEFT - 8, y + bar / 2, "right", isSelected ? "ink" : "soft");
  g.globalAlpha = 0.55;
  g.fillStyle = color("idle");
  g.fillRect(LANES_LEFT, y, right - LANES_LEFT, bar);
  g.globalAlpha = 1;
  for (const slice of slicesIn(lane.rows, ...ui.window)) {
    const x = Math.max(LANES_LEFT, xOfCycle(slice.begin)), w = Math.max(0.6, Math.min(xOfCycle(slice.end), right) - x);
    if (x > right) continue;
    if (slice.reason) {
      g.globalAlpha = 0.42;
      g.fillStyle = color(slice.reason);
      g.fillRect(x, y + bar * 0.3, w, bar * 0.4);
      g.globalAlpha = 1;
      continue;
    }
    g.fillStyle = color("busy");
    g.fillRect(x, y, Math.max(0.6, w - 0.4), bar);
    if (w <= 46 || bar <= 9) continue;
    g.font = font(9.5);
    clipped(g, x, y, w - 4, bar, () => textAt(g, slice.name, x + 4, y + bar / 2, "left", "accent-ink"));
  }
}

/** The cycle that is shown, as a line with a head. */
function drawNow(g, x, height, right) {
  if (x < LANES_LEFT || x > right) return;
  g.strokeStyle = g.fillStyle = color("ink");
  g.lineWidth = 1.5;
  line(g, x, LANES_TOP - 2, x, height);
  g.beginPath();
  g.moveTo(x - 5, LANES_TOP - 8);
  g.lineTo(x + 5, LANES_TOP - 8);
  g.lineTo(x, LANES_TOP - 1);
  g.fill();
}

// --- the pointer
function laneUnder(event) {
  const y = event.clientY - mapCanvas.getBoundingClientRect().top;
  return lanesDrawn.rows.find(row => y >= row.y && y < row.y + row.height)?.cell ?? null;
}
function hoverLane(event) {
  const cell = laneUnder(event);
  if (cell === ui.hover) return;
  ui.hover = cell;
  drawReading();
}
function showWindow(from, to) {
  const least = Math.min(20, ui.run.total), size = clamp(to - from, least, ui.run.total);
  const begin = clamp(from, 0, ui.run.total - size);
  ui.window = [begin, begin + size];
  drawMap();
  drawStrip();
}
function panLanes(dx) {
  const [from, to] = ui.window, by = dx / lanesDrawn.width * (to - from);
  showWindow(from - by, to - by);
}
function zoomLanesAt(event) {
  const [from, to] = ui.window, left = mapCanvas.getBoundingClientRect().left + LANES_LEFT;
  const share = clamp((event.clientX - left) / lanesDrawn.width, 0, 1), at = from + share * (to - from);
  const size = (to - from) * Math.exp(event.deltaY * 0.002);
  showWindow(at - share * size, at + (1 - share) * size);
}
/** Around the cycle that is shown, if it is in the window; `factor` 0: the whole run. */
function zoomLanes(factor) {
  if (factor === 0) return showWindow(0, ui.run.total);
  const [from, to] = ui.window, at = ui.cycle >= from && ui.cycle <= to ? ui.cycle : (from + to) / 2;
  return showWindow(at - (at - from) * factor, at + (to - at) * factor);
}
/** The window follows the cycle. */
function keepInWindow() {
  const [from, to] = ui.window;
  if (isMap() || (ui.cycle >= from && ui.cycle <= to)) return;
  const size = to - from, begin = clamp(ui.cycle - size / 2, 0, Math.max(0, ui.run.total - size));
  ui.window = [begin, begin + size];
}

/** What a pipe, or a node, does in this cycle. */
function stateInWords(cell) {
  if (ui.run.kind === "mesh") {
    const phase = phaseOf(cell), task = taskOf(cell);
    if (!phase) return "between phases";
    return `${phase.name}, cycle ${count(ui.cycle - phase.begin)} of ${count(phase.end - phase.begin)}` + (task ? "" : "; its tasks are done");
  }
  const slice = sliceAt(ui.run.threadOf(cell)?.rows ?? [], ui.cycle);
  return slice ? sliceInWords(slice) : "idle";
}
function sliceInWords(slice) {
  const where = slice.line ? ", " + shortPlace(slice.line) : "";
  const since = count(ui.cycle - slice.begin + 1), all = count(slice.end - slice.begin);
  return slice.reason ? `waits for ${slice.what || wordsOf(slice.reason)}${where}, in cycle ${since} of ${all}`
    : `${slice.name}${where}, in cycle ${since} of ${all}`;
}
