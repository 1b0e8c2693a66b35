// Putting right: who stays, who goes, which frame shows a place best, and a brush.

import { ask } from "./api.js";
import { painted, tapped, tools, words } from "./tools.js";

const get = (id) => document.getElementById(id);

export class PutRight {
  constructor(viewer, look, { change }) {
    Object.assign(this, { viewer, look, change });
    this.tool = "move";
    for (const tool of tools) {
      const button = Object.assign(document.createElement("button"), { type: "button", value: tool.id, textContent: tool.name });
      button.setAttribute("role", "radio");
      button.setAttribute("aria-keyshortcuts", tool.key);
      button.addEventListener("click", () => this.choose(tool.id));
      get("tools").append(button);
    }
    get("tools").setAttribute("role", "radiogroup");
    get("tools").setAttribute("aria-label", "Tools");
    get("undo").addEventListener("click", () => this.step("undo"));
    get("redo").addEventListener("click", () => this.step("redo"));
    get("clear-edits").addEventListener("click", () => this.change(
      () => ask("PUT", `sessions/${this.state.id}/edits`, { version: 1, edits: [] })));
    get("brush-size").addEventListener("input", () => this.setBrush());
    get("brush-frame").addEventListener("change", () => this.look.showFrame(null));
    this.choose("move");
  }

  reset() {
    this.state = null;
    get("versions").hidden = true;
  }

  toolOf(key) { return tools.find((tool) => tool.key === key)?.id; }

  choose(id) {
    this.tool = id;
    const tool = tools.find((one) => one.id === id);
    get("tool-words").textContent = tool.words;
    for (const button of get("tools").children) button.setAttribute("aria-checked", String(button.value === id));
    get("brush-tools").hidden = id !== "draw";
    get("view").classList.toggle("pointing", id !== "move");
    if (id !== "versions") get("versions").hidden = true;
    this.setBrush();
  }

  /** The brush is as large on the screen as it was chosen, however the plate is zoomed when painting begins. */
  setBrush() {
    this.viewer.brush = this.tool === "draw" ? Number(get("brush-size").value) / 2 / Math.max(this.viewer.scale, 1e-6) : null;
  }

  render(state) {
    const isNew = this.state?.plate?.version !== state.plate.version;
    this.state = state;
    for (const [id, isOn] of [["undo", state.canUndo], ["redo", state.canRedo], ["clear-edits", state.edits.length > 0]]) {
      get(id).disabled = !isOn || state.phase === "developing";
    }
    this.setBrush();
    if (!isNew) return;
    const list = get("edit-list");
    list.replaceChildren(...state.edits.slice(-40).map((edit) => Object.assign(document.createElement("li"), { textContent: words(edit, state.frames) })));
    list.start = Math.max(1, state.edits.length - 39);
    const select = get("brush-frame");
    const chosen = select.value;
    select.replaceChildren(...state.plate.frames.map((index) => Object.assign(document.createElement("option"), { value: index, textContent: `${index + 1}: ${state.frames[index]?.name ?? ""}` })));
    select.value = state.plate.frames.includes(Number(chosen)) && chosen !== "" ? chosen : state.plate.reference;
  }

  send(edit) { return this.change(() => ask("POST", `sessions/${this.state.id}/edits`, edit)); }

  step(which) { return this.change(() => ask("POST", `sessions/${this.state.id}/${which}`)); }

  async tap(at) {
    if (!this.state?.plate || this.tool === "move") return;
    if (this.state.plate.combine !== "clean") {
      await this.change(() => Promise.reject(new Error("Only Clean decides place by place. Make the plate with it first.")));
    } else if (this.tool === "versions") {
      this.offer(at);
    } else if (this.tool === "draw") {
      await this.stroke([at]);
    } else {
      await this.send(tapped(this.tool, at, this.look.frame));
    }
  }

  useAtMiddle() { return this.tap(this.viewer.middle); }

  async stroke(path) {
    if (path.length === 0 || !this.state?.plate) return;
    await this.send(painted(path, this.viewer.brush, this.look.frame ?? Number(get("brush-frame").value)));
  }

  /** Shows how every frame shows a place, for one to be chosen. */
  offer(at) {
    const [x, y] = at.map(Math.round);
    const { plate, id } = this.state;
    const side = Math.min(Math.max(Math.round(200 / this.viewer.scale), 48), 1200);
    this.viewer.mark = { x: x - side / 2, y: y - side / 2, width: side, height: side };
    this.viewer.draw();
    const items = plate.frames.map((index) => {
      const button = Object.assign(document.createElement("button"), { type: "button" });
      button.setAttribute("aria-label", `Take it from frame ${index + 1}`);
      const image = Object.assign(document.createElement("img"), {
        alt: "", src: `/api/sessions/${id}/version?frame=${index}&x=${x}&y=${y}&side=${side}&v=${plate.made}`,
      });
      button.append(image, `${index + 1}`);
      button.addEventListener("click", () => this.takeVersion(index, [x, y], side));
      const item = document.createElement("li");
      item.append(button);
      return item;
    });
    get("version-list").replaceChildren(...items);
    get("versions").hidden = false;
    items[0]?.firstChild.focus({ preventScroll: false });
  }

  async takeVersion(frame, point, side) {
    this.viewer.mark = null;
    const problem = await this.send({ do: "take", frame, point });
    // Where the frame shows what most do, the place itself is meant, as large as it was shown.
    if (problem?.status === 422) {
      await this.send({ do: "take", frame, stroke: { radius: Math.round(side / 3), points: [point] } });
    }
  }
}
