"""The page, end to end: a camera or files, the plate as it grows, put right, taken away."""

import json
import pathlib
import subprocess
import tempfile
import time
import unittest

import monkey
from browser import Browser, camera_film
from studio import COMMAND, ROOT, Studio

LINGER = sorted((ROOT / "TestData/linger").glob("*.jpg"))
PLAZA = sorted((ROOT / "TestData/plaza").glob("*.jpg"))
READY = "window.studio.state?.phase === 'ready'"
SETTLED = ("window.studio.viewer.plate?.version === window.studio.state.plate.version "
           "&& window.studio.viewer.isComplete")


def command_line_plate(folder, plate, *options):
    subprocess.run([COMMAND, folder, "-o", plate, "--quiet", *options], check=True)
    return pathlib.Path(plate).read_bytes()


class Page(unittest.TestCase):
    def make(self, browser, files):
        """Sends files by the page and has the plate made."""
        browser.run("document.getElementById('files').hidden = false")
        browser.find("#files").send_keys("\n".join(map(str, files)))
        browser.wait(f"window.studio.state?.frames.length === {len(files)} && window.studio.uploads === 0", "sent")
        browser.wait("window.studio.state.frames.every((frame) => frame.accepted !== undefined)", "looked at")
        browser.wait("window.studio.state.live.version > 0", "live plate")

    def develop(self, browser):
        browser.click("#make")
        browser.wait(READY, "made")
        browser.wait(SETTLED, "shown")

    def middle(self, browser):
        """Where the canvas shows a pixel of the reference, by a function of the page."""
        return browser.run("""
          const view = document.getElementById('view').getBoundingClientRect();
          return [view.left, view.top, view.width, view.height];""")

    def check_accessible(self, browser):
        """What a reader of screens and a finger need: names, and room."""
        problems = browser.run("""
          const problems = [];
          const shown = [...document.querySelectorAll('button, select, input, canvas, [role]')]
            .filter((one) => one.offsetParent !== null && !one.closest('[hidden]') && one.tagName !== 'P');
          for (const one of shown) {
            if (['radiogroup', 'tablist', 'status', 'alert', 'group', 'tabpanel'].includes(one.getAttribute('role'))) continue;
            const label = one.id && document.querySelector(`label[for="${one.id}"]`);
            const name = one.getAttribute('aria-label') || one.textContent.trim() || label?.textContent;
            if (!name) problems.push(`no name: ${one.outerHTML.slice(0, 80)}`);
            const box = one.getBoundingClientRect();
            if (['BUTTON', 'SELECT'].includes(one.tagName) && (box.height < 40 || box.width < 40)) {
              problems.push(`small: ${one.id || name} ${Math.round(box.width)}x${Math.round(box.height)}`);
            }
          }
          const ids = [...document.querySelectorAll('[id]')].map((one) => one.id);
          for (const id of ids) if (ids.filter((other) => other === id).length > 1) problems.push(`twice: ${id}`);
          for (const attribute of ['aria-controls', 'aria-labelledby', 'for']) {
            for (const one of document.querySelectorAll(`[${attribute}]`)) {
              if (!document.getElementById(one.getAttribute(attribute))) problems.push(`${attribute} leads nowhere`);
            }
          }
          if (document.documentElement.scrollWidth > innerWidth) problems.push('wider than the screen');
          const light = (colour) => {
            const [r, g, b] = colour.match(/[\\d.]+/g).map(Number).map((c) => {
              c /= 255;
              return c <= 0.03928 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4;
            });
            return 0.2126 * r + 0.7152 * g + 0.0722 * b;
          };
          const ground = (one) => {
            for (; one; one = one.parentElement) {
              const colour = getComputedStyle(one).backgroundColor;
              if (!/, 0\\)$|transparent/.test(colour)) return colour;
            }
            return 'rgb(255, 255, 255)';
          };
          for (const one of document.querySelectorAll('button, p, label, legend, h1, h2, span, li')) {
            if (one.offsetParent === null || !one.textContent.trim() || one.disabled || one.closest('.out-of-sight, #stage')) continue;
            if (![...one.childNodes].some((node) => node.nodeType === 3 && node.textContent.trim())) continue;
            const [a, b] = [light(getComputedStyle(one).color), light(ground(one))].sort((x, y) => y - x);
            const contrast = (a + 0.05) / (b + 0.05);
            if (contrast < 4.5) problems.push(`contrast ${contrast.toFixed(1)}: ${one.textContent.trim().slice(0, 40)}`);
          }
          return problems;""")
        self.assertEqual(problems, [])

    def test_files_plate_edits_and_export_at_the_desk(self):
        with Studio() as studio, Browser() as browser:
            browser.open(studio.address)
            browser.wait("!document.getElementById('start').hidden", "start")
            browser.shot("desk-1-start")
            self.check_accessible(browser)
            self.make(browser, LINGER)
            browser.shot("desk-2-frames")
            self.check_accessible(browser)
            self.assertEqual(browser.run("return document.querySelectorAll('#frames .reference').length"), 1)
            self.develop(browser)
            browser.shot("desk-3-look")
            self.check_accessible(browser)
            session = browser.run("return window.studio.state.id")

            # The same bytes as the command line's, frames being called as the session calls them.
            with tempfile.TemporaryDirectory() as folder:
                for number, path in enumerate(LINGER, 1):
                    pathlib.Path(folder, f"frame_{number:03d}.jpg").write_bytes(path.read_bytes())
                own = command_line_plate(folder, f"{folder}/plate.jpg")
                self.assertEqual(studio.ask("GET", f"/api/sessions/{session}/plate?format=jpg")[2], own)

            # Before and after; who backs it; a frame over the plate.
            browser.click("#compare")
            browser.wait(SETTLED, "before")
            browser.shot("desk-4-before-after")
            browser.click("#compare")
            browser.click("#overlay")
            browser.wait("window.studio.viewer.overlay", "overlay")
            browser.shot("desk-5-overlay")
            browser.click("#overlay")
            browser.click("#frames li:nth-child(3) button")
            browser.wait(SETTLED, "frame")
            browser.shot("desk-6-frame")
            browser.click("#frames li:nth-child(3) button")

            # Versions, a stroke, undo and redo.
            browser.click("#tab-right")
            browser.click("#tools [value=versions]")
            place = self.differing_place(studio, session)
            self.tap(browser, place)
            browser.wait("document.querySelectorAll('#version-list img').length > 3 "
                         "&& [...document.querySelectorAll('#version-list img')].every((one) => one.complete)", "versions")
            browser.shot("desk-7-versions")
            self.check_accessible(browser)
            version = browser.run("return window.studio.state.plate.version")
            before = studio.ask("GET", f"/api/sessions/{session}/plate?format=png")[2]
            browser.click("#version-list li:nth-child(2) button")
            browser.wait(f"window.studio.state.plate.version > {version}", "taken")
            browser.wait(SETTLED, "shown")
            self.assertEqual(browser.run("return window.studio.state.edits.length"), 1)
            browser.shot("desk-8-taken")
            edited = studio.ask("GET", f"/api/sessions/{session}/plate?format=png")[2]
            self.assertNotEqual(edited, before)
            browser.click("#undo")
            browser.wait("window.studio.state.edits.length === 0", "undone")
            self.assertEqual(studio.ask("GET", f"/api/sessions/{session}/plate?format=png")[2], before)
            browser.click("#redo")
            browser.wait("window.studio.state.edits.length === 1", "redone")
            self.assertEqual(studio.ask("GET", f"/api/sessions/{session}/plate?format=png")[2], edited)
            browser.click("#tools [value=draw]")
            browser.run("""
              const view = document.getElementById('view');
              const box = view.getBoundingClientRect();
              const send = (type, x, y) => view.dispatchEvent(new PointerEvent(type, {
                pointerId: 1, clientX: box.left + x, clientY: box.top + y, bubbles: true, button: 0, isPrimary: true }));
              view.setPointerCapture = () => {};
              send('pointerdown', 200, 200);
              for (let i = 0; i < 20; i += 1) send('pointermove', 200 + 8 * i, 200 + 3 * i);
              send('pointerup', 360, 260);""")
            browser.wait("window.studio.state.edits.length === 2", "painted")
            browser.wait(SETTLED, "shown")
            browser.shot("desk-9-painted")

            # The kept session is the command line's burst, with its edits.
            browser.click("#tab-away")
            browser.shot("desk-10-away")
            self.check_accessible(browser)
            browser.click("#keep")
            browser.wait("window.studio.state.isKept", "kept")
            kept = pathlib.Path(browser.run("return window.studio.state.folder"))
            told = json.loads((kept / "report.json").read_text())
            self.assertEqual([frame["path"] for frame in told["frames"]], [f"frame_{number:03d}.jpg" for number in range(1, len(LINGER) + 1)])
            with tempfile.TemporaryDirectory() as folder:
                for format_ in ["jpg", "png"]:
                    own = command_line_plate(kept, f"{folder}/plate.{format_}", "--edits", str(kept / "edits.json"))
                    taken = studio.ask("GET", f"/api/sessions/{session}/plate?format={format_}")[2]
                    self.assertEqual(taken, own, format_)
            for format_, magic in [("tif", b"II"), ("heic", b"ftyp"), ("jxl", b"JXL "), ("webp", b"WEBP")]:
                status, headers, bytes_ = studio.ask("GET", f"/api/sessions/{session}/plate?format={format_}&quality=80")
                self.assertEqual(status, 200)
                self.assertIn(magic, bytes_[:16])
                self.assertIn(f"plate.{format_}", headers["Content-Disposition"])
            status, headers, layers = studio.ask("GET", f"/api/sessions/{session}/plate?format=ora")
            self.assertEqual((status, headers["Content-Type"]), (200, "image/openraster"))
            self.assertIn("plate.ora", headers["Content-Disposition"])
            with tempfile.TemporaryDirectory() as folder:
                command_line_plate(kept, f"{folder}/plate.png", "--edits", str(kept / "edits.json"), "--layers", f"{folder}/plate.ora")
                self.assertEqual(layers, pathlib.Path(folder, "plate.ora").read_bytes())
            frames = studio.ask("GET", f"/api/sessions/{session}/aligned.tar")[2]
            names = subprocess.run(["tar", "-t"], input=frames, capture_output=True, check=True).stdout.split()
            self.assertEqual(len(names), len(browser.run("return window.studio.state.plate.frames")))
            report = json.loads(studio.ask("GET", f"/api/sessions/{session}/report.json")[2])
            self.assertEqual([frame["path"] for frame in report["frames"]], [path.name for path in LINGER])
            browser.click("#save-plate")
            end = time.monotonic() + 30
            while not (saved := list(browser.downloads.glob("*.jpg"))) and time.monotonic() < end:
                time.sleep(0.1)
            self.assertEqual(saved[0].read_bytes(), studio.ask("GET", f"/api/sessions/{session}/plate?format=jpg")[2])

            # Closed and opened again, it is where it was.
            edits = browser.run("return window.studio.state.edits")
            edited = studio.ask("GET", f"/api/sessions/{session}/plate?format=png")[2]
            browser.click("#close-session")
            browser.wait("!document.getElementById('start').hidden", "closed")
            browser.wait("document.querySelectorAll('#session-list button').length > 0", "listed")
            browser.shot("desk-11-sessions")
            listed = browser.run("return document.querySelector('#session-list button').textContent")
            self.assertIn(time.strftime("%Y"), listed)
            browser.click("#session-list button")
            browser.wait(READY, "opened again")
            self.assertEqual(browser.run("return window.studio.state.edits"), edits)
            self.assertEqual(studio.ask("GET", f"/api/sessions/{session}/plate?format=png")[2], edited)
            self.assertEqual(browser.errors, [])

    def differing_place(self, studio, session):
        """A pixel of the reference at which a frame shows something else than the plate: where it was never so quiet."""
        state = studio.json("GET", f"/api/sessions/{session}")
        crop = state["plate"]["crop"]
        if state["plate"]["places"]:
            place = state["plate"]["places"][0]
            return place["x"] + place["width"] / 2, place["y"] + place["height"] / 2
        return crop["x"] + crop["width"] * 0.4, crop["y"] + crop["height"] * 0.75

    def tap(self, browser, place, touch=False):
        left, top, x, y, scale = browser.run("""
          const box = document.getElementById('view').getBoundingClientRect();
          const { x, y, scale } = window.studio.viewer;
          return [box.left, box.top, x, y, scale];""")
        at = left + (place[0] - x) * scale, top + (place[1] - y) * scale
        if touch:
            browser.touch(*at)
        else:
            for kind in ["mousePressed", "mouseReleased"]:
                browser.command("Input.dispatchMouseEvent", type=kind, x=at[0], y=at[1], button="left", clickCount=1)

    def test_camera_and_touch_on_a_phone(self):
        film = camera_film(PLAZA)
        with Studio() as studio, Browser(phone=True, film=film, dark=True, calm=True) as browser:
            browser.open(studio.address)
            browser.wait("!document.getElementById('start').hidden", "start")
            browser.shot("phone-1-start")
            self.check_accessible(browser)
            browser.click("#use-camera")
            browser.wait("document.getElementById('camera').videoWidth > 0", "camera")
            time.sleep(0.6)
            browser.shot("phone-2-camera")
            self.check_accessible(browser)
            browser.click("#burst")
            browser.wait("window.studio.state.live.frames >= 2", "the plate grows while it is taken")
            browser.shot("phone-3-taking")
            browser.wait("window.studio.state.frames.length === 20 && window.studio.uploads === 0", "twenty")
            browser.wait("window.studio.state.frames.every((frame) => frame.accepted !== undefined)", "looked at")
            accepted = browser.run("return window.studio.state.frames.filter((frame) => frame.accepted).length")
            self.assertGreaterEqual(accepted, 15)
            browser.shot("phone-4-taken")
            self.develop(browser)
            browser.shot("phone-5-look")
            self.check_accessible(browser)
            scale = browser.run("return window.studio.viewer.scale")
            left, top, width, height = self.middle(browser)
            for spread in [40, 80, 120, 160]:
                points = [{"x": left + width / 2 + sign * spread / 2, "y": top + height / 2, "id": number}
                          for number, sign in enumerate([-1, 1])]
                browser.command("Input.dispatchTouchEvent", type="touchStart" if spread == 40 else "touchMove", touchPoints=points)
            browser.command("Input.dispatchTouchEvent", type="touchEnd", touchPoints=[])
            self.assertGreater(browser.run("return window.studio.viewer.scale"), 2 * scale)
            browser.wait(SETTLED, "sharp")
            browser.shot("phone-6-zoomed")
            browser.click("#tab-right")
            browser.click("#tools [value=draw]")
            self.check_accessible(browser)
            browser.touch(left + width / 2, top + height / 2)
            browser.wait("window.studio.state.edits.length === 1", "painted")
            browser.shot("phone-7-right")
            browser.click("#tab-away")
            browser.shot("phone-8-away")
            self.check_accessible(browser)
            self.assertEqual(browser.errors, [])

    def test_a_lost_connection_and_a_reload_come_back_where_they_were(self):
        with Studio(*PLAZA) as studio, Browser() as browser:
            browser.open(studio.address)
            browser.wait("window.studio.state?.frames.length > 0", "the burst of the command line")
            browser.command("Network.enable")
            browser.command("Network.emulateNetworkConditions", offline=True, latency=0, downloadThroughput=-1, uploadThroughput=-1)
            # What was open stays open; the page is made to notice.
            browser.run("window.dispatchEvent(new Event('offline'))")
            session = browser.run("return window.studio.state.id")
            studio.json("POST", f"/api/sessions/{session}/plate", {})
            studio.wait(session, lambda state: state["phase"] == "ready")
            browser.command("Network.emulateNetworkConditions", offline=False, latency=0, downloadThroughput=-1, uploadThroughput=-1)
            browser.wait(READY, "back")
            browser.open(browser.driver.current_url)
            browser.driver.refresh()
            browser.wait(READY, "after a reload")
            self.assertEqual(browser.run("return window.studio.state.id"), session)
            self.assertEqual(len(browser.run("return window.studio.state.frames")), len(PLAZA))

    def test_keyboard_alone(self):
        from selenium.webdriver import ActionChains
        from selenium.webdriver.common.keys import Keys
        with Studio(*LINGER) as studio, Browser() as browser:
            browser.open(studio.address)
            browser.wait("window.studio.state?.frames.every((frame) => frame.accepted !== undefined)", "looked at")

            def press(*keys):
                ActionChains(browser.driver).send_keys(*keys).perform()

            def tab_to(id_):
                for _ in range(60):
                    if browser.run("return document.activeElement.id") == id_:
                        return
                    press(Keys.TAB)
                self.fail(f"{id_} is out of reach")

            tab_to("make")
            press(Keys.ENTER)
            browser.wait(READY, "made")
            browser.run("document.activeElement.blur()")
            tab_to("view")
            press("+", "+", Keys.ARROW_LEFT, Keys.ARROW_DOWN)
            self.assertGreater(browser.run("return window.studio.viewer.scale / window.studio.viewer.fittingScale"), 1.5)
            browser.shot("desk-12-keyboard")
            press("o")
            browser.wait("window.studio.viewer.overlay", "overlay")
            press("o", "d")
            tab_to("view") if browser.run("return document.activeElement.id") != "view" else None
            press(Keys.ENTER)
            browser.wait("window.studio.state.edits.length === 1", "painted at the cross")
            ActionChains(browser.driver).key_down(Keys.CONTROL).send_keys("z").key_up(Keys.CONTROL).perform()
            browser.wait("window.studio.state.edits.length === 0", "undone")
            self.assertEqual(browser.errors, [])

    def test_random_taps_and_strokes(self):
        """A few; `monkey.py` makes as many as are asked for."""
        for phone, hasty in [(False, False), (True, True)]:
            with self.subTest(phone=phone, hasty=hasty):
                monkey.run(ROOT / "TestData/linger", seed=3, taps=40, phone=phone, hasty=hasty)


if __name__ == "__main__":
    unittest.main(verbosity=2)
