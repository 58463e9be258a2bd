// Time: what the whole machine did in each interval, commands of the host, and the cycle that is shown.
"use strict";

const stripCanvas = $("stripbox").querySelector("canvas"), STRIP_LEFT = 4;

const stripX = width => cycle => STRIP_LEFT + (cycle - ui.range[0]) / (ui.range[1] - ui.range[0]) * (width - 2 * STRIP_LEFT);

function drawStrip() {
  const { g, width, height } = draw2d(stripCanvas), x = stripX(width), run = ui.run;
  const top = run.commands.length > 0 ? 18 : 6, bottom = height - 16;
  g.globalAlpha = 0.5;
  g.fillStyle = color("idle");
  g.fillRect(STRIP_LEFT, top, width - 2 * STRIP_LEFT, bottom - top);
  g.globalAlpha = 1;
  clipped(g, STRIP_LEFT, 0, width - 2 * STRIP_LEFT, height, () => {
    drawShares(g, x, top, bottom);
    drawLinks(g, x, top, bottom);
    drawCommands(g, x, width);
    shade(g, x, top, bottom);
  });
  g.font = font(10.5);
  for (const tick of ticks(ui.range[0], ui.range[1], width - 2 * STRIP_LEFT, 80)) {
    const at = x(tick);
    textAt(g, count(tick), at, height - 6, at < 20 ? "left" : at > width - 30 ? "right" : "center");
  }
  const now = x(ui.cycle);
  if (now < 0 || now > width) return;
  g.strokeStyle = g.fillStyle = color("ink");
  g.lineWidth = 1.5;
  line(g, now, top - 4, now, bottom);
  g.beginPath();
  g.arc(now, top - 4, 4, 0, 7);
  g.fill();
}

/** Busy below, then the reasons, those of a host that has the machine last. */
function drawShares(g, x, top, bottom) {
  const run = ui.run, high = bottom - top;
  const keys = ["busy", ...run.seen.filter(key => key !== "host"), ...run.seen.filter(key => key === "host")];
  for (let f = 0; f <= run.last; f++) {
    const left = x(run.begin(f)), width = x(run.ends[f]) - left, shares = run.total_of(f);
    let y = bottom;
    for (const key of keys) {
      const part = Math.min(shares[key] * high, y - top);
      if (!(part > 0)) continue;
      g.globalAlpha = key === "busy" ? 1 : 0.72;
      g.fillStyle = colorOf(key);
      g.fillRect(left, y - part, width + 0.3, part);
      y -= part;
    }
  }
  g.globalAlpha = 1;
}

function mostOnLinks() {
  let most = 0;
  for (let f = 0; f <= ui.run.last; f++) most = Math.max(most, ui.run.total_of(f).links);
  return most;
}
function drawLinks(g, x, top, bottom) {
  const run = ui.run, most = mostOnLinks();
  if (most === 0) return;
  g.strokeStyle = rgb(TABLES[theme()].links[theme() === "light" ? 215 : 190]);
  g.lineWidth = 1.6;
  g.beginPath();
  for (let f = 0; f <= run.last; f++)
    g.lineTo((x(run.begin(f)) + x(run.ends[f])) / 2, bottom - run.total_of(f).links / most * (bottom - top) * 0.94);
  g.stroke();
}

function drawCommands(g, x, width) {
  g.font = font(10.5);
  let free = -10;
  for (const [name, begin, end] of ui.run.commands) {
    const left = x(begin), right = x(end ?? ui.run.total), text = Math.max(STRIP_LEFT, left);
    if (right < 0 || left > width) continue;
    g.fillStyle = color("host");
    g.fillRect(left, 12, Math.max(2, right - left), 3);
    const long = g.measureText(name).width;
    if (text < free + 6 || text + long > width) continue;
    textAt(g, name, text, 6, "left", "soft");
    free = text + long;
  }
}

/** The interval that the map shows, or the cycles that the lanes show. */
function shade(g, x, top, bottom) {
  const f = interval(), [from, to] = isMap() ? [ui.span === "all" ? 0 : ui.run.begin(f), ui.run.ends[f]] : ui.window;
  g.globalAlpha = isMap() ? 0.12 : 0.08;
  g.fillStyle = color("ink");
  g.fillRect(x(from), top, Math.max(2, x(to) - x(from)), bottom - top);
  g.globalAlpha = 1;
}

function describeStrip() {
  const run = ui.run, most = mostOnLinks(), command = run.commandAt(ui.cycle);
  const words = run.commands.length === 0 ? [] : [command ? command[0] : "between commands of the host"];
  if (most > 0) words.push(`line: wavelets on links, most ${count(most)} a cycle`);
  if (run.kind === "cores") words.push("all pipes; shaded: what the lanes show");
  if (run.kind === "mesh") words.push("all nodes");
  $("stripread").textContent = words.join("; ");
  const scrub = $("scrub");
  scrub.max = Math.max(1, run.total - 1);
  scrub.value = ui.cycle;
  const shares = run.sharesOf(interval(), "interval");
  scrub.setAttribute("aria-valuetext", `cycle ${count(ui.cycle)}${command ? ", " + command[0] : ""}, busy ${percent(shares.busy)}`);
}

function showRange(from, to) {
  const begin = Math.max(0, from), end = Math.min(ui.run.total, to);
  if (end - begin < 4) return;
  ui.range = [begin, end];
  $("whole").hidden = begin <= 0 && end >= ui.run.total;
  drawStrip();
  drawPlaceOverTime();
}

const cycleUnder = event => {
  const box = stripCanvas.getBoundingClientRect();
  const share = (event.clientX - box.left - STRIP_LEFT) / Math.max(1, box.width - 2 * STRIP_LEFT);
  return ui.range[0] + share * (ui.range[1] - ui.range[0]);
};
let isScrubbing = false;
stripCanvas.addEventListener("pointerdown", event => {
  stripCanvas.setPointerCapture(event.pointerId);
  isScrubbing = true;
  seek(cycleUnder(event));
});
stripCanvas.addEventListener("pointermove", event => isScrubbing && seek(cycleUnder(event)));
stripCanvas.addEventListener("pointerup", () => { isScrubbing = false; });
stripCanvas.addEventListener("pointercancel", () => { isScrubbing = false; });
stripCanvas.addEventListener("wheel", event => {
  event.preventDefault();
  const at = cycleUnder(event), [from, to] = ui.range, factor = Math.exp(event.deltaY * 0.002);
  showRange(at - (at - from) * factor, at + (to - at) * factor);
}, { passive: false });
stripCanvas.addEventListener("dblclick", event => {
  const command = ui.run.commandAt(cycleUnder(event));
  if (!command) return;
  const [, begin, end] = command, room = ((end ?? ui.run.total) - begin) * 0.06;
  showRange(begin - room, (end ?? ui.run.total) + room);
});
$("whole").onclick = () => showRange(0, ui.run.total);
$("scrub").oninput = () => seek(Number($("scrub").value));
