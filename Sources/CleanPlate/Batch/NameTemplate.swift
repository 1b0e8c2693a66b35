import Foundation
import Frames
import SystemPackage

/// How plates are called: a file's name with `{first}`, `{date}`, `{time}` and `{number}` in it.
public struct NameTemplate: Sendable, Hashable {
  /// As it was written.
  public let text: String

  /// What may stand in braces.
  enum Field: String, CaseIterable {
    /// The name of the burst's first picture, without its suffix.
    case first
    /// The day and the time of the first picture, 2025-06-01 and 09-41-07.
    case date, time
    /// The burst's place among those of the folders, from 1.
    case number
  }

  /// - Throws: `NameTemplateError`.
  public init(_ text: String) throws(NameTemplateError) {
    guard !text.isEmpty, !text.contains("/"), !text.hasPrefix(".") else { throw .notAName(text) }
    for part in text.split(separator: "{", omittingEmptySubsequences: false).dropFirst() {
      guard let end = part.firstIndex(of: "}"), Field(rawValue: String(part[..<end])) != nil else {
        throw .unknownField(String(part.prefix { $0 != "}" }))
      }
    }
    self.text = text
  }

  /// `IMG_0421-plate.jpg`.
  public static let standard = NameTemplate(sound: "{first}-plate.jpg")

  private init(sound text: String) { self.text = text }

  /// A burst's name.
  /// - Parameters:
  ///   - number: from 1.
  ///   - count: of the bursts, which says how many digits a number has.
  ///   - copy: from 1; others get it behind the name: the names before were taken.
  func name(_ burst: PictureGroup, number: Int, of count: Int, copy: Int = 1) -> String {
    // What a field stands for may hold braces of its own.
    var name = ""
    for (index, part) in text.split(separator: "{", omittingEmptySubsequences: false).enumerated() {
      guard index > 0, let end = part.firstIndex(of: "}"), let field = Field(rawValue: String(part[..<end])) else {
        name += part
        continue
      }
      name += value(field, burst, number, count) + part[part.index(after: end)...]
    }
    guard copy > 1 else { return name }
    let dot = name.lastIndex(of: ".") ?? name.endIndex
    return "\(name[..<dot])-\(copy)\(name[dot...])"
  }

  private func value(_ field: Field, _ burst: PictureGroup, _ number: Int, _ count: Int) -> String {
    switch field {
    case .first: return burst.first.nameWithoutSuffix
    case .date: return cameraClock(burst.start, as: "yyyy-MM-dd")
    case .time: return cameraClock(burst.start, as: "HH-mm-ss")
    case .number:
      let digits = String(number)
      return String(repeating: "0", count: max(0, max(3, String(count).count) - digits.count)) + digits
    }
  }
}

/// Why a template makes no names.
public enum NameTemplateError: Error, Sendable, Hashable {
  /// Empty, hidden, or with a folder in it.
  case notAName(String)
  /// Nothing that may stand in braces.
  case unknownField(String)
}
