"""What the studio takes: time and bytes of the first page, delays of the live plate and of edits, memory.

figures.py [FOLDER OF LARGE FRAMES]
"""

import json
import pathlib
import random
import statistics
import subprocess
import sys
import tempfile
import time

from browser import Browser
from studio import ROOT, Studio


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
            print(f"  memory: {studio.memory / 2 ** 20:.0f} MiB at most")


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


def thousand(seconds=900):
    """1,000 random taps and strokes, as a browser sends them; none may end in anything but the plate or words."""
    with Studio(*sorted((ROOT / "TestData/linger").glob("*.jpg"))) as studio:
        session = studio.json("GET", "/api/sessions")["open"][0]["id"]
        studio.json("POST", f"/api/sessions/{session}/plate", {})
        state = studio.wait(session, lambda state: state["phase"] == "ready")
        random.seed(7)
        counts = {}
        crop = state["plate"]["crop"]
        for number in range(1000):
            x, y = (random.uniform(-20, crop["width"] + 20) for _ in range(2))
            kind = random.choice(["keep", "remove", "take", "stroke", "undo", "redo", "clear"] if number % 50 == 0
                                 else ["keep", "remove", "take", "stroke", "stroke", "undo", "undo", "redo"])
            frame = random.choice(state["plate"]["frames"] + [99])
            method, path, body = "POST", "edits", None
            if kind in ("undo", "redo"):
                path = kind
            elif kind == "clear":
                method, body = "PUT", {"version": 1, "edits": []}
            elif kind == "stroke":
                points = [[x + random.gauss(0, 40), y + random.gauss(0, 40)] for _ in range(random.randint(1, 40))]
                body = {"do": "take", "frame": frame, "stroke": {"radius": random.uniform(0, 60), "points": points}}
            else:
                body = {"do": kind, "point": [x, y]}
                if kind == "take":
                    body["frame"] = frame
            status, _, told = studio.ask(method, f"/api/sessions/{session}/{path}", body)
            counts[status] = counts.get(status, 0) + 1
            assert status in (200, 422), (status, told, body)
            assert status == 200 or json.loads(told)["problem"] and "should not happen" not in told.decode(), told
        own = studio.ask("GET", f"/api/sessions/{session}/plate?format=png")[2]
        edits = studio.ask("GET", f"/api/sessions/{session}/edits.json")[2]
        from studio import COMMAND
        with tempfile.TemporaryDirectory() as folder:
            pathlib.Path(folder, "edits.json").write_bytes(edits)
            subprocess.run([COMMAND, ROOT / "TestData/linger", "-o", f"{folder}/plate.png", "--edits", f"{folder}/edits.json",
                            "--quiet", "--reference", str(state["plate"]["reference"])], check=True)
            same = pathlib.Path(folder, "plate.png").read_bytes() == own
        print(f"1000 taps and strokes: {counts}; the command line's plate is the same: {same}")
        assert same


if __name__ == "__main__":
    first_page()
    with tempfile.TemporaryDirectory() as folder:
        if len(sys.argv) < 2:
            large_frames(20, folder)
        bursts(sys.argv[1] if len(sys.argv) > 1 else folder)
    thousand()
