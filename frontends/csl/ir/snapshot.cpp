#include "frontends/csl/ir/snapshot.h"

#include <array>
#include <cstring>
#include <utility>

namespace tessera::csl::ir {
namespace {

constexpr std::size_t kFixedWords = 12;
constexpr std::size_t kWordsOfOperand = 3;

std::uint32_t packed(std::uint32_t a, std::uint32_t b, std::uint32_t c, std::uint32_t d) {
  return a | b << 8 | c << 16 | d << 24;
}
template <class Enum>
std::uint32_t number_of(Enum e) {
  return static_cast<std::uint32_t>(e);
}

std::size_t words_of(const Function& function) {
  std::size_t words = function.parameters.size() + function.blocks.size();
  for (const Block& block : function.blocks) {
    words += kFixedWords * block.code.size();
    for (const Instruction& in : block.code)
      words += in.results.size() + kWordsOfOperand * in.operands.size();
  }
  return words;
}

/// Writes from `to` on; where it has stopped.
std::uint32_t* write(const Instruction& in, std::uint32_t* to) {
  const auto results = static_cast<std::uint32_t>(in.results.size());
  const auto operands = static_cast<std::uint32_t>(in.operands.size());
  const auto machine =
      static_cast<std::uint64_t>(reinterpret_cast<std::uintptr_t>(in.machine.get()));
  const std::array<std::uint32_t, kFixedWords> fixed = {
      packed(number_of(in.op), number_of(in.type), number_of(in.condition), number_of(in.compared)),
      results << 1 | (in.keeps_index ? 1U : 0U),
      operands,
      in.number,
      static_cast<std::uint32_t>(in.offset),
      in.targets[0],
      in.targets[1],
      in.place.file,
      in.place.line,
      in.place.inlined,
      static_cast<std::uint32_t>(machine),
      static_cast<std::uint32_t>(machine >> 32)};
  std::memcpy(to, fixed.data(), sizeof fixed);
  to += kFixedWords;
  for (const RegisterId r : in.results) *to++ = r;
  for (const Value& v : in.operands) {
    *to++ = packed(number_of(v.kind), number_of(v.type), 0, 0);
    *to++ = v.number;
    *to++ = static_cast<std::uint32_t>(v.offset);
  }
  return to;
}

}  // namespace

void Snapshot::write_now(const Function& function) {
  now_.resize(words_of(function));
  std::uint32_t* to = now_.data();
  for (const RegisterId p : function.parameters) *to++ = p;
  for (const Block& block : function.blocks) {
    *to++ = static_cast<std::uint32_t>(block.code.size());
    for (const Instruction& in : block.code) to = write(in, to);
  }
}

bool Snapshot::take(const Function& function) {
  write_now(function);
  if (now_ == words_) return false;
  std::swap(now_, words_);
  std::vector<std::shared_ptr<const Machine>> machines;
  for (const Block& block : function.blocks) {
    for (const Instruction& in : block.code) {
      if (in.machine != nullptr) machines.push_back(in.machine);
    }
  }
  machines_ = std::move(machines);
  return true;
}

}  // namespace tessera::csl::ir
