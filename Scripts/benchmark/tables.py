"""The tables of Scripts/bench: Markdown that reads well on a terminal too."""

MIB = 1 << 20
# Samples of each frame that the median kernel is measured on.
KERNEL_SAMPLES = 4032 * 3024 * 3 // 2
STAGES = ["decode", "register", "select", "stack"]


def markdown(results):
    """All tables of one run."""
    parts = [
        introduction, end_to_end, defaults, inputs, stages, instructions, scaling, desk, many, combine, warp, rivals,
    ]
    return "\n\n".join(text for text in (part(results) for part in parts) if text)


def write_page(path, tables):
    path.write_text(f"""# How fast it is

Written by `Scripts/bench --write`. To repeat it:

```sh
Scripts/bench                      # prints the tables; a burst of twelve photos is rendered once, which takes minutes
Scripts/bench --burst DIR          # with JPEGs of your own
Scripts/bench --inputs             # other inputs as well; their files are made once, which takes minutes
Scripts/bench --instructions       # instructions by stage as well
Scripts/bench --help               # all options
```

For the rivals install `hugin-tools`, `imagemagick` and `libvips-tools`, and name a Python that imports numpy and cv2
with `--python`; for the other inputs `libheif-examples`, `libvips-tools`, `libraw-bin`, `ffmpeg`, `bindfs` and `fuse3`; for
instructions `valgrind`. What is missing is left out. Nothing else should run on the machine meanwhile.

{tables}
""")


def introduction(results):
    machine = results["machine"]
    size = results["size"]
    megapixels = size["width"] * size["height"] / 1e6
    libraries = ", ".join(f"{name} {version}" for name, version in machine["libraries"].items())
    return "\n".join([
        f"{machine['processor']}, {machine['cores']} cores, {machine['memory'] / (1 << 30):.1f} GiB; "
        f"{machine['system']}; {machine['swift']}; {libraries}; commit {machine['commit']}; "
        f"load average at the start {machine['load']:.2f}.",
        "",
        f"{results['native']} different JPEGs of {size['width']}x{size['height']} ({megapixels:.1f} megapixels, "
        f"{results['bytes_per_frame'] / 1e6:.1f} MB each); other numbers of frames take the first ones or repeat them. "
        f"{results['threads']} threads. Medians of {results['repetitions']} interleaved repetitions, least and most beside them "
        f"(rivals: {results['rival_repetitions']}).",
    ])


def end_to_end(results):
    medians, samples = results["medians"], results["samples"]
    rows = []

    def row(label, name, bound, count):
        run = samples[f"{name}.seconds"]
        seconds = medians[f"{name}.seconds"]
        least = bound_seconds(medians, bound)
        peak = medians[f"{name}.peak"]
        planes = count * plane_bytes(results)
        rows.append([
            label, f"{seconds:.2f}", f"{min(run):.2f}-{max(run):.2f}", f"{least:.2f}", f"{seconds / least:.2f}",
            f"{1000 * seconds / count:.0f}", f"{peak / MIB:.0f}", f"{(peak - planes) / MIB:.0f}",
            f"{medians[f'{name}.accepted']:.0f}",
        ])

    for count in results["counts"]:
        row(f"{count}", f"plate.{count}", f"bound.{count}", count)
    native = results["native"]
    row(f"{native}, clean, no detector", "clean", f"bound.{native}", native)
    row(f"{native}, clean", "default", f"bound.{native}", native)
    return section(
        "End to end",
        "The program from start to end, median unless said otherwise, JPEG in and out. The bound is TurboJPEG decoding "
        "the same files to planes on as many threads, and encoding one plate.",
        ["frames", "s", "least-most", "bound s", "ratio", "ms a frame", "peak MiB", "less planes", "accepted"], rows)


def defaults(results):
    medians = results["medians"]
    rows = []
    for name in sorted({key.split(".")[1] for key in medians if key.startswith("also.")}):
        alone, usual = (medians[f"also.{name}.{kind}.seconds"] for kind in ["median", "default"])
        choosing = medians[f"also.{name}.default.stage.select"]
        rows.append([name, f"{alone:.2f}", f"{usual:.2f}", f"{usual / alone:.2f}", f"{choosing:.2f}"])
    if not rows:
        return None
    return section(
        "Other bursts, as people run it", "With `--combine median`, and with the defaults: clean, and the detector.",
        ["burst", "s, median", "s, default", "ratio", "s of it to choose"], rows)


