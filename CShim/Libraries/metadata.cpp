// Metadata by Exiv2: the plate keeps what the reference's says of the scene, and drops what it says of the file.
#include "../status.hpp"
#include "buffer.hpp"

#include <exiv2/exiv2.hpp>

#include <algorithm>
#include <mutex>
#include <string>
#include <unordered_map>
#include <unordered_set>

namespace cleanplate {
namespace {

/// Adobe's XMP toolkit below Exiv2 keeps its name spaces in globals.
std::mutex exivMutex;

void prepare() {
  static const bool once = [] {
    Exiv2::LogMsg::setLevel(Exiv2::LogMsg::mute);
    Exiv2::enableBMFF(true);
    Exiv2::XmpParser::initialize();
    return true;
  }();
  (void)once;
}

/// Tags that tell how a TIFF or RAW file lies on disk, or duplicate what has a block of its own.
bool describesStructure(const Exiv2::Exifdatum &datum) {
  static const uint16_t tags[] = {
      0x00fe, 0x00ff, 0x0100, 0x0101, 0x0102, 0x0103, 0x0106, 0x0107, 0x010a, 0x0111, 0x0115, 0x0116, 0x0117, 0x0118,
      0x0119, 0x011c, 0x0120, 0x0121, 0x0122, 0x0123, 0x0124, 0x0125, 0x012d, 0x013d, 0x0140, 0x0141, 0x0142, 0x0143,
      0x0144, 0x0145, 0x014a, 0x014c, 0x0150, 0x0151, 0x0152, 0x0153, 0x0154, 0x0155, 0x015b, 0x0200, 0x0201, 0x0202,
      0x0205, 0x0207, 0x0208, 0x0209, 0x0211, 0x0212, 0x0213, 0x0214, 0x02bc, 0x828d, 0x828e, 0x83bb, 0x8649, 0x8773,
  };
  const std::string group = datum.groupName();
  if (group == "Image") {
    const uint16_t tag = datum.tag();
    // From 0xc612 on come the tags of DNG.
    return std::find(std::begin(tags), std::end(tags), tag) != std::end(tags) || (tag >= 0xc612 && tag <= 0xcfff);
  }
  return group == "Thumbnail" || group.rfind("SubImage", 0) == 0 || group.rfind("Image2", 0) == 0 ||
         group.rfind("Image3", 0) == 0 || group == "PanasonicRaw";
}

/// Descriptions of data that lie behind the picture in its file (motion photos, gain maps, depth): they do not
/// come along.
bool describesTrailer(const std::string &group) {
  static const char *const groups[] = {"GCamera",    "GContainer", "Container", "Item",   "hdrgm",
                                       "HDRGainMap", "GImage",     "GDepth",    "GAudio", "GPano"};
  return std::any_of(std::begin(groups), std::end(groups), [&](const char *name) { return group == name; });
}

/// What stands where in the reference, such as faces with their names and what an editor crops and retouches: whoever
/// it is may be gone, and turned and cut the plate has something else there. And the numbers by which catalogues know
/// the reference: the plate is another picture.
bool describesReference(const Exiv2::Exifdatum &datum) {
  const uint16_t subjectArea = 0x9214, subjectLocation = 0xa214, imageUniqueID = 0xa420;
  const std::string group = datum.groupName();
  return (group == "Image" || group == "Photo") &&
         (datum.tag() == subjectArea || datum.tag() == subjectLocation || datum.tag() == imageUniqueID);
}

bool describesReference(const Exiv2::Xmpdatum &datum) {
  static const char *const groups[] = {"mwg-rs", "MP", "MPRI", "MPReg", "acdsee-rs"};
  static const char *const properties[] = {
      "Xmp.iptcExt.ImageRegion",
      "Xmp.exif.SubjectArea",
      "Xmp.exif.SubjectLocation",
      "Xmp.exif.ImageUniqueID",
      "Xmp.xmpMM.DocumentID",
      "Xmp.xmpMM.InstanceID",
      "Xmp.crs.HasCrop",
      "Xmp.crs.Crop",
      "Xmp.crs.Perspective",
      "Xmp.crs.Upright",
      "Xmp.crs.Retouch",
      "Xmp.crs.RedEye",
      "Xmp.crs.GradientBasedCorrections",
      "Xmp.crs.CircularGradientBasedCorrections",
      "Xmp.crs.PaintBasedCorrections",
      "Xmp.crs.MaskGroupBasedCorrections",
  };
  const std::string group = datum.groupName(), key = datum.key();
  return std::any_of(std::begin(groups), std::end(groups), [&](const char *name) { return group == name; }) ||
         std::any_of(std::begin(properties), std::end(properties),
                     [&](const char *name) { return key.rfind(name, 0) == 0; });
}

template <class Data, class Predicate> void eraseWhere(Data &data, Predicate predicate) {
  for (auto position = data.begin(); position != data.end();) {
    if (predicate(*position)) {
      position = data.erase(position);
    } else {
      ++position;
    }
  }
}

Exiv2::ExifData decodeExif(cs_bytes bytes, Exiv2::ByteOrder &order) {
  Exiv2::ExifData data;
  if (bytes.count < 8) return data;
  try {
    const auto found = Exiv2::ExifParser::decode(data, bytes.bytes, static_cast<uint32_t>(bytes.count));
    if (found != Exiv2::invalidByteOrder) order = found;
  } catch (const Exiv2::AnyError &) {
    data.clear();
  }
  return data;
}

cs_buffer *editExif(cs_bytes bytes, const cs_metadata_edits &edits) {
  Exiv2::ByteOrder order = Exiv2::littleEndian;
  Exiv2::ExifData data = decodeExif(bytes, order);
  Exiv2::ExifThumb(data).erase();
  eraseWhere(data,
             [](const Exiv2::Exifdatum &datum) { return describesStructure(datum) || describesReference(datum); });
  data["Exif.Image.Orientation"] = uint16_t{1};
  data["Exif.Image.Software"] = std::string(edits.software);
  data["Exif.Photo.PixelXDimension"] = static_cast<uint32_t>(edits.width);
  data["Exif.Photo.PixelYDimension"] = static_cast<uint32_t>(edits.height);
  Exiv2::Blob blob;
  Exiv2::ExifParser::encode(blob, order, data);
  for (long longest = edits.block_limit / 2; blob.size() > edits.block_limit && longest > 0; longest /= 2) {
    eraseWhere(data, [&](const Exiv2::Exifdatum &datum) { return datum.size() > longest; });
    blob.clear();
    Exiv2::ExifParser::encode(blob, order, data);
  }
  return makeBuffer(blob.data(), blob.size());
}

void addHistory(Exiv2::XmpData &data, const cs_metadata_edits &edits) {
  const std::string list = "Xmp.xmpMM.History";
  // Looked for one by one, each of many entries would be compared with all of them.
  std::unordered_set<std::string> keys;
  for (const Exiv2::Xmpdatum &datum : data) keys.insert(datum.key());
  int entries = 0;
  while (keys.count(list + "[" + std::to_string(entries + 1) + "]/stEvt:action") != 0) ++entries;
  if (entries == 0) {
    eraseWhere(data, [&](const Exiv2::Xmpdatum &datum) { return datum.key().rfind(list, 0) == 0; });
    Exiv2::XmpTextValue array("");
    array.setXmpArrayType(Exiv2::XmpValue::xaSeq);
    data.add(Exiv2::XmpKey(list), &array);
  }
  const std::string entry = list + "[" + std::to_string(entries + 1) + "]";
  data[entry + "/stEvt:action"] = std::string("derived");
  data[entry + "/stEvt:softwareAgent"] = std::string(edits.software);
  if (*edits.history != 0) data[entry + "/stEvt:parameters"] = std::string(edits.history);
}

std::string encodeXmp(const Exiv2::XmpData &data) {
  std::string packet;
  if (Exiv2::XmpParser::encode(packet, data, Exiv2::XmpParser::useCompactFormat) != 0) {
    throw Failure(CS_LIBRARY_FAILURE, "the XMP toolkit could not write the packet");
  }
  return packet;
}

/// What says of a picture that a program made it, and nothing else.
std::string markXmp(const char *software) {
  Exiv2::XmpData data;
  cs_metadata_edits edits = {};
  edits.software = software;
  edits.history = "";
  addHistory(data, edits);
  return encodeXmp(data);
}

/// The property that a key is a part of: without what follows an index or a field.
std::string propertyOf(const Exiv2::Xmpdatum &datum) {
  const std::string key = datum.key();
  return key.substr(0, key.find_first_of("[/"));
}

void eraseLongerThan(Exiv2::XmpData &data, size_t longest) {
  std::unordered_map<std::string, size_t> lengths;
  for (const Exiv2::Xmpdatum &datum : data) lengths[propertyOf(datum)] += datum.key().size() + datum.toString().size();
  eraseWhere(data, [&](const Exiv2::Xmpdatum &datum) { return lengths[propertyOf(datum)] > longest; });
}

/// The properties with the program's own.
std::string signXmp(Exiv2::XmpData data, const cs_metadata_edits &edits) {
  data["Xmp.xmp.CreatorTool"] = std::string(edits.software);
  if (edits.history != nullptr) addHistory(data, edits);
  return encodeXmp(data);
}

std::string editXmp(cs_bytes bytes, const cs_metadata_edits &edits) {
  Exiv2::XmpData data;
  if (bytes.count > 0 && Exiv2::XmpParser::decode(data, toString(bytes)) != 0) data.clear();
  eraseWhere(data, [](const Exiv2::Xmpdatum &datum) {
    const std::string key = datum.key();
    return describesTrailer(datum.groupName()) || describesReference(datum) ||
           key.rfind("Xmp.xmp.Thumbnails", 0) == 0 || key.rfind("Xmp.xmpNote", 0) == 0;
  });
  const auto replace = [&](const char *key, int value) {
    if (data.findKey(Exiv2::XmpKey(key)) != data.end()) data[key] = std::to_string(value);
  };
  replace("Xmp.tiff.Orientation", 1);
  for (const char *key : {"Xmp.tiff.ImageWidth", "Xmp.exif.PixelXDimension"}) replace(key, edits.width);
  for (const char *key : {"Xmp.tiff.ImageLength", "Xmp.exif.PixelYDimension"}) replace(key, edits.height);
  std::string packet = signXmp(data, edits);
  for (size_t longest = edits.block_limit / 2; packet.size() > edits.block_limit && longest > 0; longest /= 2) {
    eraseLongerThan(data, longest);
    packet = signXmp(data, edits);
  }
  if (packet.size() <= edits.block_limit) return packet;
  return edits.history != nullptr ? markXmp(edits.software) : std::string();
}

cs_buffer *encodeIptc(const Exiv2::IptcData &data) {
  if (data.empty()) return nullptr;
  const Exiv2::DataBuf encoded = Exiv2::IptcParser::encode(data);
  return makeBuffer(encoded.pData_, static_cast<size_t>(encoded.size_));
}

cs_buffer *editIptc(cs_bytes bytes) {
  Exiv2::IptcData data;
  if (bytes.count == 0 || Exiv2::IptcParser::decode(data, bytes.bytes, static_cast<uint32_t>(bytes.count)) != 0) {
    return nullptr;
  }
  return encodeIptc(data);
}

}  // namespace
}  // namespace cleanplate

