// Convolutions of networks, by oneDNN.
#pragma once

namespace cleanplate::opencv {

/// While it lives, networks that OpenCV reads get convolutions that oneDNN computes, where that is faster: on x86-64,
/// three to four times. Their answers differ from OpenCV's own by rounding, and not with the number of pictures or
/// threads.
class FastConvolutions {
public:
  FastConvolutions();
  ~FastConvolutions();
  FastConvolutions(const FastConvolutions &) = delete;
  FastConvolutions &operator=(const FastConvolutions &) = delete;
};

}  // namespace cleanplate::opencv
