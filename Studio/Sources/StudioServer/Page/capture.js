// The camera: a burst of frames, as large as the browser gives them.

const pause = (milliseconds) => new Promise((done) => setTimeout(done, milliseconds));

export class Camera {
  constructor(video) {
    this.video = video;
    this.probe = document.createElement("canvas");
    [this.probe.width, this.probe.height] = [48, 36];
    this.canvas = document.createElement("canvas");
    this.steadiness = 0;
  }

  get isOpen() { return Boolean(this.stream); }

  /** @throws when there is no camera or nobody may use it. */
  async open() {
    if (!navigator.mediaDevices?.getUserMedia) {
      throw new Error("This browser gives no camera to this page. Open it over https, or on this machine itself.");
    }
    try {
      this.stream = await navigator.mediaDevices.getUserMedia({
        audio: false,
        video: { facingMode: { ideal: "environment" }, width: { ideal: 4096 }, height: { ideal: 3072 } },
      });
    } catch (error) {
      const isRefused = error.name === "NotAllowedError";
      throw new Error(isRefused
        ? "The camera was refused. Allow it in the browser's settings of this page."
        : "No camera was found. Choose photos instead.");
    }
    this.track = this.stream.getVideoTracks()[0];
    this.video.srcObject = this.stream;
    await this.video.play();
    this.imageCapture = "ImageCapture" in window ? new ImageCapture(this.track) : null;
    this.photoTime = null;
    this.kind = "video";
    this.watch();
  }

  close() {
    cancelAnimationFrame(this.timer);
    for (const track of this.stream?.getTracks() ?? []) track.stop();
    this.stream = null;
    this.video.srcObject = null;
  }

  get facts() {
    const size = this.kind === "photo" ? "full photos" : `${this.video.videoWidth}x${this.video.videoHeight}`;
    return this.isLocked ? `${size}, exposure locked` : size;
  }

  /** Exposure, white balance and focus stay as they are, where the camera can do that. */
  async lock(isLocked) {
    const can = this.track.getCapabilities?.() ?? {};
    const mode = isLocked ? "manual" : "continuous";
    const advanced = ["exposureMode", "whiteBalanceMode", "focusMode"]
      .filter((name) => can[name]?.includes(mode)).map((name) => ({ [name]: mode }));
    if (advanced.length === 0) return;
    await this.track.applyConstraints({ advanced }).catch(() => {});
    this.isLocked = isLocked && advanced.some((one) => "exposureMode" in one);
  }

  /** How much the picture moves from one look to the next. */
  watch() {
    const context = this.probe.getContext("2d", { willReadFrequently: true });
    let before = null;
    let last = 0;
    const look = (now) => {
      this.timer = requestAnimationFrame(look);
      if (now - last < 100 || this.video.readyState < 2) return;
      last = now;
      context.drawImage(this.video, 0, 0, 48, 36);
      const { data } = context.getImageData(0, 0, 48, 36);
      if (before) {
        let sum = 0;
        for (let i = 1; i < data.length; i += 4) sum += Math.abs(data[i] - before[i]);
        const moved = sum / (data.length / 4);
        this.steadiness = 0.6 * this.steadiness + 0.4 * Math.max(0, 1 - moved / 12);
        this.onSteadiness?.(this.steadiness);
      }
      before = data;
    };
    this.timer = requestAnimationFrame(look);
  }

  /** A full photo; null where none comes: some cameras promise one and never hand it over. */
  async photo(patience) {
    const none = pause(patience).then(() => null);
    return Promise.race([this.imageCapture.takePhoto(), none]).catch(() => null);
  }

  /** Whether full photos come quickly enough, found out by taking one. */
  async photosAreQuick(limit = 260) {
    if (!this.imageCapture) return false;
    if (this.photoTime === null) {
      const start = performance.now();
      const blob = await this.photo(1500);
      const picture = blob && await createImageBitmap(blob).catch(() => null);
      const isLarger = picture && picture.width * picture.height >= this.video.videoWidth * this.video.videoHeight;
      this.photoTime = isLarger ? performance.now() - start : Infinity;
    }
    return this.photoTime <= limit;
  }

  async frame() {
    if (this.kind === "photo") {
      const blob = await this.photo(5000);
      if (blob) return blob;
      // Who waits for each in vain misses the burst.
      this.kind = "video";
    }
    const { videoWidth: width, videoHeight: height } = this.video;
    [this.canvas.width, this.canvas.height] = [width, height];
    this.canvas.getContext("2d").drawImage(this.video, 0, 0);
    return new Promise((done) => this.canvas.toBlob(done, "image/jpeg", 0.95));
  }

  /**
   * Frames at `rate` a second.
   * @param count how many; Infinity until `signal` says stop.
   */
  async burst({ count, rate, mode, countdown, signal, onFrame, onCount }) {
    for (let left = countdown; left > 0 && !signal.aborted; left -= 1) {
      onCount(String(left));
      await pause(left === 1 ? 700 : 800);
    }
    onCount("");
    if (signal.aborted) return;
    await this.lock(true);
    const isPhoto = mode === "auto" ? await this.photosAreQuick() : mode === "photo" && Boolean(this.imageCapture);
    this.kind = isPhoto ? "photo" : "video";
    const start = performance.now();
    try {
      for (let taken = 0; taken < count && !signal.aborted; taken += 1) {
        const wait = start + taken * 1000 / rate - performance.now();
        if (wait > 0) await pause(wait);
        const blob = await this.frame();
        if (blob) onFrame(blob, taken);
      }
    } finally {
      await this.lock(false);
    }
  }
}
