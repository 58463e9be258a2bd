#include "platforms/capi/machine_debugger.h"

#include <utility>

namespace tessera::capi {

MachineDebugger::MachineDebugger(std::unique_ptr<debug::Target> target, std::optional<Cycle> now)
    : target_(std::move(target)), debugger_(*target_), session_(debugger_, outbox_) {
  debugger_.begin_again(now);
  session_.hold();
}

std::string MachineDebugger::answer(const std::string& request) {
  session_.answer(request);
  if (!session_.is_over()) session_.hold();
  std::string list = "[";
  for (const std::string& message : outbox_.take()) list += (list.size() > 1 ? "," : "") + message;
  return list + "]";
}

bool MachineDebugger::after_cycle(Cycle now, bool may_hold) {
  const auto stop =
      debugger_.after_cycle(now, [this](const std::string& text) { session_.print(text); });
  if (!stop || !may_hold) return false;
  session_.stopped(*stop);
  return true;
}

}  // namespace tessera::capi
