// A large picture in tiles: the plate, the reference before it, or a frame over it. Coordinates are pixels of the
// reference unless they say otherwise.

const TILE = 512;
const MOST_TILES = 240;

export class Viewer {
  constructor(canvas, { onTap, onStroke, onChange }) {
    this.canvas = canvas;
    this.context = canvas.getContext("2d");
    Object.assign(this, { onTap, onStroke, onChange });
    this.tiles = new Map();
    this.pointers = new Map();
    this.scale = 1;
    this.x = 0;
    this.y = 0;
    this.divide = 0;
    this.brush = null;
    this.mark = null;
    new ResizeObserver(() => this.resize()).observe(canvas);
    canvas.addEventListener("pointerdown", (event) => this.down(event));
    canvas.addEventListener("pointermove", (event) => this.move(event));
    for (const name of ["pointerup", "pointercancel"]) canvas.addEventListener(name, (event) => this.up(event));
    canvas.addEventListener("wheel", (event) => {
      event.preventDefault();
      this.zoom(Math.exp(-event.deltaY * (event.ctrlKey ? 0.01 : 0.0015)), event.offsetX, event.offsetY);
    }, { passive: false });
    canvas.addEventListener("focus", () => this.draw());
    canvas.addEventListener("blur", () => this.draw());
    matchMedia("(resolution: 1dppx)").addEventListener("change", () => this.resize());
  }

  /** Shows a plate of a session, or the next version of the one that is shown. */
  show(session, plate) {
    const isNew = session !== this.session || !this.plate || plate.made !== this.plate.made;
    if (isNew) {
      this.tiles.clear();
    } else if (plate.version !== this.plate.version) {
      const missed = plate.changes.filter((change) => change.version > this.plate.version);
      // Of more changes than are remembered, nobody knows where they are.
      const isKnown = missed.length < plate.changes.length || plate.changes.length < 40;
      this.age(isKnown ? missed.map((change) => change.region) : [plate.crop], plate.crop);
    }
    [this.session, this.plate] = [session, plate];
    this.levels = Math.max(0, Math.ceil(Math.log2(Math.max(plate.crop.width, plate.crop.height) / TILE)));
    if (isNew) this.fit();
    this.draw();
  }

  /** Asks again for the tiles of the plate that lie in regions; the old ones are shown until then. */
  age(regions, crop) {
    for (const [key, tile] of this.tiles) {
      const side = TILE << tile.level;
      const left = crop.x + tile.x * side;
      const top = crop.y + tile.y * side;
      const isTouched = regions.some(({ x, y, width, height }) => left < x + width && x < left + side
        && top < y + height && y < top + side);
      if (tile.frame >= 0 || !isTouched) continue;
      if (!tile.image) { this.tiles.delete(key); continue; }
      tile.isOld = true;
      // What is on its way shows the plate of before.
      tile.next = null;
    }
  }

  // Tiles

  tile(level, x, y, frame) {
    const key = `${frame}/${level}/${x}/${y}`;
    const known = this.tiles.get(key);
    if (known && !known.isOld) {
      this.tiles.delete(key);
      this.tiles.set(key, known);
      return known;
    }
    if (known?.next) return known;
    const tile = known ?? { level, x, y, frame };
    tile.isOld = false;
    const image = new Image();
    image.src = `/api/sessions/${this.session}/tile?level=${level}&x=${x}&y=${y}&frame=${frame}`
      + `&v=${frame < 0 ? this.plate.version : this.plate.made}`;
    tile.next = image;
    image.onload = () => {
      if (tile.next !== image) return;
      [tile.image, tile.next] = [image, null];
      this.draw();
    };
    image.onerror = () => {
      // Asked for again when it is drawn next, but not at once.
      setTimeout(() => { if (tile.next === image) { this.tiles.delete(key); this.draw(); } }, 1000);
    };
    this.tiles.set(key, tile);
    while (this.tiles.size > MOST_TILES) this.tiles.delete(this.tiles.keys().next().value);
    return tile;
  }

  get isComplete() { return !this.isWaiting && [...this.tiles.values()].every((tile) => !tile.next); }

