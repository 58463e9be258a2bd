// The map: a square for each place, or block of places, links as arrows, axes, cursor and selection.
"use strict";

const stage = $("stage"), mapCanvas = stage.querySelector("canvas");
const MARGIN = { left: 44, top: 30, rest: 12 };
const CORNER = { width: 116, height: 48 };  // the buttons at the bottom right, which hide no place while the map fits
const PIXELS = 15;  // squares of fewer pixels are those of a picture, not shapes
let shown = { side: 0, top: 1, values: [] };  // what the map was last drawn with

/** Where squares lie at a zoom: side and the corner of the first. */
function layoutOf(width, height, zoom = ui.zoom) {
  const { columns, rows } = ui.run;
  const free = zoom.k <= 1.001 ? { x: 0, y: 0 } : zoom;
  const most = clamp(Math.min(width, height) / 6, 86, 160);  // of a few places in a large window
  const above = (bottom, k) => {
    const fit = Math.min((width - MARGIN.left - MARGIN.rest) / columns, (height - MARGIN.top - bottom) / rows, most);
    const side = Math.max(0.1, fit * k);
    return {
      side, columns, rows, width, height,
      x: MARGIN.left + (width - MARGIN.left - MARGIN.rest - side * columns) / 2,
      y: MARGIN.top + (height - MARGIN.top - bottom - side * rows) / 2,
    };
  };
  const whole = above(MARGIN.rest, 1);
  const isHidden = whole.x + whole.side * columns > width - CORNER.width && whole.y + whole.side * rows > height - CORNER.height;
  const now = above(isHidden ? CORNER.height : MARGIN.rest, zoom.k);
  return { ...now, x: now.x + free.x, y: now.y + free.y };
}

function drawMap() {
  if (ui.table) return drawTable();
  const { g, width, height } = draw2d(mapCanvas);
  if (!isMap()) {
    drawLanes(g, width, height);
  } else {
    shown = layoutOf(width, height);
    clipped(g, MARGIN.left - 2, MARGIN.top - 2, width - MARGIN.left, height - MARGIN.top, () => {
      if (ui.quantity === "phase") drawPhases(g);
      else drawHeat(g);
      drawMarks(g);
    });
    drawAxes(g);
  }
  drawLegend();
  drawReading();
}

function drawHeat(g) {
  const run = ui.run, f = interval(), side = shown.side;
  shown.values = run.values(f, ui.span, ui.quantity, ui.reason);
  shown.top = topOfScale();
  const hasLinks = DIRECTIONS.some(key => run.has(key));
  shown.gap = side >= 9 ? Math.max(1, Math.round(side * (side > 30 && hasLinks ? 0.24 : 0.14))) : 0;
  if (side < PIXELS) drawPixels(g);
  else for (let i = 0; i < run.squares; i++) drawSquare(g, i);
  if (ui.arrows && hasLinks && side >= 9) drawArrows(g, f);
  drawProgram(g);
}

function colorOfSquare(i) {
  return rampOf(ui.quantity)[level(shown.values[i] / shown.top)];
}

let keptMap = null;
/** A canvas with a pixel for each square, and what is put on it. */
function smallMap(columns, rows) {
  if (keptMap?.small.width === columns && keptMap.small.height === rows) return keptMap;
  const small = new OffscreenCanvas(columns, rows), picture = new ImageData(columns, rows);
  return keptMap = { small, picture, pixels: new Uint32Array(picture.data.buffer), paint: small.getContext("2d") };
}

/** Many small squares at once, as pixels of a picture; gaps are drawn over it. */
function drawPixels(g) {
  const { columns, rows, side, x, y, gap, values, top } = shown, { picture, pixels, small, paint } = smallMap(columns, rows);
  const colors = pixelsOf(ui.quantity), none = pixelOf(bytesOf(color("sunk"))), { inside, squares } = ui.run;
  for (let i = 0; i < squares; i++) pixels[i] = inside[i] ? colors[level(values[i] / top)] : none;
  paint.putImageData(picture, 0, 0);
  g.imageSmoothingEnabled = false;
  g.drawImage(small, x, y, side * columns, side * rows);
  g.strokeStyle = color("card");
  g.lineWidth = gap;
  for (let i = 1; gap > 0 && i < columns; i++) line(g, x + i * side, y, x + i * side, y + side * rows);
  for (let i = 1; gap > 0 && i < rows; i++) line(g, x, y + i * side, x + side * columns, y + i * side);
  g.lineWidth = 1;
  g.strokeStyle = color("line");
  g.strokeRect(x - 0.5, y - 0.5, side * columns + 1, side * rows + 1);
}

