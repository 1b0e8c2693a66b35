#!/usr/bin/env python3
"""A DNG of what a sensor behind a Bayer filter would have seen of a picture, for Scripts/bench --inputs.

    mosaic.py PICTURE.ppm OUT.dng          8 bits, R, G, B, sRGB

No program of Debian's writes camera RAW. What makes it slow to read is the demosaic, which is the same for a mosaic made
here; cameras compress theirs without loss besides, which this does not, so that reading it is somewhat cheaper.
"""
import pathlib
import struct
import sys

BLACK, WHITE = 512, 16_383
# How much of the light each filter lets through; LibRaw takes it for the white balance and undoes it.
SENSITIVITY = {"red": 0.5, "green": 1.0, "blue": 0.6}
# From XYZ to linear sRGB (IEC 61966-2-1), in ten-thousandths: the sensor sees in sRGB's primaries.
MATRIX = [32_405, -15_371, -4985, -9693, 18_760, 416, 556, -2040, 10_572]


def main(source, target):
    width, height, pixels = read_ppm(pathlib.Path(source).read_bytes())
    pathlib.Path(target).write_bytes(directory(width, height) + mosaic(width, height, pixels))


def read_ppm(data):
    """Width, height and the bytes of the pixels."""
    fields, position = [], 0
    while len(fields) < 4:
        end = data.index(b"\n", position)
        fields += data[position:end].split(b"#")[0].split()
        position = end + 1
    kind, width, height, largest = fields
    if (kind, largest) != (b"P6", b"255"):
        sys.exit("error: a PPM of 8 bits is needed")
    return int(width), int(height), data[position:]


def mosaic(width, height, pixels):
    """Red and green in even rows, green and blue in odd ones, 16 bits each."""
    red, green, blue = (levels(SENSITIVITY[name]) for name in ["red", "green", "blue"])
    rows = []
    for y in range(height):
        row = pixels[3 * width * y:3 * width * (y + 1)]
        left, right = (row[0::6], red), (row[4::6], green)
        if y % 2:
            left, right = (row[1::6], green), (row[5::6], blue)
        samples = bytearray(2 * width)
        # Tables of whole rows: a loop over samples would take minutes in Python.
        for offset, (values, (low, high)) in [(0, left), (2, right)]:
            samples[offset::4] = values.translate(low)
            samples[offset + 1::4] = values.translate(high)
        rows.append(samples)
    return b"".join(rows)


def levels(sensitivity):
    """The sensor's level for each of sRGB's values, as tables of low and high bytes."""
    def linear(value):
        return value / 12.92 if value <= 0.04045 else ((value + 0.055) / 1.055) ** 2.4

    codes = [round(BLACK + sensitivity * linear(value / 255) * (WHITE - BLACK)) for value in range(256)]
    return bytes(code & 0xFF for code in codes), bytes(code >> 8 for code in codes)


def directory(width, height):
    """All that stands before the samples (Adobe DNG 1.4)."""
    def rationals(values):
        return b"".join(struct.pack("<iI", value, 10_000) for value in values)

    balance = [round(10_000 * SENSITIVITY[name]) for name in ["red", "green", "blue"]]
    short, long, text, rational, signed = 3, 4, 2, 5, 10
    tags = [
        (254, long, 1, struct.pack("<I", 0)),
        (256, long, 1, struct.pack("<I", width)),
        (257, long, 1, struct.pack("<I", height)),
        (258, short, 1, struct.pack("<H", 16)),
        (259, short, 1, struct.pack("<H", 1)),
        (262, short, 1, struct.pack("<H", 32_803)),
        (271, text, 6, b"Maker\0"),
        (272, text, 6, b"Model\0"),
        (273, long, 1, None),
        (274, short, 1, struct.pack("<H", 1)),
        (277, short, 1, struct.pack("<H", 1)),
        (278, long, 1, struct.pack("<I", height)),
        (279, long, 1, struct.pack("<I", 2 * width * height)),
        (284, short, 1, struct.pack("<H", 1)),
        (33_421, short, 2, struct.pack("<HH", 2, 2)),
        (33_422, 1, 4, bytes([0, 1, 1, 2])),
        (50_706, 1, 4, bytes([1, 4, 0, 0])),
        (50_708, text, 12, b"Maker Model\0"),
        (50_714, short, 1, struct.pack("<H", BLACK)),
        (50_717, short, 1, struct.pack("<H", WHITE)),
        (50_721, signed, 9, rationals(MATRIX)),
        (50_728, rational, 3, rationals(balance)),
        (50_778, short, 1, struct.pack("<H", 21)),
    ]
    beside = 8 + 2 + 12 * len(tags) + 4
    samples = beside + sum(len(value) for *_, value in tags if value and len(value) > 4)
    entries, extra = b"", b""
    for tag, kind, count, value in tags:
        value = struct.pack("<I", samples) if value is None else value
        if len(value) > 4:
            value, extra = struct.pack("<I", beside + len(extra)), extra + value
        entries += struct.pack("<HHI", tag, kind, count) + value.ljust(4, b"\0")
    return struct.pack("<2sHIH", b"II", 42, 8, len(tags)) + entries + struct.pack("<I", 0) + extra


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit("usage: mosaic.py PICTURE.ppm OUT.dng")
    main(*sys.argv[1:])