using namespace cleanplate;

extern "C" cs_status cs_metadata_read(cs_bytes file, cs_metadata_result *result) {
  *result = cs_metadata_result{nullptr, nullptr, nullptr};
  return guarded([&] {
    std::lock_guard<std::mutex> lock(exivMutex);
    prepare();
    const auto image = Exiv2::ImageFactory::open(file.bytes, static_cast<long>(file.count));
    image->readMetadata();
    Exiv2::ExifData data = image->exifData();
    Exiv2::ExifThumb(data).erase();
    Exiv2::Blob blob;
    const auto order = image->byteOrder() == Exiv2::bigEndian ? Exiv2::bigEndian : Exiv2::littleEndian;
    // The orientation stays for whoever turns the picture; the rest is the file's business.
    eraseWhere(data, describesStructure);
    if (!data.empty()) Exiv2::ExifParser::encode(blob, order, data);
    result->exif = makeBuffer(blob.data(), blob.size());
    std::string packet = image->xmpPacket();
    if (packet.empty() && !image->xmpData().empty()) Exiv2::XmpParser::encode(packet, image->xmpData());
    result->xmp = makeBuffer(packet.data(), packet.size());
    result->iptc = encodeIptc(image->iptcData());
  });
}

extern "C" cs_status cs_metadata_edit(cs_metadata metadata, const cs_metadata_edits *edits,
                                      cs_metadata_result *result) {
  *result = cs_metadata_result{nullptr, nullptr, nullptr};
  return guarded([&] {
    std::lock_guard<std::mutex> lock(exivMutex);
    prepare();
    result->exif = editExif(metadata.exif, *edits);
    const std::string packet = editXmp(metadata.xmp, *edits);
    result->xmp = makeBuffer(packet.data(), packet.size());
    result->iptc = editIptc(metadata.iptc);
  });
}

