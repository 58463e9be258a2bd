// What is asked of a compute engine from outside, between two steps.
#include <cassert>

#include "models/pe/compute_engine_core.h"
#include "models/pe/memory_checks.h"
#include "models/pe/wait_account.h"

namespace tessera::pe {

void ComputeEngineCore::set_waits(observe::TileWaits* waits) {
  pe_.waits = waits;
  waits->reach(pe_.program->code_size());
  vector_.begin_accounting();
}

void ComputeEngineCore::write_memory(std::uint32_t address, std::uint32_t count,
                                     const std::byte* from) {
  pe_.sram.write_bytes(address, count, from);
  if (pe_.program->checks() != nullptr)
    pe_.program->checks()->wrote(pe_.probe.place(), address, count);
}

void ComputeEngineCore::set_checks(MemoryChecks* checks) {
  pe_.program->set_checks(checks);
  if (checks != nullptr) checks->add(*pe_.program);
}

void ComputeEngineCore::finish_waits(Cycle cycles) {
  Operations& operations = vector_.operations();
  for (Operation& op : operations) pe::finish_waits(pe_, op, operations.lacking(), cycles);
  if (pe_.main.runs() && operations.of_main_thread() == nullptr) pe_.waits->end_main(cycles);
}

void ComputeEngineCore::launch(const Function& function,
                               const std::vector<std::uint32_t>& arguments, Cycle at) {
  assert(arguments.size() <= kMaxLaunchArguments);
  tasks_.launch(function.entry, arguments, at);
  look_at_all();
}

}  // namespace tessera::pe