  drawLayer(frame) {
    const { context, plate } = this;
    const ratio = this.canvas.width / this.canvas.clientWidth;
    const scale = this.scale * ratio;
    const wanted = Math.min(Math.max(Math.floor(Math.log2(1 / scale)), 0), this.levels);
    context.imageSmoothingEnabled = scale < 2;
    // Coarse ones first: they show where finer ones are on their way.
    for (const level of new Set([this.levels, wanted])) {
      const side = TILE << level;
      const left = Math.max(0, Math.floor((this.x - plate.crop.x) / side));
      const top = Math.max(0, Math.floor((this.y - plate.crop.y) / side));
      const right = Math.min(Math.ceil((this.x + this.canvas.clientWidth / this.scale - plate.crop.x) / side),
        Math.ceil(plate.crop.width / side));
      const bottom = Math.min(Math.ceil((this.y + this.canvas.clientHeight / this.scale - plate.crop.y) / side),
        Math.ceil(plate.crop.height / side));
      for (let y = top; y < bottom; y += 1) {
        for (let x = left; x < right; x += 1) {
          const tile = this.tile(level, x, y, frame);
          if (!tile.image) continue;
          const width = Math.min(side, plate.crop.width - x * side);
          const height = Math.min(side, plate.crop.height - y * side);
          const unit = 1 << level;
          // Means leave out what fills no whole pixel.
          const shownWidth = Math.min(width, tile.image.naturalWidth * unit);
          const shownHeight = Math.min(height, tile.image.naturalHeight * unit);
          context.drawImage(tile.image, (plate.crop.x + x * side - this.x) * scale,
            (plate.crop.y + y * side - this.y) * scale, shownWidth * scale + 0.6, shownHeight * scale + 0.6);
        }
      }
    }
  }

  draw() {
    if (this.isWaiting) return;
    this.isWaiting = true;
    requestAnimationFrame(() => { this.isWaiting = false; this.drawNow(); });
  }

  drawNow() {
    const { canvas, context, plate } = this;
    if (!plate || canvas.clientWidth === 0) return;
    const ratio = canvas.width / canvas.clientWidth;
    const scale = this.scale * ratio;
    context.clearRect(0, 0, canvas.width, canvas.height);
    this.drawLayer(this.isBefore ? plate.reference : this.over ?? -1);
    if (this.divide > 0 && !this.isBefore) {
      const middle = this.divide * canvas.width;
      context.save();
      context.beginPath();
      context.rect(0, 0, middle, canvas.height);
      context.clip();
      this.drawLayer(plate.reference);
      context.restore();
      context.fillStyle = "#fff";
      context.fillRect(middle - ratio, 0, 2 * ratio, canvas.height);
    }
    if (this.overlay && !this.isBefore) {
      context.imageSmoothingEnabled = false;
      const { image, x, y, cell } = this.overlay;
      context.drawImage(image, (x - this.x) * scale, (y - this.y) * scale, image.naturalWidth * cell * scale,
        image.naturalHeight * cell * scale);
    }
    context.lineWidth = 3 * ratio;
    if (this.mark) {
      const { x, y, width, height } = this.mark;
      context.strokeStyle = "#ff5a36";
      context.strokeRect((x - this.x) * scale, (y - this.y) * scale, width * scale, height * scale);
    }
    if (this.path) this.drawPath(context, scale);
    if (document.activeElement === canvas && canvas.matches(":focus-visible")) {
      const [x, y] = [canvas.width / 2, canvas.height / 2];
      context.strokeStyle = "#ffb703";
      context.beginPath();
      context.moveTo(x - 14 * ratio, y);
      context.lineTo(x + 14 * ratio, y);
      context.moveTo(x, y - 14 * ratio);
      context.lineTo(x, y + 14 * ratio);
      context.stroke();
    }
  }

  drawPath(context, scale) {
    context.save();
    context.strokeStyle = "#ff5a36aa";
    context.lineCap = context.lineJoin = "round";
    context.lineWidth = Math.max(1, 2 * this.brush * scale);
    context.beginPath();
    const [first] = this.path;
    context.moveTo((first[0] - this.x) * scale, (first[1] - this.y) * scale);
    for (const [x, y] of this.path.length > 1 ? this.path : [first, first]) {
      context.lineTo((x - this.x) * scale, (y - this.y) * scale);
    }
    context.stroke();
    context.restore();
  }

  // Where one looks

  resize() {
    const ratio = window.devicePixelRatio || 1;
    const { clientWidth, clientHeight } = this.canvas;
    if (clientWidth === 0) return;
    const isFirst = !this.size;
    const middle = this.size && [this.x + this.size[0] / this.scale / 2, this.y + this.size[1] / this.scale / 2];
    [this.canvas.width, this.canvas.height] = [Math.round(clientWidth * ratio), Math.round(clientHeight * ratio)];
    this.size = [clientWidth, clientHeight];
    if (!this.plate) return;
    if (isFirst || this.isFitted) {
      this.fit();
    } else {
      this.x = middle[0] - clientWidth / this.scale / 2;
      this.y = middle[1] - clientHeight / this.scale / 2;
      this.clamp();
    }
    this.drawNow();
  }

  get fittingScale() {
    const { crop } = this.plate;
    return Math.min(this.canvas.clientWidth / crop.width, this.canvas.clientHeight / crop.height);
  }

  fit() {
    this.scale = this.fittingScale || 1;
    this.isFitted = true;
    this.clamp();
    this.draw();
  }