extern "C" cs_status cs_metadata_mark(const char *software, cs_buffer **xmp) {
  *xmp = nullptr;
  return guarded([&] {
    std::lock_guard<std::mutex> lock(exivMutex);
    prepare();
    const std::string packet = markXmp(software);
    *xmp = makeBuffer(packet.data(), packet.size());
  });
}

extern "C" cs_status cs_metadata_write_tiff(cs_bytes file, cs_metadata metadata, cs_buffer **result) {
  *result = nullptr;
  return guarded([&] {
    std::lock_guard<std::mutex> lock(exivMutex);
    prepare();
    const auto image = Exiv2::ImageFactory::open(file.bytes, static_cast<long>(file.count));
    image->readMetadata();
    Exiv2::ByteOrder order = Exiv2::littleEndian;
    for (const Exiv2::Exifdatum &datum : decodeExif(metadata.exif, order)) {
      if (describesStructure(datum)) continue;
      image->exifData()[datum.key()] = datum;
    }
    if (metadata.xmp.count > 0) image->setXmpPacket(toString(metadata.xmp));
    if (metadata.xmp.count > 0) image->writeXmpFromPacket(true);
    Exiv2::IptcData iptc;
    if (metadata.iptc.count > 0 &&
        Exiv2::IptcParser::decode(iptc, metadata.iptc.bytes, static_cast<uint32_t>(metadata.iptc.count)) == 0) {
      image->setIptcData(iptc);
    }
    image->writeMetadata();
    Exiv2::BasicIo &io = image->io();
    io.open();
    io.seek(0, Exiv2::BasicIo::beg);
    const Exiv2::DataBuf bytes = io.read(static_cast<long>(io.size()));
    *result = makeBuffer(bytes.pData_, static_cast<size_t>(bytes.size_));
  });
}
