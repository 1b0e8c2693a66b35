/// Reports on two frames of 64x48, `a` and `b`, as `Scripts/Fuzz` has them.
let reportSeeds: [(String, [UInt8])] = {
  func report(_ second: String) -> [UInt8] {
    Array(
      """
      {"version":1,"reference":0,"size":{"width":64,"height":48},"crop":{"x":0,"y":0,"width":64,"height":48},
      "combine":"median","align":"homography","unresolved":0,"seconds":{},"frames":[
      {"index":0,"path":"a","size":{"width":64,"height":48},"accepted":true,"homography":[1,0,0,0,1,0,0,0,1],
      "inliers":9,"residual_px":0.1,"sharpness":5,"gain":[1],"offset":[0]},\(second)]}
      """.utf8)
  }
  let start = #"{"index":1,"path":"b","size":{"width":64,"height":48},"accepted":true,"#
  return [
    ("plain.json", report(start + #""homography":[1,0,2.5,0,1,-1.5,0,0,1],"inliers":9,"residual_px":0.1}"#)),
    ("tilted.json", report(start + #""homography":[1.02,0.01,2,-0.01,0.99,1,0.0001,-0.0002,1]}"#)),
    (
      "mesh.json",
      report(
        start + #""homography":[1,0,0,0,1,0,0,0,1],"mesh":{"columns":2,"rows":2,"dx":[0,1,0,-1],"dy":[0.5,0,0,0]}}"#)
    ),
    ("refused.json", report(#"{"index":1,"path":"b","accepted":false,"reason":"blurred","reason_code":"blurred"}"#)),
  ]
}()

/// What `ffprobe` says of files.
let probeSeeds: [(String, [UInt8])] = [
  (
    "phone.txt",
    """
    pix_fmt=yuv420p10le
    color_range=tv
    color_space=bt2020nc
    color_transfer=arib-std-b67
    color_primaries=bt2020
    avg_frame_rate=30000/1001
    duration=3.203200
    nb_frames=96
    TAG:creation_time=2024-05-06T07:08:09.000000Z
    TAG:com.apple.quicktime.creationdate=2024-05-06T09:08:09+0200
    TAG:com.apple.quicktime.location.ISO6709=+48.8584+002.2945+035.000/
    TAG:com.apple.quicktime.make=Maker
    TAG:com.apple.quicktime.model=Model 1
    duration=3.204000

    """
  ), ("plain.txt", "pix_fmt=yuvj420p\ncolor_range=pc\navg_frame_rate=25/1\nnb_frames=N/A\nduration=N/A\n"),
  ("other.txt", "pix_fmt=rgb24\navg_frame_rate=0/0\nTAG:location=-33.8-151.2/\nTAG:com.android.model=Model 2\n"),
  ("endless.txt", "pix_fmt=gray\navg_frame_rate=3001e99900/1001\nnb_frames=-5\nduration=1e999\n"),
].map { ($0.0, Array($0.1.utf8)) }

/// A network of two layers, a zero, and its weights: a head of 20 bytes, then biases and kernels.
let networkSeeds: [(String, [UInt8])] = {
  let layers = """
    [net]
    width=32
    height=32
    channels=3

    [convolutional]
    filters=18
    size=1
    stride=1
    pad=1
    activation=linear

    [yolo]
    mask=0,1,2
    anchors=10,14, 23,27, 37,58
    classes=1
    num=3

    """
  let head: [UInt8] = [0, 0, 0, 0, 2, 0, 0, 0, 5, 0, 0, 0] + [UInt8](repeating: 0, count: 8)
  let values = [UInt8](repeating: 0, count: 4 * (18 + 18 * 3))
  return [("two-layers.bin", Array(layers.utf8) + [0] + head + values)]
}()

/// A convolution of three channels, a normalisation and a rectifier, and what is not needed, as Protocol Buffers write them.
let graphSeeds: [(String, [UInt8])] = {
  func field(_ number: UInt8, _ body: [UInt8]) -> [UInt8] { [number << 3 | 2, UInt8(body.count)] + body }
  func field(_ number: UInt8, _ text: String) -> [UInt8] { field(number, Array(text.utf8)) }
  func attribute(_ name: String, _ value: [UInt8]) -> [UInt8] { field(5, field(1, name) + field(2, value)) }
  func node(_ name: String, _ operation: String, _ inputs: [String], _ attributes: [UInt8] = []) -> [UInt8] {
    field(1, field(1, name) + field(2, operation) + inputs.flatMap { field(3, $0) } + attributes)
  }
  func constant(_ name: String, _ sizes: [UInt8]) -> [UInt8] {
    let numbers = [UInt8](repeating: 0x3e, count: 4 * sizes.reduce(1) { $0 * Int($1) })
    return node(
      name, "Const", [],
      attribute("value", field(8, [8, 1] + field(2, sizes.flatMap { field(2, [8, $0]) }) + field(4, numbers))))
  }
  let steps = attribute("strides", field(1, field(3, [1, 2, 2, 1]))) + attribute("padding", field(2, "SAME"))
  let graph =
    node("before", "Decode", []) + node("in", "Mul", ["before"]) + constant("kernel", [1, 1, 3, 2])
    + node("read", "Identity", ["kernel"]) + node("first", "Conv2D", ["in:0", "read", "^in"], steps)
    + constant("two", [2]) + node("normal", "FusedBatchNorm", ["first", "two", "two", "two", "two"])
    + node("clipped", "Relu6", ["normal"]) + constant("each", [1, 1, 2, 1])
    + node("second", "DepthwiseConv2dNative", ["clipped", "each"], attribute("padding", field(2, "VALID")) + steps)
    + node("moved", "BiasAdd", ["second", "two"]) + node("out", "Add", ["moved", "moved"])
  return [("two-convolutions.bin", graph)]
}()
