"""Instructions by stage for Scripts/bench --instructions: figures that a busy machine does not change."""
import os
import pathlib
import re
import shutil
import subprocess

from callgrind import CallGraph

FOLDER = pathlib.Path(__file__).resolve().parent
FRAMES = 4
# Of every side: 12 megapixels become 1.7.
SCALE = "3/8"
REST = "everything else"
STAGES = ["decode", "describe", "register", "select", "detect", "warp", "combine", "encode", REST]
RUNS = {
    "median": ["--combine", "median"],
    "clean, no detector": ["--detector", "off"],
    "clean": [],
}
# Whoever calls them: names as in the program's symbols, Swift's mangled and C's plain.
FIXED = [
    (r"^cs_(network|workspace|scale_colours)|^\$s10CleanPlate\w*Detector", "detect"),
    (r"^\$s9Selection\d+(Network|Darknet|Graph|Frozen|WireFormat|Workspace|\w*Finder)", "detect"),
    (r"^cs_warp_tile", "warp"),
    (r"^\$s9Selection", "select"),
    (r"^\$s8Stacking", "combine"),
    (r"^\$s12Registration9RegistrarV8describe", "describe"),
    (r"^\$s6Codecs6encode", "encode"),
    (r"^\$s6Codecs6decode", "decode"),
    # Who hands out tasks knows nothing of those who had them made: all stages' tasks would count for all stages.
    (r"^swift_job_run|^_dispatch_|^\$s6Frames\w*(mapIndices|runWorkers)", REST),
]
# A stage, and those from which its functions may be called; another caller is but one that hands out tasks.
USUAL = [
    (r"^\$s6Codecs\d*(JPEGBand|JPEGStream|\w*Encode)", ("encode", ["encode", "decode"])),
    (r"^\$s6Codecs", ("decode", ["encode", "decode"])),
    (r"^\$s12Registration", ("register", ["describe", "register"])),
]


def count(program, frames, scratch):
    """Instructions by stage of every run, or why there are none."""
    for needed in ["valgrind", "objcopy", "cc", "djpeg", "cjpeg"]:
        if not shutil.which(needed):
            return f"{needed} is not installed"
    folder = scratch / "counted"
    folder.mkdir()
    pictures = small_pictures(frames, folder)
    plain, preload = folder / "cleanplate", folder / "sigsuspend.so"
    # Valgrind 3.19 gives up on Swift's debugging information.
    subprocess.run(["objcopy", "--strip-debug", program, plain], check=True)
    subprocess.run(["cc", "-O1", "-shared", "-fPIC", FOLDER / "sigsuspend.c", "-o", preload], check=True)
    runs = {name: counted(plain, preload, pictures, options, folder) for name, options in RUNS.items()}
    height, width = picture_size(pictures[0])
    return {"frames": len(pictures), "megapixels": width * height / 1e6, "stages": [*STAGES, "all"], "runs": runs}


def small_pictures(frames, folder):
    """Some of the frames, evenly spread, made small."""
    chosen = [frames[index * len(frames) // FRAMES] for index in range(FRAMES)] if len(frames) > FRAMES else frames
    pictures = [folder / f"{frame.stem}.jpg" for frame in chosen]
    for frame, picture in zip(chosen, pictures):
        pixels = subprocess.run(["djpeg", "-scale", SCALE, frame], check=True, stdout=subprocess.PIPE).stdout
        subprocess.run(["cjpeg", "-quality", "95", "-outfile", picture], input=pixels, check=True)
    return pictures


def picture_size(picture):
    """Height and width of a JPEG that `cjpeg` wrote."""
    data = picture.read_bytes()
    start = data.index(b"\xff\xc0") + 5
    return int.from_bytes(data[start:start + 2], "big"), int.from_bytes(data[start + 2:start + 4], "big")


def counted(program, preload, pictures, options, folder):
    out = folder / "callgrind.out"
    environment = {
        **os.environ,
        "LD_PRELOAD": str(preload),
        # Swift's hashes begin with random numbers otherwise.
        "SWIFT_DETERMINISTIC_HASHING": "1",
        # Valgrind computes fused multiplications one by one in C: a network would take half an hour.
        "ONEDNN_MAX_CPU_ISA": "SSE41",
    }
    command = ["valgrind", "-q", "--tool=callgrind", f"--callgrind-out-file={out}", program, *pictures,
               "-o", folder / "plate.jpg", "--threads", "1", "-q", *options]
    subprocess.run([str(word) for word in command], check=True, env=environment, stdout=subprocess.DEVNULL)
    graph = CallGraph(out)
    stages = graph.by_stage(lambda name: first_match(FIXED, name), lambda name: first_match(USUAL, name), REST)
    return {**stages, "all": sum(graph.own.values())}


def first_match(patterns, name):
    return next((stage for pattern, stage in patterns if re.search(pattern, name)), None)
