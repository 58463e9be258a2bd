// Operands, options and literals of an image as tile assembly, for the disassembler.
#pragma once

#include <cstdint>
#include <string>

#include "models/pe/program.h"

namespace tessera::tasm {

/// Shortest literal with exactly these bits: "1.5", or "bits(0x7f800000)" for what is not a finite
/// number.
std::string f32_literal(std::uint32_t bits);

/// As `f32_literal`, for a 16-bit float: "bits(0x7c00)".
std::string half_literal(std::uint16_t bits, pe::HalfFormat format);

/// Name of the task or else the input queue of `id`; where there is none, the number.
std::string task_name(const pe::Image& image, TaskId id);

/// "symbol", "symbol + 4", or the number where no symbol covers the address.
std::string address_text(const pe::Image& image, std::uint32_t address);

std::string operand_text(const pe::Image& image, const pe::Instruction& instruction, unsigned slot);

/// " async ut=3 unblock=x_in", also after a `dsr` line; empty without options.
std::string options_text(const pe::Image& image, const pe::OpConfig& config);

}  // namespace tessera::tasm
