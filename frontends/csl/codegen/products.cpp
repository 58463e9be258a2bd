// Products, shifts and differences with constants in them, as LLVM has them.
#include <algorithm>
#include <array>
#include <optional>
#include <utility>
#include <vector>

#include "frontends/csl/codegen/constants.h"
#include "frontends/csl/codegen/makers.h"
#include "frontends/csl/codegen/passes.h"

namespace tessera::csl::codegen {
namespace {

using namespace ir;

constexpr unsigned kBitsOfByte = 8;

class ProductJoining {
 public:
  explicit ProductJoining(Function& function) : f_(function), makers_(function) {}

  void run() {
    rewrite_blocks(f_, makers_, [this](Instruction& in, std::vector<Instruction>& out) {
      out_ = &out;
      join(in);
      put(std::move(in));
    });
  }

 private:
  void join(Instruction& in) {
    if (in.operands.size() != 2 || is_float(in.type)) return;
    const bool has_constant = in.operands[1].is_constant();
    switch (in.op) {
    case Op::kShl:
      if (has_constant && !join_shifts(in)) join_factors(in);
      return;
    case Op::kShr:
      if (has_constant) join_shifts(in);
      return;
    case Op::kMul:
      return has_constant ? join_factors(in) : move_shift_out(in);
    case Op::kSub:
      if (!has_constant) move_constant_out(in);
      return;
    default:
      return;
    }
  }

  void put(Instruction in) {
    read_as_taken(in);
    out_->push_back(std::move(in));
  }
  /// What made a value, if it does `op` with a constant in the width of `in`.
  const Instruction* maker(const Instruction& in, Op op, const Value& v) const {
    const Instruction* made = makers_.of(v);
    const bool fits = made != nullptr && made->op == op && !is_float(made->type) &&
                      is_wide(made->type) == is_wide(in.type) && made->operands.size() == 2 &&
                      made->operands[1].is_constant() && made->operands[0].is_register();
    return fits ? made : nullptr;
  }
  /// Puts `op` on the operands in front of `in`.
  Value part_of(const Instruction& in, const Value& a, const Value& b) {
    Instruction part = in;
    part.operands = {a, b};
    part.results = {f_.new_register(in.type)};
    put(part);
    return reg(in.type, part.results[0]);
  }

  /// (x << 1) << 2, (x >> 1) >> 2.
  bool join_shifts(Instruction& in) {
    const Instruction* inner = maker(in, in.op, in.operands[0]);
    if (inner == nullptr || (in.op == Op::kShr && is_signed(inner->type) != is_signed(in.type)))
      return false;
    const std::uint32_t bits = kBitsOfByte * bytes_of(in.type);
    if (inner->operands[1].number >= bits || in.operands[1].number >= bits) return false;
    const std::uint32_t by = inner->operands[1].number + in.operands[1].number;
    if (by < bits) {
      in.operands = {inner->operands[0], constant(in.type, by)};
    } else if (in.op == Op::kShr && is_signed(in.type)) {
      in.operands = {inner->operands[0], constant(in.type, bits - 1)};
    } else {
      in.op = Op::kCopy;
      in.operands = {constant(in.type, 0)};
    }
    return true;
  }

  /// (x * 3) * 5, (x << 1) * 5, (x * 3) << 1.
  void join_factors(Instruction& in) {
    for (const Op op : {Op::kMul, Op::kShl}) {
      const Instruction* inner = maker(in, op, in.operands[0]);
      if (inner == nullptr || !makers_.is_read_once(in.operands[0])) continue;
      const std::uint32_t factor = factor_of(*inner) * factor_of(in);
      in.op = Op::kMul;
      in.operands = {inner->operands[0], constant(in.type, factor)};
      if (const auto k = power_of_two(in.operands[1].number)) {
        in.op = Op::kShl;
        in.operands[1] = constant(in.type, *k);
      }
      return;
    }
  }
  static std::uint32_t factor_of(const Instruction& in) {
    const std::uint32_t by = in.operands[1].number;
    if (in.op == Op::kMul) return by;
    return by < kBitsOfByte * bytes_of(in.type) ? 1U << by : 0;
  }

