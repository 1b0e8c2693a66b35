// The page: one session at a time, shown as the studio tells it.

import { ask, follow, Problem } from "./api.js";
import { Camera } from "./capture.js";
import { Film } from "./film.js";
import { dropped, isVideo, sorted } from "./files.js";
import { Look } from "./look.js";
import { PutRight } from "./putright.js";
import { Uploads } from "./uploads.js";
import { Viewer } from "./viewer.js";

const get = (id) => document.getElementById(id);
const operators = [
  ["clean", "Clean"], ["median", "Median"], ["mean", "Long exposure"], ["mode", "Mode by hue"], ["lighten", "Lighten"],
  ["darken", "Darken"],
];
const stages = {
  extract: "Reading the video", decode: "Reading the frames", register: "Laying them on each other",
  select: "Choosing who may speak where", stack: "Putting the plate together", foreground: "Cutting people out",
};

let state = null;
let stopFollowing = null;
let tab = "frames";
let operator = "clean";
let taking = null;
let shot = 0;

const tell = (text) => { get("news").textContent = text; };

function showProblem(error) {
  const place = get("problem");
  place.hidden = !error;
  place.textContent = error ? error.message ?? [error.problem, error.advice].filter(Boolean).join(" ") : "";
  if (error?.status === 401) show("enter");
}

const camera = new Camera(get("camera"));
const viewer = new Viewer(get("view"), { onTap: (at) => putRight.tap(at), onStroke: (path) => putRight.stroke(path) });
const uploads = new Uploads((count) => {
  document.body.dataset.uploads = String(count);
  render();
}, showProblem);
const film = new Film(get("frames"), (index) => look.showFrame(look.frame === index ? null : index));
const look = new Look(viewer, tell);
const putRight = new PutRight(viewer, look, {
  change: async (deed) => {
    try {
      accept(await deed());
      showProblem(null);
      return null;
    } catch (error) {
      showProblem(error);
      tell(error.message);
      return error;
    }
  },
});

// Screens

function show(screen) {
  for (const id of ["enter", "start", "work"]) get(id).hidden = id !== screen;
  if (screen === "start") listSessions();
}

async function listSessions() {
  const list = get("session-list");
  let sessions;
  try { sessions = await ask("GET", "sessions"); } catch (error) {
    if (error.status === 401) show("enter");
    return;
  }
  list.replaceChildren();
  const entry = (words, deed) => {
    const item = document.createElement("li");
    const button = Object.assign(document.createElement("button"), { type: "button", textContent: words });
    button.addEventListener("click", () => attempt(deed));
    item.append(button);
    list.append(item);
  };
  for (const one of sessions.open) entry(`Open now: ${one.frames} frames`, () => begin(one.id));
  const open = new Set(sessions.open.map((one) => one.id));
  for (const one of sessions.kept.filter((kept) => !open.has(kept.id))) {
    entry(`Kept ${new Date(one.date).toLocaleString()}: ${one.frames} frames`, async () => {
      begin((await ask("POST", `kept/${one.id}`)).id);
    });
  }
  get("sessions").hidden = list.children.length === 0;
}

async function attempt(deed) {
  try {
    await deed();
    showProblem(null);
  } catch (error) {
    showProblem(error);
    if (!get("start").hidden) alertAtStart(error);
  }
}

function alertAtStart(error) {
  const old = document.querySelector("#start .alert");
  const note = old ?? Object.assign(document.createElement("p"), { className: "alert" });
  note.setAttribute("role", "alert");
  note.textContent = error.message;
  get("start").prepend(note);
}

/** Follows a session from now on. */
function begin(id) {
  stopFollowing?.();
  [state, shot] = [null, 0];
  location.hash = `session=${id}`;
  document.querySelector("#start .alert")?.remove();
  look.reset();
  putRight.reset();
  choose("frames");
  show("work");
  stopFollowing = follow(id, accept, (connection, problem) => {
    get("connection").textContent = connection === "lost" ? "Connection lost. Trying again …" : "";
    if (connection === "closed" || connection === "broken") leave();
    if (problem) alertAtStart(problem);
  });
}

