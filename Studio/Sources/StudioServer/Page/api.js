// What the page asks of its server.

export class Problem extends Error {
  constructor(status, problem, advice) {
    super(advice ? `${problem} ${advice}` : problem);
    this.status = status;
  }
}

const pause = (milliseconds) => new Promise((done) => setTimeout(done, milliseconds));

/** One request; a lost connection is tried again for a while, where asking twice does no harm. */
export async function ask(method, path, body, { tries = method === "GET" ? 5 : 1, signal } = {}) {
  const headers = { "X-Cleanplate": "1" };
  const isRaw = body instanceof Blob;
  if (body !== undefined && !isRaw) headers["Content-Type"] = "application/json";
  for (let attempt = 1; ; attempt += 1) {
    let answer;
    try {
      answer = await fetch(`/api/${path}`, {
        method, headers, signal, body: body === undefined || isRaw ? body : JSON.stringify(body),
      });
    } catch (error) {
      if (error.name === "AbortError") throw error;
      if (attempt >= tries) throw new Problem(0, "The studio does not answer.", "Is it still running?");
      await pause(500 * attempt);
      continue;
    }
    if (!answer.ok) {
      const told = await answer.json().catch(() => ({ problem: `The studio says ${answer.status}.` }));
      throw new Problem(answer.status, told.problem, told.advice);
    }
    return answer.status === 204 ? null : answer.json();
  }
}

/**
 * Follows a session; `onState` is given its whole state whenever that changes, `onConnection` whether the connection is "open" or
 * "lost", or that the session was "closed" or "broken" off, with the problem.
 */
export function follow(id, onState, onConnection) {
  let source;
  let isOver = false;
  let timer;
  const connect = () => {
    source = new EventSource(`/api/sessions/${id}/events`);
    source.addEventListener("open", () => onConnection("open"));
    source.addEventListener("state", (event) => onState(JSON.parse(event.data)));
    source.addEventListener("closed", () => { stop(); onConnection("closed"); });
    source.addEventListener("broken", (event) => broken(JSON.parse(event.data)));
    source.addEventListener("error", async () => {
      if (isOver) return;
      onConnection("lost");
      // A browser gives up by itself after an answer that is no stream.
      if (source.readyState !== EventSource.CLOSED) return;
      const answer = await fetch(`/api/sessions/${id}`).catch(() => null);
      if (isOver) return;
      if (answer && [401, 404].includes(answer.status)) { stop(); onConnection("closed"); return; }
      if (answer?.status === 410) { broken(await answer.json()); return; }
      timer = setTimeout(connect, 1500);
    });
  };
  const broken = (told) => { stop(); onConnection("broken", new Problem(410, told.problem, told.advice)); };
  const stop = () => { isOver = true; clearTimeout(timer); source.close(); };
  connect();
  return stop;
}
