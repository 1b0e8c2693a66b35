"""What the studio takes: time and bytes of the first page, delays of the live plate and of edits, memory.

figures.py [FOLDER OF LARGE FRAMES]
"""

import pathlib
import random
import statistics
import subprocess
import sys
import tempfile
import time

from browser import Browser
from studio import ROOT, Studio, memory


def large_frames(count, folder):
    """Frames of 12 megapixels, out of a bundled burst that is enlarged."""
    files = sorted((ROOT / "TestData/plaza").glob("*.jpg"))
    for number in range(count):
        source = files[number % len(files)]
        subprocess.run(["ffmpeg", "-v", "error", "-y", "-i", source, "-vf",
                        f"scale=4000:3000:flags=bicubic,noise=alls=6:allf=t:all_seed={number}", "-q:v", "2",
                        f"{folder}/frame_{number:02d}.jpg"], check=True)
    return sorted(pathlib.Path(folder).glob("*.jpg"))


def first_page():
    with Studio() as studio, Browser() as browser:
        times, sizes = [], []
        for _ in range(5):
            browser.command("Network.clearBrowserCache")
            browser.open("about:blank")
            browser.open(studio.address)
            browser.wait("!document.getElementById('start').hidden", "start")
            times.append(browser.run("return performance.now()"))
            sizes.append(browser.run("return performance.getEntries().reduce((sum, one) => sum + (one.transferSize ?? 0), 0)"))
        print(f"first page: {statistics.median(times):.0f} ms (median of 5, asking every 50 ms), {max(sizes)} bytes")


def sessions():
    with Studio() as studio:
        times = []
        for _ in range(10):
            start = time.monotonic()
            session = studio.json("POST", "/api/sessions")["id"]
            times.append(time.monotonic() - start)
            studio.ask("DELETE", f"/api/sessions/{session}")
        print(f"a new session: median {statistics.median(times) * 1000:.0f} ms, longest {max(times) * 1000:.0f} ms")


def bursts(folder):
    files = sorted(pathlib.Path(folder).glob("*.jpg"))
    for count in [12, 20]:
        with Studio() as studio:
            session = studio.json("POST", "/api/sessions")["id"]
            delays = []
            for number, path in enumerate(files[:count]):
                start = time.monotonic()
                studio.json("POST", f"/api/sessions/{session}/frames?name={path.name}", path.read_bytes())
                studio.wait(session, lambda state: state["frames"][number].get("accepted") is not None
                            and state["live"]["frames"] >= sum(1 for frame in state["frames"] if frame.get("accepted")))
                delays.append(time.monotonic() - start)
            print(f"{count} frames of 12 MP: live plate after a frame: median {statistics.median(delays) * 1000:.0f} ms, "
                  f"longest {max(delays) * 1000:.0f} ms")
            start = time.monotonic()
            studio.json("POST", f"/api/sessions/{session}/plate", {})
            state = studio.wait(session, lambda state: state["phase"] == "ready" or state.get("problem"))
            print(f"  plate: {time.monotonic() - start:.1f} s; {state['plate']['summary']}")
            edits(studio, session, state, count)
            worker = memory(studio.worker(session))
            print(f"  memory: {worker / 2 ** 20:.0f} MiB at most for the session, {studio.memory / 2 ** 20:.0f} MiB for the page")


def edits(studio, session, state, count):
    random.seed(1)
    crop, frames = state["plate"]["crop"], state["plate"]["frames"]
    times = {}
    refused = 0
    for _ in range(60):
        kind = random.choice(["take a point", "remove a point", "keep a point", "paint", "undo"])
        x, y = crop["x"] + random.random() * crop["width"], crop["y"] + random.random() * crop["height"]
        frame = random.choice(frames)
        path, body = "edits", {"do": kind.split()[0], "point": [x, y]}
        if kind == "take a point":
            body["frame"] = frame
        elif kind == "paint":
            points = [[min(max(x + 30 * i, 0), crop["x"] + crop["width"] - 1), y] for i in range(8)]
            body = {"do": "take", "frame": frame, "stroke": {"radius": 60, "points": points}}
        elif kind == "undo":
            path, body = "undo", None
        start = time.monotonic()
        status, _, told = studio.ask("POST", f"/api/sessions/{session}/{path}", body)
        took = time.monotonic() - start
        assert status in (200, 422), told
        if status == 422:
            refused += 1
            kind += " (refused)"
        times.setdefault(kind, []).append(took)
        studio.ask("GET", f"/api/sessions/{session}/tile?level=0&x=2&y=2")
    for kind, all_ in sorted(times.items()):
        print(f"  {kind}: median {statistics.median(all_) * 1000:.0f} ms, longest {max(all_) * 1000:.0f} ms ({len(all_)})")


if __name__ == "__main__":
    first_page()
    sessions()
    with tempfile.TemporaryDirectory() as folder:
        if len(sys.argv) < 2:
            large_frames(20, folder)
        bursts(sys.argv[1] if len(sys.argv) > 1 else folder)
