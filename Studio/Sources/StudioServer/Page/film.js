// The filmstrip: every frame, what became of it and how sharp it is.

export class Film {
  constructor(list, onChoose) {
    Object.assign(this, { list, onChoose });
    this.rows = [];
  }

  render(state, shown) {
    if (this.session !== state.id) {
      this.list.replaceChildren();
      [this.session, this.rows] = [state.id, []];
    }
    const sharpest = Math.max(...state.frames.map((frame) => frame.sharpness ?? 0), 1e-9);
    for (const frame of state.frames) {
      const row = this.rows[frame.index] ??= this.makeRow(frame.index);
      const share = frame.sharpness ? Math.round(100 * Math.sqrt(frame.sharpness / sharpest)) : null;
      const words = [`${frame.index + 1}`, frame.isReference ? "reference" : "", share ? `sharp ${share} %` : ""]
        .filter(Boolean).join(" · ");
      const key = JSON.stringify([frame, share, shown === frame.index]);
      if (row.key === key) continue;
      row.key = key;
      row.head.textContent = words;
      row.head.className = frame.isReference ? "reference" : "";
      row.verdict.textContent = frame.verdict;
      row.button.title = `${frame.name}: ${frame.verdict}`;
      row.button.className = frame.accepted === false ? "out" : "";
      row.button.setAttribute("aria-pressed", String(shown === frame.index));
      row.button.setAttribute("aria-label", `Frame ${words}, ${frame.name}: ${frame.verdict}`);
      const isThere = frame.width && frame.verdict !== "waiting";
      if (isThere && !row.image.src) row.image.src = `/api/sessions/${state.id}/thumbnail?frame=${frame.index}`;
    }
  }

  makeRow(index) {
    const item = document.createElement("li");
    const button = Object.assign(document.createElement("button"), { type: "button" });
    const image = Object.assign(document.createElement("img"), { alt: "", loading: "lazy" });
    image.addEventListener("error", () => {
      // It may be on its way.
      const { src } = image;
      setTimeout(() => { image.removeAttribute("src"); image.src = src; }, 1500);
    }, { once: true });
    const head = document.createElement("span");
    const verdict = Object.assign(document.createElement("span"), { className: "verdict" });
    button.append(image, head, verdict);
    button.addEventListener("click", () => this.onChoose(index));
    item.append(button);
    this.list.append(item);
    return { button, image, head, verdict };
  }
}
