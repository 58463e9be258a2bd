// What an engine looks up of an instruction whenever it issues, worked out once: it waits for what,
// how long its result takes, which DSRs it works on.
#pragma once

#include <boost/container/static_vector.hpp>

#include <array>
#include <cstdint>

#include "models/pe/isa.h"
#include "models/pe/pe_timing.h"

namespace tessera::pe {

/// Slots of operands.
using Slots = boost::container::static_vector<std::uint8_t, kMaxOperands>;

struct DecodedInstruction {
  const Instruction* instruction = nullptr;
  std::uint32_t pc = 0;
  OpClass op_class = OpClass::kMove;
  bool vector = false;
  /// What must be ready before it issues: registers and the flag, one bit each as in Scoreboard.
  std::uint32_t waits_for = 0;
  std::uint32_t latency = 0;  ///< scalar: cycles until the result may be used
  /// Slots of its DSRs. Of a DSD operation each DSR once, in the order of wse.md 4: destination,
  /// source file 0, source file 1.
  Slots dsrs;
  /// DSD operation: whose length counts, in the order of wse.md 5.8: source file 0, source file 1,
  /// destination.
  Slots lengths;
  std::uint8_t operand_count = 0;
  std::array<std::uint8_t, kMaxOperands> bytes{};  ///< of an element, by slot
};

/// `in` must outlive what is made of it.
DecodedInstruction decode(const Instruction& in, std::uint32_t pc, const PeTiming& timing);

}  // namespace tessera::pe