function cornerOf(square) {
  return [shown.x + square % shown.columns * shown.side, shown.y + Math.floor(square / shown.columns) * shown.side];
}
const isOutside = (x, y) => x > shown.width || y > shown.height || x + shown.side < 0 || y + shown.side < 0;

function drawSquare(g, i) {
  const [x, y] = cornerOf(i), { side, gap } = shown, inner = side - gap;
  if (isOutside(x, y)) return;
  g.beginPath();
  g.roundRect(x + gap / 2, y + gap / 2, inner, inner, Math.min(5, inner * 0.12));
  if (!ui.run.inside[i]) {
    g.strokeStyle = color("line");
    g.setLineDash([2, 3]);
    g.stroke();
    g.setLineDash([]);
    return;
  }
  const isBare = ui.quantity === "links" && ui.arrows && side >= 18;  // the arrows show the load
  const bytes = isBare ? bytesOf(color("idle")) : colorOfSquare(i);
  g.fillStyle = rgb(bytes);
  g.fill();
  if (side <= 40) return;
  g.font = font(clamp(side * 0.21, 10, 15));
  g.textAlign = "center";
  g.fillStyle = lightness(bytes) > 0.55 ? "rgba(10,24,32,.86)" : "rgba(255,255,255,.95)";
  const value = shown.values[i];
  g.fillText(ui.quantity === "links" ? value.toFixed(2) : String(Math.round(value * 100)), x + side / 2, y + side / 2);
}

/** An arrow for each link that carried wavelets, thicker and darker with its load. */
function drawArrows(g, f) {
  const run = ui.run, { side } = shown, cycles = run.cyclesOf(f, ui.span), [from, to] = run.range(f, ui.span);
  const loads = DIRECTIONS.map(key => run.addedOfAll([key], from, to)), colors = rampOf("links");
  const isQuantity = ui.quantity === "links";
  const length = Math.max(2, side * (isQuantity ? 0.5 : 0.34)), thick = Math.max(0.8, shown.gap * 0.3), apart = thick * 1.1;
  const ways = [[1, 0], [-1, 0], [0, -1], [0, 1]];
  for (let i = 0; i < run.squares; i++) {
    const [left, top] = cornerOf(i);
    if (isOutside(left, top)) continue;
    ways.forEach(([dx, dy], way) => {
      const load = loads[way][i] / cycles;
      if (load < 0.004) return;
      const x = left + side / 2 + dx * side / 2 - dy * apart, y = top + side / 2 + dy * side / 2 + dx * apart;
      const width = thick * (0.6 + 1.6 * Math.sqrt(load));
      g.strokeStyle = g.fillStyle = rgb(colors[level(0.3 + 0.7 * Math.sqrt(clamp(load / (isQuantity ? shown.top : 1), 0, 1)))]);
      g.lineWidth = width;
      const tipX = x + dx * length / 2, tipY = y + dy * length / 2;
      line(g, x - dx * length / 2, y - dy * length / 2, tipX, tipY);
      if (side > 26) drawTip(g, tipX, tipY, dx, dy, 2.4 + width);
    });
  }
}
function drawTip(g, x, y, dx, dy, size) {
  g.beginPath();
  g.moveTo(x + dx * size, y + dy * size);
  g.lineTo(x - dy * size * 0.8, y + dx * size * 0.8);
  g.lineTo(x + dy * size * 0.8, y - dx * size * 0.8);
  g.fill();
}

/** A frame around the places with a program, where others have none. */
function drawProgram(g) {
  const { about, block, gridColumns, gridRows } = ui.run, [x, y, width, height] = about.used;
  if (width * height === 0 || width * height === gridColumns * gridRows) return;
  const unit = shown.side / block, left = shown.x + x * unit, top = shown.y + y * unit;
  g.strokeStyle = color("faint");
  g.lineWidth = 1;
  g.strokeRect(left - 2.5, top - 2.5, width * unit + 5, height * unit + 5);
  g.font = font(11);
  if (shown.side > 16) textAt(g, "the program", left, top - 10);
}

/** Whether single cells can be pointed at: they have 4 pixels. */
const isFine = () => ui.run.block === 1 || shown.side / ui.run.block >= 4;

