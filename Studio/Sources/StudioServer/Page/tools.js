// What a tap or a stroke on the plate means.

export const tools = [
  { id: "move", key: "m", name: "Move", words: "Drag to move, pinch or turn the wheel to zoom." },
  { id: "stay", key: "s", name: "Stays", words: "Tap whoever belongs in the picture. Choose a frame below to take them from it." },
  { id: "go", key: "g", name: "Goes", words: "Tap whoever should go." },
  { id: "versions", key: "v", name: "Versions", words: "Tap a place and choose how it should look among the frames." },
  { id: "draw", key: "d", name: "Draw", words: "Paint what should come from a frame." },
];

const rounded = ([x, y]) => [Math.round(x * 10) / 10, Math.round(y * 10) / 10];

/** The edit that a tap with a tool means; `frame` is what is shown over the plate, if anything. */
export function tapped(tool, at, frame) {
  const point = rounded(at);
  if (tool === "stay") return frame === null ? { do: "keep", point } : { do: "take", frame, point };
  return frame === null ? { do: "remove", point } : { do: "remove", frame, point };
}

export const painted = (path, radius, frame) => ({
  do: "take", frame, stroke: { radius: Math.round(radius * 10) / 10, points: thinned(path, radius / 4).map(rounded) },
});

/** Points that are no nearer than `step`, and the last. */
function thinned(path, step) {
  const kept = [path[0]];
  for (const at of path) {
    const last = kept[kept.length - 1];
    if (Math.hypot(at[0] - last[0], at[1] - last[1]) >= step) kept.push(at);
  }
  if (kept[kept.length - 1] !== path[path.length - 1]) kept.push(path[path.length - 1]);
  return kept;
}

/** An edit in words. */
export function words(edit, frames) {
  const name = (frame) => frame === undefined || frame === null ? "the reference"
    : typeof frame === "number" ? frames[frame]?.name ?? `frame ${frame}` : frame;
  const place = edit.point ? `at ${edit.point.map(Math.round).join(", ")}` : "where it was painted";
  if (edit.do === "keep") return `Whoever stands ${place} stays.`;
  if (edit.do === "remove") return `Whoever ${name(edit.frame)} shows ${place} goes.`;
  return `${place.charAt(0).toUpperCase()}${place.slice(1)}: from ${name(edit.frame)}.`;
}
