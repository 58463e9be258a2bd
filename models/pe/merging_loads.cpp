#include "models/pe/merging_loads.h"

#include <algorithm>
#include <array>
#include <map>
#include <optional>

#include "models/pe/program.h"

namespace tessera::pe {
namespace {

/// Follows the bits that a load fetches, from instruction to instruction.
class LoadedBits {
 public:
  LoadedBits(const Image& image, std::uint32_t pc)
      : image_(image), word_(image.code[pc].operands[1]), next_(pc + 1) {
    held_[image.code[pc].operands[0].reg] = 0xFFFF;
    has_moved_ = image.code[pc].operands[0].reg == word_.reg;
  }

  /// Whether they are only kept beside those that a store to the same word changes, as compilers do for bytes and
  /// fields of bits: load, mask, or, store. Where a branch or the end of what is looked at comes first, masked bits
  /// count as kept.
  bool are_kept() {
    constexpr std::size_t kFarthest = 256;  // instructions
    const std::size_t end = std::min<std::size_t>(image_.code.size(), next_ + kFarthest);
    for (; next_ < end && are_held(); ++next_) {
      const Instruction& in = image_.code[next_];
      const bool stores = in.op == Opcode::kSt16 && bits_in(in.operands[1]) != 0;
      if (stores && !has_moved_ && in.operands[0] == word_) return true;
      if (in.op >= Opcode::kJmp && in.op <= Opcode::kBrk) break;
      if (stores ? !spill(in) : !follow(in)) return false;
    }
    return !are_held() || (is_masked_ && spilled_.empty());
  }

 private:
  bool are_held() const {
    return !spilled_.empty() ||
           std::any_of(held_.begin(), held_.end(), [](std::uint16_t bits) { return bits != 0; });
  }
  /// Those of the loaded bits that an operand has, where they are now.
  std::uint16_t bits_in(const Operand& operand) const {
    if (operand.kind == kReg16) return held_[operand.reg];
    if (operand.kind == kReg32)
      return static_cast<std::uint16_t>(held_[operand.reg] | held_[operand.reg + 1U]);
    return operand.kind == kMem && operand.reg != kNoBase ? held_[operand.reg] : 0;
  }

  /// Code that keeps its values in memory stores the masked bits on the way. False: it does not look so.
  bool spill(const Instruction& store) {
    const Operand& to = store.operands[0];
    if (!is_masked_ || to.reg != kNoBase) return false;
    spilled_[to.value] = bits_in(store.operands[1]);
    return true;
  }

  /// False: the instruction does something else with the bits.
  bool follow(const Instruction& in) {
    const Operand &to = in.operands[0], &a = in.operands[1], &b = in.operands[2];
    const bool reads = (bits_in(a) | bits_in(b) | bits_in(in.operands[3])) != 0;
    std::uint32_t bits = 0;
    const auto spilled =
        in.op == Opcode::kLd16 && a.reg == kNoBase ? spilled_.find(a.value) : spilled_.end();
    if (spilled != spilled_.end()) bits = spilled->second;
    if (reads) {
      if (in.is_vector() || to.kind != kReg16) return false;
      const std::optional<std::uint32_t> result = result_of(in.op, a, b);
      if (!result) return false;
      bits = *result;
      is_masked_ = is_masked_ || in.op == Opcode::kAnd16;
    }
    const bool is_result = (to.kind == kReg16 || to.kind == kReg32) && only_writes(in.op);
    if (!is_result) return bits_in(to) == 0;
    for (unsigned reg = to.reg; reg < to.reg + (to.kind == kReg32 ? 2U : 1U); ++reg) {
      has_moved_ = has_moved_ || reg == word_.reg;
      held_[reg] = static_cast<std::uint16_t>(bits);
    }
    return true;
  }
  /// Where the bits are in the result; nothing: it is no operation on bits.
  std::optional<std::uint32_t> result_of(Opcode op, const Operand& a, const Operand& b) const {
    constexpr std::uint32_t kAll = 0xFFFF;
    const std::uint32_t both = std::uint32_t{bits_in(a)} | bits_in(b);
    const auto number = static_cast<std::uint32_t>(b.value) & kAll;
    switch (op) {
    case Opcode::kAnd16:
      if (a.kind == kImm) return both & static_cast<std::uint32_t>(a.value);
      return b.kind == kImm ? both & number : both;
    case Opcode::kOr16:
    case Opcode::kXor16:
    case Opcode::kMov16:
    case Opcode::kSel16:
      return both;
    case Opcode::kSll16:
      return b.kind == kImm && number < 16 ? both << number & kAll : kAll;
    case Opcode::kSlr16:
      return b.kind == kImm && number < 16 ? both >> number : kAll;
    default:
      return std::nullopt;
    }
  }
  /// Whether the first operand is a result alone.
  static bool only_writes(Opcode op) {
    return (op >= Opcode::kMovri && op <= Opcode::kRemu32) || op == Opcode::kLd16 ||
           op == Opcode::kLd32 || op == Opcode::kSel16 || op == Opcode::kSel32;
  }

  const Image& image_;
  const Operand word_;
  std::size_t next_;
  std::array<std::uint16_t, 17> held_{};           // by register, those of a pair of r15 too
  std::map<std::int32_t, std::uint16_t> spilled_;  // the same by address
  bool is_masked_ = false;                         // some of them were cleared
  bool has_moved_ = false;                         // the address of the load is another one by now
};

}  // namespace

bool only_merges(const Image& image, std::uint32_t pc) {
  return image.code[pc].op == Opcode::kLd16 && LoadedBits(image, pc).are_kept();
}

}  // namespace tessera::pe
