// Where source lines begin in a program: one place for coverage, which counts a line there, and for breakpoints.
#pragma once

#include <algorithm>
#include <cstdint>

#include "models/pe/program.h"

namespace tessera::pe {

inline bool is_of_line(const Instruction& in, const Instruction& other) {
  return in.line == other.line && in.file == other.file;
}

/// Whether control comes to `pc` only by jumps, one of them in another line.
inline bool is_jumped_to(const Image& image, std::uint32_t pc) {
  const Opcode before = image.code[pc - 1].op;
  const bool goes_on = before != Opcode::kJmp && before != Opcode::kRet && before != Opcode::kEnd &&
                       before != Opcode::kBrk;
  if (goes_on) return false;
  return std::any_of(image.code.begin(), image.code.end(), [&](const Instruction& in) {
    const bool is_jump = in.op == Opcode::kJmp || in.op == Opcode::kJmpt || in.op == Opcode::kJmpf;
    return is_jump && static_cast<std::uint32_t>(in.operands[0].value) == pc &&
           !is_of_line(in, image.code[pc]);
  });
}

/// Whether `pc` is the first instruction of its line: the one before stands in another line or does not lead here, or a
/// task or function begins here. A line whose code stands in several places, as that of an inlined function, has several.
inline bool begins_line(const Image& image, std::uint32_t pc) {
  const Instruction& here = image.code[pc];
  if (here.line == 0) return false;
  if (pc == 0) return true;
  if (!is_of_line(image.code[pc - 1], here) || is_jumped_to(image, pc)) return true;
  const auto is_here = [pc](const auto& named) { return named.entry == pc; };
  return std::any_of(image.functions.begin(), image.functions.end(), is_here) ||
         std::any_of(image.tasks.begin(), image.tasks.end(), is_here);
}

}  // namespace tessera::pe
