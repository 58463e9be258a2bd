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

/// Whether the register level has values of the type.
bool computes(Element element) {
  return cluster::has_values(element) && !cluster::is_small_float(element);
}

bool is_mask(const Type& type) {
  return type.location.find("mask") != std::string::npos;
}
std::uint16_t number_of(const Value& v) {
  return static_cast<std::uint16_t>(v.scalar.value);
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
  if (!computes(r.element)) r.function = RF::kNoValues;
  for (std::size_t i = 0; i < o.registers.size() && i < r.sources.size(); ++i) {
    r.sources[i] = number_of(*o.registers[i]);
    if (!computes(RegisterCode::blank(o.registers[i]->type, diagnostics_).element))
      r.function = RF::kNoValues;
  }
  if (!o.masks.empty()) r.mask = number_of(*o.masks.front());
  return r;
}

void RegisterLowering::instruction(const Operation& op) {
  const RegisterRow& row = register_row(op.name);
  const bool alone = !code_.is_open();
  if (alone) code_.open(op.place);
  const Operands o = operands_of(op);
  RegisterOperation r = basis(op, row, o);
  if (row.function == RF::kNoValues) r.function = RF::kNoValues;
  if (row.shape == RegisterShape::kMemory) memory(op, o, r);
  if (row.shape == RegisterShape::kPlain) plain(op, o, r);
  if (row.shape == RegisterShape::kCompare) compare(op, o, r);
  if (row.shape == RegisterShape::kReduce) reduce(op, o, r);
  if (row.shape == RegisterShape::kMask) mask(op, o, r);
  if (row.shape == RegisterShape::kPair && o.registers.empty() && o.masks.size() == 2) {
    r.sources = {number_of(*o.masks[0]), number_of(*o.masks[1]), kNoRegister};
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
      if (type.location != "!pto.align" && n < 2) r.results[n++] = number_of(v);
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
    next.place.address.add(o.index, width);
    if (!o.scalars.empty()) next.place.address.add(o.scalars.back().scalar, width);
    scope_.define(result.name, result.place, std::move(next));
  }
}

// --- lanes ---

