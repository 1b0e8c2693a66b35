"""What Scripts/bench --inputs measures: plates out of other files than twelve JPEGs, each beside its bound.

A bound is the least that has to be done: other programs decoding the same files, as many at a time as there are threads,
and encoding one plate. A row whose programs are not installed is left out with a word.
"""
import resource
import shutil
import subprocess
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Callable, Optional

from input_files import VIDEO_RATE, VIDEO_SECONDS

# Of a memory card in a slow reader, or a share in a wireless network.
SLOW_MIB = 10
MANY = 200
FRAMES_OF_A_VIDEO = 20


@dataclass
class Row:
    """One line of the table."""
    key: str
    label: str
    # The files of the burst, and what decodes them without a plate; nothing where they cannot be made.
    files: Optional[list]
    bound: Callable[[], dict]
    # Programs that measure the bound.
    needs: list
    words: str
    suffix: str = "jpg"
    more: list = field(default_factory=list)
    # Whether the files are read from a slow disk.
    is_slow: bool = False
    # The key of a row before this one whose plate is the same to the byte.
    same_as: str = ""
    # What else is run beside it, by the keys of its seconds.
    beside: dict = field(default_factory=dict)


@dataclass
class Beside:
    """Something that a row is compared with and that is no bound."""
    words: str
    measure: Callable[[], float]


class OtherInputs:
    """The rows, measured into the samples of a `Run` under `input.KEY`."""

    def __init__(self, run, files, kinds):
        self.run, self.threads, self.scratch = run, run.options.threads, run.scratch
        self.files, self.missing, self.rows, self.plates = files, {}, [], {}
        for kind in KINDS if kinds == ["all"] else kinds:
            for row in KINDS[kind](self):
                absent = [program for program in row.needs if not shutil.which(program)]
                if row.files is None:
                    self.missing[row.label] = f"{files.missing[kind]} is not installed"
                elif absent:
                    self.missing[row.label] = f"{absent[0]} is not installed"
                else:
                    self.rows.append(row)

    def facts(self):
        """What the table needs beside the samples."""
        rows = [{"key": row.key, "label": row.label, "words": row.words, "is_same": bool(row.same_as),
                 "beside": {key: other.words for key, other in row.beside.items()}} for row in self.rows]
        return {"rows": rows, "missing": self.missing}

    def measure(self):
        """Every row once; one that fails is left out from then on."""
        for row in list(self.rows):
            try:
                if row.is_slow:
                    self.measure_slow(row)
                    continue
                for file in row.files:
                    read_through(file)
                self.plate(row, row.files)
                self.bound(row, row.bound)
            except subprocess.CalledProcessError as error:
                self.missing[row.label] = f"{error.cmd[0]} ended with exit code {error.returncode}"
                self.rows.remove(row)

    def measure_slow(self, row):
        with SlowDisk(row.files, self.scratch) as disk:
            self.plate(row, [disk.folder])
        with SlowDisk(row.files, self.scratch) as disk:
            self.bound(row, lambda: {"decode": seconds(["cat", *sorted(disk.folder.iterdir())])})

    def plate(self, row, inputs):
        output = self.scratch / f"plate-{row.key}.{row.suffix}"
        self.run.plate(f"input.{row.key}", inputs, self.threads, more=row.more, output=output)
        self.plates[row.key] = output.read_bytes()
        if row.same_as and self.plates[row.key] != self.plates[row.same_as]:
            raise SystemExit(f"error: the plate of {row.label} is another than that of {row.same_as}")

    def bound(self, row, measure):
        if row.suffix != "jpg":
            # The plate's own samples, as they are before they are written.
            run(["vips", "copy", self.scratch / f"plate-{row.key}.{row.suffix}", self.scratch / "plain.v"])
        before = processor_seconds()
        bound = measure()
        if "encode" not in bound:
            bound["encode"] = self.encoding(row)
        bound["processor"] = processor_seconds() - before
        for key in row.beside:
            bound[key] = row.beside[key].measure()
        for key, value in bound.items():
            self.run.add(f"input.{row.key}.bound.{key}", value)

    def encoding(self, row):
        """Seconds of writing a plate like the row's."""
        if row.suffix == "jpg":
            return self.run.probe("encode", self.threads, 95, self.run.frames[0])["encode"]
        plain = self.scratch / "plain.v"
        # As strongly as cleanplate compresses.
        save = {"png": ["pngsave", "--compression", "3", "--filter", "sub"],
                "tif": ["tiffsave", "--compression", "deflate", "--predictor", "horizontal"]}[row.suffix]
        return seconds(["vips", save[0], plain, self.scratch / f"again.{row.suffix}", *save[1:]])

    def each(self, command):
        """A bound: a program decodes every file, as many at a time as there are threads."""
        def decode(files):
            start = time.perf_counter()
            with ThreadPoolExecutor(self.threads) as pool:
                list(pool.map(lambda file: run(command(file)), files))
            return {"decode": time.perf_counter() - start}

        return decode

    def jpegs(self, files):
        """A bound: TurboJPEG, as for the table of JPEGs."""
        return self.run.probe("bound", self.threads, 95, *files)

    def heic(self):
        files = self.files.heic()
        decode = self.each(lambda file: ["heif-convert", "-q", "95", file, self.scratch / f"{file.stem}.jpg"])
        yield Row("heic", f"{self.run.native} HEIC{of(files)}", files, lambda: decode(files), ["heif-convert"],
                  "`heif-convert`, which also writes each as a JPEG")

    def png(self):
        files, decode = self.files.png(), self.average()
        words = "`vips avg`, on one thread each"
        for suffix, name in [("jpg", "a JPEG"), ("png", "a PNG")]:
            yield Row(f"png-{suffix}", f"{self.run.native} PNG{of(files)}, {name} out of them", files, lambda: decode(files),
                      ["vips"], words, suffix)

    def tiff(self):
        files, decode = self.files.tiff(), self.average()
        words = "`vips avg`, on one thread each"
        for suffix, name in [("jpg", "a JPEG"), ("tif", "a TIFF")]:
            yield Row(f"tiff-{suffix}", f"{self.run.native} TIFF of 16 bits{of(files)}, {name} out of them", files,
                      lambda: decode(files), ["vips"], words, suffix)

    def average(self):
        # What least can be done with all samples without writing any.
        return self.each(lambda file: ["env", "VIPS_CONCURRENCY=1", "vips", "avg", file])

    def raw(self):
        files = self.files.raw()
        # The camera's white balance, AHD, sRGB, 16 bits, no brightening: as cleanplate asks LibRaw.
        decode = self.each(lambda file: ["dcraw_emu", "-w", "-6", "-W", "-g", "2.4", "12.92", "-c", "0", "-Z", "-", file])
        yield Row("raw", f"{self.run.native} RAW (DNG, not compressed){of(files)}", files, lambda: decode(files),
                  ["dcraw_emu"], "`dcraw_emu`, LibRaw's own program, with the same demosaic")

    def video(self):
        files = self.files.video()
        shown = VIDEO_SECONDS * VIDEO_RATE
        ffmpeg = ["ffmpeg", "-nostdin", "-v", "error", "-threads", self.threads, "-i", *(files or [])]
        planes = ["-fps_mode", "passthrough", "-pix_fmt", "yuv420p", "-f", "rawvideo", "pipe:1"]
        spread = f"select=not(mod(n\\,{shown // FRAMES_OF_A_VIDEO}))"
        yield Row(
            "video", f"{VIDEO_SECONDS} s of 1080p{VIDEO_RATE} video, {FRAMES_OF_A_VIDEO} of its {shown} frames",
            files, lambda: {"decode": seconds([*ffmpeg, "-f", "null", "-"]), "encode": 0}, ["ffmpeg"],
            "`ffmpeg -f null`, and no encoding",
            beside={
                # The sharpest of each stretch are told only by looking at all.
                "pipe": Beside(f"`ffmpeg` handing all {shown} frames through a pipe", lambda: piped([*ffmpeg, *planes])),
                "select": Beside(f"`ffmpeg` handing over {FRAMES_OF_A_VIDEO} evenly spread ones",
                                 lambda: piped([*ffmpeg, "-vf", spread, *planes])),
            })

    def large(self):
        files = self.files.large()
        yield Row("large", f"2 JPEGs of 100 megapixels{of(files)}", files, lambda: self.jpegs(files), [], "TurboJPEG")

    def many(self):
        files = sorted((self.run.bursts.get(MANY) or self.run.burst(MANY)).iterdir())
        for key, label, more, same_as in [
            ("many", f"{MANY} JPEGs", [], ""),
            ("many-600M", f"{MANY} JPEGs, --memory 600M", ["--memory", "600M"], "many"),
        ]:
            yield Row(key, label, files, lambda: self.jpegs(files), [], "TurboJPEG", more=more, same_as=same_as)

    def slow(self):
        yield Row("slow", f"{self.run.native} JPEGs on a disk that reads {SLOW_MIB} MiB a second", self.run.frames, dict,
                  ["bindfs", "fusermount3"], "`cat`, from the same disk", is_slow=True)


