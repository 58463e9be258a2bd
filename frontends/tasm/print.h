// Operands, options and literals of an image as tile assembly, for the disassembler.
#pragma once

#include <cstdint>
#include <string>

#include "models/pe/program.h"

namespace tessera::tasm {

/// How the disassembler writes numbers that are a value of the program: immediates, initialisers, offsets. A
/// subclass may keep them and write something else, as for code that differs from another only in numbers.
class NumberWriter {
 public:
  virtual ~NumberWriter() = default;
  virtual std::string integer(std::int64_t value);
  /// A float with these bits in its own format, whose literal is `literal`.
  virtual std::string real(std::uint32_t bits, const std::string& literal);
};

/// Shortest literal with exactly these bits: "1.5", or "bits(0x7f800000)" for what is not a finite
/// number.
std::string f32_literal(std::uint32_t bits);

/// As `f32_literal`, for a 16-bit float: "bits(0x7c00)".
std::string half_literal(std::uint16_t bits, pe::HalfFormat format);

/// Name of the task or else the input queue of `id`; where there is none, the number.
std::string task_name(const pe::Image& image, TaskId id);

/// "symbol", "symbol + 4", or the number where no symbol covers the address.
std::string address_text(const pe::Image& image, std::uint32_t address, NumberWriter& numbers);

std::string operand_text(const pe::Image& image, const pe::Instruction& instruction, unsigned slot,
                         NumberWriter& numbers);

/// " async ut=3 unblock=x_in", also after a `dsr` line; empty without options.
std::string options_text(const pe::Image& image, const pe::OpConfig& config);

}  // namespace tessera::tasm
