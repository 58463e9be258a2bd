// The limit of the benchmarks: rows of slots that pass words from west to east and do nothing else. No SystemC,
// no events, no colors, no latencies: arrays and a loop over them. scripts/bench.sh compares the
// models with it.
//
// A slot holds up to two words. In every cycle a slot that holds one passes its oldest to the slot
// that `next` names, if that had room at the beginning of the cycle: the rule of the models, under
// which the order of the slots does not matter and two words are what one word a cycle takes. The
// slots of a row are numbered along it, so that a stream walks memory in order.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

namespace tessera::bench {

class SlotRows {
 public:
  SlotRows(std::uint32_t width, std::uint32_t height);

  /// One cycle. With `inject`, one more word enters every row that has room for it.
  void step(bool inject);

  /// Words that went from one slot to another or left their row.
  std::uint64_t hops() const { return hops_; }
  /// Words on their way.
  std::uint64_t held() const { return entered_ - left_; }
  /// Every word that entered a row has left it: number and sum agree.
  bool all_left() const { return entered_ == left_ && sum_entered_ == sum_left_; }

 private:
  static constexpr unsigned kRoom = 2;
  using Words = std::array<std::uint32_t, kRoom>;  // the oldest first

  void choose();
  void drain_and_fill(bool inject);
  void move();

  std::uint32_t width_;
  std::uint32_t height_;
  // By slot; after the slots of the rows comes one for every row, which the host empties.
  std::vector<Words> words_;
  std::vector<std::uint8_t> held_;
  // By slot of a row.
  std::vector<std::uint32_t> next_;
  std::vector<std::uint8_t> moves_;
  std::uint32_t last_word_ = 0;
  std::uint64_t hops_ = 0;
  std::uint64_t entered_ = 0;
  std::uint64_t left_ = 0;
  std::uint64_t sum_entered_ = 0;
  std::uint64_t sum_left_ = 0;
};

}  // namespace tessera::bench
