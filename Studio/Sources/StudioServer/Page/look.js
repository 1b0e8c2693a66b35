// Looking closely: before and after, who backs a place, places that were never free, any frame over the plate.

const get = (id) => document.getElementById(id);

export class Look {
  constructor(viewer, tell) {
    Object.assign(this, { viewer, tell });
    this.reset();
    get("compare").addEventListener("click", () => this.compare(get("divider").hidden));
    get("divide").addEventListener("input", () => { viewer.divide = get("divide").value / 1000; viewer.draw(); });
    get("overlay").addEventListener("click", () => this.showOverlay(!this.overlayShown));
    get("next-place").addEventListener("click", () => this.step(1));
    get("previous-place").addEventListener("click", () => this.step(-1));
    get("shown-frame").addEventListener("change", (event) => {
      this.showFrame(event.target.value === "" ? null : Number(event.target.value));
    });
    const hold = get("hold");
    hold.addEventListener("pointerdown", (event) => { hold.setPointerCapture(event.pointerId); this.before(true); });
    for (const name of ["pointerup", "pointercancel", "blur"]) hold.addEventListener(name, () => this.before(false));
    hold.addEventListener("keydown", (event) => { if ([" ", "Enter"].includes(event.key)) this.before(true); });
    hold.addEventListener("keyup", () => this.before(false));
  }

  reset() {
    this.frame = null;
    this.place = -1;
    this.overlayShown = false;
    this.state = null;
    Object.assign(this.viewer, { over: undefined, overlay: null, mark: null, divide: 0, isBefore: false, plate: null });
    get("divider").hidden = true;
  }

  get badge() {
    if (this.viewer.isBefore) return "Before";
    if (this.frame !== null) return `Frame ${this.frame + 1}, registered`;
    return "";
  }

  render(state) {
    const isNew = this.state?.plate?.version !== state.plate.version;
    this.state = state;
    if (!isNew) return;
    const select = get("shown-frame");
    const names = state.plate.frames.map((index) => [index, `${index + 1}: ${state.frames[index]?.name ?? ""}`]);
    const options = [["", "nothing"], ...names].map(([value, text]) => Object.assign(document.createElement("option"), { value, textContent: text }));
    select.replaceChildren(...options);
    select.value = this.frame ?? "";
    const { places } = state.plate;
    if (this.place >= places.length) this.place = -1;
    for (const id of ["next-place", "previous-place"]) get(id).disabled = places.length === 0;
    get("place-words").textContent = places.length === 0 ? "Every place was free." : `${places.length} in all`;
    get("overlay").disabled = state.plate.combine !== "clean";
    if (this.overlayShown) this.showOverlay(true);
  }

  compare(isOn) {
    get("divider").hidden = !isOn;
    get("compare").setAttribute("aria-pressed", String(isOn));
    get("divide").value = isOn ? 500 : 0;
    this.viewer.divide = isOn ? 0.5 : 0;
    this.viewer.draw();
    if (isOn) get("divide").focus();
  }

  before(isOn) {
    if (Boolean(this.viewer.isBefore) === isOn) return;
    this.viewer.isBefore = isOn;
    this.showBadge();
    this.viewer.draw();
  }

  showBadge() {
    get("badge").textContent = this.badge;
    get("badge").hidden = this.badge === "";
  }

  showOverlay(isOn) {
    this.overlayShown = isOn;
    get("overlay").setAttribute("aria-pressed", String(isOn));
    get("legend").hidden = !isOn;
    const { plate, id } = this.state;
    if (!isOn || !plate.cell) { this.viewer.overlay = null; this.viewer.draw(); return; }
    const image = new Image();
    image.onload = () => {
      if (!this.overlayShown) return;
      const start = (at) => Math.floor(at / plate.cell) * plate.cell;
      this.viewer.overlay = { image, x: start(plate.crop.x), y: start(plate.crop.y), cell: plate.cell };
      this.viewer.draw();
    };
    image.src = `/api/sessions/${id}/overlay.png?v=${plate.version}`;
  }

  step(by) {
    const places = this.state?.plate?.places ?? [];
    if (places.length === 0) { this.tell("Every place was free in some frame."); return; }
    this.place = this.place < 0 && by < 0 ? places.length - 1 : (this.place + by + places.length) % places.length;
    this.viewer.lookAt(places[this.place]);
    const words = `Place ${this.place + 1} of ${places.length}`;
    get("place-words").textContent = words;
    this.tell(words);
  }

  showFrame(index) {
    if (index !== null && !this.state?.plate?.frames.includes(index)) return;
    this.frame = index;
    this.viewer.over = index ?? undefined;
    get("shown-frame").value = index ?? "";
    this.showBadge();
    for (const [number, item] of [...get("frames").children].entries()) {
      item.firstChild.setAttribute("aria-pressed", String(number === index));
    }
    this.viewer.draw();
  }

  key(key) {
    const deeds = {
      b: () => this.before(true), o: () => this.showOverlay(!this.overlayShown), n: () => this.step(1),
      p: () => this.step(-1), c: () => this.compare(get("divider").hidden), Escape: () => { this.showFrame(null); this.viewer.mark = null; this.viewer.draw(); },
    };
    if (!(key in deeds) || !this.state?.plate) return false;
    deeds[key]();
    return true;
  }
}
