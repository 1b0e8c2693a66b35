"""What can be brought to the page beside single photos: folders that are dropped or chosen, videos, a camera's full photos."""

import pathlib
import shutil
import subprocess
import tempfile
import unittest

from browser import Browser, camera_film
from studio import COMMAND, ROOT, Studio

PLAZA = sorted((ROOT / "TestData/plaza").glob("*.jpg"))
LOOKED_AT = "window.studio.state?.frames.length > 0 && window.studio.state.frames.every((frame) => frame.accepted !== undefined)"
READY = "window.studio.state?.phase === 'ready'"


def names(browser):
    return browser.run("return window.studio.state.frames.map((frame) => frame.name)")


class Bring(unittest.TestCase):
    def burst_folder(self):
        """A folder as people have it: a burst, notes, hidden files, and a folder with other pictures."""
        folder = tempfile.TemporaryDirectory(prefix="studio-burst-")
        self.addCleanup(folder.cleanup)
        burst = pathlib.Path(folder.name, "Rome, the square")
        (burst / "small").mkdir(parents=True)
        for path in PLAZA:
            shutil.copy(path, burst / path.name)
            shutil.copy(path, burst / "small" / f"small_{path.name}")
        (burst / ".hidden.jpg").write_bytes(b"")
        (burst / "notes.txt").write_text("not a photo")
        return burst

    def drop(self, browser, *paths):
        """As from a file manager."""
        x, y = browser.run("return [innerWidth / 2, innerHeight / 2]")
        data = {"items": [], "files": [str(path) for path in paths], "dragOperationsMask": 1}
        for kind in ["dragEnter", "dragOver", "dragOver"]:
            browser.command("Input.dispatchDragEvent", type=kind, x=x, y=y, data=data)
        self.assertTrue(browser.run("return document.body.classList.contains('dropping')"))
        browser.shot("bring-1-dropping")
        browser.command("Input.dispatchDragEvent", type="drop", x=x, y=y, data=data)

    def test_a_dropped_folder(self):
        with Studio() as studio, Browser() as browser:
            browser.open(studio.address)
            browser.wait("!document.getElementById('start').hidden", "start")
            self.drop(browser, self.burst_folder())
            browser.wait("window.studio.state?.frames.length > 0 && window.studio.uploads === 0", "sent")
            browser.wait(LOOKED_AT, "looked at")
            self.assertEqual(names(browser), [path.name for path in PLAZA])
            # Single files come to those that are there.
            self.drop(browser, PLAZA[0], ROOT / "README.md")
            browser.wait(f"window.studio.state.frames.length === {len(PLAZA) + 1} && window.studio.uploads === 0", "one more")
            browser.wait(LOOKED_AT, "looked at")
            browser.shot("bring-2-dropped")
            self.assertEqual(browser.errors, [])

    def test_a_dropped_folder_without_photos(self):
        with Studio() as studio, Browser() as browser, tempfile.TemporaryDirectory() as folder:
            pathlib.Path(folder, "notes.txt").write_text("not a photo")
            browser.open(studio.address)
            browser.wait("!document.getElementById('start').hidden", "start")
            self.drop(browser, folder)
            browser.wait("document.querySelector('#start .alert')", "it is told")
            self.assertIn("No photos", browser.find("#start .alert").text)
            self.assertEqual(studio.json("GET", "/api/sessions")["open"], [])

    def test_a_chosen_folder(self):
        with Studio() as studio, Browser() as browser:
            browser.open(studio.address)
            browser.wait("!document.getElementById('start').hidden", "start")
            browser.run("document.getElementById('folder').hidden = false")
            browser.find("#folder").send_keys(str(self.burst_folder()))
            browser.wait("window.studio.state?.frames.length > 0 && window.studio.uploads === 0", "sent")
            browser.wait(LOOKED_AT, "looked at")
            self.assertEqual(names(browser), [path.name for path in PLAZA])
            self.assertEqual(browser.errors, [])

    def video(self, suffix, *options):
        folder = tempfile.TemporaryDirectory(prefix="studio-video-")
        self.addCleanup(folder.cleanup)
        path = pathlib.Path(folder.name, f"from the bridge.{suffix}")
        for number, frame in enumerate(PLAZA):
            pathlib.Path(folder.name, f"{number:03d}.jpg").symlink_to(frame)
        subprocess.run(["ffmpeg", "-v", "error", "-framerate", "5", "-i", f"{folder.name}/%03d.jpg", "-pix_fmt", "yuv420p",
                        *options, str(path)], check=True)
        return path

    def test_a_video(self):
        film = self.video("mp4", "-c:v", "libx264", "-crf", "15")
        with Studio() as studio, Browser() as browser:
            browser.open(studio.address)
            browser.wait("!document.getElementById('start').hidden", "start")
            browser.run("document.getElementById('files').hidden = false")
            browser.find("#files").send_keys(str(film))
            browser.wait("window.studio.state?.frames.length > 0 && window.studio.uploads === 0", "sent")
            browser.wait(LOOKED_AT, "looked at")
            self.assertEqual(names(browser), [f"{film.name}, frame {number}" for number in range(1, len(PLAZA) + 1)])
            browser.shot("bring-3-video")
            browser.click("#make")
            browser.wait(READY, "made")
            session = browser.run("return window.studio.state.id")
            taken = studio.ask("GET", f"/api/sessions/{session}/plate?format=png")[2]
            self.assertEqual(len(browser.run("return window.studio.state.plate.frames")), len(PLAZA))
            # Kept, it is a burst whose plate is the same.
            browser.click("#tab-away")
            browser.click("#keep")
            browser.wait("window.studio.state.isKept", "kept")
            kept = browser.run("return window.studio.state.folder")
            self.assertEqual(plane(taken), plane(command_line_plate(kept)))
            self.assertEqual(browser.errors, [])

    def test_a_video_on_the_command_line(self):
        film = self.video("mp4", "-c:v", "libx264", "-crf", "15")
        with Studio(film) as studio:
            session = studio.json("GET", "/api/sessions")["open"][0]["id"]
            state = studio.wait(session, lambda state: all(frame.get("accepted") is not None for frame in state["frames"]))
            self.assertEqual([frame["name"] for frame in state["frames"]][:2], [f"{film.name} at 0.00 s", f"{film.name} at 0.20 s"])
            self.assertEqual(len(state["frames"]), len(PLAZA))

    def test_what_is_no_video_is_told_in_words(self):
        with Studio() as studio, Browser() as browser, tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder, "broken.mp4")
            path.write_bytes(b"\0\0\0\x18ftypmp42" + b"\0" * 3000)
            browser.open(studio.address)
            browser.wait("!document.getElementById('start').hidden", "start")
            browser.run("document.getElementById('files').hidden = false")
            browser.find("#files").send_keys(str(path))
            browser.wait("!document.getElementById('problem').hidden && window.studio.uploads === 0", "told")
            browser.shot("bring-4-no-video")
            words = browser.find("#problem").text
            self.assertIn("broken.mp4", words)
            self.assertIn("Choose another video", words)
            self.assertNotIn(str(studio.work), words)
            left = [path for path in studio.work.rglob("*") if path.is_file() and path.name.startswith("video")]
            self.assertEqual(left, [])

    def assert_tells_no_path(self, studio, browser):
        """Where the studio keeps what it was sent is nobody's business."""
        session = browser.run("return window.studio.state.id")
        for path in ["", "/report.json", "/edits.json", "/plate?format=png", "/plate?format=ora"]:
            status, _, told = studio.ask("GET", f"/api/sessions/{session}{path}")
            self.assertEqual(status, 200, path)
            self.assertNotIn(str(studio.work).encode(), told, path)

    def shoot(self, browser, mode):
        browser.click("#use-camera")
        browser.wait("document.getElementById('camera').videoWidth > 0", "camera")
        browser.run("document.getElementById('photo-mode').value = arguments[0]", mode)
        browser.click("#burst")
        browser.wait("window.studio.state?.frames.length === 20 && window.studio.uploads === 0", "twenty")
        browser.wait(LOOKED_AT, "looked at")

    def test_full_photos_of_the_camera(self):
        """The fake camera hands photos over by ImageCapture, as phones do."""
        with Studio() as studio, Browser(film=camera_film(PLAZA)) as browser:
            browser.open(studio.address)
            browser.wait("!document.getElementById('start').hidden", "start")
            self.assertTrue(browser.run("return 'ImageCapture' in window"))
            browser.command("Page.addScriptToEvaluateOnNewDocument", source=COUNT_PHOTOS)
            browser.driver.refresh()
            browser.wait("!document.getElementById('start').hidden", "start")
            self.shoot(browser, "photo")
            self.assertGreaterEqual(browser.run("return window.photos.length"), 20)
            browser.shot("bring-5-photos")
            kinds = set(browser.run("return window.photos"))
            self.assertEqual(len(kinds), 1, kinds)
            suffix = {"image/jpeg": "jpg", "image/png": "png"}[kinds.pop()]
            self.assertEqual(names(browser), [f"shot_{number:03d}.{suffix}" for number in range(1, 21)])
            self.assertIn("full photos", browser.find("#camera-facts").text)
            browser.click("#make")
            browser.wait(READY, "made")
            # The film has as many shots as the burst, over and over, and each counts once.
            self.assertEqual(len(browser.run("return window.studio.state.plate.frames")), len(PLAZA))
            verdicts = browser.run("return window.studio.state.frames.map((frame) => frame.verdict)")
            twins = [verdict for verdict in verdicts if "same shot as shot_" in verdict]
            self.assertEqual(len(twins), 20 - len(PLAZA), verdicts)
            self.assert_tells_no_path(studio, browser)
            browser.shot("bring-6-plate-of-photos")
            self.assertEqual(browser.errors, [])

    def test_a_camera_whose_photos_never_come_gives_frames_of_its_video(self):
        for mode in ["photo", "auto"]:
            with self.subTest(mode=mode), Studio() as studio, Browser(film=camera_film(PLAZA)) as browser:
                browser.command("Page.addScriptToEvaluateOnNewDocument", source=NO_PHOTOS)
                browser.open(studio.address)
                browser.wait("!document.getElementById('start').hidden", "start")
                self.shoot(browser, mode)
                self.assertNotIn("full photos", browser.find("#camera-facts").text)
                self.assertEqual(browser.errors, [])


COUNT_PHOTOS = """
window.photos = [];
const { takePhoto } = ImageCapture.prototype;
ImageCapture.prototype.takePhoto = async function (...options) {
  const blob = await takePhoto.apply(this, options);
  window.photos.push(blob.type);
  return blob;
};
"""
NO_PHOTOS = "ImageCapture.prototype.takePhoto = () => new Promise(() => {});"


def command_line_plate(burst):
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([COMMAND, burst, "-o", f"{folder}/plate.png", "--quiet"], check=True)
        return pathlib.Path(folder, "plate.png").read_bytes()


def plane(picture):
    """The samples alone: what a plate says of its frames' names is another matter."""
    return subprocess.run(["ffmpeg", "-v", "error", "-i", "-", "-f", "rawvideo", "-pix_fmt", "rgb24", "-"], input=picture,
                          capture_output=True, check=True).stdout


if __name__ == "__main__":
    unittest.main(verbosity=2)
