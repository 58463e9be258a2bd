// What a wavelet in a router waits for, in words: one wording for every structure that a router
// may have.
#pragma once

#include <cstddef>
#include <string>

#include "tlm_ifaces/vocabulary/direction.h"
#include "tlm_ifaces/vocabulary/ids.h"

namespace tessera::fabric {

inline std::string color_text(Color color) {
  return "color " + std::to_string(color.value());
}
inline std::string wavelets_wait(std::size_t n) {
  return n == 1 ? "1 wavelet waits" : std::to_string(n) + " wavelets wait";
}
/// Who waits: the buffer of a color at an input.
inline std::string router_input(Color color, Direction in) {
  return "router, " + color_text(color) + " from " + to_string(in);
}
/// An output whose receiver, of `capacity` for the color, gives no credit; `n` wavelets wait.
inline std::string output_without_credit(Direction out, Color color, unsigned capacity,
                                         std::size_t n) {
  std::string why = "nobody receives " + color_text(color) + " there";
  if (capacity > 0) {
    why = "no credit: " + wavelets_wait(n);
  } else if (out == Direction::kRamp) {
    why = "no input queue of this PE is bound to " + color_text(color);
  }
  return std::string("its ") + to_string(out) + " output (" + why + ")";
}
inline std::string end_of_teardown(std::size_t n) {
  return "the end of the teardown of its color: " + wavelets_wait(n);
}

}  // namespace tessera::fabric
