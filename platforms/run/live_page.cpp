#include "platforms/run/live_view.h"

namespace tessera::run {

std::string live_page() {
  return R"PAGE(<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><title>Tessera</title>
<style>
body { font: 14px Helvetica, Arial, "DejaVu Sans", sans-serif; color: #333; margin: 16px; }
#controls > * { margin-right: 6px; }
#main { display: flex; gap: 24px; margin-top: 12px; align-items: flex-start; }
canvas { border: 1px solid #888; image-rendering: pixelated; cursor: crosshair; }
#place { max-width: 460px; }
#place li { margin-bottom: 4px; }
input[type=number] { width: 9em; }
#replay { width: 320px; vertical-align: middle; }
.quiet { color: #777; }
</style></head><body>
<div id="controls">
<b id="status">connecting</b>
<button data-do="pause">Pause</button><button data-do="go">Go</button><button data-do="step">Step</button>
<button data-do="until">Run to cycle</button><input id="until" type="number" min="0" value="100">
<button data-do="close">Close</button>
</div>
<p><label>Show <select id="quantity"></select></label>
<label><input type="checkbox" id="since"> since the picture before</label>
<label>Recording <input type="range" id="replay" min="0" max="0" value="0"></label>
<span id="at" class="quiet"></span></p>
<div id="main"><div><canvas id="map" width="1" height="1"></canvas>
<p id="scale" class="quiet"></p></div>
<div id="place" class="quiet">Click on the map to see what a place does.</div></div>
<script>
"use strict";
const $ = id => document.getElementById(id);
const token = new URLSearchParams(location.search).get("token");
const palette = [[68,1,84],[71,44,122],[59,81,139],[44,113,142],[33,144,141],[39,173,129],[92,200,99],[170,220,50],[253,231,37]];
let shown = null, before = null, live = true, cell = null, side = 1, closed = false;

async function ask(path, values) {
  const query = new URLSearchParams({...values, token});
  const reply = await fetch(path + "?" + query);
  if (!reply.ok) throw new Error(await reply.text());
  return reply.json();
}
function color(share) {
  const position = Math.min(Math.max(share, 0), 1) * (palette.length - 1);
  const i = Math.min(Math.floor(position), palette.length - 2);
  return palette[i].map((from, k) => from + (palette[i + 1][k] - from) * (position - i));
}
function values() {
  const q = $("quantity").selectedIndex, now = shown.values[q];
  const comparable = $("since").checked && before && before.values[q] && before.values[q].length === now.length;
  return comparable ? now.map((value, i) => value - before.values[q][i]) : now;
}
function draw() {
  if (!shown || !shown.values.length) return;
  if (!shown.values[$("quantity").selectedIndex].length) return;
  const [columns, rows] = shown.squares, all = values(), q = shown.quantities[$("quantity").selectedIndex];
  const largest = all.reduce((a, b) => Math.max(a, b), 0), image = new ImageData(columns, rows);
  all.forEach((value, i) => image.data.set([...color(largest ? value / largest : 0), 255], 4 * i));
  const map = $("map");
  map.width = columns; map.height = rows;
  map.getContext("2d").putImageData(image, 0, 0);
  side = Math.max(1, Math.floor(Math.min(720 / Math.max(columns, rows), 48)));
  map.style.width = columns * side + "px"; map.style.height = rows * side + "px";
  $("scale").textContent = `${shown.grid[0]} x ${shown.grid[1]}; dark: 0, yellow: ${largest.toLocaleString()} ${q.unit}` +
    (shown.block > 1 ? `; a square is the mean of ${shown.block} x ${shown.block}` : "");
  $("at").textContent = live ? "now" : `cycle ${shown.cycle.toLocaleString()}`;
}
function take(state) {
  if (shown && (shown.cycle !== state.cycle || shown.block !== state.block)) before = shown;
  shown = state;
  if ($("quantity").options.length === 0) state.quantities.forEach(q => $("quantity").add(new Option(q.name)));
  $("status").textContent = `cycle ${state.now.toLocaleString()}: ${state.state}${state.how ? ", " + state.how : ""}`;
  $("replay").max = state.frames.length;
  if (live) $("replay").value = state.frames.length;
  draw();
}
async function refresh() {
  try {
    const frame = Number($("replay").value);
    take(await ask("/state", live ? {quantity: Math.max($("quantity").selectedIndex, 0)} : {frame}));
    if (cell !== null) show(await ask("/place", {cell}));
  } catch (error) {
    $("status").textContent = closed ? "closed" : "no answer: the program has ended, or is busy";
  }
}
async function look() {
  await refresh();
  if (!closed) setTimeout(look, 500);
}
function show(place) {
  $("place").replaceChildren();
  const add = (parent, tag, words) => parent.appendChild(Object.assign(document.createElement(tag), {textContent: words}));
  add($("place"), "h3", `${place.name}, cycle ${place.cycle.toLocaleString()}`);
  place.values.forEach(v => add($("place"), "div", `${v.name}: ${v.value.toLocaleString()} ${v.unit}`));
  const list = add($("place"), "ul", "");
  place.lines.forEach(line => add(list, "li", line));
  if (place.lines.length === 0) add(list, "li", "nothing waits here");
}
document.querySelectorAll("[data-do]").forEach(button => button.onclick = async () => {
  const what = button.dataset.do;
  closed = what === "close";
  live = true;
  await ask("/do", {what, n: $("until").value});
});
$("quantity").onchange = refresh;
$("since").onchange = draw;
$("replay").oninput = () => { live = $("replay").value === $("replay").max; };
$("map").onclick = event => {
  const x = Math.floor(event.offsetX / side), y = Math.floor(event.offsetY / side);
  const inside = (from, most) => Math.min(from * shown.block + Math.floor(shown.block / 2), most - 1);
  cell = inside(y, shown.grid[1]) * shown.grid[0] + inside(x, shown.grid[0]);
  ask("/place", {cell}).then(show, () => {});
};
look();
</script></body></html>
)PAGE";
}

}  // namespace tessera::run
