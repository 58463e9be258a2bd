// The configuration space as a program accesses it with `ldcfg`, `stcfg` and `setctm` (reference
// wse.md 1.7, 1.9, 1.10, 2.2, 2.4, 5.9): the registers of the router, and those of the engine
// itself, which tell of teardowns and flush queues.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "models/pe/engine_state.h"
#include "models/pe/vector_unit.h"

namespace tessera::pe {

/// Registers of WSE-2, one an input queue: published programs set the priority of its microthread there, in bits 9:8. The
/// word is kept and has no effect.
inline constexpr config_space::Address kInputPriorityBase = 0x7F58;
inline constexpr unsigned kInputPriorityCount = 8;

class ConfigRegisters {
 public:
  /// The router says that `color` enters teardown in cycle `due`.
  void teardown(Color color, Cycle due) { state().notices.push_back({color, due}); }
  /// Colors that have entered teardown by cycle `now` become pending and activate the teardown task
  /// (wse.md 1.9).
  void take_teardowns(TaskTable& tasks, Cycle now) {
    if (state_ && !state_->notices.empty()) take_notices(tasks, now);
  }
  /// Cycle of the first teardown to come; kNever: none.
  Cycle next_teardown() const { return state_ ? first_notice() : kNever; }
  /// Queues whose flush was asked for and that are empty activate the teardown task (wse.md 2.4).
  void take_flushes(EngineState& pe, const OutputBindings& outputs, Cycle now) {
    if (state_ && (state_->input_flush.asked | state_->output_flush.asked) != 0)
      finish_flushes(pe, outputs, now);
  }

  /// Whether a teardown or a flush is to come.
  bool is_busy() const {
    return state_ && (!state_->notices.empty() ||
                      (state_->input_flush.asked | state_->output_flush.asked) != 0);
  }

  /// How often the program has said that it is ready for the next command of the host.
  std::uint64_t commands_asked_for() const { return state_ ? state_->ready : 0; }

  /// Executes an instruction of OpClass::kConfig, which main.issue() has just counted.
  void execute(EngineState& pe, VectorUnit& vector, const Instruction& in, Cycle now);
  /// Executes a 16-bit load or store whose byte address is that of a register. False: it is not, and
  /// nothing was done.
  bool execute_access(EngineState& pe, VectorUnit& vector, const Instruction& in, Cycle now);
  /// Saves or restores what changes (models/state/archive.h).
  template <class Archive>
  void visit(Archive& archive) {
    archive(state_);
  }

 private:
  /// Queues whose flush is asked for, and those that were found empty; one bit a queue.
  struct Flush {
    std::uint32_t asked = 0;
    std::uint32_t flushed = 0;
    template <class Archive>
    void visit(Archive& archive) {
      archive(asked, flushed);
    }
  };
  struct Notice {
    Color color;
    Cycle due;
    template <class Archive>
    void visit(Archive& archive) {
      archive(color, due);
    }
  };
  struct State {
    Flush input_flush;
    Flush output_flush;
    std::vector<Notice> notices;  // teardowns to come
    std::uint32_t pending = 0;    // colors in teardown that the program has not read, one bit each
    std::uint64_t ready = 0;      // writes of kReady
    std::uint32_t print_value = 0;
    std::array<std::uint16_t, kInputPriorityCount> input_priority{};
    Cycle counter_start = 0;  // when the cycle counter was 0
    Cycle counter_stop = kNever;
    template <class Archive>
    void visit(Archive& archive) {
      archive(input_flush, output_flush, notices, pending, ready, print_value, input_priority,
              counter_start, counter_stop);
    }
  };
  State& state();
  Cycle first_notice() const;
  void take_notices(TaskTable& tasks, Cycle now);
  void finish_flushes(EngineState& pe, const OutputBindings& outputs, Cycle now);
  std::uint32_t read(const EngineState& pe, const OutputBindings& outputs, std::uint32_t address,
                     Cycle now);
  static void require_declared(const EngineState& pe, const char* access,
                               config_space::Address address);
  std::uint32_t take_pending(unsigned shift);
  void write(EngineState& pe, VectorUnit& vector, std::uint32_t address, std::uint32_t value,
             Cycle now);
  /// What the program tells the host. False: there is no such register.
  bool write_host_register(const EngineState& pe, config_space::Address address,
                           std::uint32_t value, Cycle now);
  void print(const EngineState& pe, config_space::Address address, std::uint32_t value, Cycle now);
  void set_counter(const EngineState& pe, std::uint32_t value, Cycle now);
  static void bind_input(const EngineState& pe, VectorUnit& vector, QueueId queue,
                         std::uint32_t color, Cycle now);
  bool write_queue_register(const EngineState& pe, VectorUnit& vector,
                            config_space::Address address, std::uint32_t value, Cycle now);

  std::unique_ptr<State> state_;  // few programs need it: made at the first use
};

}  // namespace tessera::pe
