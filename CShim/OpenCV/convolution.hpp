// Convolutions of networks, by oneDNN.
#pragma once

namespace cleanplate::opencv {

/// While it lives, networks that OpenCV reads get convolutions that oneDNN computes, where that is faster: on x86-64,
/// three to four times. Their answers differ from OpenCV's own by rounding, and not with the number of pictures or
/// threads.
class FastConvolutions {
public:
  /// - Parameter areChained: the network is made of nothing but convolutions, sums of their results and rectifiers, and
  ///   only convolutions with an offset of their own give what it answers. Then samples need not be put into OpenCV's
  ///   order between them, which takes as long as half of the computing.
  explicit FastConvolutions(bool areChained);
  ~FastConvolutions();
  FastConvolutions(const FastConvolutions &) = delete;
  FastConvolutions &operator=(const FastConvolutions &) = delete;
};

}  // namespace cleanplate::opencv