KINDS = {kind: getattr(OtherInputs, kind) for kind in ["heic", "png", "tiff", "raw", "video", "large", "many", "slow"]}


class SlowDisk:
    """The files on a disk that reads slowly and of which nothing has been read yet: bindfs, mounted anew."""

    def __init__(self, files, scratch):
        self.source, self.folder = scratch / "slow-source", scratch / "slow"
        self.source.mkdir(exist_ok=True)
        self.folder.mkdir(exist_ok=True)
        for file in files:
            copy = self.source / file.name
            if not copy.exists():
                # Links would lead around the slow disk.
                shutil.copy(file, copy)

    def __enter__(self):
        # What was read once stays in memory, as it does with a disk.
        run(["bindfs", "-r", "--no-allow-other", f"--read-rate={SLOW_MIB}M", "-o", "kernel_cache", self.source,
             self.folder])
        return self

    def __exit__(self, *_):
        run(["fusermount3", "-u", self.folder])


def of(files):
    """How large they are, on average."""
    return f", {sum(file.stat().st_size for file in files) / len(files) / 1e6:.0f} MB each" if files else ""


def read_through(path):
    """So that the disk plays no part."""
    with open(path, "rb") as file:
        while file.read(1 << 24):
            pass


def run(command):
    """Runs a program that must succeed (subprocess.CalledProcessError)."""
    subprocess.run([str(word) for word in command], check=True, stdout=subprocess.DEVNULL)


def processor_seconds():
    """Of all programs that have ended so far."""
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def seconds(command):
    start = time.perf_counter()
    run(command)
    return time.perf_counter() - start


def piped(command):
    """Seconds until a program has written all into a pipe that somebody reads."""
    start = time.perf_counter()
    writer = subprocess.Popen([str(word) for word in command], stdout=subprocess.PIPE)
    subprocess.run(["cat"], stdin=writer.stdout, stdout=subprocess.DEVNULL, check=True)
    if writer.wait():
        raise subprocess.CalledProcessError(writer.returncode, command)
    return time.perf_counter() - start
