#include "bench/limit/slot_rows.h"

#include <cstddef>

namespace tessera::bench {

SlotRows::SlotRows(std::uint32_t width, std::uint32_t height)
    : width_(width), height_(height), words_(static_cast<std::size_t>(width) * height + height),
      held_(words_.size()), next_(static_cast<std::size_t>(width) * height), moves_(next_.size()) {
  for (std::uint32_t row = 0; row < height; ++row) {
    for (std::uint32_t x = 0; x < width; ++x) {
      const std::uint32_t slot = row * width + x;
      next_[slot] = x + 1 < width ? slot + 1 : height * width + row;
    }
  }
}

void SlotRows::step(bool inject) {
  choose();
  drain_and_fill(inject);
  move();
}

/// Which slots pass a word on: a matter of the beginning of the cycle.
void SlotRows::choose() {
  const std::size_t slots = next_.size();
  for (std::size_t i = 0; i < slots; ++i) {
    moves_[i] = static_cast<std::uint8_t>((held_[i] != 0) & (held_[next_[i]] < kRoom));
  }
}

void SlotRows::drain_and_fill(bool inject) {
  for (std::uint32_t row = 0; row < height_; ++row) {
    const std::size_t sink = next_.size() + row;
    if (held_[sink] != 0) {
      sum_left_ += words_[sink][0];
      ++left_;
      held_[sink] = 0;
    }
    const std::size_t first = static_cast<std::size_t>(row) * width_;
    if (!inject || held_[first] == kRoom) continue;
    words_[first][held_[first]++] = ++last_word_;
    sum_entered_ += last_word_;
    ++entered_;
  }
}

void SlotRows::move() {
  const std::size_t slots = next_.size();
  std::uint64_t moved = 0;
  for (std::size_t i = 0; i < slots; ++i) {
    if (moves_[i] == 0) continue;
    const std::uint32_t to = next_[i];
    words_[to][held_[to]++] = words_[i][0];
    words_[i][0] = words_[i][1];
    --held_[i];
    ++moved;
  }
  hops_ += moved;
}

}  // namespace tessera::bench
