// A schedule as a router runs it: for every slot all that its VFSM does, in one place.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory_resource>
#include <vector>

#include "models/scheduled/program.h"

namespace tessera::scheduled {

class SlotTable {
 public:
  static constexpr Index kNoVfsm = 0xFFFF;
  static constexpr std::uint8_t kNowhere = 0xFF;
  enum class Pull : std::uint8_t { kNothing, kOutput, kVfsm };

  /// 16 bytes: four slots are a cache line.
  struct alignas(16) Entry {
    Index vfsm = kNoVfsm;
    std::uint8_t branch = 0;
    std::uint8_t listens = kNowhere;  // port of the link it reads in this slot
    StreamId stream = kNone;
    Index source = 0;                // Pull: its number
    Index target = 0;                // of the branch
    std::uint8_t source_branch = 0;  // Pull::kVfsm: the branch there that leads here
    Pull pull : 2;                   // what it takes a word from, if not from a link
    End::Kind to : 3;                // where the branch leads
    bool last : 1;                   // branch is the last one
    bool source_last : 1;
    bool continuing : 1;
    bool tagged : 1;  // SkewPolicy::kTag: words of the other parity are refused

    Entry()
        : pull(Pull::kNothing), to(End::Kind::kLink), last(false), source_last(false),
          continuing(false), tagged(false) {}
    bool runs() const { return vfsm != kNoVfsm; }
  };
  static_assert(sizeof(Entry) == 16);

  /// A table without VFSMs.
  explicit SlotTable(unsigned width) : length_(1), entries_(width) {}
  /// Schedule `index` of `node`; `width` VFSMs per cycle. Requires a valid program (validate.h).
  SlotTable(const Program& program, const Node& node, Index index, unsigned width,
            std::pmr::memory_resource* memory);

  std::uint32_t length() const { return length_; }
  const Entry* begin() const { return entries_.data(); }
  const Entry* end() const { return entries_.data() + entries_.size(); }
  const Entry* row(std::uint32_t slot, unsigned width) const {
    return entries_.data() + std::size_t{slot} * width;
  }
  /// The stream that it runs `vfsm` for, and that it empties `output` for; kNone: for none.
  StreamId stream_of_vfsm(Index vfsm) const {
    return vfsm_streams_.empty() ? kNone : vfsm_streams_[vfsm];
  }
  StreamId stream_of_output(Index output) const {
    return output_streams_.empty() ? kNone : output_streams_[output];
  }

 private:
  std::uint32_t length_;
  std::pmr::vector<Entry> entries_;  // [slot][width]
  std::vector<StreamId> vfsm_streams_;
  std::vector<StreamId> output_streams_;
};

}  // namespace tessera::scheduled
