"""Random taps and strokes on the page, as a user without a plan makes them, and whether anything minds.

monkey.py [--seed N] [--taps N] [--phone] [--hasty] [FOLDER OF A BURST]

The same seed does the same again; only with --hasty it does not, which waits for nothing. Fails when the page has an error, when
the studio answers 5xx, or when the command line makes other bytes of the edits in the end.
"""

import argparse
import collections
import hashlib
import json
import pathlib
import random
import subprocess
import tempfile
import time

from browser import Browser
from studio import COMMAND, ROOT, Studio

# What the page's own script has no reason to tell: errors that nobody caught, requests on their way, how they were answered.
WATCH = """
window.monkey = { pending: 0, errors: [], statuses: {} };
{
  const { fetch } = window;
  window.fetch = async (...request) => {
    monkey.pending += 1;
    try {
      const answer = await fetch(...request);
      const { json } = answer;
      // It counts as on its way until the page has read it.
      monkey.pending += 1;
      const read = () => setTimeout(() => { monkey.pending -= 1; });
      if (answer.status === 204) read(); else answer.json = () => json.call(answer).finally(read);
      return answer;
    } finally { monkey.pending -= 1; }
  };
  const { error } = console;
  console.error = (...words) => { monkey.errors.push(words.join(' ')); error.apply(console, words); };
  addEventListener('error', (event) => { if (event.message) monkey.errors.push(`${event.message} ${event.filename}:${event.lineno}`); });
  addEventListener('unhandledrejection', (event) => monkey.errors.push(`unhandled: ${event.reason?.stack ?? event.reason}`));
  new PerformanceObserver((list) => {
    for (const { responseStatus, name } of list.getEntries()) {
      monkey.statuses[responseStatus] = (monkey.statuses[responseStatus] ?? 0) + 1;
      if (responseStatus >= 500) monkey.errors.push(`${responseStatus}: ${name}`);
    }
  }).observe({ type: 'resource', buffered: true });
}
"""
SETTLED = ("monkey.pending === 0 && window.studio.viewer.isComplete "
           "&& window.studio.viewer.plate?.version === window.studio.state?.plate.version")
TOOLS = ["move", *2 * ["stay", "go"], *3 * ["versions", "draw"]]


class Monkey:
    def __init__(self, studio, browser, seed, phone=False, hasty=False):
        self.studio, self.browser, self.phone, self.hasty = studio, browser, phone, hasty
        self.random = random.Random(seed)
        self.deeds = collections.Counter()
        self.statuses = collections.Counter()
        self.most_edits = 0

    def settle(self):
        self.browser.wait(SETTLED, "the page comes to rest")

    def check(self):
        """Takes what the page has noticed so far."""
        errors, statuses, edits = self.browser.run("""
          const { errors, statuses } = window.monkey;
          [window.monkey.errors, window.monkey.statuses] = [[], {}];
          return [errors, statuses, window.studio.state.edits.length];""")
        self.statuses.update({int(status): count for status, count in statuses.items()})
        self.most_edits = max(self.most_edits, edits)
        errors += self.browser.errors
        assert not errors, (errors, self.deeds)
        assert self.studio.process.poll() is None, "the studio has ended"
        problem = self.browser.run("return document.getElementById('problem').textContent")
        assert "should not happen" not in problem, problem

    # Gestures

    def place(self):
        """Somewhere on the picture."""
        left, top, width, height = self.browser.run("""
          const view = document.getElementById('view').getBoundingClientRect();
          return [view.left, view.top, view.width, view.height];""")
        return left + self.random.uniform(1, width - 2), top + self.random.uniform(1, height - 2)

    def along(self, path):
        """A finger or the mouse, from the first place to the last."""
        if self.phone:
            for number, (x, y) in enumerate(path):
                self.browser.command("Input.dispatchTouchEvent", type="touchMove" if number else "touchStart",
                                     touchPoints=[{"x": x, "y": y}])
            self.browser.command("Input.dispatchTouchEvent", type="touchEnd", touchPoints=[])
            return
        for kind, (x, y) in [("mousePressed", path[0]), *(("mouseMoved", at) for at in path[1:]), ("mouseReleased", path[-1])]:
            self.browser.command("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left", buttons=1, clickCount=1)

    def tap(self):
        self.along([self.place()])

    def stroke(self):
        # May well end outside the picture.
        path = [self.place()]
        for _ in range(self.random.randint(2, 12)):
            path.append(tuple(max(1, value + self.random.gauss(0, 30)) for value in path[-1]))
        self.along(path)

    # What is done between them

    def press(self, selector):
        """A button, where it can be pressed."""
        return self.browser.run("""
          const all = [...document.querySelectorAll(arguments[0])].filter((one) => one.offsetParent && !one.disabled);
          const one = all[Math.floor(arguments[1] * all.length)];
          one?.click();
          return Boolean(one);""", selector, self.random.random())

    def key(self, key, code=0):
        self.browser.run("document.getElementById('view').focus()")
        for kind in ["keyDown", "keyUp"]:
            self.browser.command("Input.dispatchKeyEvent", type=kind, key=key, modifiers=code,
                                 **({"text": key} if len(key) == 1 and not code and kind == "keyDown" else {}))

    def choose(self):
        self.press(f"#tools [value={self.random.choice(TOOLS)}]")

    def frame(self):
        self.press("#frames button")

    def version(self):
        self.press("#version-list button")

    def brush(self):
        self.browser.run("""
          const size = document.getElementById('brush-size');
          size.value = 4 + arguments[0] * 296;
          size.dispatchEvent(new Event('input'));
          const frame = document.getElementById('brush-frame');
          frame.selectedIndex = Math.floor(arguments[1] * frame.options.length);
          frame.dispatchEvent(new Event('change'));""", self.random.random(), self.random.random())

    def undo(self):
        self.key("z", code=2) if self.random.random() < 0.5 else self.press("#undo")

    def redo(self):
        self.key("y", code=2) if self.random.random() < 0.5 else self.press("#redo")

    def clear(self):
        self.press("#clear-edits")

    def look(self):
        self.key(self.random.choice(["+", "+", "-", "0", "1", "o", "n", "p", "c", "b", "Escape", "ArrowLeft", "ArrowDown", "Enter"]))

    def tab(self):
        self.press(f"#tab-{self.random.choice(['look', 'right', 'away'])}")

    def reload(self):
        self.settle()
        self.check()
        self.browser.driver.refresh()
        self.arrive()

    def arrive(self):
        """To where a plate can be put right."""
        self.browser.wait("window.studio?.state?.plate && window.studio.state.phase === 'ready'", "the plate is there")
        self.browser.click("#tab-right")

    between = {"choose": 30, "frame": 8, "version": 12, "brush": 10, "undo": 7, "redo": 4, "clear": 0.1, "look": 16, "tab": 4,
               "reload": 0.6}

    def run(self, taps):
        self.arrive()
        for number in range(taps):
            for deed in self.random.choices(list(self.between), self.between.values(), k=self.random.randint(0, 2)):
                getattr(self, deed)()
                self.deeds[deed] += 1
            if self.browser.run("return document.getElementById('view').hidden"):
                self.arrive()
            gesture = self.random.choice(["tap", "tap", "stroke"])
            getattr(self, gesture)()
            self.deeds[gesture] += 1
            if not self.hasty:
                self.settle()
            if number % 20 == 0:
                self.check()
        self.settle()
        self.check()


