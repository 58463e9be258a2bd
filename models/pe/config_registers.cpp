#include "models/pe/config_registers.h"

#include <algorithm>

#include "models/pe/half.h"
#include "tlm_ifaces/vocabulary/bits.h"

namespace tessera::pe {

namespace {

using config_space::Address;

/// Cycles from a write until the next instruction issues: it finds the new value.
constexpr unsigned kWriteCycles = 2;

/// A register of the router lies behind the ramp.
unsigned extra_cycles(const EngineState& pe, Address at) {
  return config_space::is_router(at, pe.image().generation) ? pe.timing().router_register_cycles
                                                            : 0;
}
constexpr unsigned kHalfOfColors = 16;
/// The words of the cycle counter, the lowest first; a write of 0 sets it to 0 (docs/configuration-space.md).
constexpr Address kTimestampBase = 0x7F1C;
constexpr bool is_timestamp(Address at) {
  return at >= kTimestampBase && at < kTimestampBase + 3;
}
constexpr bool is_input_priority(Address at) {
  return at >= kInputPriorityBase && at < kInputPriorityBase + kInputPriorityCount;
}
/// What the cycle counter shows.
Cycle counted(Cycle start, Cycle stop, Cycle now) {
  return std::min(now, stop) - start;
}
constexpr std::uint32_t kQueueMask = (1U << kMaxQueues) - 1;

// A wavelet on its way does not count: whether its router was stepped already must not matter.
std::uint32_t empty_inputs(const EngineState& pe, Cycle now) {
  std::uint32_t empty = kQueueMask;
  for (const QueueBinding& queue : pe.image().queues) {
    if (queue.input && pe.queues.ready_at(queue.id) <= now) empty &= ~(1U << queue.id.value());
  }
  return empty;
}

}  // namespace

ConfigRegisters::State& ConfigRegisters::state() {
  if (!state_) state_ = std::make_unique<State>();
  return *state_;
}

void ConfigRegisters::take_notices(TaskTable& tasks, Cycle now) {
  std::vector<Notice>& notices = state_->notices;
  const auto take = [&](const Notice& notice) {
    if (notice.due > now) return false;
    state_->pending |= 1U << notice.color.value();
    tasks.activate(TaskId(kTeardownTask));
    return true;
  };
  notices.erase(std::remove_if(notices.begin(), notices.end(), take), notices.end());
}

Cycle ConfigRegisters::first_notice() const {
  Cycle next = kNever;
  for (const Notice& notice : state_->notices) next = std::min(next, notice.due);
  return next;
}

void ConfigRegisters::finish_flushes(EngineState& pe, const OutputBindings& outputs, Cycle now) {
  const auto finish = [&pe](Flush& flush, std::uint32_t empty) {
    const std::uint32_t done = flush.asked & empty;
    if (done == 0) return;
    flush.asked &= ~done;
    flush.flushed |= done;
    pe.tasks.activate(TaskId(kTeardownTask));
  };
  finish(state_->input_flush, empty_inputs(pe, now));
  finish(state_->output_flush, outputs.empty(pe, now));
}

void ConfigRegisters::execute(EngineState& pe, VectorUnit& vector, const Instruction& in,
                              Cycle now) {
  const std::uint32_t first = pe.main.read(in.operands[0]);
  const std::uint32_t second = pe.main.read(in.operands[1]);
  if (in.op == Opcode::kSetctm) return vector.set_control_mask(first);
  if (in.op == Opcode::kStcfg) return write(pe, vector, first, second, now);
  const Cycle ready = now + pe.timing().integer_latency;
  if (in.op == Opcode::kTsc) {
    const Cycle count = state_ ? counted(state_->counter_start, state_->counter_stop, now) : now;
    pe.main.write(in.operands[0], static_cast<std::uint32_t>(count), ready);
    pe.main.write(in.operands[1], static_cast<std::uint32_t>(count >> 32), ready);
    pe.main.wait_until(now + pe.timing().timestamp_cycles);
    return;
  }
  const unsigned extra = extra_cycles(pe, static_cast<Address>(second));
  if (extra != 0) pe.main.wait_until(now + 1 + extra);
  pe.main.write(in.operands[0], read(pe, vector.outputs(), second, now), ready + extra);
}

// The window is there for programs that use the configuration space in the other way too.
bool ConfigRegisters::execute_access(EngineState& pe, VectorUnit& vector, const Instruction& in,
                                     Cycle now) {
  const bool loads = in.op == Opcode::kLd16;
  if (!loads && in.op != Opcode::kSt16) return false;
  const std::uint32_t address = pe.main.address_of(in.operands[loads ? 1 : 0]);
  if (address < config_space::kWindow || address > 0xFFFF || address % 2 != 0) return false;
  if (!pe.image().uses(Opcode::kStcfg)) return false;
  if (loads) {
    const unsigned extra = extra_cycles(pe, static_cast<Address>(address / 2));
    const std::uint32_t value = read(pe, vector.outputs(), address / 2, now);
    if (extra != 0) pe.main.wait_until(now + 1 + extra);
    pe.main.write(in.operands[0], value, now + pe.timing().load_latency + extra);
  } else {
    write(pe, vector, address / 2, pe.main.read(in.operands[1]), now);
  }
  return true;
}

std::uint32_t ConfigRegisters::read(const EngineState& pe, const OutputBindings& outputs,
                                    std::uint32_t address, Cycle now) {
  const auto at = static_cast<Address>(address);
  const Generation generation = pe.image().generation;
  require_declared(pe, "ldcfg of", at);
  if (config_space::is_router(at, generation) && pe.router != nullptr)
    return pe.router->read_config(at, now);
  const bool wse3 = generation == Generation::kWse3;
  if (is_timestamp(at)) {
    const Cycle count = state_ ? counted(state_->counter_start, state_->counter_stop, now) : now;
    return static_cast<std::uint16_t>(count >> 16U * (at - kTimestampBase));
  }
  if (!wse3 && is_input_priority(at))
    return state_ ? state_->input_priority[at - kInputPriorityBase] : 0;
  if (at == config_space::kTeardownPendingLow) return take_pending(0);
  if (at == config_space::kTeardownPendingHigh) return take_pending(kHalfOfColors);
  if (at == config_space::kInputEmpty) return empty_inputs(pe, now);
  if (at == config_space::kOutputEmpty) return outputs.empty(pe, now);
  if (at == config_space::kInputFlush && wse3) return state().input_flush.flushed;
  if (at == config_space::kOutputFlush && wse3) return state().output_flush.flushed;
  pe.fail(Illegal::kConfigAddress, pe.main.issued_pc(), "ldcfg of word address ", at,
          ", where no register can be read");
}

// What a program has declared decides how its router is modelled, so it is held to it.
void ConfigRegisters::require_declared(const EngineState& pe, const char* access, Address address) {
  if (pe.program->may_reach_routing()) return;
  if (!config_space::is_routing(address, pe.image().generation)) return;
  pe.fail(Illegal::kConfigAddress, pe.main.issued_pc(), access, " word address ", address,
          ", a register that decides where wavelets go, in a program with the line "
          "'routing_registers unused'");
}

// wse.md 1.9: only the first read of the pending colors in a task is reliable; it clears them.
std::uint32_t ConfigRegisters::take_pending(unsigned shift) {
  const std::uint32_t pending = state().pending >> shift & 0xFFFFU;
  state().pending &= ~(0xFFFFU << shift);
  return pending;
}

void ConfigRegisters::write(EngineState& pe, VectorUnit& vector, std::uint32_t address,
                            std::uint32_t value, Cycle now) {
  const auto at = static_cast<Address>(address);
  const std::uint32_t pc = pe.main.issued_pc();
  const Generation generation = pe.image().generation;
  require_declared(pe, "stcfg to", at);
  pe.main.wait_until(now + kWriteCycles + extra_cycles(pe, at));
  if (config_space::is_router(at, generation) && pe.router != nullptr) {
    const auto word = static_cast<std::uint16_t>(value);
    const std::string problem = pe.router->why_illegal(at, word);
    if (!problem.empty())
      pe.fail(Illegal::kConfigValue, pc, "stcfg to word address ", at, ": ", problem);
    pe.router->write_config(at, word, now + 1);
  } else if (write_host_register(pe, at, value, now)) {
    return;
  } else if (is_timestamp(at) && value == 0) {
    state().counter_start = std::min(now, state().counter_stop);  // any of the three words
  } else if (generation != Generation::kWse3 && is_input_priority(at)) {
    state().input_priority[at - kInputPriorityBase] = static_cast<std::uint16_t>(value);
  } else if (config_space::is_input_color(at)) {
    bind_input(pe, vector, QueueId(at - config_space::kInputColorBase), value, now);
  } else if (generation != Generation::kWse3 || !write_queue_register(pe, vector, at, value, now)) {
    pe.fail(Illegal::kConfigAddress, pc, "stcfg to word address ", at,
            ", where no register can be written");
  }
}

bool ConfigRegisters::write_host_register(const EngineState& pe, Address address,
                                          std::uint32_t value, Cycle now) {
  switch (address) {
  case config_space::kReady:
    ++state().ready;
    if (pe.diagnoses != nullptr) pe.diagnoses->on_ready(pe.probe.place());
    return true;
  case config_space::kPrintLow:
    state().print_value = (state().print_value & 0xFFFF0000U) | (value & 0xFFFFU);
    return true;
  case config_space::kPrintHigh:
    state().print_value = (state().print_value & 0xFFFFU) | value << 16;
    return true;
  case config_space::kPrintString:
  case config_space::kPrintFormat:
  case config_space::kPrintCharacter:
    print(pe, address, value, now);
    return true;
  case config_space::kCycleCounter:
    set_counter(pe, value, now);
    return true;
  default:
    return false;
  }
}

void ConfigRegisters::print(const EngineState& pe, Address address, std::uint32_t value,
                            Cycle now) {
  observe::Print print;
  print.cycle = now;
  print.place = pe.probe.place();
  const char character = static_cast<char>(value);
  if (address == config_space::kPrintString) {
    if (value >= pe.image().strings.size()) {
      pe.fail(Illegal::kConfigValue, pe.main.issued_pc(), "stcfg prints string ", value,
              "; the program has ", pe.image().strings.size());
    }
    print.text = pe.image().strings[value].text;
  } else if (address == config_space::kPrintCharacter) {
    print.text = {&character, 1};
  } else {
    if (value >= observe::kPrintFormatCount) {
      pe.fail(Illegal::kConfigValue, pe.main.issued_pc(), "stcfg prints a value in format ", value,
              "; there are 0..", observe::kPrintFormatCount - 1);
    }
    print.format = static_cast<observe::PrintFormat>(value);
    print.value = state().print_value;
    if (print.format == observe::PrintFormat::kHalf) {
      const auto half = static_cast<std::uint16_t>(print.value);
      print.value = bit_cast<std::uint32_t>(static_cast<float>(half_value(half, pe.image().half)));
    }
  }
  if (pe.diagnoses != nullptr) pe.diagnoses->on_print(print);
}

void ConfigRegisters::set_counter(const EngineState& pe, std::uint32_t value, Cycle now) {
  if (value == config_space::kCounterRuns) {
    state().counter_start = now;
    state().counter_stop = kNever;
  } else if (value == 0) {
    state().counter_stop = std::min(state().counter_stop, now);
  } else {
    pe.fail(Illegal::kConfigValue, pe.main.issued_pc(), "stcfg of the cycle counter with ", value,
            "; 7 clears it and lets it run, 0 stops it");
  }
}

// wse.md 2.2: rebinding of an input queue. The wavelets of the color have a queue of their own all the time.
void ConfigRegisters::bind_input(const EngineState& pe, VectorUnit& vector, QueueId queue,
                                 std::uint32_t color, Cycle now) {
  const std::vector<QueueBinding>& queues = pe.image().queues;
  const auto found = std::find_if(queues.begin(), queues.end(), [&](const QueueBinding& q) {
    return q.input && q.color && q.color->value() == color;
  });
  if (found == queues.end()) {
    pe.fail(Illegal::kConfigValue, pe.main.issued_pc(), "stcfg binds input queue ", queue,
            " to color ", color, ", which no input queue of the program receives");
  }
  vector.bind_input(pe, queue, *found, now);
}

// wse.md 2.2, 2.4: flush and rebinding of queues on WSE-3. False: there is no such register.
bool ConfigRegisters::write_queue_register(const EngineState& pe, VectorUnit& vector,
                                           Address address, std::uint32_t value, Cycle now) {
  const std::uint32_t mask = value & kQueueMask;
  switch (address) {
  case config_space::kInputFlush:
    state().input_flush.asked |= mask;
    return true;
  case config_space::kOutputFlush:
    state().output_flush.asked |= mask;
    return true;
  case config_space::kInputFlushExit:
    state().input_flush.flushed &= ~mask;
    return true;
  case config_space::kOutputFlushExit:
    state().output_flush.flushed &= ~mask;
    return true;
  default:
    break;
  }
  if (!config_space::is_output_color(address) || value >= kColorCount) return false;
  const QueueId queue(address - config_space::kOutputColorBase);
  if (pe.image().find_queue(false, queue) == nullptr) return false;
  vector.bind_output(pe, queue, Color(value), now);
  return true;
}

}  // namespace tessera::pe