  /// (x << 1) * y is (x * y) << 1, so that shifts meet in the end.
  void move_shift_out(Instruction& in) {
    for (unsigned i = 0; i < 2; ++i) {
      const Instruction* shift = maker(in, Op::kShl, in.operands[i]);
      if (shift == nullptr || !makers_.is_read_once(in.operands[i])) continue;
      const Value by = constant(in.type, shift->operands[1].number);
      const Value product = part_of(in, shift->operands[0], in.operands[1 - i]);
      in.op = Op::kShl;
      in.operands = {product, by};
      return;
    }
  }

  /// (x + 1) - (y + 3) is (x - y) - 2.
  void move_constant_out(Instruction& in) {
    std::array<Value, 2> sides = {in.operands[0], in.operands[1]};
    std::uint32_t by = 0;
    for (unsigned i = 0; i < 2; ++i) {
      const Instruction* sum = maker(in, Op::kAdd, sides[i]);
      if (sum == nullptr || !makers_.is_read_once(sides[i])) continue;
      by += i == 0 ? sum->operands[1].number : 0U - sum->operands[1].number;
      sides[i] = sum->operands[0];
    }
    if (sides[0] == in.operands[0] && sides[1] == in.operands[1]) return;
    const Value difference = part_of(in, sides[0], sides[1]);
    const Value constant_by = constant(in.type, by);
    in.op = constant_by.number == 0 ? Op::kCopy : Op::kAdd;
    if (in.op == Op::kCopy)
      in.operands = {difference};
    else
      in.operands = {difference, constant_by};
  }

  Function& f_;
  Makers makers_;
  std::vector<Instruction>* out_ = nullptr;
};

/// A power of two that is added or taken away.
struct SignedDigit {
  unsigned shift = 0;
  bool is_negative = false;
};

/// The fewest digits of a number of 16 bits, the highest first.
std::vector<SignedDigit> signed_digits(std::uint32_t number) {
  auto rest = std::int32_t{static_cast<std::int16_t>(number)};
  std::vector<SignedDigit> digits;
  for (unsigned shift = 0; rest != 0; ++shift, rest /= 2) {
    if (rest % 2 == 0) continue;
    const bool is_negative = (rest & 3) == 3;
    digits.push_back({shift, is_negative});
    rest += is_negative ? 1 : -1;
  }
  std::reverse(digits.begin(), digits.end());
  return digits;
}

class ProductExpansion {
 public:
  ProductExpansion(Function& function, Block& block)
      : f_(function), old_(std::move(block.code)), block_(block) {}

  void run() {
    block_.code.clear();
    for (Instruction& in : old_) {
      const bool is_product = in.op == Op::kMul && !is_float(in.type) && !is_wide(in.type) &&
                              in.operands[1].is_constant() && in.operands[0].is_register();
      const std::vector<SignedDigit> digits =
          is_product ? signed_digits(in.operands[1].number) : std::vector<SignedDigit>{};
      if (digits.size() < 2 || digits[0].is_negative) {
        block_.code.push_back(std::move(in));
      } else {
        expand(in, digits);
      }
    }
  }

 private:
  void expand(const Instruction& product, const std::vector<SignedDigit>& digits) {
    const Value x = product.operands[0];
    Value sum;
    for (std::size_t i = 0; i < digits.size(); ++i) {
      const SignedDigit& digit = digits[i];
      const Value term =
          digit.shift == 0 ? x : put(product, Op::kShl, x, constant(product.type, digit.shift));
      sum = i == 0 ? term : put(product, digit.is_negative ? Op::kSub : Op::kAdd, sum, term);
    }
    block_.code.back().results = product.results;
  }
  Value put(const Instruction& origin, Op op, const Value& a, const Value& b) {
    Instruction in;
    in.op = op;
    in.type = origin.type;
    in.operands = {a, b};
    in.results = {f_.new_register(origin.type)};
    in.place = origin.place;
    read_as_taken(in);
    block_.code.push_back(std::move(in));
    return reg(origin.type, block_.code.back().results[0]);
  }

  Function& f_;
  std::vector<Instruction> old_;
  Block& block_;
};

}  // namespace

void join_products(Function& function) {
  ProductJoining(function).run();
}

void expand_products(Function& function) {
  for (Block& block : function.blocks) ProductExpansion(function, block).run();
}

}  // namespace tessera::csl::codegen