def run(folder, seed=1, taps=1000, phone=False, hasty=False):
    """Lets one loose; returns it and how many edits are left."""
    with Studio(folder) as studio, Browser(phone=phone) as browser:
        browser.command("Page.addScriptToEvaluateOnNewDocument", source=WATCH)
        session = studio.json("GET", "/api/sessions")["open"][0]["id"]
        studio.json("POST", f"/api/sessions/{session}/plate", {})
        studio.wait(session, lambda state: state["phase"] == "ready")
        browser.open(studio.address)
        monkey = Monkey(studio, browser, seed, phone, hasty)
        monkey.run(taps)
        browser.shot(f"monkey-{seed}{'-phone' if phone else ''}{'-hasty' if hasty else ''}")
        edits = studio.ask("GET", f"/api/sessions/{session}/edits.json")[2]
        count = len(json.loads(edits)["edits"])
        assert monkey.most_edits > 0, "nothing was edited, so that nothing was tried"
        own = studio.ask("GET", f"/api/sessions/{session}/plate?format=png")[2]
        with tempfile.TemporaryDirectory() as work:
            path = pathlib.Path(work, "edits.json")
            path.write_bytes(edits)
            subprocess.run([COMMAND, folder, "-o", f"{work}/plate.png", "--edits", path, "--quiet"], check=True)
            assert pathlib.Path(work, "plate.png").read_bytes() == own, f"the command line's plate is another one: {edits.decode()}"
    return monkey, count, hashlib.sha256(edits).hexdigest()


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--taps", type=int, default=1000)
    parser.add_argument("--phone", action="store_true", help="fingers on a small screen")
    parser.add_argument("--hasty", action="store_true", help="waits for nothing")
    parser.add_argument("folder", nargs="?", default=ROOT / "TestData/linger", type=pathlib.Path)
    asked = parser.parse_args()
    begun = time.monotonic()
    monkey, count, digest = run(asked.folder, asked.seed, asked.taps, asked.phone, asked.hasty)
    print(f"{asked.taps} taps and strokes in {time.monotonic() - begun:.0f} s, seed {asked.seed}: {dict(monkey.deeds)}")
    print(f"answers: {dict(sorted(monkey.statuses.items()))}; edits: {count} in the end, {monkey.most_edits} at most, {digest[:16]}")
    print("no error; the command line makes the same bytes of the edits")