  clamp() {
    const { crop } = this.plate;
    const clampOne = (at, start, length, shown) => {
      if (shown >= length) return start + (length - shown) / 2;
      return Math.min(Math.max(at, start), start + length - shown);
    };
    this.x = clampOne(this.x, crop.x, crop.width, this.canvas.clientWidth / this.scale);
    this.y = clampOne(this.y, crop.y, crop.height, this.canvas.clientHeight / this.scale);
  }

  /** Zooms about a place of the canvas, in CSS pixels. */
  zoom(factor, x = this.canvas.clientWidth / 2, y = this.canvas.clientHeight / 2) {
    this.zoomTo(this.scale * factor, x, y);
  }

  zoomTo(wanted, x = this.canvas.clientWidth / 2, y = this.canvas.clientHeight / 2) {
    if (!this.plate) return;
    const scale = Math.min(Math.max(wanted, this.fittingScale), 16);
    const [pixelX, pixelY] = this.pixel(x, y);
    this.scale = scale;
    this.isFitted = scale <= this.fittingScale * 1.001;
    this.x = pixelX - x / scale;
    this.y = pixelY - y / scale;
    this.clamp();
    this.draw();
  }

  pan(dx, dy) {
    this.x -= dx / this.scale;
    this.y -= dy / this.scale;
    this.clamp();
    this.draw();
  }

  /** Looks at a region of the reference. */
  lookAt({ x, y, width, height }) {
    this.mark = { x, y, width, height };
    const room = 3 * Math.max(width, 40);
    this.scale = Math.max(this.fittingScale,
      Math.min(this.canvas.clientWidth / room, this.canvas.clientHeight / (3 * Math.max(height, 40)), 4));
    this.isFitted = false;
    this.x = x + width / 2 - this.canvas.clientWidth / this.scale / 2;
    this.y = y + height / 2 - this.canvas.clientHeight / this.scale / 2;
    this.clamp();
    this.draw();
  }

  /** The reference's pixel at a place of the canvas. */
  pixel(x, y) { return [this.x + x / this.scale, this.y + y / this.scale]; }

  get middle() { return this.pixel(this.canvas.clientWidth / 2, this.canvas.clientHeight / 2); }

  isOnPlate([x, y]) {
    const { crop } = this.plate;
    return x >= crop.x && y >= crop.y && x < crop.x + crop.width && y < crop.y + crop.height;
  }

  // Pointers

  down(event) {
    if (!this.plate || event.button > 0) return;
    this.canvas.setPointerCapture(event.pointerId);
    this.pointers.set(event.pointerId, [event.offsetX, event.offsetY]);
    if (this.pointers.size === 1) {
      this.start = { at: [event.offsetX, event.offsetY], hasMoved: false };
      if (this.brush) this.path = [this.pixel(event.offsetX, event.offsetY)];
    } else {
      // A second finger means to zoom, not to paint.
      this.path = null;
      this.start = null;
    }
    this.draw();
  }

  move(event) {
    const before = this.pointers.get(event.pointerId);
    if (!before) return;
    const now = [event.offsetX, event.offsetY];
    if (this.pointers.size === 2) {
      const [other] = [...this.pointers].filter(([id]) => id !== event.pointerId).map(([, at]) => at);
      const distance = (a, b) => Math.hypot(a[0] - b[0], a[1] - b[1]);
      const middle = [(now[0] + other[0]) / 2, (now[1] + other[1]) / 2];
      this.pan((now[0] - before[0]) / 2, (now[1] - before[1]) / 2);
      this.zoom(distance(now, other) / Math.max(distance(before, other), 1), ...middle);
    } else if (this.start) {
      if (Math.hypot(now[0] - this.start.at[0], now[1] - this.start.at[1]) > 6) this.start.hasMoved = true;
      if (this.path) {
        this.path.push(this.pixel(...now));
        this.draw();
      } else if (this.start.hasMoved) {
        this.pan(now[0] - before[0], now[1] - before[1]);
      }
    }
    this.pointers.set(event.pointerId, now);
  }

  up(event) {
    if (!this.pointers.delete(event.pointerId)) return;
    const { start, path } = this;
    [this.start, this.path] = [null, null];
    this.draw();
    if (event.type === "pointercancel" || !start) return;
    if (path) {
      this.onStroke(path.filter((at) => this.isOnPlate(at)));
    } else if (!start.hasMoved) {
      const at = this.pixel(event.offsetX, event.offsetY);
      if (this.isOnPlate(at)) this.onTap(at);
    }
  }

  key(key) {
    const step = 80;
    const deeds = {
      ArrowLeft: () => this.pan(step, 0), ArrowRight: () => this.pan(-step, 0), ArrowUp: () => this.pan(0, step),
      ArrowDown: () => this.pan(0, -step), "+": () => this.zoom(1.4), "=": () => this.zoom(1.4),
      "-": () => this.zoom(1 / 1.4), 0: () => this.fit(), 1: () => this.zoomTo(1 / (window.devicePixelRatio || 1)),
    };
    if (!this.plate || !(key in deeds)) return false;
    deeds[key]();
    return true;
  }
}