/** A box around a cell, or around its square where that is small. */
function drawMarks(g) {
  const cells = [[ui.hover, false], [ui.cursor, false], [ui.selected, true]];
  for (const [cell, isStrong] of cells) {
    if (cell === null) continue;
    const unit = shown.side / ui.run.block, fine = isFine();
    const [left, top] = fine ? [shown.x + xOf(cell) * unit, shown.y + yOf(cell) * unit] : cornerOf(ui.run.squareOf(cell));
    const size = fine ? unit : shown.side, side = Math.max(size, 5), x = left - (side - size) / 2, y = top - (side - size) / 2;
    if (isStrong) {  // a double outline is seen on every color
      g.strokeStyle = color("card");
      g.lineWidth = 4.5;
      g.strokeRect(x, y, side, side);
    }
    g.strokeStyle = color(isStrong ? "ink" : "soft");
    g.lineWidth = isStrong ? 2.2 : 1.5;
    g.strokeRect(x, y, side, side);
  }
}

function drawAxes(g) {
  const { gridColumns, gridRows, block } = ui.run, unit = shown.side / block;
  const step = Math.max(1, niceStep(46 / unit)), middle = block === 1 ? 0.5 : 0, marked = ui.hover ?? ui.selected;
  g.font = font(11);
  g.lineWidth = 1;
  const axis = (most, own, begin, end, offset, draw) => {
    for (let n = 0; n < most; n += step) {
      const at = offset + (n + middle) * unit;
      if (at < begin || at > end || (Math.abs(n - own) * unit < 26 && n !== own)) continue;
      g.strokeStyle = color("line");
      draw(n, at);
    }
  };
  axis(gridColumns, xOf(marked), MARGIN.left - 6, shown.width - 4, shown.x, (n, x) => {
    textAt(g, count(n), x, 15, "center");
    line(g, x, 23, x, 27);
  });
  axis(gridRows, yOf(marked), MARGIN.top - 4, shown.height - 6, shown.y, (n, y) => {
    textAt(g, count(n), 32, y, "right");
    line(g, 36, y, 40, y);
  });
  textAt(g, "x", 26, 15);
  textAt(g, "y", 8, 30);
  drawOwnLabels(g, marked, unit, middle);
}
function drawOwnLabels(g, cell, unit, middle) {
  const x = shown.x + (xOf(cell) + middle) * unit, y = shown.y + (yOf(cell) + middle) * unit;
  g.font = font(11, "600");
  const label = (text, atX, atY) => {
    const width = g.measureText(text).width + 8;
    g.fillStyle = color("ink");
    fillRound(g, atX - width / 2, atY - 8, width, 16, 4);
    textAt(g, text, atX, atY + 0.5, "center", "card");
  };
  if (x > MARGIN.left && x < shown.width) label(count(xOf(cell)), x, 15);
  if (y > MARGIN.top && y < shown.height) label(count(yOf(cell)), 24, y);
}

// --- the tooltip
function drawTooltip() {
  const box = $("tip"), cell = ui.hover;
  box.style.opacity = cell === null || !isMap() || ui.table ? 0 : 1;
  if (cell === null || !isMap() || ui.table) return;
  box.replaceChildren(el("b", { textContent: [nameOf(cell), ui.run.block === 1 ? peOf(cell) : ""].join(" ").trim() }));
  if (!hasProgram(cell)) {
    box.append(el("div", { className: "soft", textContent: "no program" }));
  } else {
    const values = el("div", { className: "g" });
    for (const [name, text] of valuesInWords(cell))
      values.append(el("span", { className: "soft", textContent: name }), el("span", { textContent: text }));
    box.append(values, el("div", { className: "soft", textContent: (ui.span === "all" ? "since start; " : "") + mostOf(cell) }));
  }
  placeTooltip(box, cell);
}
/** Busy, waits and links of a cell in what is shown, as the tooltip and the table have them. */
function valuesInWords(cell) {
  const square = ui.run.squareOf(cell), f = interval();
  const rows = [["busy", percent(ui.run.value(square, f, ui.span, "busy"))],
    ["waits", percent(ui.run.value(square, f, ui.span, "waits", "all"))]];
  if (ui.run.kind === "fabric") rows.push(["busiest link", ui.run.value(square, f, ui.span, "links").toFixed(2)]);
  return rows;
}
/** "most: a wavelet on an input queue". */
function mostOf(cell) {
  if (ui.quantity === "phase") return stateInWords(cell);
  const square = ui.run.squareOf(cell), f = interval();
  const best = ui.run.seen.map(reason => [reason, ui.run.value(square, f, ui.span, "waits", reason)]).sort((a, b) => b[1] - a[1])[0];
  return best && best[1] > 0 ? "most: " + wordsOf(best[0]) : "no waits";
}
function placeTooltip(box, cell) {
  const [left, top] = cornerOf(ui.run.squareOf(cell)), size = box.getBoundingClientRect();
  const right = left + shown.side + 8;
  const x = right + size.width > shown.width - 6 ? left - size.width - 8 : right;
  box.style.left = clamp(x, 4, Math.max(4, shown.width - size.width - 4)) + "px";
  box.style.top = clamp(top, 4, Math.max(4, shown.height - size.height - 4)) + "px";
}

