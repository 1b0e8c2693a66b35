// Frames on their way to the studio, one after another; a lost connection is waited for.

import { ask, Problem } from "./api.js";

const pause = (milliseconds) => new Promise((done) => setTimeout(done, milliseconds));

export class Uploads {
  constructor(onChange, onProblem) {
    Object.assign(this, { onChange, onProblem });
    this.waiting = [];
    this.isBusy = false;
  }

  get count() { return this.waiting.length + (this.isBusy ? 1 : 0); }

  add(session, blob, name, kind = "frames") {
    this.waiting.push({ session, blob, name, kind });
    this.onChange(this.count);
    if (!this.isBusy) this.run();
  }

  async run() {
    this.isBusy = true;
    while (this.waiting.length > 0) {
      const next = this.waiting.shift();
      for (;;) {
        try {
          await ask("POST", `sessions/${next.session}/${next.kind}?name=${encodeURIComponent(next.name)}`, next.blob);
          break;
        } catch (error) {
          if (!(error instanceof Problem) || error.status !== 0) {
            this.onProblem(error);
            // Nobody takes the others any more either.
            if (error.status === 404 || error.status === 410) {
              this.waiting = this.waiting.filter((other) => other.session !== next.session);
            }
            break;
          }
          this.onProblem(error);
          await pause(1500);
        }
      }
      this.onChange(this.waiting.length);
    }
    this.isBusy = false;
    this.onChange(0);
    for (const done of this.idle ?? []) done();
    this.idle = [];
  }

  /** When everything has been sent. */
  settled() {
    return this.isBusy ? new Promise((done) => { (this.idle ??= []).push(done); }) : Promise.resolve();
  }
}
