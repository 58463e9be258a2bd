#include "models/cluster/hazards/cache_hazards.h"

#include <algorithm>
#include <set>
#include <tuple>
#include <utility>

namespace tessera::cluster {

namespace {

std::string times_text(std::uint64_t times) {
  return times > 1 ? " (" + std::to_string(times) + " times)" : "";
}

/// One sentence for each line of a program and kind of hazard.
class Sentences {
 public:
  Sentences(const MachineView& machine, const ClusterData& data) : machine_(machine), data_(data) {}

  void add_stale_loads() {
    for (const AiCore* core : machine_.cores())
      for (const auto& [pc, stale] : core->scalar_memory().stale_loads())
        add(kStale, *core, pc,
            " reads " + bytes(stale.array, stale.first, stale.bytes) +
                " in its scalar cache, where GM has another value" + times_text(stale.times) +
                "; dcci makes it read GM");
  }
  void add_lost(const ClusterData::Lost& lost) {
    add(kLost, *machine_.find(lost.core), lost.bytes.pc,
        " writes a line of 64 bytes back over " +
            bytes(lost.array, lost.bytes.first, lost.bytes.count) +
            ", which a copy or another core has written since it was read" +
            times_text(lost.bytes.times) + ": give the stores of each core lines of their own");
  }
  void add_missed(const HeldLines::Missed& missed) {
    const Program& stores = *machine_.find(missed.holder)->program();
    add(kMissed, *machine_.find(missed.reader), missed.pc,
        " reads byte " + std::to_string(missed.first) + " of %" +
            data_.arrays()[missed.array].name + " in GM, and what " +
            stores.where(missed.store_pc) + " has stored there is " +
            (missed.is_sent ? "on its way from" : "in") + " the scalar cache of " +
            to_string(missed.holder) + times_text(missed.times) +
            (missed.is_sent ? "; dsb after dcci waits until it is there"
                            : "; dcci sends it to GM"));
  }
  std::vector<std::string> take() { return std::move(list_); }

 private:
  enum Kind : std::uint8_t { kStale, kLost, kMissed };

  std::string bytes(std::uint16_t array, std::int64_t first, std::int64_t count) const {
    return "bytes " + std::to_string(first) + ".." + std::to_string(first + count - 1) + " of %" +
           data_.arrays()[array].name;
  }
  void add(Kind kind, const AiCore& core, std::uint32_t pc, const std::string& text) {
    const Program& program = *core.program();
    if (!known_.insert({kind, program.where(pc)}).second) return;
    const Instruction& i = program.code[pc];
    list_.push_back(program.where(pc) + " (" + to_string(i.op) + " on " + to_string(i.pipe) +
                    " of " + to_string(core.id()) + ")" + text);
  }

  const MachineView& machine_;
  const ClusterData& data_;
  std::set<std::pair<Kind, std::string>> known_;
  std::vector<std::string> list_;
};

}  // namespace

std::vector<std::string> describe_cache_hazards(const MachineView& machine, ClusterData* data) {
  if (data == nullptr) return {};
  Sentences sentences(machine, *data);
  sentences.add_stale_loads();
  for (const ClusterData::Lost& lost : data->lost()) sentences.add_lost(lost);
  // Who is stepped first must not decide what is shown.
  std::vector<HeldLines::Missed> missed = data->held().missed();
  std::sort(missed.begin(), missed.end(), [](const auto& a, const auto& b) {
    return std::make_tuple(a.reader.index(), a.pc) < std::make_tuple(b.reader.index(), b.pc);
  });
  for (const HeldLines::Missed& m : missed) sentences.add_missed(m);
  return sentences.take();
}

std::string describe_lines_left(const AiCore& core) {
  if (!core.finished()) return "";
  const std::vector<ScalarCache::Line> lines = core.scalar_memory().lines_left();
  if (lines.empty()) return "";
  const bool one = lines.size() == 1;
  return std::to_string(lines.size()) + (one ? " line" : " lines") + " in the scalar cache of " +
         to_string(core.id()) + (one ? " has" : " have") +
         " stores that never reached GM, the last one by " +
         core.program()->where(lines.back().store_pc) + ": nothing has cleaned " +
         (one ? "it" : "them") + " (dcci)";
}

}  // namespace tessera::cluster
