import Foundation

extension SweepScores {
  /// Tables in Markdown: what became of people, by coverage; what is wrong, by coverage without the pixels that no frame
  /// shows, and by how many frames show a pixel.
  var markdown: String {
    let shown = Self.strata.indices.dropLast()
    let byCoverage = Sweep.Crowd.allCases.flatMap { crowd in
      Sweep.coverages.map { coverage in
        let cells = Sweep.frameCounts.map { frames in
          sum(strata: shown) { $0.crowd == crowd && $0.coverage == coverage && $0.frames == frames }
        }
        return row("\(crowd.rawValue) | \(Int(100 * coverage)) %", cells)
      }
    }
    let byStratum = Sweep.Crowd.allCases.flatMap { crowd in
      Self.strata.indices.map { stratum in
        let cells = Sweep.frameCounts.map { frames in
          sum(strata: [stratum]) { $0.crowd == crowd && $0.frames == frames }
        }
        return row("\(crowd.rawValue) | \(Self.strata[stratum].name)", cells)
      }
    }
    let tables = [
      head("people | coverage") + becameOfPeople, head("people | coverage") + byCoverage,
      head("people | free in") + byStratum,
    ]
    return tables.map { $0.joined(separator: "\n") }.joined(separator: "\n\n")
  }

  /// Shares of the whole plate: avoidable, mangled and whole.
  private var becameOfPeople: [String] {
    Sweep.Crowd.allCases.flatMap { crowd in
      Sweep.coverages.map { coverage in
        let measured = zip(Sweep.cases, people).filter { $0.0.crowd == crowd && $0.0.coverage == coverage }.map(\.1)
        let cells = measured.flatMap { pixels, counts in
          counts.map { count in
            [count.avoidable, count.mangled, count.whole].map { percent($0, of: pixels) }.joined(separator: " / ")
          }
        }
        return "| \(crowd.rawValue) | \(Int(100 * coverage)) % | \(cells.joined(separator: " | ")) |"
      }
    }
  }

  private func head(_ first: String) -> [String] {
    let columns = Sweep.frameCounts.flatMap { frames in Self.methods.map { "\(frames): \($0.name)" } }
    return ["| \(first) | \(columns.joined(separator: " | ")) |", "|---|---|" + columns.map { _ in "--:|" }.joined()]
  }

  private func sum(strata: some Sequence<Int>, where isMeant: (Sweep.Case) -> Bool) -> Count {
    var total = Count()
    for (one, counts) in zip(Sweep.cases, counts) where isMeant(one) {
      for stratum in strata { total += counts[stratum] }
    }
    return total
  }

  /// Shares in percent; a dash where there are too few pixels to tell.
  private func row(_ title: String, _ counts: [Count]) -> String {
    let cells = counts.flatMap { count in
      count.wrong.map { count.pixels < 500 ? "-" : percent($0, of: count.pixels) }
    }
    return "| \(title) | \(cells.joined(separator: " | ")) |"
  }

  private func percent(_ part: Int, of whole: Int) -> String {
    String(format: "%.2f", 100 * Double(part) / Double(max(whole, 1)))
  }
}
