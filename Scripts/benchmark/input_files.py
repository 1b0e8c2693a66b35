"""The files of Scripts/bench --inputs: the bench's own burst in other formats, made once and kept."""
import hashlib
import pathlib
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

FOLDER = pathlib.Path(__file__).resolve().parent
VIDEO_SECONDS, VIDEO_RATE = 10, 60
# The side of a 12 megapixel frame becomes that of 100 megapixels.
ENLARGEMENT = 2.8574


class InputFiles:
    """Folders of pictures by kind. What no installed program can make is None, and `missing` says why."""

    def __init__(self, frames, cache, threads):
        self.frames, self.threads = frames, threads
        sources = "\n".join(f"{path} {path.stat().st_size} {path.stat().st_mtime_ns}" for path in frames)
        self.folder = cache / f"inputs-{hashlib.sha256(sources.encode()).hexdigest()[:8]}"
        self.missing = {}

    def heic(self):
        # The fastest preset is decoded no faster: bits are what decoding takes its time for.
        return self.kept("heic", ["heif-enc"], self.one_each(lambda frame, folder: [
            ["heif-enc", "-q", "80", "-p", "preset=ultrafast", frame, "-o", folder / f"{frame.stem}.heic"]]))

    def png(self):
        return self.kept("png", ["vips"], self.one_each(lambda frame, folder: [
            ["vips", "copy", frame, folder / f"{frame.stem}.png"]]))

    def tiff(self):
        return self.kept("tiff", ["vips"], self.one_each(lambda frame, folder: [
            ["vips", "colourspace", frame, folder / f"{frame.stem}.tif", "rgb16"]]))

    def raw(self):
        def commands(frame, folder):
            plain = folder / f"{frame.stem}.ppm"
            return [
                ["vips", "copy", frame, plain],
                [sys.executable, FOLDER / "mosaic.py", plain, folder / f"{frame.stem}.dng"],
                ["rm", plain],
            ]

        return self.kept("raw", ["vips"], self.one_each(commands))

    def large(self):
        return self.kept("large", ["vips"], self.one_each(lambda frame, folder: [
            ["vips", "resize", frame, folder / f"{frame.stem}.jpg[Q=92]", ENLARGEMENT]], count=2))

    def video(self):
        """The burst as a film: a hand that shakes and a sensor's noise, without which all but one frame of every shot
        would cost a decoder nothing."""
        def make(folder):
            numbered = folder / "numbered"
            numbered.mkdir()
            for index, frame in enumerate(self.frames):
                (numbered / f"{index:03}.jpg").symlink_to(frame)
            picture = ",".join([
                f"fps={VIDEO_RATE}", "scale=2016:-2",
                "crop=1920:1080:'48+16*sin(2*PI*t/3)':'(ih-1080)/2+12*sin(2*PI*t/2.3)'", "noise=alls=4:allf=t",
            ])
            run(["ffmpeg", "-nostdin", "-v", "error", "-framerate", f"{len(self.frames)}/{VIDEO_SECONDS}",
                 "-i", numbered / "%03d.jpg", "-vf", picture, "-t", VIDEO_SECONDS, "-c:v", "libx264",
                 "-pix_fmt", "yuv420p", "-b:v", "24M", folder / "video.mp4"])
            shutil.rmtree(numbered)

        return self.kept("video", ["ffmpeg"], make)

    def one_each(self, commands, count=None):
        def make(folder):
            def convert(frame):
                for command in commands(frame, folder):
                    run(command)

            with ThreadPoolExecutor(self.threads) as pool:
                list(pool.map(convert, self.frames[:count]))

        return make

    def kept(self, kind, programs, make):
        """The files of a kind, made where they are not there yet; None where a program is missing."""
        folder = self.folder / kind
        if not folder.is_dir():
            missing = [program for program in programs if not shutil.which(program)]
            if missing:
                self.missing[kind] = missing[0]
                return None
            print("Making", folder, file=sys.stderr)
            unfinished = folder.with_name(f"{kind}.unfinished")
            shutil.rmtree(unfinished, ignore_errors=True)
            unfinished.mkdir(parents=True)
            make(unfinished)
            unfinished.rename(folder)
        return sorted(folder.iterdir())


def run(command):
    """Runs a program that must succeed (subprocess.CalledProcessError)."""
    subprocess.run([str(word) for word in command], check=True, stdout=subprocess.DEVNULL)
