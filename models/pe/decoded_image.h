// An image decoded for fast execution: what engines look up in every cycle. It does not change, and
// all engines that run the image share it.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <vector>

#include "models/pe/dsr.h"
#include "models/pe/isa.h"
#include "models/pe/pe_timing.h"
#include "models/pe/program.h"
#include "models/pe/sram.h"
#include "models/pe/task_table.h"

namespace tessera::pe {

class MemoryChecks;
struct Prototype;

/// Positions of operands in an instruction.
class Slots {
 public:
  void push_back(std::uint8_t slot) { slots_[size_++] = slot; }
  const std::uint8_t* begin() const { return slots_.data(); }
  const std::uint8_t* end() const { return slots_.data() + size_; }

 private:
  std::uint8_t size_ = 0;
  std::array<std::uint8_t, kMaxOperands> slots_{};
};

struct DecodedInstruction;
struct EngineState;
/// Executes a scalar instruction of one kind (quick_scalar.h). False: it is not for it, and nothing was done.
using QuickScalar = bool (*)(EngineState& pe, const DecodedInstruction& in, Cycle now);

/// What an engine looks up whenever it issues the instruction.
struct alignas(64) DecodedInstruction {
  const Instruction* instruction = nullptr;
  QuickScalar quick = nullptr;  ///< nullptr: there is none
  std::uint32_t pc = 0;
  OpClass op_class = OpClass::kMove;
  bool vector = false;
  bool reads_flag = false;  ///< scalar arithmetic that depends on the flag
  /// Registers and flag that must be ready before it issues, one bit each as in Scoreboard.
  std::uint32_t waits_for = 0;
  std::uint32_t latency = 0;  ///< scalar: cycles until the result may be used
  /// Scalar: cycles until the next instruction may issue. Of a branch: if it is taken.
  std::uint32_t cycles = 1;
  /// Slots of its DSRs. A DSD operation has each DSR once, in the order of wse.md 4: destination,
  /// source file 0, source file 1.
  Slots dsrs;
  /// DSD operation: slots of the DSRs that may give the length, in the order of wse.md 5.8: source
  /// file 0, source file 1, destination.
  Slots lengths;
  std::uint32_t number = 0;  ///< DSD operation: its place among those of the image
  std::uint8_t operand_count = 0;
  std::array<std::uint8_t, kMaxOperands> bytes{};  ///< bytes of an element, by slot
};
static_assert(sizeof(DecodedInstruction) == 64, "one line of the cache");

/// An input queue, and what decides which task its wavelets start.
struct InputChannel {
  QueueId queue;
  std::uint64_t channel = 0;  ///< task_bit of its id
  const TaskBinding* data_task = nullptr;
  const QueueBinding* binding = nullptr;
};

class DecodedImage {
 public:
  /// `timing` must outlive the decoded image.
  DecodedImage(std::shared_ptr<const Image> image, const PeTiming& timing);
  ~DecodedImage();
  DecodedImage(const DecodedImage&) = delete;
  DecodedImage& operator=(const DecodedImage&) = delete;

  const Image& image() const { return *image_; }
  const PeTiming& timing() const { return timing_; }
  std::uint32_t code_size() const { return code_size_; }
  const DecodedInstruction& decoded(std::uint32_t pc) const { return code_[pc]; }
  /// What keep_prototype() has been given; nullptr: nothing.
  const Prototype* prototype(const DecodedInstruction& in) const {
    return prototypes_[in.number].load(std::memory_order_acquire);
  }
  /// Whether `in` has been dispatched so often without a prototype that to keep one pays for its memory.
  bool wants_prototype(const DecodedInstruction& in) const {
    constexpr unsigned kMany = 16;
    std::atomic<std::uint8_t>& times = dispatched_[in.number];
    const std::uint8_t before = times.load(std::memory_order_relaxed);
    if (before < kMany) times.store(before + 1, std::memory_order_relaxed);
    return before + 1U >= kMany && prototype(in) == nullptr;
  }
  /// Engines may call both in several threads at a time; one of them is heard.
  void keep_prototype(const DecodedInstruction& in, const Prototype& prototype) const;
  const DsrLayout& dsrs() const { return dsrs_; }
  const TaskIndex& tasks() const { return tasks_; }
  /// Who checks what programs do with memory, for engines whose cycles are accounted; nullptr, the default: nobody.
  MemoryChecks* checks() const { return checks_; }
  void set_checks(MemoryChecks* checks) const { checks_ = checks; }
  /// SRAM at the start of the program.
  const Sram& memory() const { return memory_; }
  /// Image::may_reach_routing().
  bool may_reach_routing() const { return may_reach_routing_; }
  /// First byte after task table and code.
  std::uint32_t data_begin() const { return data_begin_; }
  /// Declaration of a queue; nullptr: the program has no such queue.
  const QueueBinding* queue(bool input, QueueId id) const { return queues_[input][id.value()]; }
  /// Input queues in the order of the image, and the bits of all their channels.
  const std::vector<InputChannel>& inputs() const { return inputs_; }
  std::uint64_t channels() const { return channels_; }

 private:
  const std::shared_ptr<const Image> image_;
  const PeTiming& timing_;
  const DsrLayout dsrs_;
  const TaskIndex tasks_;
  std::vector<DecodedInstruction> code_;
  mutable std::vector<std::atomic<const Prototype*>> prototypes_;  // by DecodedInstruction::number
  mutable std::vector<std::atomic<std::uint8_t>> dispatched_;  // the same: how often, up to a limit
  mutable MemoryChecks* checks_ = nullptr;
  const std::uint32_t code_size_;
  const bool may_reach_routing_;
  Sram memory_;
  std::uint32_t data_begin_ = 0;
  std::array<std::array<const QueueBinding*, kMaxReceivers>, 2> queues_{};
  std::vector<InputChannel> inputs_;
  std::uint64_t channels_ = 0;
};

}  // namespace tessera::pe
