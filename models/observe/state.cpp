// What recorders have come to, for checkpoints (models/state/archive.h).
#include "models/state/archive.h"

#include <cstdint>
#include <map>
#include <tuple>
#include <vector>

#include "models/observe/wait_book.h"

namespace tessera::observe {

void TileWaits::visit(state::Archive& archive) {
  archive(since_, main_.since, main_.pc, main_.reason, reason_, charged_, cycles_, host_until_);
  for (OperationWaits& waits : threads_)
    archive(waits.since, waits.groups, waits.reason, waits.number);
  for (Conflicts& conflicts : conflicts_) archive(conflicts.count, conflicts.last);
}

// The lines of a program are the sums over the threads that run it.
void WaitBook::visit(state::Archive& archive, std::size_t programs, const Other& other) {
  LineWaits no_lines(nullptr);
  for (std::uint32_t place = 0; place < tiles_.size(); ++place) {
    TileWaits* const tile = tiles_[place];
    const bool has = archive.value(tile != nullptr);
    if (!has && tile != nullptr)
      state::Archive::fail(
          "it has no accounts of waits, which --report, --waits and others need from the first "
          "cycle on; --no-waits leaves them out of a report");
    TileWaits none(0, no_lines);
    if (!has) continue;
    archive(tile != nullptr ? *tile : none);
    if (tile == nullptr) other(place, none);
  }
  for (std::size_t program = 0; program < programs; ++program) {
    std::map<std::tuple<std::uint32_t, unsigned, WaitReason, unsigned>, std::uint64_t> sums;
    for (std::size_t i = program; archive.saving() && i < lines_.size(); i += programs) {
      for (const LineWaits::Entry& entry : lines_[i]->entries())
        sums[{entry.pc, entry.thread, entry.reason, entry.number}] += entry.cycles;
    }
    std::vector<LineWaits::Entry> entries;
    for (const auto& [key, cycles] : sums) {
      const auto& [pc, thread, reason, number] = key;
      entries.push_back({pc, static_cast<std::uint8_t>(thread), reason,
                         static_cast<std::uint8_t>(number), cycles});
    }
    entries.resize(archive.count(entries.size()));
    for (LineWaits::Entry& entry : entries) {
      archive(entry.pc, entry.thread, entry.reason, entry.number, entry.cycles);
      if (archive.loading()) add_line(program, entry);
    }
  }
}

}  // namespace tessera::observe