// --- zoom
function zoomTo(k, atX, atY) {
  if (!shown.side) return;
  const old = shown, [left, top] = cornerOf(ui.run.squareOf(ui.selected));
  const x = atX ?? left + old.side / 2, y = atY ?? top + old.side / 2;
  const u = (x - old.x) / old.side, v = (y - old.y) / old.side;
  ui.zoom = { k, x: 0, y: 0 };
  if (k > 1.001) {
    const now = layoutOf(old.width, old.height);
    ui.zoom = { k, x: x - u * now.side - now.x, y: y - v * now.side - now.y };
  }
  drawMap();
  drawTooltip();
}
const mostZoom = () => Math.max(60, 60 / Math.max(shown.side / ui.zoom.k, 0.5));
const zoomBy = factor => zoomTo(clamp(ui.zoom.k * factor, 1, mostZoom()));

// --- the pointer
/** The cell under a pointer; null: none. */
function cellUnder(event) {
  const box = mapCanvas.getBoundingClientRect(), unit = shown.side / ui.run.block;
  const across = event.clientX - box.left - shown.x, down = event.clientY - box.top - shown.y;
  const square = { x: Math.floor(across / shown.side), y: Math.floor(down / shown.side) };
  if (square.x < 0 || square.y < 0 || square.x >= shown.columns || square.y >= shown.rows) return null;
  if (!isFine()) return ui.run.cellOf(square.y * shown.columns + square.x);
  const x = Math.floor(across / unit), y = Math.floor(down / unit);
  return x < ui.run.gridColumns && y < ui.run.gridRows ? cellAt(x, y) : null;
}

const pointers = new Map();
let moved = 0, pinch = null;
stage.addEventListener("pointerdown", event => {
  if (event.target.closest("#zoom")) return;
  stage.setPointerCapture(event.pointerId);
  pointers.set(event.pointerId, [event.clientX, event.clientY]);
  moved = 0;
  if (pointers.size < 2) return;
  const [a, b] = [...pointers.values()];
  pinch = { apart: Math.hypot(a[0] - b[0], a[1] - b[1]), k: ui.zoom.k };
});
stage.addEventListener("pointermove", event => {
  const before = pointers.get(event.pointerId);
  if (before) pointers.set(event.pointerId, [event.clientX, event.clientY]);
  if (before && pinch && pointers.size === 2 && isMap()) {
    const [a, b] = [...pointers.values()];
    return zoomTo(clamp(pinch.k * Math.hypot(a[0] - b[0], a[1] - b[1]) / pinch.apart, 1, mostZoom()));
  }
  if (before) drag(event.clientX - before[0], event.clientY - before[1]);
  if (!isMap()) return hoverLane(event);
  const cell = cellUnder(event);
  if (cell === ui.hover) return;
  ui.hover = cell;
  drawMap();
  drawTooltip();
});
function drag(dx, dy) {
  moved += Math.abs(dx) + Math.abs(dy);
  if (!isMap()) return panLanes(dx);
  if (ui.zoom.k <= 1 || moved <= 4) return;
  stage.classList.add("panning");
  ui.zoom.x += dx;
  ui.zoom.y += dy;
  drawMap();
}
stage.addEventListener("pointerup", event => {
  const wasDown = pointers.delete(event.pointerId);
  pinch = null;
  stage.classList.remove("panning");
  if (!wasDown || moved >= 5) return;
  const cell = isMap() ? cellUnder(event) : laneUnder(event);
  if (cell !== null) select(cell);
});
stage.addEventListener("pointercancel", event => pointers.delete(event.pointerId));
stage.addEventListener("pointerleave", () => {
  if (ui.hover === null) return;
  ui.hover = null;
  drawMap();
  drawTooltip();
});
stage.addEventListener("wheel", event => {
  event.preventDefault();
  if (!isMap()) return zoomLanesAt(event);
  const box = mapCanvas.getBoundingClientRect(), k = clamp(ui.zoom.k * Math.exp(-event.deltaY * 0.0022), 1, mostZoom());
  zoomTo(k, event.clientX - box.left, event.clientY - box.top);
}, { passive: false });
