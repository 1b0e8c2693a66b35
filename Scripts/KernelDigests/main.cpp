// Prints digests of what the kernels of CShim/Kernels compute from random inputs, one line for each kernel: they must
// be the same on every processor. `Scripts/kernels-on-arm` compares x86-64 with arm64.
#include "CShimKernels.h"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <vector>

namespace {

/// George Marsaglia, "Xorshift RNGs", Journal of Statistical Software 8(14), 2003.
struct Random {
  uint64_t state;
  uint64_t next() {
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return state;
  }
  int32_t below(int32_t limit) { return static_cast<int32_t>((next() >> 20) % static_cast<uint64_t>(limit)); }
  /// In steps that every processor has.
  double within(double low, double high) { return low + (high - low) * (below(1 << 20) / 1048576.0); }
};

/// FNV-1a, 64 bits.
struct Digest {
  uint64_t value = 0xcbf29ce484222325;
  void bytes(const void *start, size_t count) {
    const auto *byte = static_cast<const uint8_t *>(start);
    for (size_t i = 0; i < count; ++i) value = (value ^ byte[i]) * 0x100000001b3;
  }
  template <class Number> void number(Number number) { bytes(&number, sizeof number); }
  void print(const char *name) const { std::printf("%-24s %016llx\n", name, static_cast<unsigned long long>(value)); }
};

/// A picture with edges, slopes and noise.
template <class Sample> struct Picture {
  int32_t width, height, bits;
  std::vector<Sample> samples;

  Picture(int32_t width, int32_t height, int32_t bits) : width(width), height(height), bits(bits) {
    samples.resize(static_cast<size_t>(width) * height);
  }
  Picture(int32_t width, int32_t height, int32_t bits, Random &random) : Picture(width, height, bits) {
    const int32_t top = 1 << bits;
    for (int32_t y = 0; y < height; ++y) {
      for (int32_t x = 0; x < width; ++x) {
        const int32_t block = (x / 17 * 37 + y / 13 * 59) % 7 * top / 8;
        const int32_t noise = random.below(top / 16 + 1);
        at(x, y) = static_cast<Sample>(std::min(block + (x + y) * top / (8 * (width + height)) + noise, top - 1));
      }
    }
  }
  Sample &at(int32_t x, int32_t y) { return samples[static_cast<size_t>(y) * width + x]; }
  cs_plane plane() const {
    return {samples.data(), static_cast<ptrdiff_t>(width * sizeof(Sample)), width, height, bits};
  }
  Picture half() {
    Picture result(width / 2, height / 2, bits);
    for (int32_t y = 0; y < result.height; ++y) {
      for (int32_t x = 0; x < result.width; ++x) {
        result.at(x, y) = static_cast<Sample>(
            (at(2 * x, 2 * y) + at(2 * x + 1, 2 * y) + at(2 * x, 2 * y + 1) + at(2 * x + 1, 2 * y + 1) + 2) / 4);
      }
    }
    return result;
  }
};

struct Field {
  std::vector<float> values;
  cs_warp_field field;
  Field(Random &random, int32_t width, int32_t height, double low, double high) {
    for (int i = 0; i < 9 * 7; ++i) values.push_back(static_cast<float>(random.within(low, high)));
    field = {9, 7, width, height, values.data()};
  }
};

void fillHomography(Random &random, double size, double map[9]) {
  const double identity[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
  const double reach[9] = {.02, .02, size / 20, .02, .02, size / 20, .02 / size, .02 / size, 0};
  for (int i = 0; i < 9; ++i) map[i] = identity[i] + random.within(-reach[i], reach[i]);
}

using WarpTile = cs_warp_coverage (*)(const cs_warp *, cs_warp_rect, void *, ptrdiff_t, cs_warp_span *);

template <class Sample> Digest warpDigest(int32_t bits, WarpTile tile) {
  Random random{0x9e3779b97f4a7c15 + static_cast<uint64_t>(bits)};
  Digest digest;
  for (int round = 0; round < 40; ++round) {
    const int32_t width = 60 + random.below(200), height = 50 + random.below(150);
    const Picture<Sample> source(width, height, bits, random);
    const Field right(random, width, height, -1.5, 1.5), down(random, width, height, -1.5, 1.5);
    const Field gains(random, width, height, .9, 1.1);
    cs_warp warp = {};
    warp.source = source.plane();
    warp.source_grid = warp.destination_grid = {1, 1, 0, 0};
    if (round % 3 == 1) warp.source_grid = warp.destination_grid = {2, 2, .5, .5};
    fillHomography(random, width, warp.to_source);
    if (round % 10 == 9) {
      const double shift[9] = {1, 0, 5, 0, 1, -3, 0, 0, 1};
      std::memcpy(warp.to_source, shift, sizeof shift);
    }
    if (round % 2 == 1) {
      warp.shift_x = &right.field;
      warp.shift_y = &down.field;
    }
    if (round % 4 == 3) warp.gains = &gains.field;
    warp.gain = round % 5 == 0 ? 1 : random.within(.7, 1.4);
    warp.offset = round % 5 == 0 ? 0 : random.within(-4, 4);
    warp.pivot = round % 3 == 1 ? 1 << (bits - 1) : 0;
    warp.kernel = round % 2 == 0 ? CS_WARP_SHARP : CS_WARP_EXACT;
    const cs_warp_rect rect = {random.below(9), random.below(9), width, height};
    std::vector<Sample> target(static_cast<size_t>(width) * height);
    std::vector<cs_warp_span> spans(static_cast<size_t>(height));
    digest.number(static_cast<int32_t>(
        tile(&warp, rect, target.data(), static_cast<ptrdiff_t>(width * sizeof(Sample)), spans.data())));
    for (int32_t y = 0; y < height; ++y) {
      digest.number(spans[y].start);
      digest.number(spans[y].end);
      // Samples outside are unspecified.
      if (spans[y].end <= spans[y].start) continue;
      digest.bytes(target.data() + static_cast<size_t>(y) * width + (spans[y].start - rect.x),
                   static_cast<size_t>(spans[y].end - spans[y].start) * sizeof(Sample));
    }
  }
  return digest;
}

void trackingDigests() {
  Random random{77};
  Digest corners, tracks;
  for (int round = 0; round < 6; ++round) {
    const int32_t width = 240 + 2 * random.below(80), height = 200 + 2 * random.below(60);
    std::vector<Picture<uint8_t>> levels{Picture<uint8_t>(width, height, 8, random)};
    while (levels.size() < 4) levels.push_back(levels.back().half());
    std::vector<cs_plane> planes;
    for (const auto &level : levels) planes.push_back(level.plane());
    const auto count = static_cast<int32_t>(planes.size());
    cs_tracking_picture *reference = cs_tracking_picture_of(planes.data(), count, 0, 3);
    cs_tracking_path path = {};
    fillHomography(random, width / 4.0, path.map);
    const Field right(random, width, height, -.5, .5), down(random, width, height, -.5, .5);
    if (round % 2 == 1) {
      path.shift_x = &right.field;
      path.shift_y = &down.field;
    }
    cs_tracking_picture *frame = cs_tracking_picture_warped(planes.data(), count, &path, reference);
    const int32_t parts = cs_peaks_parts(reference);
    corners.number(parts);
    if (parts == 0) continue;
    cs_peaks *peaks = cs_peaks_find(reference, 0, parts);
    std::vector<cs_point> points(300);
    points.resize(static_cast<size_t>(cs_peaks_choose(reference, &peaks, 1, 300, points.data())));
    for (const cs_point &point : points) {
      corners.number(point.x);
      corners.number(point.y);
    }
    std::vector<cs_track> found(points.size());
    cs_track_points(reference, frame, points.data(), static_cast<int32_t>(points.size()), found.data());
    for (const cs_track &track : found) {
      tracks.number(track.found);
      if (track.found == 0) continue;
      tracks.number(track.dx);
      tracks.number(track.dy);
      tracks.number(track.roundTrip);
      tracks.number(track.deviation);
    }
    cs_peaks_free(peaks);
    cs_tracking_picture_free(frame);
    cs_tracking_picture_free(reference);
  }
  corners.print("corners");
  tracks.print("tracks");
}

void sharpnessDigests() {
  Random random{7};
  const Picture<uint8_t> picture(301, 203, 8, random);
  const cs_plane plane = picture.plane();
  Digest averages, responses, sums;
  for (int32_t taps = 1; taps <= 9; ++taps) {
    constexpr int32_t count = 40, padded = (9 + 3) / 4 * 4;
    std::vector<int32_t> first(count);
    std::vector<float> weights(count * padded);
    for (int32_t part = 0; part < count; ++part) {
      first[part] = random.below(203 - taps);
      for (int32_t tap = 0; tap < taps; ++tap)
        weights[(tap / 4 * count + part) * 4 + tap % 4] = static_cast<float>(random.below(1000)) / 1000 / taps;
    }
    const cs_parts parts{count, taps, first.data(), weights.data()};
    std::vector<float> line(301 + 4);
    std::vector<uint8_t> row(count);
    for (int32_t y = 0; y < count; ++y) {
      cs_average_row(&plane, &parts, &parts, y, line.data(), row.data());
      averages.bytes(row.data(), row.size());
    }
  }
  const auto at = [&](int32_t y) { return picture.samples.data() + static_cast<size_t>(y) * 301 + 1; };
  std::vector<int16_t> row(299);
  for (int32_t y = 1; y < 202; ++y) {
    cs_laplacian_row(at(y), 301, 299, row.data());
    for (int16_t response : row) responses.number(response);
  }
  for (int32_t width = 1; width <= 299; width += 3) {
    std::vector<cs_response_sums> blocks((width + 7) / 8);
    cs_laplacian_blocks(at(1 + random.below(190)), 301, width, 1 + random.below(8), blocks.data());
    for (const cs_response_sums &block : blocks) {
      sums.number(block.sum);
      sums.number(block.squares);
    }
  }
  averages.print("averages of parts");
  responses.print("Laplacian");
  sums.print("sums of the Laplacian");
}

Digest solverDigest() {
  Random random{3};
  Digest digest;
  for (int32_t unknowns = 1; unknowns <= 61; unknowns += 5) {
    constexpr int32_t bandwidth = 13, step = bandwidth + 6;
    std::vector<double> band(static_cast<size_t>(unknowns) * (step + 1)), x(unknowns + 6), y(unknowns + 6);
    for (int32_t i = 0; i < unknowns; ++i) {
      x[i] = random.within(-1, 1), y[i] = random.within(-1, 1);
      for (int32_t j = i; j <= std::min(i + bandwidth, unknowns - 1); ++j)
        band[i * step + j] = i == j ? 20 : random.within(-1, 1);
    }
    digest.number(cs_solve_banded(band.data(), step, unknowns, bandwidth, x.data(), y.data()));
    for (double value : x) digest.number(value);
    for (double value : y) digest.number(value);
  }
  return digest;
}

template <class Sample> Digest boxDigest(int32_t bits) {
  Random random{5};
  const Picture<Sample> picture(301, 203, bits, random);
  const cs_plane plane = picture.plane();
  Digest digest;
  for (int32_t radius = 1; radius <= 9; radius += 2) {
    std::vector<cs_place> centres;
    for (int i = 0; i < 400; ++i) {
      centres.push_back({radius + random.below(301 - 2 * radius), radius + random.below(203 - 2 * radius)});
    }
    std::vector<cs_box> boxes(centres.size());
    cs_measure_boxes(&plane, centres.data(), static_cast<int32_t>(centres.size()), radius, boxes.data());
    for (const cs_box &box : boxes) {
      digest.number(box.mean);
      digest.number(box.variance);
      digest.number(box.largest);
    }
  }
  return digest;
}

Digest comparisonDigest(int32_t planes) {
  Random random{13};
  constexpr int32_t pixels = 333, count = 7;
  // One picture, then the others: brightness, blue, red and gradient of each, and where some of them may be clipped.
  std::vector<uint8_t> levels((count + 1) * 5 * pixels);
  for (auto &level : levels) level = static_cast<uint8_t>(random.below(256));
  std::vector<cs_seen> seen;
  for (uint8_t *first = levels.data(); first < levels.data() + levels.size(); first += 5 * pixels) {
    uint8_t *clipped = first + 4 * pixels;
    // A quarter in their brightness, a quarter in a colour from some level on.
    for (int32_t x = 0; x < pixels; ++x) clipped[x] = clipped[x] < 64 ? 255 : clipped[x] < 128 ? 2 * clipped[x] - 100 : 0;
    const bool isMarked = seen.size() % 3 < 2;
    seen.push_back({first, first + pixels, first + 2 * pixels, first + 3 * pixels, isMarked ? clipped : nullptr});
  }
  const cs_seen_noise noise[] = {{3.1f, 0.07f, 0.013f}, {1.3f, 0.02f, 0.003f}, {2.7f, 0.03f, 0.0041f}};
  const cs_chroma_in_light chroma{128, 1436, 352, 731, 1815};
  std::vector<float> distances(count * pixels);
  Digest digest;
  for (int32_t hasChroma : {0, 1}) {
    for (cs_explained explained : {CS_CLIPPED_BRIGHTNESS, CS_CLIPPED_COLOURS}) {
      cs_compare(&seen[0], &seen[1], count, noise, {planes, hasChroma, chroma}, explained, pixels, distances.data());
      for (float distance : distances) digest.number(distance);
    }
  }
  std::vector<int32_t> light(pixels, 100);
  cs_raise_to_brightest(light.data(), seen[0].blue, seen[0].red, 1, chroma, pixels);
  for (int32_t level : light) digest.number(level);
  return digest;
}

Digest patchesDigest(int32_t planes) {
  Random random{19};
  Digest digest;
  const int32_t width = 96, height = 64;
  std::vector<Picture<uint8_t>> ones, others;
  std::vector<cs_patch_plane> pairs;
  for (int32_t k = 0; k < planes; ++k) {
    ones.emplace_back(width, height, 8, random);
    others.push_back(ones[k]);
    for (auto &sample : others[k].samples) sample = static_cast<uint8_t>(sample * 7 / 8 + random.below(30));
  }
  const ptrdiff_t block = 24 * width + 40;
  for (int32_t k = 0; k < planes; ++k)
    pairs.push_back({ones[k].samples.data() + block, others[k].samples.data() + block, width});
  std::vector<cs_place> shifts;
  for (int32_t y = -20; y <= 20; ++y) {
    for (int32_t x = -20; x <= 20; ++x) shifts.push_back({x, y});
  }
  std::vector<uint16_t> found(shifts.size() * CS_PATCH_BLOCK);
  cs_find_patches(pairs.data(), planes, 500, 900, shifts.data(), static_cast<int32_t>(shifts.size()), found.data());
  digest.bytes(found.data(), found.size() * sizeof(uint16_t));
  return digest;
}

template <class Sample, class Consensus> Digest consensusDigest(int32_t bits, Consensus consensus) {
  Random random{11};
  Digest digest;
  for (int32_t frames = 1; frames <= 40; ++frames) {
    const int32_t count = 1 + random.below(700);
    std::vector<Sample> samples(static_cast<size_t>(frames) * count), median(count);
    std::vector<uint8_t> weights(frames);
    std::vector<cs_tolerance> tolerance(256);
    const int32_t top = 1 << bits, spread = std::max(top / 16, 1);
    for (int32_t i = 0; i < count; ++i) {
      median[i] = static_cast<Sample>(random.below(top));
      for (int32_t k = 0; k < frames; ++k) {
        const int32_t sample = median[i] + random.below(2 * spread) - spread;
        samples[static_cast<size_t>(k) * count + i] = static_cast<Sample>(std::clamp(sample, 0, top - 1));
      }
    }
    for (auto &weight : weights) weight = static_cast<uint8_t>(1 + random.below(16));
    for (auto &value : tolerance)
      value = {static_cast<uint16_t>(random.below(spread + 1)), static_cast<uint16_t>(random.below(spread + 1))};
    consensus(samples.data(), count, frames, weights.data(), count, tolerance.data(), median.data());
    digest.bytes(median.data(), median.size() * sizeof(Sample));
  }
  return digest;
}

template <class Sample> Digest clippedDigest(int32_t bits) {
  Random random{17};
  Digest digest;
  struct alignas(64) Scratch {
    int32_t words[CS_CLIPPED_SCRATCH];
  };
  for (int32_t frames = 2; frames <= 20; ++frames) {
    const int32_t count = 1 + random.below(300), top = 1 << bits, step = 1 + frames % 2;
    const auto size = static_cast<size_t>(frames) * count;
    const int32_t colours = frames % 4, colourStep = 1 + frames % 3, colourCount = (count + colourStep - 1) / colourStep;
    std::vector<Sample> samples(size), light(size * step);
    std::vector<Sample> colour(static_cast<size_t>(frames) * colours * colourCount);
    std::vector<uint8_t> doubts(size), rooms(size);
    std::vector<cs_clipped_row> rows;
    std::vector<int32_t> marked;
    std::vector<Scratch> scratch(frames);
    for (int32_t k = 0; k < frames; ++k) {
      const auto first = static_cast<size_t>(k) * count;
      for (int32_t i = 0; i < count; ++i) {
        const bool isNear = random.below(3) > 0;
        samples[first + i] = static_cast<Sample>(isNear ? top * 7 / 8 + random.below(top / 8) : random.below(top));
        doubts[first + i] = static_cast<uint8_t>(std::max(random.below(600) - 344, 0));
        rooms[first + i] = static_cast<uint8_t>(random.below(80));
      }
      for (int32_t i = 0; i < count * step; ++i)
        light[first * step + i] = static_cast<Sample>(top * 3 / 4 + random.below(top / 4));
      const bool isMarked = k % 3 < 2;
      if (isMarked) marked.push_back(k);
      const int32_t from = random.below(count / 4 + 1), past = count - random.below(count / 4 + 1);
      cs_clipped_row row = {&samples[first], step == 1 ? &samples[first] : &light[first * step], {}, nullptr, nullptr,
                            from, past, 1 + random.below(16)};
      for (int32_t i = 0; i < colours; ++i) {
        Sample *own = &colour[(static_cast<size_t>(k) * colours + i) * colourCount];
        for (int32_t x = 0; x < colourCount; ++x)
          own[x] = static_cast<Sample>(top / 2 - top / 12 + random.below(top / 6));
        row.colours[i] = own;
      }
      if (isMarked) row.doubts = &doubts[first], row.rooms = &rooms[first];
      rows.push_back(row);
    }
    const cs_clipped_layout layout = {bits,    count,      step,        count * step,
                                      colours, colourStep, colourCount, frames % 2};
    cs_repair_clipped(rows.data(), frames, marked.data(), static_cast<int32_t>(marked.size()), layout, scratch.data());
    digest.bytes(samples.data(), samples.size() * sizeof(Sample));
  }
  return digest;
}

template <class Sample, class Median> Digest medianDigest(Median median) {
  Random random{13};
  Digest digest;
  for (int32_t frames : {1, 2, 33, 64, 255, 256, 300}) {
    const int32_t count = 1 + random.below(300);
    std::vector<Sample> samples(static_cast<size_t>(frames) * count), medians(count);
    for (auto &sample : samples) sample = static_cast<Sample>(random.below(1 << 8 * sizeof(Sample)));
    median(samples.data(), count, frames, count, medians.data());
    digest.bytes(medians.data(), medians.size() * sizeof(Sample));
  }
  return digest;
}

Digest blocksDigest() {
  Random random{17};
  Digest digest;
  for (int32_t across = 1; across < 10; ++across) {
    const int32_t count = 1 + random.below(150), down = 1 + random.below(400);
    const int32_t width = std::max(across, 2) * count;
    std::vector<uint8_t> samples(static_cast<size_t>(width) * std::max(down, 2)), means(count);
    for (auto &sample : samples) sample = static_cast<uint8_t>(random.below(256));
    std::vector<uint16_t> line(width);
    std::vector<uint32_t> sums(count);
    cs_sum_blocks(samples.data(), width, across, down, count, line.data(), sums.data());
    cs_halve_row(samples.data(), samples.data() + width, count, means.data());
    digest.bytes(sums.data(), sums.size() * sizeof(uint32_t));
    digest.bytes(means.data(), means.size());
  }
  return digest;
}

}  // namespace

int main() {
  warpDigest<uint8_t>(8, cs_warp_tile).print("warp 8 bits");
  warpDigest<uint16_t>(12, cs_warp_tile).print("warp 12 bits");
  warpDigest<uint16_t>(16, cs_warp_tile).print("warp 16 bits");
  warpDigest<uint8_t>(8, cs_warp_tile_baseline).print("warp 8 bits, baseline");
  warpDigest<uint16_t>(16, cs_warp_tile_baseline).print("warp 16 bits, baseline");
  trackingDigests();
  sharpnessDigests();
  blocksDigest().print("blocks");
  solverDigest().print("banded equations");
  boxDigest<uint8_t>(8).print("boxes 8 bits");
  boxDigest<uint16_t>(16).print("boxes 16 bits");
  comparisonDigest(1).print("comparison of greys");
  comparisonDigest(3).print("comparison of colours");
  patchesDigest(1).print("patches of greys");
  patchesDigest(3).print("patches of colours");
  medianDigest<uint8_t>(cs_median_bytes).print("median 8 bits");
  medianDigest<uint16_t>(cs_median_words).print("median 16 bits");
  consensusDigest<uint8_t>(8, cs_consensus_bytes).print("consensus 8 bits");
  const auto words = [](int32_t bits) {
    return [bits](const uint16_t *samples, ptrdiff_t stride, int32_t frames, const uint8_t *weights, int32_t count,
                  const cs_tolerance *tolerance, uint16_t *leading) {
      cs_consensus_words(samples, stride, frames, weights, count, bits, tolerance, leading);
    };
  };
  consensusDigest<uint16_t>(10, words(10)).print("consensus 10 bits");
  consensusDigest<uint16_t>(16, words(16)).print("consensus 16 bits");
  clippedDigest<uint8_t>(8).print("clipped 8 bits");
  clippedDigest<uint16_t>(12).print("clipped 12 bits");
  clippedDigest<uint16_t>(16).print("clipped 16 bits");
}
