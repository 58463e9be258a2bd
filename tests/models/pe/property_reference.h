// Runs the programs of the property test of DSD operations one instruction after the other, each
// operation to its end: the reference. Knows the instructions that the generator writes.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <vector>

#include "tests/models/pe/property_loop.h"

namespace tessera::pe::test {

class Reference {
 public:
  Reference(const Image& image, State& state) : image_(image), state_(state) {}

  /// Instructions [from, to). Operations that pop a FIFO which a concurrent one fills come last.
  void run(std::uint32_t from, std::uint32_t to, const Arena& arena, bool shared_fifo) {
    unsigned steps = 0;
    std::vector<VectorLoop> waiting;
    for (pc_ = from; pc_ < to;) {
      if (++steps > 1000) throw Undefined{"a loop without an end"};
      const Instruction& in = image_.code[pc_++];
      if (!in.is_vector()) {
        execute(in);
        continue;
      }
      VectorLoop loop(image_, state_, in, arena, shared_fifo);
      if (shared_fifo && loop.async() && loop.pops_fifo()) {
        waiting.push_back(loop);
      } else {
        loop.run();
      }
    }
    for (VectorLoop& loop : waiting) loop.run();
  }

  /// The end of the phase: the tasks that were activated count themselves.
  void run_tasks() {
    for (unsigned i = 0; i < kTasks; ++i) {
      if (!state_.active[i]) continue;
      state_.active[i] = false;
      const std::uint32_t cell = kDataBegin + 2 * i;
      state_.write(cell, 2, state_.read(cell, 2) + 1);
    }
  }

 private:
  void execute(const Instruction& in) {
    const Operand& first = in.operands[0];
    const Operand& second = in.operands[1];
    switch (in.op) {
    case Opcode::kMovri:
      State::set(first, static_cast<std::uint32_t>(second.value), state_.registers);
      break;
    case Opcode::kEq16:
      state_.flag = (value(first) & 0xFFFFU) == (value(second) & 0xFFFFU);
      break;
    case Opcode::kJmpt:
    case Opcode::kJmpf:
      if (state_.flag == (in.op == Opcode::kJmpt)) pc_ = static_cast<std::uint32_t>(first.value);
      break;
    case Opcode::kSt16:
    case Opcode::kSt32:
      state_.write(static_cast<std::uint32_t>(first.value), in.op == Opcode::kSt16 ? 2 : 4,
                   value(second));
      break;
    case Opcode::kSetctm:
      state_.control_mask = value(first) & 0x3FU;
      break;
    case Opcode::kLddsr:
      state_.load(image_, first, static_cast<unsigned>(second.value), in.config);
      break;
    case Opcode::kBlk:
    case Opcode::kUblk:
      break;  // microthreads: only when, not what
    default:
      change_dsr(in);
    }
  }

  void change_dsr(const Instruction& in) {
    const bool get = in.op == Opcode::kGetdsa || in.op == Opcode::kGetdsl;
    Descriptor& d = state_.descriptor(in.operands[get ? 1 : 0]);
    const std::uint32_t v = get ? 0 : value(in.operands[1]) & 0xFFFFU;
    const auto elements = static_cast<std::int16_t>(v);
    switch (in.op) {
    case Opcode::kSetdsa:
      move(d, v);
      break;
    case Opcode::kIncdsa:
      move(d, address_of(d) + static_cast<std::uint32_t>(elements * dsd_of(d).element_bytes));
      break;
    case Opcode::kSetdss:
      move(d, address_of(d));
      d.stride = elements;
      break;
    case Opcode::kSetdsl:
      d.extent = d.remaining = v;
      d.left = 0;
      break;
    case Opcode::kGetdsa:
      State::set(in.operands[0], address_of(d), state_.registers);
      break;
    case Opcode::kGetdsl:
      State::set(in.operands[0],
                 d.config.single_step ? d.remaining
                 : d.left != 0        ? d.left
                                      : d.extent,
                 state_.registers);
      break;
    default:
      throw std::logic_error(
          "the generator writes an instruction that the reference does not know");
    }
  }
  std::uint32_t value(const Operand& o) const { return State::value_of(o, state_.registers); }
  const Dsd& dsd_of(const Descriptor& d) const { return image_.dsds[static_cast<unsigned>(d.dsd)]; }
  /// Where it stands.
  std::uint32_t address_of(const Descriptor& d) const {
    return element_address(dsd_of(d), d.base, d.stride, d.step) & 0xFFFFU;
  }
  static void move(Descriptor& d, std::uint32_t address) {
    d.base = address & 0xFFFFU;
    d.step = 0;
  }

  const Image& image_;
  State& state_;
  std::uint32_t pc_ = 0;
};

}  // namespace tessera::pe::test
