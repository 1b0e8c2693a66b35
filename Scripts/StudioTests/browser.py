"""Headless Chromium with a fake camera, as a desk or a phone."""

import os
import pathlib
import subprocess
import tempfile
import time

from selenium import webdriver
from selenium.webdriver.common.by import By

SHOTS = pathlib.Path(os.environ.get("CLEANPLATE_SCREENSHOTS") or tempfile.mkdtemp(prefix="studio-shots-"))


def camera_film(frames, size="1280:960"):
    """A burst as the video that the fake camera shows, again and again."""
    path = pathlib.Path(tempfile.mkdtemp(prefix="studio-camera-"), "burst.y4m")
    with tempfile.TemporaryDirectory() as folder:
        for number, frame in enumerate(frames):
            pathlib.Path(folder, f"{number:03d}.jpg").symlink_to(pathlib.Path(frame).resolve())
        subprocess.run(
            ["ffmpeg", "-v", "error", "-y", "-framerate", "5", "-i", f"{folder}/%03d.jpg", "-vf", f"scale={size}",
             "-pix_fmt", "yuv420p", str(path)], check=True)
    return path


class Browser:
    """One page; `errors` are what its console complained about."""

    def __init__(self, phone=False, film=None, dark=False, calm=False):
        options = webdriver.ChromeOptions()
        options.binary_location = "/usr/bin/chromium"
        for flag in ["--headless=new", "--no-sandbox", "--disable-gpu", "--use-fake-ui-for-media-stream",
                     "--use-fake-device-for-media-stream", "--ignore-certificate-errors", "--hide-scrollbars",
                     f"--window-size={'500,900' if phone else '1280,800'}"]:
            options.add_argument(flag)
        if film:
            options.add_argument(f"--use-file-for-fake-video-capture={film}")
        if calm:
            options.add_argument("--force-prefers-reduced-motion")
        self.downloads = pathlib.Path(tempfile.mkdtemp(prefix="studio-downloads-"))
        options.add_experimental_option("prefs", {"download.default_directory": str(self.downloads)})
        options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
        self.driver = webdriver.Chrome(options=options, service=webdriver.ChromeService("/usr/bin/chromedriver"))
        self.driver.set_script_timeout(300)
        if phone:
            self.command("Emulation.setDeviceMetricsOverride", width=390, height=844, deviceScaleFactor=2, mobile=True)
            self.command("Emulation.setTouchEmulationEnabled", enabled=True, maxTouchPoints=2)
        features = [{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}]
        if calm:
            features.append({"name": "prefers-reduced-motion", "value": "reduce"})
        self.command("Emulation.setEmulatedMedia", features=features)

    def command(self, name, **parameters):
        return self.driver.execute_cdp_cmd(name, parameters)

    def open(self, address):
        self.driver.get(address)

    def run(self, script, *arguments):
        return self.driver.execute_script(script, *arguments)

    def wait(self, condition, what, seconds=120):
        """Until a script's value is true."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            value = self.run(f"return Boolean({condition})")
            if value:
                return value
            time.sleep(0.05)
        self.shot("failed")
        raise AssertionError(f"{what}: {self.run('return JSON.stringify(window.studio?.state)')}; {self.errors}")

    def find(self, selector):
        return self.driver.find_element(By.CSS_SELECTOR, selector)

    def click(self, selector):
        element = self.find(selector)
        self.run("arguments[0].scrollIntoView({block: 'center'})", element)
        element.click()

    def touch(self, x, y):
        self.command("Input.dispatchTouchEvent", type="touchStart", touchPoints=[{"x": x, "y": y}])
        self.command("Input.dispatchTouchEvent", type="touchEnd", touchPoints=[])

    def shot(self, name):
        SHOTS.mkdir(parents=True, exist_ok=True)
        self.driver.save_screenshot(str(SHOTS / f"{name}.png"))

    @property
    def errors(self):
        return [entry["message"] for entry in self.driver.get_log("browser")
                if entry["level"] == "SEVERE" and "status of 4" not in entry["message"]]

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.driver.quit()
