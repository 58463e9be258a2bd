// The state of a FIFO in SRAM (reference wse.md 5.6): a ring of 16-bit words, so that pushes and
// pops may have elements of different sizes. It remembers the last push or pop that found too
// little.
#pragma once

#include <cstdint>

#include "models/pe/program.h"

namespace tessera::pe {

class FifoState {
 public:
  explicit FifoState(const Fifo& fifo) : fifo_(&fifo) {}

  const Fifo& fifo() const { return *fifo_; }
  std::uint32_t bytes_held() const { return held_; }
  std::uint32_t bytes_free() const { return fifo_->bytes - held_; }

  /// Takes two bytes at the end, or gives back the two at the front. Returns their byte address.
  std::uint32_t push_word() {
    const std::uint32_t offset = (head_ + held_) % fifo_->bytes;
    held_ += 2;
    return fifo_->base + offset;
  }
  std::uint32_t pop_word() {
    const std::uint32_t offset = head_;
    head_ = (head_ + 2) % fifo_->bytes;
    held_ -= 2;
    return fifo_->base + offset;
  }

  // Edges (wse.md 5.6): an operation found no room, or no data, for the bytes of its next group.
  void hit_full(std::uint32_t bytes) { wanted_room_ = bytes; }
  void hit_empty(std::uint32_t bytes) { wanted_data_ = bytes; }
  /// To be asked after a pop: whether a push that found no room would now find it. True once a hit.
  bool room_came() { return came(wanted_room_, bytes_free()); }
  /// To be asked after a push: the same for a pop that found no data.
  bool data_came() { return came(wanted_data_, bytes_held()); }

 private:
  static bool came(std::uint32_t& wanted, std::uint32_t have) {
    if (wanted == 0 || have < wanted) return false;
    wanted = 0;
    return true;
  }

  const Fifo* fifo_;
  std::uint32_t head_ = 0;  // byte offset of the oldest word
  std::uint32_t held_ = 0;
  std::uint32_t wanted_room_ = 0;  // 0: no hit
  std::uint32_t wanted_data_ = 0;
};

}  // namespace tessera::pe
