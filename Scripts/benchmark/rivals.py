"""Other ways to the same picture, for Scripts/bench.

A rival is called with the burst's frames and a scratch folder and returns seconds by name. What is not installed
is a word instead that says so.
"""
import os
import pathlib
import shutil
import subprocess
import time

FOLDER = pathlib.Path(__file__).resolve().parent
# vips combines this many grey frames, one of the numbers that the median kernel is measured with.
VIPS_FRAMES = 9


def installed(python):
    """Rivals by name: a function, or why there is none."""
    return {
        "OpenCV script": opencv_script(python),
        "align_image_stack + ImageMagick": hugin_and_magick(),
        "vips bandrank": vips_bandrank(),
    }


def opencv_script(python):
    imports = subprocess.run([python, "-c", "import numpy, cv2"], capture_output=True)
    if imports.returncode:
        return f"{python} cannot import numpy and cv2"

    def run(frames, scratch):
        return {"opencv": seconds([python, FOLDER / "opencv_median.py", scratch / "opencv.jpg", *frames])}

    return run


def hugin_and_magick():
    magick = shutil.which("magick") or shutil.which("convert")
    if not shutil.which("align_image_stack"):
        return "align_image_stack is not installed (hugin-tools)"
    if not magick:
        return "ImageMagick is not installed"

    def run(frames, scratch):
        folder = scratch / "hugin"
        folder.mkdir()
        try:
            align = seconds(["align_image_stack", "-a", folder / "aligned_", *frames])
            aligned = sorted(folder.glob("aligned_*.tif"))
            combine = seconds(
                [magick, *aligned, "-evaluate-sequence", "median", "-quality", "95", folder / "plate.jpg"])
        finally:
            shutil.rmtree(folder)
        return {"hugin": align + combine, "hugin.align": align, "hugin.combine": combine}

    return run


def vips_bandrank():
    if not shutil.which("vips"):
        return "vips is not installed (libvips-tools)"

    def run(frames, scratch):
        # Uncompressed pictures in vips's own format, so that decoding is not counted.
        grey = [scratch / f"grey_{index}.v" for index in range(VIPS_FRAMES)]
        for index, path in enumerate(grey):
            if not path.exists():
                subprocess.run(["vips", "colourspace", frames[index % len(frames)], path, "b-w"], check=True)
        inputs = " ".join(str(path) for path in grey)
        one_thread = {**os.environ, "VIPS_CONCURRENCY": "1"}
        return {"vips": seconds(["vips", "bandrank", inputs, scratch / "rank.v"], one_thread)}

    return run


def seconds(command, environment=None):
    """Seconds of a program that must succeed (subprocess.CalledProcessError)."""
    start = time.perf_counter()
    words = [str(word) for word in command]
    subprocess.run(words, check=True, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return time.perf_counter() - start
