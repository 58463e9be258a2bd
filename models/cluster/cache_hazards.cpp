#include "models/cluster/cache_hazards.h"

#include <set>
#include <utility>

namespace tessera::cluster {

namespace {

std::string actor(const AiCoreCore& core, std::uint32_t pc) {
  const Program& program = *core.program();
  return program.where(pc) + " (" + to_string(program.code[pc].op) + " on S of " +
         to_string(core.id()) + ")";
}

std::string bytes_text(std::int64_t first, std::int64_t count, const std::string& array) {
  return "bytes " + std::to_string(first) + ".." + std::to_string(first + count - 1) + " of %" +
         array;
}

std::string times_text(std::uint64_t times) {
  return times > 1 ? " (" + std::to_string(times) + " times)" : "";
}

}  // namespace

std::vector<std::string> describe_cache_hazards(const std::vector<const AiCoreCore*>& cores,
                                                ClusterData* data) {
  std::vector<std::string> list;
  if (data == nullptr) return list;
  std::set<std::pair<bool, std::string>> known;  // lines of programs
  for (const AiCoreCore* core : cores) {
    for (const auto& [pc, stale] : core->stale_loads()) {
      if (!known.insert({false, core->program()->where(pc)}).second) continue;
      list.push_back(actor(*core, pc) + " reads " +
                     bytes_text(stale.first, stale.bytes, data->arrays()[stale.array].name) +
                     " in its scalar cache, where GM has another value" + times_text(stale.times) +
                     "; dcci makes it read GM");
    }
  }
  for (const ClusterData::Lost& lost : data->lost()) {
    for (const AiCoreCore* core : cores) {
      if (core->id() != lost.core) continue;
      if (!known.insert({true, core->program()->where(lost.bytes.pc)}).second) continue;
      list.push_back(actor(*core, lost.bytes.pc) + " writes a line of 64 bytes back over " +
                     bytes_text(lost.bytes.first, lost.bytes.count,
                                data->arrays()[lost.array].name) +
                     ", which another has written since it was read" +
                     times_text(lost.bytes.times) + ": give each core lines of its own");
    }
  }
  return list;
}

std::string describe_lines_left(const AiCoreCore& core) {
  if (!core.finished()) return "";
  const std::vector<ScalarCache::Line> lines = core.lines_left();
  if (lines.empty()) return "";
  const bool one = lines.size() == 1;
  return std::to_string(lines.size()) + (one ? " line" : " lines") + " in the scalar cache of " +
         to_string(core.id()) + (one ? " has" : " have") +
         " stores that never reached GM, the last one by " +
         core.program()->where(lines.back().store_pc) + ": nothing has cleaned " +
         (one ? "it" : "them") + " (dcci)";
}

}  // namespace tessera::cluster
