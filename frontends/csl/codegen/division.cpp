#include "frontends/csl/codegen/division.h"

#include <optional>
#include <utility>

#include "frontends/csl/codegen/constants.h"

namespace tessera::csl::codegen {
namespace {

using namespace ir;

class Divider {
 public:
  Divider(const Instruction& in, Function& function, std::vector<Instruction>& out)
      : in_(in), f_(function), out_(out), x_(in.operands[0]), type_(in.type),
        width_(8 * bytes_of(in.type)), unsigned_(is_wide(in.type) ? Type::kU32 : Type::kU16) {}

  bool run() {
    const std::int64_t by = integer_of(type_, in_.operands[1].number);
    const std::int64_t size = by < 0 ? -by : by;
    if (by == 0 || size >> (width_ - 1) != 0) return false;
    if (by == 1 || by == -1) return by_one(by);
    if (const auto k = power_of_two(static_cast<std::uint32_t>(size))) return by_power(*k, by);
    if (is_wide(type_)) return false;
    const Value quotient = is_signed(type_) ? signed_quotient(size) : unsigned_quotient(size);
    return finish(is_signed(type_) && by < 0 ? negated(quotient) : quotient);
  }

 private:
  Value make(Op op, Type type, std::vector<Value> operands) {
    const RegisterId r = f_.new_register(type);
    put(op, type, r, std::move(operands));
    return reg(type, r);
  }
  void put(Op op, Type type, RegisterId result, std::vector<Value> operands) {
    Instruction made;
    made.op = op;
    made.type = type;
    made.results = {result};
    made.operands = std::move(operands);
    made.place = in_.place;
    read_as_taken(made);
    out_.push_back(std::move(made));
  }
  Value number(Type type, std::int64_t n) const {
    return constant(type, static_cast<std::uint32_t>(n));
  }
  Value negated(const Value& v) { return make(Op::kSub, type_, {number(type_, 0), v}); }

  /// The result of the instruction from the quotient.
  bool finish(const Value& quotient) {
    if (in_.op == Op::kDiv) {
      put(Op::kCopy, type_, in_.results[0], {quotient});
      return true;
    }
    const Value product = make(Op::kMul, type_, {quotient, in_.operands[1]});
    put(Op::kSub, type_, in_.results[0], {x_, product});
    return true;
  }

  bool by_one(std::int64_t by) {
    if (in_.op == Op::kRem) {
      put(Op::kCopy, type_, in_.results[0], {number(type_, 0)});
    } else if (by == 1) {
      put(Op::kCopy, type_, in_.results[0], {x_});
    } else {
      put(Op::kSub, type_, in_.results[0], {number(type_, 0), x_});
    }
    return true;
  }

  bool by_power(unsigned k, std::int64_t by) {
    const std::int64_t mask = (std::int64_t{1} << k) - 1;
    if (!is_signed(type_)) {
      const bool divides = in_.op == Op::kDiv;
      put(divides ? Op::kShr : Op::kAnd, type_, in_.results[0],
          {x_, number(type_, divides ? k : mask)});
      return true;
    }
    // Rounded toward 0: 2^k - 1 is added to what is negative.
    const Value sign = make(Op::kShr, type_, {x_, number(type_, width_ - 1)});
    const Value bias = make(Op::kShr, unsigned_, {sign, number(unsigned_, width_ - k)});
    const Value sum = make(Op::kAdd, type_, {x_, bias});
    if (in_.op == Op::kRem) {
      const Value whole = make(Op::kAnd, type_, {sum, number(type_, ~mask)});
      put(Op::kSub, type_, in_.results[0], {x_, whole});
      return true;
    }
    const Value quotient = make(Op::kShr, type_, {sum, number(type_, k)});
    return finish(by < 0 ? negated(quotient) : quotient);
  }

  /// The high half of the product of `a`, converted to 32 bits, and `by`.
  Value high_product(Type wide, const Value& a, std::int64_t by) {
    const Value x = make(Op::kConvert, wide, {a});
    const Value product = make(Op::kMul, wide, {x, number(wide, by)});
    const Value high = make(Op::kShr, Type::kU32, {product, number(Type::kU32, 16)});
    const Value half = make(Op::kConvert, Type::kU16, {high});
    return type_ == Type::kU16 ? half : make(Op::kCopy, type_, {half});
  }
  Value shifted(const Value& v, unsigned by) {
    return by == 0 ? v : make(Op::kShr, type_, {v, number(type_, by)});
  }

  /// The factor ceil(2^(16 + l) / by) and l, if its error stays below 2^most for dividends of 16 bits.
  static std::optional<std::pair<std::int64_t, unsigned>> factor(std::int64_t by, unsigned bonus) {
    for (unsigned l = 0; l < 16; ++l) {
      const std::int64_t power = std::int64_t{1} << (16 + l);
      const std::int64_t m = power / by + 1;
      if (m < 0x10000 && m * by - power <= std::int64_t{1} << (l + bonus)) return {{m, l}};
    }
    return std::nullopt;
  }

  Value unsigned_quotient(std::int64_t by) {
    if (const auto f = factor(by, 0))
      return shifted(high_product(Type::kU32, x_, f->first), f->second);
    // The factor has 17 bits: the product with the highest one is the dividend itself.
    unsigned l = 0;
    while ((std::int64_t{1} << l) < by) ++l;
    const std::int64_t m = (std::int64_t{1} << (16 + l)) / by + 1 - 0x10000;
    const Value high = high_product(Type::kU32, x_, m);
    const Value rest = make(Op::kSub, type_, {x_, high});
    const Value half = make(Op::kShr, type_, {rest, number(type_, 1)});
    return shifted(make(Op::kAdd, type_, {half, high}), l - 1);
  }

  Value signed_quotient(std::int64_t by) {
    const auto f = factor(by, 1);  // dividends have 15 bits and a sign
    const Value high = shifted(high_product(Type::kI32, x_, f->first), f->second);
    const Value sign = make(Op::kShr, type_, {x_, number(type_, 15)});
    return make(Op::kSub, type_, {high, sign});
  }

  const Instruction& in_;
  Function& f_;
  std::vector<Instruction>& out_;
  const Value x_;
  const Type type_;
  const unsigned width_;
  const Type unsigned_;
};

}  // namespace

bool divide_by_constant(const Instruction& in, Function& function, std::vector<Instruction>& out) {
  const Instruction division = in;
  return Divider(division, function, out).run();
}

}  // namespace tessera::csl::codegen