def inputs(results):
    other, medians, samples = results["inputs"], results["medians"], results["samples"]
    if not other:
        return None
    rows, beside = [], []
    for row in other["rows"]:
        name = f"input.{row['key']}"
        seconds, least = medians[f"{name}.seconds"], bound_seconds(medians, f"{name}.bound")
        run = samples[f"{name}.seconds"]
        rows.append([
            row["label"], f"{seconds:.2f}", f"{min(run):.2f}-{max(run):.2f}", f"{least:.2f}", f"{seconds / least:.2f}",
            f"{medians[f'{name}.processor']:.2f}", f"{medians[f'{name}.bound.processor']:.2f}",
            f"{medians[f'{name}.peak'] / MIB:.0f}", f"{medians[f'{name}.accepted']:.0f}"])
        for key, words in row["beside"].items():
            beside.append(f"{row['label']}: {words} takes {medians[f'{name}.bound.{key}']:.2f} s.")
    bounds = {}
    for row in other["rows"]:
        bounds.setdefault(row["words"], []).append(row["label"])
    words = ["The bounds: " + "; ".join(f"{', '.join(labels)}: {words}" for words, labels in bounds.items()) + ".", *beside]
    words += [f"{row['label']}: the plate is the same to the byte as without." for row in other["rows"] if row["is_same"]]
    words += [f"{label}: left out, {reason}." for label, reason in other["missing"].items()]
    table = section(
        "Other inputs",
        "The burst in other formats; files are in memory, the plate is the median as a JPEG, unless said otherwise. "
        "The bound is another program decoding the same files, as many at a time as there are threads, and encoding one plate. "
        "Processor seconds, the program's and the bound's, tell work from waiting. "
        f"Medians of {other['repetitions']} repetitions.",
        ["", "s", "least-most", "bound s", "ratio", "processor s", "the bound's", "peak MiB", "accepted"], rows)
    return "\n\n".join([table, *words])


def instructions(results):
    counted = results["instructions"]
    if not counted:
        return None
    if isinstance(counted, str):
        return f"## Instructions by stage\n\nLeft out, {counted}."
    return section(
        "Instructions by stage",
        f"Millions, of {counted['frames']} frames of {counted['megapixels']:.1f} megapixels on one thread, counted by "
        "valgrind, to compare versions with: the same on a busy machine. Kernels are those for AVX2, the detector's convolutions "
        "those for SSE4.1. What a library does belongs to the stage that calls it.",
        ["stage", *counted["runs"]],
        [[stage, *(f"{run.get(stage, 0) / 1e6:,.0f}" for run in counted["runs"].values())] for stage in counted["stages"]])


def desk(results):
    medians, native = results["medians"], results["native"]
    rows = [
        [label, *(f"{1000 * medians[f'desk.{name}.{kind}']:.0f}" for kind in ["median", "longest"])]
        for label, name in [
            ("the live plate with a frame that came", "live"), ("an edit: a place from another frame", "edit.take"),
            ("an edit: somebody goes", "edit.remove"), ("an edit: a dab of another frame", "edit.paint"),
        ]
    ]
    return section(
        f"Waiting for what is shown, {native} frames", "Milliseconds: the median and the longest of one run; medians of that "
        f"if there are several. Advice on how long to hold on takes {1000 * medians['desk.live.advice']:.0f} ms.",
        ["", "median", "longest"], rows)


def stages(results):
    native, medians = results["native"], results["medians"]
    rows = []
    whole = medians[f"plate.{native}.seconds"]
    left = whole
    for label, seconds in stage_seconds(results):
        left -= seconds
        rows.append([label, f"{1000 * seconds / native:.1f}", f"{100 * seconds / whole:.0f} %"])
    rows.append(["everything else", f"{1000 * left / native:.1f}", f"{100 * left / whole:.0f} %"])
    return section(
        f"Stages, {native} frames",
        "As time that passes, from the report. Decoding is the bound's; what else happens while frames are read is "
        "the proxy and its features. Encoding is measured by itself. The stack is split as the kernels' "
        "own times below are.",
        ["stage", "ms a frame", "share"], rows)


def stage_seconds(results):
    """Pairs of a name and seconds."""
    native, medians = results["native"], results["medians"]
    prefix = f"plate.{native}.stage."
    reported = {name.removeprefix(prefix): value for name, value in medians.items() if name.startswith(prefix)}
    pairs = []
    for stage in sorted(reported, key=lambda name: STAGES.index(name) if name in STAGES else len(STAGES)):
        seconds = reported[stage]
        if stage == "decode":
            decoding = min(seconds, medians[f"bound.{native}.decode"])
            pairs += [("decode", decoding), ("describe", seconds - decoding)]
        elif stage == "stack":
            warping = native * medians["warp.8.mesh"]
            combining = medians[f"combine.8.cache.{native}.median"] * plane_bytes(results) / KERNEL_SAMPLES
            share = warping / (warping + combining)
            pairs += [("warp", share * seconds), ("combine", (1 - share) * seconds)]
        else:
            pairs.append((stage, seconds))
    return [*pairs, ("encode", medians["encode"])]


def scaling(results):
    native, medians, threads = results["native"], results["medians"], results["threads"]
    if threads < 2:
        return None
    rows = []
    for label, alone, together in [
        ("cleanplate", medians["one-thread.seconds"], medians[f"plate.{native}.seconds"]),
        ("bound", bound_seconds(medians, "bound.one-thread"), bound_seconds(medians, f"bound.{native}")),
    ]:
        rows.append([label, f"{alone:.2f}", f"{together:.2f}", f"{alone / together:.2f}"])
    return section(
        f"Threads, {native} frames", None, ["", "s on 1", f"s on {threads}", "gain"], rows)


