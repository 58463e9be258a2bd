#include "frontends/pto/register_lowering.h"

#include <algorithm>
#include <cstdlib>

namespace tessera::pto {

using cluster::kNoRegister;
using cluster::RegisterFunction;
using cluster::RegisterOperation;
using cluster::RegisterUnit;
using cluster::Rounding;
using RF = RegisterFunction;

namespace {

bool is_mask(const Type& type) {
  return type.location.find("mask") != std::string::npos;
}
/// "lt", "olt", "slt", "ult": floats and signs are known from the type.
std::optional<Predicate> predicate_named(std::string word) {
  if (word.size() == 3) word.erase(0, 1);
  constexpr Word<Predicate> kPredicates[] = {
      {"eq", Predicate::kEqual},   {"ne", Predicate::kNotEqual},
      {"lt", Predicate::kLess},    {"le", Predicate::kLessEqual},
      {"gt", Predicate::kGreater}, {"ge", Predicate::kGreaterEqual}};
  return meaning_of(kPredicates, word);
}

/// Lanes that a pattern such as PAT_VL8 selects from the first on, or every how many.
struct Pattern {
  std::int64_t count;
  std::int32_t every = 1;
};
std::optional<Pattern> pattern_named(const std::string& word, std::int64_t lanes) {
  if (word == "PAT_ALL") return Pattern{lanes};
  if (word == "PAT_ALLF") return Pattern{0};
  if (word == "PAT_H") return Pattern{lanes / 2};
  if (word == "PAT_Q") return Pattern{lanes / 4};
  if (word == "PAT_M3") return Pattern{lanes, 3};
  if (word == "PAT_M4") return Pattern{lanes, 4};
  if (word.rfind("PAT_VL", 0) != 0) return std::nullopt;
  const auto count = whole_number(word.substr(6));
  return count ? std::optional(Pattern{std::min(*count, lanes)}) : std::nullopt;
}

}  // namespace

bool has_lane_values(Element element) {
  return cluster::has_values(element) && cluster::bits_of(element) >= 8 &&
         element != Element::kE8m0;
}

std::string RegisterLowering::option(const Operation& op, const char* key) const {
  return text_of(op, key);
}

std::uint32_t RegisterLowering::groups_of(const Operation& op) const {
  for (const char* key : {"group", "num_groups"}) {
    const std::int64_t n = pto::number_of(op, key, 0, diagnostics_);
    if (n > 0) return static_cast<std::uint32_t>(n);
  }
  return 1;
}

RegisterLowering::Operands RegisterLowering::operands_of(const Operation& op) const {
  Operands o;
  for (const Argument& a : op.arguments) {
    if (a.role == Role::kPredicate) {
      o.words.push_back(a.text);
    } else if (a.role == Role::kIndex) {
      o.index = scope_.scalar_or_number(a);
    } else if (a.kind == Argument::Kind::kInteger) {
      o.scalars.push_back(Value::of_scalar(a.number));
    } else {
      const Value& v = scope_.any_value(a);
      if (v.kind == Value::Kind::kRegister)
        (is_mask(v.type) ? o.masks : o.registers).push_back(&v);
      else if (v.kind == Value::Kind::kPointer || v.kind == Value::Kind::kTile)
        o.pointer = &v;
      else if (v.kind == Value::Kind::kScalar || v.kind == Value::Kind::kFloat)
        o.scalars.push_back(v);
      else
        fail(a.place, "expected a register, a pointer or a number");
    }
  }
  const auto is_align = [](const Value* v) { return v->type.location == "!pto.align"; };
  o.registers.erase(std::remove_if(o.registers.begin(), o.registers.end(), is_align),
                    o.registers.end());
  return o;
}

std::vector<Type> RegisterLowering::types_of(const Operation& op) const {
  if (op.result_types.size() != result_count(op))
    fail(op, "expected ", result_count(op), " types of results, found ", op.result_types.size());
  return op.result_types;
}

void RegisterLowering::set_scalar(const Value& v, RegisterOperation& r) const {
  r.has_scalar = true;
  const bool real = v.kind == Value::Kind::kFloat;
  r.scalar = {real && !v.scalar.is_register, v.number, v.scalar, real};
}

RegisterOperation RegisterLowering::basis(const Operation& op, const RegisterRow& row,
                                          const Operands& o) {
  const auto types = types_of(op);
  const auto result = std::find_if(types.begin(), types.end(), [](const Type& type) {
    return type.kind == Type::Kind::kRegister && type.location != "!pto.align";
  });
  const Type* type = result != types.end()  ? &*result
                     : !o.registers.empty() ? &o.registers[0]->type
                     : !o.masks.empty()     ? &o.masks[0]->type
                                            : nullptr;
  RegisterOperation r;
  if (type != nullptr) r = RegisterCode::blank(*type, diagnostics_);
  r.function = row.function;
  r.unit = row.unit;
  r.arithmetic = row.arithmetic;
  if (!has_lane_values(r.element)) r.function = RF::kNoValues;
  for (std::size_t i = 0; i < o.registers.size() && i < r.sources.size(); ++i) {
    r.sources[i] = register_number(*o.registers[i]);
    if (!has_lane_values(RegisterCode::blank(o.registers[i]->type, diagnostics_).element))
      r.function = RF::kNoValues;
  }
  if (!o.masks.empty()) r.mask = register_number(*o.masks.front());
  return r;
}

void RegisterLowering::instruction(const Operation& op) {
  const RegisterRow& row = register_row(op.name);
  const bool alone = !code_.is_open();
  if (alone) code_.open(op.place);
  const Operands o = operands_of(op);
  RegisterOperation r = basis(op, row, o);
  check_kind(op, row);
  if (op.name.rfind("pto.vmi.", 0) == 0) check_logical(op, row, o);
  if (row.function == RF::kNoValues) r.function = RF::kNoValues;
  if (row.shape == RegisterShape::kMemory) memory(op, o, r);
  if (row.shape == RegisterShape::kPlain) plain(op, o, r);
  if (row.shape == RegisterShape::kCompare) compare(op, o, r);
  if (row.shape == RegisterShape::kReduce) reduce(op, o, r);
  if (row.shape == RegisterShape::kMask) mask(op, o, r);
  if (row.shape == RegisterShape::kPair && r.function != RF::kNoValues && !special(op, o, r) &&
      o.registers.empty() && o.masks.size() == 2) {
    r.sources = {register_number(*o.masks[0]), register_number(*o.masks[1]), kNoRegister};
    r.mask = kNoRegister;
  }
  if (row.shape == RegisterShape::kParts) {
    parts(op, o, r);
  } else {
    unsigned n = 0;
    std::size_t t = 0;
    for (const Result& result : op.results) {
      const Type& type = op.result_types[t++];
      if (type.kind != Type::Kind::kRegister) continue;
      Value v{Value::Kind::kRegister, type};
      v.scalar = code_.new_register(op.place);
      if (type.location != "!pto.align" && n < 2) r.results[n++] = register_number(v);
      scope_.define(result.name, result.place, std::move(v));
    }
    if (r.function != RF::kBarrier || op.name == "pto.mem_bar") code_.emit(r, op.place);
    define_others(op, o);
  }
  if (alone) code_.close();
}

// A pointer that an access gives stands after what it has accessed.
void RegisterLowering::define_others(const Operation& op, const Operands& o) {
  std::size_t t = 0;
  for (const Result& result : op.results) {
    const Type& type = op.result_types[t++];
    if (type.kind == Type::Kind::kRegister || scope_.find(result.name) != nullptr) continue;
    if (type.kind != Type::Kind::kPointer) {
      scope_.define(result.name, result.place, Value::of_scalar(0));
      continue;
    }
    if (o.pointer == nullptr) fail(op, "expected a pointer");
    Value next = *o.pointer;
    const std::int64_t width = std::max(1U, cluster::bits_of(next.place.element) / 8);
    const bool blocks = has_part(op.name, "sldb") || has_part(op.name, "sstb");
    next.place.address.add(o.index, step_of(op, o, width));
    if (!o.scalars.empty())
      next.place.address.add(o.scalars.back().scalar, blocks ? kBlockBytes : width);
    scope_.define(result.name, result.place, std::move(next));
  }
}

// --- lanes ---

// What the physical form has as a word or an attribute: EVEN, ODD, LOWER, HIGHER, or a half as a number.
std::uint32_t RegisterLowering::half_of(const Operation& op, const Operands& o) const {
  std::string part = option(op, "part");
  for (const std::string& word : o.words)
    if (is_one_of({"EVEN", "ODD", "LOWER", "HIGHER", "PART_EVEN", "PART_ODD"}, word)) part = word;
  if (part.empty() && !o.scalars.empty()) {
    if (o.scalars.back().scalar.is_register) fail(op, "expected a part that is known: 0 or 1");
    return o.scalars.back().scalar.value != 0 ? 1 : 0;
  }
  return has_part(part, "ODD") || part == "HIGHER" ? 1 : 0;
}

// Functions whose sources and mask need more than their order.
bool RegisterLowering::special(const Operation& op, const Operands& o, RegisterOperation& r) const {
  const auto use = [&r](std::initializer_list<const Value*> sources) {
    r.sources = {kNoRegister, kNoRegister, kNoRegister};
    std::size_t n = 0;
    for (const Value* v : sources) r.sources[n++] = register_number(*v);
  };
  const auto needs = [&](std::size_t registers, std::size_t masks) {
    if (o.registers.size() < registers || o.masks.size() < masks)
      fail(op, "expected ", registers, " registers and ", masks, " masks");
  };
  switch (r.function) {
  case RF::kMultiplyAdd: {
    if (has_part(op.name, "vaxpy")) {
      needs(2, 0);
      if (o.scalars.empty()) fail(op, "expected a number");
      set_scalar(o.scalars[0], r);
      use({o.registers[1], o.registers[0]});
      return true;
    }
    needs(3, 0);
    // The addend is the first operand of vmula and the last one of the others.
    if (has_part(op.name, "vmula"))
      use({o.registers[0], o.registers[1], o.registers[2]});
    else
      use({o.registers[2], o.registers[0], o.registers[1]});
    return true;
  }
  case RF::kRound: {
    needs(1, 0);
    r.rounding = rounding_of(op, o);
    return true;
  }
  case RF::kNarrow:
  case RF::kWiden: {
    needs(1, 0);
    const auto from = static_cast<std::uint32_t>(o.registers[0]->type.shape[0]);
    r.first = half_of(op, o) * std::min(from, r.lanes);
    r.keeps_sign = has_part(op.name, "vsunpack");
    r.mask = kNoRegister;
    return true;
  }
  case RF::kPick:
  case RF::kWideProduct: {
    needs(2, 0);
    return true;
  }
  case RF::kHistogram: {
    needs(2, 0);
    const auto bins = static_cast<std::uint32_t>(o.registers[0]->type.shape[0]);
    const auto is_half = [](const Value& v) {
      return !v.scalar.is_register && (v.scalar.value == 0 || v.scalar.value == 1);
    };
    if (bins == 256)
      r.first = 0;
    else if (!o.words.empty() || (!o.scalars.empty() && is_half(o.scalars.back())))
      r.first = half_of(op, o) * bins;
    else
      r.function = RF::kNoValues;
    r.merges = has_part(op.name, "chist");
    return true;
  }
  case RF::kSqueeze:
  case RF::kCountBefore:
  case RF::kPairSum:
  case RF::kExtremeMask: {
    needs(1, 1);
    return true;
  }
  case RF::kCarry: {
    const bool has_carry = op.name.back() == 's';
    needs(2, has_carry ? 2 : 1);
    if (has_carry) r.sources[2] = register_number(*o.masks[0]);
    r.mask = register_number(*o.masks.back());
    return true;
  }
  case RF::kMaskSelect: {
    needs(0, 3);
    use({o.masks[0], o.masks[1], o.masks[2]});
    r.mask = kNoRegister;
    return true;
  }
  case RF::kMaskPack:
  case RF::kMaskUnpack:
  case RF::kMaskBits: {
    needs(0, 1);
    use({o.masks[0]});
    r.mask = kNoRegister;
    r.first = half_of(op, o);
    return true;
  }
  default:
    return false;
  }
}

Rounding RegisterLowering::rounding_of(const Operation& op, const Operands& o) const {
  constexpr Word<Rounding> kRoundings[] = {
      {"R", Rounding::kNearestEven}, {"A", Rounding::kNearestAway}, {"F", Rounding::kFloor},
      {"C", Rounding::kCeil},        {"Z", Rounding::kTruncate},    {"O", Rounding::kOdd}};
  std::string rounding = option(op, "rnd");
  for (const char* key : {"rounding", "round_mode"})
    if (rounding.empty()) rounding = option(op, key);
  for (const std::string& word : o.words)
    if (word.size() == 1) rounding = word;
  return meaning_of(kRoundings, rounding).value_or(Rounding::kDefault);
}

void RegisterLowering::plain(const Operation& op, const Operands& o, RegisterOperation& r) const {
  if (r.function == RF::kNoValues) return;
  if (special(op, o, r)) return;
  if (r.function == RF::kSplat || r.function == RF::kSequence) return splat(op, o, r);
  if (r.function == RF::kConvert) return convert(op, o, r);
  if (r.function == RF::kMaskMap || (r.function == RF::kMove && o.registers.empty())) {
    const bool is_move = r.function == RF::kMove;
    for (std::size_t i = 0; i < o.masks.size() && i < 2; ++i)
      r.sources[i] = register_number(*o.masks[i]);
    const bool unary = r.arithmetic == Arithmetic::kNot || is_move;
    if (unary) r.sources[1] = kNoRegister;
    r.mask = !is_move && o.masks.size() > (unary ? 1U : 2U) ? register_number(*o.masks.back())
                                                            : kNoRegister;
    return;
  }
  const std::size_t least = r.function == RF::kMultiplyAdd                               ? 3
                            : r.function == RF::kSelect                                  ? 2
                            : r.function != RF::kMap || r.arithmetic >= Arithmetic::kNeg ? 1
                            : o.scalars.empty()                                          ? 2
                                                                                         : 1;
  if (o.registers.size() < least || (r.function == RF::kSelect && o.masks.empty())) {
    r.function = RF::kNoValues;
    return;
  }
  if (r.function == RF::kSelect) {
    r.sources[2] = r.mask;
    r.mask = kNoRegister;
  }
  if (r.function == RF::kMap && !o.scalars.empty()) set_scalar(o.scalars[0], r);
  // exp(a - b) of halves gives as many single numbers as a register has: the even lanes or the odd ones.
  const auto from = static_cast<std::uint32_t>(o.registers[0]->type.shape[0]);
  if (r.arithmetic == Arithmetic::kExpDif && from > r.lanes) {
    r.every = static_cast<std::int32_t>(from / r.lanes);
    r.first = half_of(op, o);
  }
}

void RegisterLowering::splat(const Operation& op, const Operands& o, RegisterOperation& r) const {
  r.descends = has_part(option(op, "order") + (o.words.empty() ? "" : o.words[0]), "DESC");
  if (!o.scalars.empty()) return set_scalar(o.scalars[0], r);
  if (!o.registers.empty()) {
    r.merges = true;
    r.groups = std::max<std::uint32_t>(groups_of(op), 1);
    const std::string position = option(op, "position");
    if (position == "HIGHEST")
      r.first = static_cast<std::uint32_t>(o.registers[0]->type.shape[0]) - 1;
    else if (!position.empty() && position != "LOWEST")
      fail(op, "position is ", position, ", expected LOWEST or HIGHEST");
    return;
  }
  const std::string value = option(op, "value");  // dense<1.0>
  const bool known = value.rfind("dense<", 0) == 0 && value.size() > 6 && value[6] != '[';
  if (!known) {
    r.function = RF::kNoValues;
    return;
  }
  r.has_scalar = true;
  r.scalar.is_number = true;
  r.scalar.number = std::strtod(value.c_str() + 6, nullptr);
}

// The part of a conversion between widths: which lanes of the wider side.
void RegisterLowering::convert(const Operation& op, const Operands& o, RegisterOperation& r) const {
  if (o.registers.empty()) {
    r.function = RF::kNoValues;
    return;
  }
  if (has_part(op.name, "vmulscvt")) {
    if (o.scalars.empty()) fail(op, "expected a number");
    set_scalar(o.scalars[0], r);
  }
  std::string part = option(op, "part"), saturation = option(op, "sat");
  if (saturation.empty()) saturation = option(op, "saturate");
  for (const std::string& word : o.words) {
    if (is_one_of({"EVEN", "ODD", "P0", "P1", "P2", "P3"}, word)) part = word;
    if (is_one_of({"SAT", "NOSAT"}, word)) saturation = word;
  }
  if (const Rounding named = rounding_of(op, o); named != Rounding::kDefault) r.rounding = named;
  if (option(op, "rounding") == "H") r.function = RF::kNoValues;  // half up
  if (has_part(op.name, "fpto")) r.rounding = Rounding::kTruncate;
  r.saturates = saturation != "NOSAT";
  r.stays_finite = saturation == "SAT";
  const auto from = static_cast<std::uint32_t>(o.registers[0]->type.shape[0]);
  if (part == "ODD") part = "P1";
  r.first = part.size() == 2 && part[0] == 'P' ? static_cast<std::uint32_t>(part[1] - '0') : 0;
  if (r.lanes > from) r.every = -static_cast<std::int32_t>(r.lanes / from);
  if (r.lanes < from) r.every = static_cast<std::int32_t>(from / r.lanes);
}

void RegisterLowering::compare(const Operation& op, const Operands& o, RegisterOperation& r) const {
  std::string word = option(op, "cmp");
  if (word.empty()) word = option(op, "predicate");
  if (word.empty() && !o.words.empty()) word = o.words[0];
  const auto predicate = predicate_named(word);
  const bool by_number = o.registers.size() == 1 && !o.scalars.empty();
  if (!predicate || (o.registers.size() < 2 && !by_number)) {
    r.function = RF::kNoValues;
    return;
  }
  r.predicate = static_cast<std::uint8_t>(*predicate);
  if (by_number) set_scalar(o.scalars[0], r);
}

// A reduction of blocks has a group for every 32 bytes.
void RegisterLowering::reduce(const Operation& op, const Operands& o, RegisterOperation& r) const {
  if (o.registers.empty()) {
    r.function = RF::kNoValues;
    return;
  }
  const Type& from = o.registers[0]->type;
  r.groups = groups_of(op);
  if (r.unit == RegisterUnit::kReduceBlocks)
    r.groups = static_cast<std::uint32_t>(from.shape[0] * bits_of(from.element) / 256);
  const bool physical = op.name.rfind("pto.vmi.", 0) != 0;
  r.by_position = physical && r.unit == RegisterUnit::kReduceExtreme;
  if (r.groups > from.shape[0]) fail(op, r.groups, " groups of ", from.shape[0], " lanes");
}

// --- masks ---

void RegisterLowering::mask(const Operation& op, const Operands& o, RegisterOperation& r) {
  r.mask = kNoRegister;
  r.has_scalar = true;
  if (r.function == RF::kMaskCount) {
    if (o.scalars.empty()) fail(op, "expected a number of lanes");
    if (op.name.rfind("pto.pltm", 0) == 0) {  // lanes of turn `loop` that are below a bound
      if (o.scalars.size() < 2) fail(op, "expected a turn and a bound");
      const Operand before =
          emitter_.compute(Opcode::kMul, o.scalars[0].scalar, std::int64_t{r.lanes}, op.place);
      r.function = RF::kMask;
      r.scalar = {false, 0, emitter_.compute(Opcode::kSub, o.scalars[1].scalar, before, op.place),
                  false};
      return;
    }
    set_scalar(o.scalars[0], r);
    const Operand rest = emitter_.new_register(op.place);
    r.scalar_result = static_cast<std::uint16_t>(rest.value);
    for (std::size_t i = 0; i < op.results.size(); ++i)
      if (op.result_types[i].kind == Type::Kind::kScalar)
        scope_.define(op.results[i].name, op.results[i].place, Value::of_scalar(rest));
    return;
  }
  std::string word = o.words.empty() ? option(op, "pattern") : o.words[0];
  const std::string value = option(op, "value");
  if (value.rfind("dense<true", 0) == 0) word = "PAT_ALL";
  if (value.rfind("dense<false", 0) == 0) word = "PAT_ALLF";
  r.groups = groups_of(op);
  if (!o.scalars.empty()) return set_scalar(o.scalars[0], r);
  const auto pattern = pattern_named(word, r.lanes);
  if (!pattern && value.empty()) fail(op, "expected a pattern such as PAT_ALL or PAT_VL8");
  if (!pattern) {
    r.function = RF::kNoValues;
    r.has_scalar = false;
    return;
  }
  r.scalar.integer = pattern->count;
  r.every = pattern->every;
}

// --- several registers ---

// pto.vmi.unpack gives the physical registers of a logical one, channel_split every n-th lane.
void RegisterLowering::parts(const Operation& op, const Operands& o, RegisterOperation r) {
  const std::size_t count = op.results.size();
  const Value* source = !o.registers.empty() ? o.registers[0]
                        : !o.masks.empty()   ? o.masks[0]
                                             : nullptr;
  if (source == nullptr) fail(op, "expected a register");
  std::string layout;
  for (const Attribute& a : source->type.options) layout += a.key + a.value;
  const bool splits = has_part(op.name, "channel_split");
  std::size_t every = splits ? count : 1;
  if (has_part(layout, "deinterleaved=2")) every = 2;
  if (has_part(layout, "deinterleaved=4")) every = 4;
  const bool joins = has_part(op.name, ".pack") || has_part(op.name, "channel_merge");
  const bool known = !has_part(layout, "slots") && !has_part(layout, "block_") && !joins;
  r.mask = kNoRegister;
  for (std::size_t i = 0; i < count; ++i) {
    const Type& type = op.result_types[i];
    Value v{Value::Kind::kRegister, type};
    v.scalar = code_.new_register(op.place);
    RegisterOperation part = RegisterCode::blank(type, diagnostics_);
    const bool has_values = known && has_lane_values(part.element) && r.function != RF::kNoValues;
    part.function = has_values ? RF::kPart : RF::kNoValues;
    part.unit = RegisterUnit::kNone;
    part.results[0] = register_number(v);
    part.sources[0] = register_number(*source);
    part.every = static_cast<std::int32_t>(every);
    const std::size_t in_residue = std::max<std::size_t>(count / every, 1);
    part.first = static_cast<std::uint32_t>(i / in_residue + every * (i % in_residue) * part.lanes);
    code_.emit(std::move(part), op.place);
    scope_.define(op.results[i].name, op.results[i].place, std::move(v));
  }
}

}  // namespace tessera::pto