async function newSession() {
  const made = await ask("POST", "sessions");
  begin(made.id);
  state = made;
  return made.id;
}

function leave() {
  stopFollowing?.();
  taking?.abort();
  camera.close();
  [stopFollowing, state] = [null, null];
  history.replaceState(null, "", "/");
  show("start");
}

// The state

function accept(next) {
  // Answers and events may overtake each other.
  if (state && (next.id !== state.id || next.revision < state.revision)) return;
  const before = state;
  state = next;
  document.body.dataset.revision = String(next.revision);
  if (before?.phase === "developing" && next.phase === "ready") {
    choose("look");
    tell([`The plate is made: ${next.plate.summary}`, ...next.plate.notes].join(". "));
  }
  for (const frame of next.frames) {
    const known = before?.frames[frame.index];
    if (known && known.verdict !== frame.verdict && frame.accepted === false) tell(`${frame.name}: ${frame.verdict}`);
  }
  if (next.live.advice && next.live.advice !== before?.live.advice) tell(next.live.advice);
  render();
}

function render() {
  if (!state) return;
  const isDeveloping = state.phase === "developing";
  const hasPlate = Boolean(state.plate) && !camera.isOpen && tab !== "frames";
  get("camera").hidden = !camera.isOpen;
  get("view").hidden = !hasPlate;
  get("zoom").hidden = !hasPlate;
  const live = get("live");
  const showsLive = !hasPlate && state.live.version > 0;
  live.hidden = !showsLive || camera.isOpen && !taking;
  live.classList.toggle("corner", camera.isOpen);
  if (showsLive && live.dataset.version !== `${state.id}/${state.live.version}`) {
    live.dataset.version = `${state.id}/${state.live.version}`;
    live.src = `/api/sessions/${state.id}/live.jpg?v=${state.live.version}`;
  }
  get("empty").hidden = state.frames.length > 0 || camera.isOpen;
  const badge = get("badge");
  const waiting = state.frames.filter((frame) => frame.accepted === undefined || frame.accepted === null).length;
  badge.hidden = hasPlate ? look.badge === "" : !showsLive && !taking;
  badge.textContent = hasPlate ? look.badge
    : `${state.live.frames} of ${state.frames.length} frames${waiting ? `, ${waiting} to look at` : ""}${uploads.count ? `, ${uploads.count} to send` : ""}`;

  get("busy").hidden = !isDeveloping;
  if (isDeveloping && state.progress) {
    get("progress-words").textContent = stages[state.progress.stage] ?? state.progress.stage;
    const bar = get("progress");
    if (state.progress.total > 0) bar.value = state.progress.done / state.progress.total;
    else bar.removeAttribute("value");
  }
  if (state.problem) showProblem(state.problem);
  get("advice").textContent = state.plate && state.phase === "ready" ? "" : state.live.advice
    ?? (state.live.places === 0 && state.live.frames > 2 ? "Every place was free in some frame: that is enough." : "");
  get("make").disabled = isDeveloping || state.frames.length < 2 || Boolean(taking);
  get("make").textContent = state.plate ? "Make the plate again" : "Make the plate";
  for (const id of ["look", "right", "away"]) get(`tab-${id}`).disabled = !state.plate;
  for (const button of get("operators").children) button.setAttribute("aria-checked", String(button.value === operator));
  get("capture-tools").hidden = !camera.isOpen;
  get("add-tools").hidden = camera.isOpen;
  film.render(state, look.frame);
  if (state.plate) {
    get("summary").textContent = state.plate.summary;
    renderNotes(state.plate.notes);
    if (hasPlate) viewer.show(state.id, state.plate);
    look.render(state);
    putRight.render(state);
  }
  get("save-layers").disabled = state.plate?.combine !== "clean";
  get("keep").disabled = state.isKept || state.frames.length === 0;
  get("kept-words").textContent = state.isKept ? `Kept in ${state.folder}` : "What is not kept goes when the studio ends. Your own photos are never changed.";
}

