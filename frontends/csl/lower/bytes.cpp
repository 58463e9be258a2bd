#include "frontends/csl/lower/bytes.h"

#include <optional>

#include "frontends/csl/lower/memory.h"
#include "frontends/csl/lower/operands.h"

namespace tessera::csl {

namespace {

constexpr unsigned kBits = 8;
constexpr std::uint32_t kMask = 0xff;

ir::Value bits_of_word(std::uint32_t bits) {
  return ir::constant(ir::Type::kU16, bits);
}

/// The word that holds a byte, and by how much the byte is shifted in it.
struct Half {
  ir::Value address;
  std::int32_t offset = 0;
  ir::Value shift;
};

Half word_of_byte(Evaluator& evaluator, const Storage& storage) {
  const std::int32_t offset =
      storage.offset + (storage.address.is_address() ? storage.address.offset : 0);
  if (storage.address.is_address()) {
    const std::int32_t odd = offset & 1;
    return {storage.address, storage.offset - odd, bits_of_word(odd == 0 ? 0 : kBits)};
  }
  ir::Builder& builder = code_of(evaluator).builder;
  const ir::Value address = builder.copy(ir::Type::kU16, address_value(evaluator, storage));
  const ir::Value odd = builder.binary(ir::Op::kAnd, address, bits_of_word(1));
  const ir::Value even = builder.binary(ir::Op::kAnd, address, bits_of_word(0xfffe));
  return {builder.copy(ir::Type::kAddress, even), 0,
          builder.binary(ir::Op::kShl, odd, bits_of_word(3))};
}

bool is_zero(const ir::Value& value) {
  return value.is_constant() && value.number == 0;
}

}  // namespace

ir::Value load_byte(Evaluator& evaluator, const Type& type, const Storage& storage) {
  ir::Builder& builder = code_of(evaluator).builder;
  if (storage.is_whole && !type.is_signed)
    return builder.load(ir::Type::kU16, storage.address, storage.offset);
  const Half half = word_of_byte(evaluator, storage);
  ir::Value value = builder.load(ir::Type::kU16, half.address, half.offset);
  if (!is_zero(half.shift)) value = builder.binary(ir::Op::kShr, value, half.shift);
  if (!type.is_signed) return builder.binary(ir::Op::kAnd, value, bits_of_word(kMask));
  const ir::Value eight = ir::constant(ir::Type::kI16, kBits);
  value = builder.binary(ir::Op::kShl, builder.copy(ir::Type::kI16, value), eight);
  return builder.binary(ir::Op::kShr, value, eight);
}

void store_byte(Evaluator& evaluator, const Storage& storage, const ir::Value& value) {
  ir::Builder& builder = code_of(evaluator).builder;
  if (storage.is_whole) return builder.store(storage.address, value, storage.offset);
  const Half half = word_of_byte(evaluator, storage);
  ir::Value low = builder.copy(ir::Type::kU16, value);
  low = builder.binary(ir::Op::kAnd, low, bits_of_word(kMask));
  ir::Value others = bits_of_word(kMask << kBits);
  if (!is_zero(half.shift)) {
    low = builder.binary(ir::Op::kShl, low, half.shift);
    const ir::Value mask = builder.binary(ir::Op::kShl, bits_of_word(kMask), half.shift);
    others = builder.binary(ir::Op::kXor, mask, bits_of_word(0xffff));
  }
  ir::Value both = builder.load(ir::Type::kU16, half.address, half.offset);
  both = builder.binary(ir::Op::kAnd, both, others);
  builder.store(half.address, builder.binary(ir::Op::kOr, both, low), half.offset);
}

}  // namespace tessera::csl
