// Photos out of what was chosen or dropped, in the order of their names.

const byName = (a, b) => a.name.localeCompare(b.name, undefined, { numeric: true, sensitivity: "base" });
const isHidden = (file) => file.name.startsWith(".");
const noPicture = /\.(txt|json|xmp|pp3|dop|md|html|pdf|zip|tar|gz|thm|lrv|aae|ini|db)$/i;
const video = /\.(mp4|mov|m4v|mkv|webm|avi|mts|y4m)$/i;

export const isVideo = (file) => file.type.startsWith("video/") || video.test(file.name);

// Folders in a chosen folder are bursts of their own, or what was made of this one.
const isDeep = (file) => (file.webkitRelativePath ?? "").split("/").length > 2;

export function sorted(list) {
  return [...list].filter((file) => !isHidden(file) && !isDeep(file) && !noPicture.test(file.name)).sort(byName);
}

async function filesOf(entry) {
  if (entry.isFile) return [await new Promise((done, failed) => entry.file(done, failed))];
  const reader = entry.createReader();
  const entries = [];
  // A reader hands over a hundred at a time.
  for (;;) {
    const some = await new Promise((done, failed) => reader.readEntries(done, failed));
    if (some.length === 0) break;
    entries.push(...some);
  }
  return (await Promise.all(entries.filter((one) => one.isFile).map(filesOf))).flat();
}

/** Files that were dropped, and those in dropped folders. */
export async function dropped(transfer) {
  const entries = [...transfer.items].map((item) => item.webkitGetAsEntry?.()).filter(Boolean);
  if (entries.length === 0) return sorted(transfer.files);
  return sorted((await Promise.all(entries.map(filesOf))).flat());
}
