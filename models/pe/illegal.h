// Program behaviour that the documents leave undefined or forbid (reference wse.md 2 to 6). The
// engine detects it, names the rule by a stable id, and stops; docs/undefined-behaviour.md lists
// them all and a test keeps the page true.
#pragma once

#include <cstdint>
#include <string_view>

namespace tessera::pe {

// clang-format off
enum class Illegal : std::uint8_t {
  // tasks
  kControlUnbound, kTaskId, kReturnAddress, kBreak,
  // microthreads and queues
  kMicrothreadBusy, kQueueBusy, kQueueReuse, kNoMicrothread, kTwoFabricInputs, kHalfWavelet,
  // descriptors
  kDsrEmpty, kDsrKind, kDsrLength, kElementSize, kExtendedDsrReused, kStrideRegisterReused,
  kMissingIndex, kIndexedElement, kSingleStepMix, kZeroSource, kFilterOptions,
  kDsrRecord,
  // FIFOs
  kFifoReentry, kFifoSource, kFifoFault,
  // memory and arithmetic
  kMemoryAccess, kCodeStore, kDivideByZero, kPriorityLevel, kConfigAddress, kConfigValue,
};
// clang-format on
inline constexpr unsigned kIllegalCount = static_cast<unsigned>(Illegal::kConfigValue) + 1;

struct IllegalInfo {
  Illegal what;
  std::string_view id;         ///< "/tessera/pe/fifo_reentry"
  std::string_view reference;  ///< section of wse.md
  std::string_view machines;   ///< "wse2, wse3", "wse2" or "wse3"
  std::string_view rule;       ///< one sentence for the page
};

const IllegalInfo& info(Illegal what);

}  // namespace tessera::pe