void RegisterLowering::plain(const Operation& op, const Operands& o, RegisterOperation& r) const {
  if (r.function == RF::kNoValues) return;
  if (r.function == RF::kSplat || r.function == RF::kSequence) return splat(op, o, r);
  if (r.function == RF::kConvert) return convert(op, o, r);
  if (r.function == RF::kMaskMap || (r.function == RF::kMove && o.registers.empty())) {
    const bool is_move = r.function == RF::kMove;
    for (std::size_t i = 0; i < o.masks.size() && i < 2; ++i) r.sources[i] = number_of(*o.masks[i]);
    const bool unary = r.arithmetic == Arithmetic::kNot || is_move;
    if (unary) r.sources[1] = kNoRegister;
    r.mask =
        !is_move && o.masks.size() > (unary ? 1U : 2U) ? number_of(*o.masks.back()) : kNoRegister;
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
}

void RegisterLowering::splat(const Operation& op, const Operands& o, RegisterOperation& r) const {
  r.descends = has_part(option(op, "order") + (o.words.empty() ? "" : o.words[0]), "DESC");
  if (!o.scalars.empty()) return set_scalar(o.scalars[0], r);
  if (!o.registers.empty()) {
    r.merges = true;
    r.groups = std::max<std::uint32_t>(groups_of(op), 1);
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
  constexpr Word<Rounding> kRoundings[] = {
      {"R", Rounding::kNearestEven}, {"A", Rounding::kNearestAway}, {"F", Rounding::kFloor},
      {"C", Rounding::kCeil},        {"Z", Rounding::kTruncate},    {"O", Rounding::kOdd}};
  std::string rounding = option(op, "rnd"), part = option(op, "part"),
              saturation = option(op, "sat");
  for (const std::string& word : o.words) {
    if (word.size() == 1) rounding = word;
    if (is_one_of({"EVEN", "ODD", "P0", "P1", "P2", "P3"}, word)) part = word;
    if (is_one_of({"SAT", "NOSAT"}, word)) saturation = word;
  }
  if (const auto named = meaning_of(kRoundings, rounding)) r.rounding = *named;
  if (has_part(op.name, "fpto")) r.rounding = Rounding::kTruncate;
  r.saturates = saturation != "NOSAT";
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
    if (o.scalars.empty() || op.name.rfind("pto.pltm", 0) == 0) {
      r.function = RF::kNoValues;
      r.has_scalar = false;
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

// --- UB ---

void RegisterLowering::memory(const Operation& op, const Operands& o, RegisterOperation& r) {
  if (o.pointer == nullptr) fail(op, "expected a pointer to UB");
  const TileOperand& place = o.pointer->place;
  if (place.location != Location::kUb || place.holder != Holder::kSelf)
    fail(op, place.name, " points to ", to_string(place.location),
         ", expected a pointer to UB, which is all that registers reach");
  const bool stores = r.unit == RegisterUnit::kStore || r.function == RF::kScatter;
  const bool gathers = r.function == RF::kGather || r.function == RF::kScatter;
  // With a pointer as result the access is at the pointer, and the index is what it moves by.
  const bool moves = std::any_of(op.result_types.begin(), op.result_types.end(),
                                 [](const Type& t) { return t.kind == Type::Kind::kPointer; });
  r.address = place.address;
  const std::int64_t width = std::max(1U, cluster::bits_of(place.element) / 8);
  if (!moves) r.address.add(o.index, width);
  if (!gathers && computes(place.element) && r.function != RF::kNoValues &&
      cluster::bits_of(place.element) != cluster::bits_of(r.element)) {
    if (!stores) r.function = RF::kNoValues;
    r.element = place.element;
  }
  if (gathers) {  // the index is the last register
    if (o.registers.empty() || (stores && o.registers.size() < 2)) fail(op, "expected indices");
    const std::uint16_t index = number_of(*o.registers.back());
    r.sources = {stores ? number_of(*o.registers[0]) : kNoRegister, index, kNoRegister};
  }
  std::string dist = option(op, "dist");
  for (const std::string& word : o.words)
    if (!is_one_of({"POST_UPDATE", "NO_POST_UPDATE"}, word)) dist = word;
  const bool blocks = has_part(op.name, "sldb") || has_part(op.name, "sstb");
  if (blocks && !o.scalars.empty()) r.block_stride = o.scalars[0].scalar;
  const bool strided = !blocks && groups_of(op) > 1 && !o.scalars.empty() &&
                       (o.scalars[0].scalar.is_register || o.scalars[0].scalar.value != 1);
  if (dist.rfind("BRC", 0) == 0 || dist.rfind("1PT", 0) == 0 || dist.rfind("ONEPT", 0) == 0)
    r.every = 0;
  else if (dist.rfind("US", 0) == 0)
    r.every = 2;
  else if (dist.rfind("DS", 0) == 0)
    r.every = -2;
  else if (strided || (!dist.empty() && dist.rfind("NORM", 0) != 0))
    r.function = RF::kNoValues;
  r.operand = code_.operand_of(place.name, stores ? Access::kWrite : Access::kRead);
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
    const bool has_values = known && computes(part.element) && r.function != RF::kNoValues;
    part.function = has_values ? RF::kPart : RF::kNoValues;
    part.unit = RegisterUnit::kNone;
    part.results[0] = number_of(v);
    part.sources[0] = number_of(*source);
    part.every = static_cast<std::int32_t>(every);
    const std::size_t in_residue = std::max<std::size_t>(count / every, 1);
    part.first = static_cast<std::uint32_t>(i / in_residue + every * (i % in_residue) * part.lanes);
    code_.emit(std::move(part), op.place);
    scope_.define(op.results[i].name, op.results[i].place, std::move(v));
  }
}

}  // namespace tessera::pto