def many(results):
    medians, count = results["medians"], results["bursts"]
    search = medians["many.search.seconds"]

    def row(label, name, loop=None):
        seconds, processor = medians[f"many.{name}.seconds"], medians[f"many.{name}.processor"]
        ratios = ["", ""] if loop is None else [f"{loop / seconds:.2f}", f"{(loop + search) / seconds:.2f}"]
        return [label, f"{seconds:.1f}", f"{seconds / count:.2f}", f"{processor:.1f}", f"{processor / seconds:.2f}",
                f"{medians[f'many.{name}.peak'] / MIB:.0f}", *ratios]

    rows = [row("cleanplate bursts alone", "search")]
    for kind, options in [("default", ""), ("off", ", no detector")]:
        loop = medians[f"many.{kind}.loop.seconds"]
        rows += [
            row(f"a shell loop over cleanplate{options}", f"{kind}.loop", loop),
            row(f"cleanplate batch{options}", f"{kind}.batch", loop),
            row(f"cleanplate batch --memory 600M{options}", f"{kind}.batch-600M", loop)]
    return section(
        f"Many bursts: {count} of eight frames",
        "A batch finds the bursts by itself before it begins; the loop knows its files, unless `cleanplate bursts` has to "
        "find them first.",
        ["", "s", "s a burst", "processor s", "cores busy", "peak MiB", "times the loop", "and its search"], rows)


def combine(results):
    medians = results["medians"]
    rows = []
    for bits in [8, 16]:
        for frames in results["combined_counts"]:
            row = [f"{bits}", f"{frames}"]
            for place in ["cache", "memory"]:
                name = f"combine.{bits}.{place}.{frames}"
                kernel, read = medians[f"{name}.median"], medians[f"{name}.read"]
                row += [f"{1000 * read:.1f}", f"{1000 * kernel:.1f}", f"{kernel / read:.2f}"]
            rows.append(row)
    return section(
        "The median beside reading the same bytes once",
        "Milliseconds on one thread for a plate of 12 megapixels with 4:2:0 chroma (18.3 million samples of each frame): "
        "out of tiles that fit a second-level cache, as the pipeline has them, and out of main memory.",
        ["bits", "frames", "read, cache", "median", "ratio", "read, memory", "median", "ratio"], rows)


def warp(results):
    medians = results["medians"]
    samples = plane_bytes(results)
    rows = []
    for bits in [8, 16]:
        for kind, words in [("homography", "homography and gain"), ("mesh", "with mesh and field of gains")]:
            seconds = medians[f"warp.{bits}.{kind}"]
            rows.append([f"{bits}", words, f"{1000 * seconds:.1f}", f"{1e9 * seconds / samples:.2f}"])
    return section(
        "The warp of one frame", "All planes, cubic, on one thread.", ["bits", "", "ms", "ns a sample"], rows)


def rivals(results):
    native, medians = results["native"], results["medians"]
    ours = medians[f"plate.{native}.seconds"]
    rows = [["cleanplate --combine median", f"{ours:.2f}", "1"]]
    for label, name in [
        ("SIFT, findHomography, warpPerspective, np.median (Scripts/benchmark/opencv_median.py)", "opencv"),
        ("align_image_stack + ImageMagick -evaluate-sequence median", "hugin"),
    ]:
        if f"rival.{name}" in medians:
            seconds = medians[f"rival.{name}"]
            rows.append([label, f"{seconds:.2f}", f"{seconds / ours:.1f}"])
    words = []
    if "rival.vips" in medians:
        kernel = medians["combine.8.memory.9.median"] / 1.5
        words.append(
            f"The median of 9 grey frames alone, one thread: vips bandrank {1000 * medians['rival.vips']:.0f} ms with "
            f"its start, reading and writing; the kernel out of main memory {1000 * kernel:.1f} ms.")
    words += [f"{name}: {reason}." for name, reason in results["missing_rivals"].items()]
    table = section(f"Other ways to the same plate, {native} frames", None, ["", "s", "times ours"], rows)
    return "\n\n".join([table, *words])


def bound_seconds(medians, name):
    return medians[f"{name}.decode"] + medians[f"{name}.encode"]


def plane_bytes(results):
    """Bytes of one frame's planes with 4:2:0 chroma."""
    return results["size"]["width"] * results["size"]["height"] * 3 // 2


def section(title, words, header, rows):
    table = [header, ["---"] * len(header), *rows]
    widths = [max(len(row[i]) for row in table) for i in range(len(header))]
    lines = []
    for number, row in enumerate(table):
        if number == 1:
            cells = ["-" * (width - 1) + ":" if i else "-" * width for i, width in enumerate(widths)]
        else:
            cells = [cell.rjust(width) if i else cell.ljust(width) for i, (cell, width) in enumerate(zip(row, widths))]
        lines.append("| " + " | ".join(cells) + " |")
    return "\n\n".join(text for text in (f"## {title}", words, "\n".join(lines)) if text)
