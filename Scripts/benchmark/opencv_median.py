#!/usr/bin/env python3
"""The clean plate that everybody writes first, for Scripts/bench to compare with: SIFT on whole frames, a RANSAC
homography to the first frame, warpPerspective and a median over whole frames.

    opencv_median.py OUT.jpg FRAME...
"""
import sys

import cv2
import numpy as np


def main(output, paths):
    frames = [cv2.imread(path) for path in paths]
    sift = cv2.SIFT_create(nfeatures=4000)
    described = [sift.detectAndCompute(cv2.cvtColor(frame, cv2.COLOR_BGR2GRAY), None) for frame in frames]
    reference_points, reference_descriptors = described[0]
    matcher = cv2.FlannBasedMatcher({"algorithm": 1, "trees": 5}, {"checks": 50})
    height, width = frames[0].shape[:2]
    warped = [frames[0]]
    for frame, (points, descriptors) in zip(frames[1:], described[1:]):
        pairs = matcher.knnMatch(descriptors, reference_descriptors, k=2)
        good = [pair[0] for pair in pairs if len(pair) == 2 and pair[0].distance < 0.75 * pair[1].distance]
        if len(good) < 4:
            continue
        source = np.float32([points[match.queryIdx].pt for match in good])
        target = np.float32([reference_points[match.trainIdx].pt for match in good])
        homography, _ = cv2.findHomography(source, target, cv2.RANSAC, 3.0)
        if homography is not None:
            warped.append(cv2.warpPerspective(frame, homography, (width, height), flags=cv2.INTER_CUBIC))
    plate = np.median(np.stack(warped), axis=0).astype(np.uint8)
    cv2.imwrite(output, plate, [cv2.IMWRITE_JPEG_QUALITY, 95])


if __name__ == "__main__":
    if len(sys.argv) < 4:
        sys.exit("usage: opencv_median.py OUT.jpg FRAME FRAME...")
    main(sys.argv[1], sys.argv[2:])
