// Bodies of vector functions of A5 that native code makes: instructions on registers, one after the other, with the values
// that scalars have. The loops between them have run.
#pragma once

#include <cstdint>
#include <vector>

#include "models/cluster/program/program.h"

namespace tessera::cluster {

/// An instruction with the values that scalars had when the body was executed.
struct RegisterStep {
  const RegisterOperation* operation = nullptr;
  std::int64_t address = 0;       ///< address in UB of a load or store
  std::int64_t block_stride = 0;  ///< in blocks of 32 bytes
  double number = 0;
  std::int64_t integer = 0;
  std::uint32_t pc = 0;
  std::uint8_t operand = 0;  ///< operand of the function to which its access belongs
};

/// Has the bodies of functions that have none in the program: an InstructionSource may be one too. Such a function is a
/// kVectorFunction of mode kNativeBody.
class VectorSource {
 public:
  virtual ~VectorSource() = default;
  /// The body of the function that the core issues, once. What its operations point to stays.
  virtual std::vector<RegisterStep> take_body(CoreId core) = 0;
};
inline constexpr std::uint8_t kNativeBody = 1;

}  // namespace tessera::cluster
