// The beginning of the page: from the recording inside a saved page, or from the program that answers a live one.
"use strict";

function bytesOf64(text) {
  if (Uint8Array.fromBase64) return Uint8Array.fromBase64(text);
  const letters = atob(text), bytes = new Uint8Array(letters.length);
  for (let i = 0; i < bytes.length; i++) bytes[i] = letters.charCodeAt(i);
  return bytes;
}
async function unpack(id) {
  const { readable, writable } = new DecompressionStream("gzip"), writer = writable.getWriter();
  const written = writer.write(bytesOf64($(id).textContent)).then(() => writer.close());
  const [bytes] = await Promise.all([new Response(readable).arrayBuffer(), written]);
  return bytes;
}

function prepare(about) {
  const run = ui.run = new Recording(about);
  ui.sources = about.sources;
  $("quant").replaceChildren(...Object.entries(QUANTITIES[run.kind]).map(([key, name]) =>
    el("button", { textContent: name, "data-k": key, onclick: () => show(key) })));
  ui.quantity = Object.keys(QUANTITIES[run.kind])[0];
}

/** The first look, when there are intervals. */
function openRun() {
  const run = ui.run, [x, y, width, height] = run.about.used;
  run.words = { ...run.words };
  $("reason").replaceChildren(new Option("all reasons", "all"), ...run.reasons.filter(reason => run.seen.includes(reason) || ui.live)
    .map(reason => new Option(wordsOf(reason), reason)));
  ui.selected = width * height > 0 ? cellAt(x + (width >> 1), y + (height >> 1)) : 0;
  if (run.kind === "cores") ui.selected = busiestLane();
  ui.cycle = ui.live ? ui.live.cycle : Math.floor(run.total / 2);
  ui.range = [0, run.total];
  ui.window = [0, Math.min(run.total, Math.max(2000, run.total / 4))];
  ui.around = run.kind === "cores" ? clamp(run.total / 12, 200, 20000) : 150;
  readAddress();
  if (!isMap()) keepInWindow();
  $("until").value = run.total - 1;
  showScale(ui.scale);
  showSpan(ui.span);
  showTable(ui.table);
  document.body.dataset.ready = "1";
  drawMachine();
  seek(ui.cycle);
}

async function beginFile() {
  const [frames, data] = await Promise.all([unpack("frames"), unpack("data")]);
  const { about, commands, slices, sentences, memory, report } = JSON.parse(new TextDecoder().decode(data));
  prepare(about);
  Object.assign(ui, { sentences, memory, report });
  ui.run.add(readFrames(frames));
  ui.run.commands = commands;
  ui.run.addSlices(slices);
  countBySlices(ui.run);
  openRun();
}

// --- a live page
const token = new URLSearchParams(location.search).get("token");
const headers = { "X-Tessera-Token": token };

async function ask(path, query = {}) {
  const reply = await fetch(path + "?" + new URLSearchParams(query), { headers });
  if (!reply.ok) throw new Error(await reply.text());
  return reply;
}
const askJson = async (path, query) => (await ask(path, query)).json();

async function command(what, n = 0) {
  try {
    const reply = await fetch("/do?" + new URLSearchParams({ what, n }), { method: "POST", headers });
    if (!reply.ok) throw new Error(await reply.text());
  } catch {
    lost();
  }
}
function lost() {
  $("state").className = "chip over";
  $("state").lastElementChild.textContent = "the program has ended";
}

/** What the program says of the selected cell in the cycle that it is in. */
async function askPlace() {
  if (!ui.live || !isLiveNow()) return;
  const cell = ui.selected;
  try {
    const place = { cell, ...await askJson("/place", { cell }) };
    if (cell !== ui.selected) return;
    ui.place = place;
    drawPlace();
  } catch { /* the stream of states says when the program has ended */ }
}

let isFetching = false;
/** Brings the recording up to the cycle of the program. */
async function follow() {
  if (isFetching) return;
  isFetching = true;
  try {
    let cycle = -1;
    while (cycle !== ui.live.cycle + ui.live.state) {
      cycle = ui.live.cycle + ui.live.state;
      await bringUp();
    }
  } catch {
    lost();
  } finally {
    isFetching = false;
  }
}
async function bringUp() {
  const run = ui.run, wasNow = document.body.dataset.ready !== "1" || ui.cycle >= run.total - 1, state = ui.live;
  const isFirst = document.body.dataset.ready !== "1", wasWhole = ui.range[0] <= 0 && ui.range[1] >= run.total;
  const frames = await ask("/frames", isFirst ? {} : { from: run.closed, generation: run.generation });
  run.add(readFrames(await frames.arrayBuffer()));
  if (state.commands !== run.commands.length || run.commands.some(entry => entry[2] === null)) run.commands = await askJson("/commands");
  run.addSlices(await askJson("/slices"));
  countBySlices(run);
  if (state.state === "over") ui.report = await askJson("/report");
  if (isFirst) return openRun();
  if (wasWhole) ui.range = [0, run.total];
  if (wasNow || ui.cycle >= run.total) ui.cycle = run.total - 1;
  keepInWindow();
  drawMachine();
  drawAll();
  return askPlace();
}

async function beginLive() {
  $("close").hidden = false;
  prepare(await askJson("/about"));
  const events = new EventSource("/events?" + new URLSearchParams({ token }));
  events.addEventListener("state", event => {
    ui.live = JSON.parse(event.data);
    if (document.body.dataset.ready === "1") drawClock();
    follow();
  });
  events.onerror = () => {
    events.close();
    lost();
  };
}

addEventListener("hashchange", () => {
  if (!ui.run || document.body.dataset.ready !== "1") return;
  readAddress();
  showTable(ui.table);
  drawAll();
});
showTheme(themeAtBegin(), false);
(document.body.dataset.live ? beginLive() : beginFile()).catch(error => {
  $("state").lastElementChild.textContent = "cannot show the run: " + error.message;
});