/** What should be known of the plate beside its summary. */
function renderNotes(notes) {
  const list = get("notes");
  list.hidden = notes.length === 0;
  if (list.dataset.notes === JSON.stringify(notes)) return;
  list.dataset.notes = JSON.stringify(notes);
  list.replaceChildren(...notes.map((words) => Object.assign(document.createElement("li"), { textContent: words })));
}

function choose(name) {
  tab = name;
  for (const one of ["frames", "look", "right", "away"]) {
    get(`tab-${one}`).setAttribute("aria-selected", String(one === name));
    get(`tab-${one}`).tabIndex = one === name ? 0 : -1;
    get(`panel-${one}`).hidden = one !== name;
  }
  if (name !== "frames" && camera.isOpen) camera.close();
  if (name !== "right") putRight.choose("move");
  render();
}

// Frames

async function take(files) {
  if (files.length === 0) throw new Problem(0, "No photos are among these.", "Choose others.");
  const id = state?.id ?? await newSession();
  for (const file of files) uploads.add(id, file, file.name, isVideo(file) ? "video" : "frames");
}

async function openCamera() {
  if (!state) await newSession();
  choose("frames");
  await camera.open();
  get("camera-facts").textContent = camera.facts;
  camera.onSteadiness = (value) => { get("steadiness").value = value; };
  render();
  get("burst").focus();
}

async function shoot(count) {
  if (taking) { taking.abort(); return; }
  taking = new AbortController();
  const id = state.id;
  get("burst").textContent = "Stop";
  get("open-end").hidden = true;
  render();
  try {
    await camera.burst({
      count, rate: 5, countdown: 3, mode: get("photo-mode").value, signal: taking.signal,
      onFrame: (blob) => {
        shot += 1;
        const suffix = blob.type === "image/png" ? "png" : "jpg";
        uploads.add(id, blob, `shot_${String(shot).padStart(3, "0")}.${suffix}`);
        get("camera-facts").textContent = camera.facts;
      },
      onCount: (words) => { get("countdown").textContent = words; },
    });
    await uploads.settled();
  } finally {
    taking = null;
    get("countdown").textContent = "";
    get("burst").textContent = "20 frames in 4 seconds";
    get("open-end").hidden = false;
    render();
  }
}

async function make() {
  if (camera.isOpen) camera.close();
  await uploads.settled();
  accept(await ask("POST", `sessions/${state.id}/plate`, { combine: operator, crop: get("crop").value }));
}

// Wiring

const on = (id, deed, kind = "click") => get(id).addEventListener(kind, (event) => attempt(() => deed(event)));
on("home", leave);
on("help-button", () => get("help").showModal());
on("use-camera", openCamera);
on("more-camera", openCamera);
on("close-camera", () => { taking?.abort(); camera.close(); render(); });
on("burst", () => shoot(20));
on("open-end", () => shoot(Infinity));
for (const id of ["use-files", "more-files"]) on(id, () => get("files").click());
on("use-folder", () => get("folder").click());
for (const id of ["files", "folder"]) {
  on(id, async (event) => {
    const files = sorted(event.target.files);
    event.target.value = "";
    await take(files);
  }, "change");
}
on("make", make);
on("stop-plate", async () => accept(await ask("DELETE", `sessions/${state.id}/plate`)));
for (const [value, name] of operators) {
  const button = Object.assign(document.createElement("button"), { type: "button", value, textContent: name });
  button.setAttribute("role", "radio");
  button.addEventListener("click", () => attempt(async () => {
    operator = value;
    render();
    if (!state) return;
    if (state.plate && state.phase === "ready") await make();
    else if (state.frames.length > 0) accept(await ask("POST", `sessions/${state.id}/live`, { combine: value }));
  }));
  get("operators").append(button);
}
get("operators").setAttribute("role", "radiogroup");
get("operators").setAttribute("aria-label", "How pixels become one");
for (const one of ["frames", "look", "right", "away"]) get(`tab-${one}`).addEventListener("click", () => choose(one));
get("tabs").addEventListener("keydown", (event) => {
  const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
  if (!step) return;
  const all = [...get("tabs").children].filter((button) => !button.disabled);
  const next = all[(all.indexOf(document.activeElement) + step + all.length) % all.length];
  next.click();
  next.focus();
});

