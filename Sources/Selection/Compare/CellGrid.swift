import Frames

/// The cells in which is decided: squares of `side` pixels of the small pictures, row by row; those at the right and
/// bottom edges may be smaller.
struct CellGrid: Sendable, Hashable {
  /// Pixels along a cell's side.
  static let side = 4

  /// Of the small pictures.
  let pictureSize: Size

  var columns: Int { (pictureSize.width + Self.side - 1) / Self.side }
  var rows: Int { (pictureSize.height + Self.side - 1) / Self.side }
  var count: Int { columns * rows }
  /// As a picture of one pixel a cell.
  var size: Size { Size(width: columns, height: rows) }

  func column(of cell: Int) -> Int { cell % columns }
  func row(of cell: Int) -> Int { cell / columns }

  /// A cell's top left pixel.
  func origin(of cell: Int) -> (x: Int, y: Int) { (column(of: cell) * Self.side, row(of: cell) * Self.side) }

  /// A cell's pixels: fewer at the right and at the bottom of most pictures.
  func pixels(of cell: Int) -> Region {
    let (left, top) = origin(of: cell)
    return Region(
      x: left, y: top, width: min(Self.side, pictureSize.width - left), height: min(Self.side, pictureSize.height - top)
    )
  }

  /// A cell's middle pixel, or the last one before it that the picture has.
  func middle(of cell: Int) -> (x: Int, y: Int) {
    let (left, top) = origin(of: cell)
    return (min(left + Self.side / 2, pictureSize.width - 1), min(top + Self.side / 2, pictureSize.height - 1))
  }

  func pixelCount(of cell: Int) -> Int { pixels(of: cell).area }

  /// A cell and those at most so many columns and rows away, row by row.
  func cells(within reach: Int, of cell: Int) -> [Int] {
    let (column, row) = (column(of: cell), row(of: cell))
    return (max(row - reach, 0)...min(row + reach, rows - 1)).flatMap { v in
      (max(column - reach, 0)...min(column + reach, columns - 1)).map { u in v * columns + u }
    }
  }

  /// The cell that holds a pixel.
  func cell(x: Int, y: Int) -> Int { y / Self.side * columns + x / Self.side }
}
