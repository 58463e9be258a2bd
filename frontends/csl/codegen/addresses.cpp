#include <algorithm>
#include <map>
#include <utility>

#include "frontends/csl/codegen/passes.h"
#include "frontends/csl/ir/flow.h"

namespace tessera::csl::codegen {
namespace {

using namespace ir;

Instruction address_operation(const Instruction& origin, Op op, RegisterId result,
                              std::vector<Value> operands) {
  Instruction in;
  in.op = op;
  in.type = Type::kAddress;
  in.results = {result};
  in.operands = std::move(operands);
  in.place = origin.place;
  read_as_taken(in);
  return in;
}

Value bytes(std::int64_t count) {
  return constant(Type::kAddress, static_cast<std::uint32_t>(count));
}

/// The index times the size of an element.
Value scaled_index(const Instruction& in, Function& function, std::vector<Instruction>& out) {
  const Value& index = in.operands[1];
  if (in.number == 1) return index;
  unsigned shift = 0;
  while (in.number >> shift > 1) ++shift;
  const bool is_power = in.number == 1U << shift;
  const RegisterId r = function.new_register(Type::kAddress);
  out.push_back(address_operation(in, is_power ? Op::kShl : Op::kMul, r,
                                  {index, bytes(is_power ? shift : in.number)}));
  out.back().keeps_index = in.keeps_index;
  return reg(Type::kAddress, r);
}

/// By register: x + constant, where both registers are assigned once.
std::map<RegisterId, std::pair<Value, std::int32_t>> constant_distances(const Function& function) {
  std::map<RegisterId, std::pair<Value, std::int32_t>> found;
  const std::vector<unsigned> counts = definition_counts(function);
  for (const Block& block : function.blocks) {
    for (const Instruction& in : block.code) {
      if (in.op != Op::kAdd || is_wide(in.type) || counts[in.results[0]] != 1) continue;
      Value x = in.operands[0];
      Value by = in.operands[1];
      if (x.is_constant()) std::swap(x, by);
      if (x.is_register() && by.is_constant() && counts[x.number] == 1)
        found[in.results[0]] = {x, static_cast<std::int16_t>(by.number)};
    }
  }
  return found;
}

void take_distances(Function& function) {
  const auto distances = constant_distances(function);
  for (Block& block : function.blocks) {
    for (Instruction& in : block.code) {
      if (in.op != Op::kLoad && in.op != Op::kStore) continue;
      const auto d = distances.find(in.operands[0].number);
      if (!in.operands[0].is_register() || d == distances.end()) continue;
      // The machine adds the offset without wrapping around; stay where it has 16 bits and a sign.
      const std::int32_t offset = in.offset + d->second.second;
      if (offset < -0x8000 || offset > 0x7FFF) continue;
      in.operands[0] = read_as(Type::kAddress, d->second.first);
      in.offset = offset;
    }
  }
}

bool same_sum(const Instruction& a, const Instruction& b) {
  return a.op == b.op && a.operands == b.operands;
}

/// An address that the block has computed already becomes a copy.
void share_sums(Block& block) {
  std::vector<Instruction> known;
  for (Instruction& in : block.code) {
    const bool is_sum =
        in.type == Type::kAddress && (in.op == Op::kAdd || in.op == Op::kShl || in.op == Op::kMul);
    const auto same = std::find_if(known.begin(), known.end(),
                                   [&](const Instruction& k) { return same_sum(k, in); });
    const Instruction sum = in;
    if (is_sum && same != known.end())
      in = address_operation(in, Op::kCopy, in.results[0], {reg(Type::kAddress, same->results[0])});
    const auto concerns = [&](const Instruction& k) {
      return std::any_of(in.results.begin(), in.results.end(), [&](RegisterId r) {
        const auto reads = [r](const Value& v) { return v.is_register() && v.number == r; };
        return k.results[0] == r || std::any_of(k.operands.begin(), k.operands.end(), reads);
      });
    };
    known.erase(std::remove_if(known.begin(), known.end(), concerns), known.end());
    const auto reads_itself = [&](const Value& v) {
      return v.is_register() && v.number == sum.results[0];
    };
    if (is_sum && in.op != Op::kCopy &&
        std::none_of(sum.operands.begin(), sum.operands.end(), reads_itself))
      known.push_back(sum);
  }
}

}  // namespace

void lower_element(const Instruction& in, Function& function, std::vector<Instruction>& out) {
  const Value& base = in.operands[0];
  const Value& index = in.operands[1];
  std::int64_t distance = in.offset;
  if (index.is_constant()) {
    const bool is_signed = index.type == Type::kI16;
    distance += std::int64_t{in.number} * (is_signed ? static_cast<std::int16_t>(index.number)
                                                     : static_cast<std::int64_t>(index.number));
    if (base.is_address()) {
      const auto offset = base.offset + static_cast<std::int32_t>(distance);
      out.push_back(
          address_operation(in, Op::kCopy, in.results[0], {address_of(base.number, offset)}));
    } else {
      out.push_back(address_operation(in, Op::kAdd, in.results[0], {base, bytes(distance)}));
    }
    return;
  }
  const Value scaled = scaled_index(in, function, out);
  if (base.is_address()) {
    const auto offset = base.offset + static_cast<std::int32_t>(distance);
    out.push_back(
        address_operation(in, Op::kAdd, in.results[0], {scaled, address_of(base.number, offset)}));
    return;
  }
  const bool is_far = distance != 0;
  const RegisterId sum = is_far ? function.new_register(Type::kAddress) : in.results[0];
  out.push_back(address_operation(in, Op::kAdd, sum, {scaled, base}));
  if (is_far)
    out.push_back(address_operation(in, Op::kAdd, in.results[0],
                                    {reg(Type::kAddress, sum), bytes(distance)}));
}

void lower_addresses(Function& function) {
  for (Block& block : function.blocks) {
    const std::vector<Instruction> old = std::move(block.code);
    block.code.clear();
    for (const Instruction& in : old) {
      if (in.op == Op::kElement) {
        lower_element(in, function, block.code);
      } else {
        block.code.push_back(in);
      }
    }
  }
  // Equal scaled indices first, then the sums with them.
  for (int round = 0; round < 2; ++round) {
    for (Block& block : function.blocks) share_sums(block);
    propagate_copies(function);
  }
  take_distances(function);
}

}  // namespace tessera::csl::codegen