const save = (path) => {
  const link = Object.assign(document.createElement("a"), { href: `/api/sessions/${state.id}/${path}`, download: "" });
  link.click();
};
on("save-plate", () => save(`plate?format=${get("format").value}&quality=${get("quality").value}`));
on("save-report", () => save("report.json"));
on("save-edits", () => save("edits.json"));
on("save-layers", () => save("plate?format=ora"));
on("save-aligned", () => save("aligned.tar"));
on("load-edits", () => get("edits-file").click());
on("edits-file", async (event) => {
  const [file] = event.target.files;
  const text = await file.text();
  event.target.value = "";
  accept(await ask("PUT", `sessions/${state.id}/edits`, new Blob([text])));
}, "change");
get("quality").addEventListener("input", () => { get("quality-words").textContent = get("quality").value; });
on("keep", async () => accept(await ask("POST", `sessions/${state.id}/keep`)));
on("close-session", async () => {
  const isSafe = state.isKept || state.frames.length === 0
    || window.confirm("Its frames and edits go, unless you keep the session first. Close it?");
  if (!isSafe) return;
  await ask("DELETE", `sessions/${state.id}`);
  leave();
});
on("enter-form", async (event) => {
  event.preventDefault();
  await enter(get("code").value.trim());
}, "submit");

for (const kind of ["dragenter", "dragover"]) {
  document.addEventListener(kind, (event) => { event.preventDefault(); document.body.classList.add("dropping"); });
}
document.addEventListener("dragleave", (event) => { if (!event.relatedTarget) document.body.classList.remove("dropping"); });
document.addEventListener("drop", (event) => {
  event.preventDefault();
  document.body.classList.remove("dropping");
  attempt(async () => take(await dropped(event.dataTransfer)));
});

document.addEventListener("keydown", (event) => {
  if (!state?.plate || tab === "frames" || event.target.closest("input, select, textarea, dialog")) return;
  if (event.ctrlKey || event.metaKey) {
    const key = event.key.toLowerCase();
    if (key === "z" || key === "y") {
      event.preventDefault();
      putRight.step(key === "y" || event.shiftKey ? "redo" : "undo");
    }
    return;
  }
  const isOnPicture = event.target === get("view") || event.target === document.body;
  if (isOnPicture && viewer.key(event.key)) { event.preventDefault(); return; }
  if (event.target === get("view") && event.key === "Enter") { event.preventDefault(); putRight.useAtMiddle(); return; }
  const tool = putRight.toolOf(event.key);
  if (tool) { choose("right"); putRight.choose(tool); return; }
  if (look.key(event.key)) event.preventDefault();
});
document.addEventListener("keyup", (event) => { if (event.key === "b") look.before(false); });
for (const button of document.querySelectorAll("#zoom button")) {
  button.addEventListener("click", () => viewer.key(button.dataset.key));
}
// Who leaves while photos are on their way is asked; what was sent stays.
window.addEventListener("beforeunload", (event) => { if (uploads.count > 0) event.preventDefault(); });

async function enter(code) {
  await ask("POST", "enter", { code });
  history.replaceState(null, "", "/");
  await arrive("");
}

async function arrive(hash) {
  const words = hash.replace(/^#/, "").split("&").filter(Boolean);
  const code = words.find((word) => !word.includes("="));
  const session = words.find((word) => word.startsWith("session="))?.slice(8);
  try {
    if (code) { await ask("POST", "enter", { code }); history.replaceState(null, "", "/"); }
    if (session) { await ask("GET", `sessions/${session}`); begin(session); return; }
    await ask("GET", "sessions");
    show("start");
  } catch (error) {
    show(error.status === 401 ? "enter" : "start");
    if (error.status !== 401) alertAtStart(error);
    history.replaceState(null, "", "/");
  }
}

// For tests, which look at the page as it looks at itself.
window.studio = { viewer, get state() { return state; }, get uploads() { return uploads.count; } };
arrive(location.hash);
