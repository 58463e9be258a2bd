#include "models/pe/engine_state.h"

#include <utility>

#include "tlm_ifaces/vocabulary/errors.h"

namespace tessera::pe {

EngineState::EngineState(TileCoord tile, std::shared_ptr<const DecodedImage> decoded,
                         PeQueues& queues_of_pe, observe::Probe probe_of_pe)
    : program(std::move(decoded)), queues(queues_of_pe), probe(probe_of_pe),
      sram(&program->memory()), tasks(program->tasks(), timing().picker), dsrs(program->dsrs()),
      at(tile) {
  for (const InitialLoad& load : image().initial_loads) {
    if (!program->dsrs().is_shared(load.dsr))
      dsrs.load(load.dsr, image().dsds[load.dsd], load.config);
  }
}

std::uint32_t EngineState::load_far(std::uint32_t pc, std::uint32_t address, unsigned bytes,
                                    Cycle now) const {
  if (Sram::accepts(address, bytes)) return sram.read(address, bytes);
  memory_error(pc, address, bytes, "read", now);
  return 0;
}

void EngineState::store_far(std::uint32_t pc, std::uint32_t address, unsigned bytes,
                            std::uint32_t value, Cycle now) {
  if (Sram::accepts(address, bytes) && address >= program->data_begin()) {
    sram.write(address, bytes, value);
  } else {
    refuse_store(pc, address, bytes, now);
  }
}

// All tiles that run an image share it, so a store cannot change its code.
void EngineState::refuse_store(std::uint32_t pc, std::uint32_t address, unsigned bytes,
                               Cycle now) const {
  if (!Sram::accepts(address, bytes)) {
    memory_error(pc, address, bytes, "write", now);
    return;
  }
  fail(Illegal::kCodeStore, pc, "store to address ", address,
       ", where task table and code are; data begin at ", program->data_begin());
}

void EngineState::memory_error(std::uint32_t pc, std::uint32_t address, unsigned bytes,
                               const char* what, Cycle now) const {
  const bool odd = address % 2 != 0 && address < kSramBytes;
  const std::string text =
      std::string(what) + " of " + std::to_string(bytes) + " bytes at address " +
      std::to_string(static_cast<std::int32_t>(address)) +
      (odd ? ", which is odd; memory has words of 2 bytes"
           : ", outside SRAM, which has bytes 0.." + std::to_string(kSramBytes - 1));
  if (timing().memory_errors == MemoryErrors::kStop) stop(Illegal::kMemoryAccess, pc, text);
  if (diagnoses == nullptr) return;
  diagnoses->on_diagnosis(
      {now, probe.place(), std::string(info(Illegal::kMemoryAccess).id), text_of(pc, text)});
}

std::string EngineState::text_of(std::uint32_t pc, const std::string& what) const {
  const std::string where = pc == kNowhere ? image().file : image().place_of(pc);
  return "PE " + to_string(at) + ", " + where + ": " + what;
}

void EngineState::stop(Illegal rule, std::uint32_t pc, const std::string& what) const {
  throw IllegalBehaviour(text_of(pc, what), std::string(info(rule).id));
}

}  // namespace tessera::pe
