#include "frontends/pto/words.h"

#include <charconv>
#include <cmath>

#include "tlm_ifaces/vocabulary/float16.h"

namespace tessera::pto {

using cluster::Pad;
using cluster::Rounding;

std::optional<std::int64_t> whole_number(std::string_view text, int base) {
  std::int64_t number = 0;
  const char* last = text.data() + text.size();
  const auto [end, error] = std::from_chars(text.data(), last, number, base);
  return error == std::errc() && end == last ? std::optional(number) : std::nullopt;
}

unsigned bits_of(const std::string& element) {
  if (element.rfind("si", 0) == 0) return bits_of(element.substr(1));
  if (element == "i4" || element.rfind("f4", 0) == 0) return 4;
  if (is_one_of({"i1", "i8", "ui8", "hif8"}, element) || element.rfind("f8", 0) == 0) return 8;
  if (is_one_of({"f16", "bf16", "i16", "ui16"}, element)) return 16;
  if (element == "hif8x2") return 16;
  return is_one_of({"i64", "ui64", "index", "f64"}, element) ? 64 : 32;
}

unsigned room_bits_of(const Type& tile) {
  const std::string& e = tile.element;
  const bool pairs = e.rfind("f4", 0) == 0 && e.size() > 2 && e.compare(e.size() - 2, 2, "x2") == 0;
  return pairs && tile.location == "vec" ? 8 : bits_of(e);
}

IntegerType integer_type_of(const std::string& element) {
  if (element == "i1") return {1, true};
  const std::size_t digits = element.find_first_not_of("suid");
  const bool is_integer = digits != std::string::npos && digits > 0 && element[digits - 1] == 'i';
  const std::optional<std::int64_t> bits =
      is_integer ? whole_number(element.substr(digits)) : std::nullopt;
  if (!bits || *bits < 1 || *bits > 64) return {};
  return {static_cast<std::uint8_t>(*bits), element[0] == 'u'};
}

bool fits(std::int64_t number, IntegerType type) {
  return number == type.of(number) || number == IntegerType{type.bits, true}.of(number) ||
         (type.bits == 1 && number == -1);
}

double float_of_type(double number, const std::string& element) {
  if (element == "f32") return static_cast<float>(number);
  if (element != "f16" && element != "bf16") return number;
  const float16::Layout layout = element == "f16" ? float16::kBinary16 : float16::kBfloat16;
  return float16::value_of(float16::bits_of(number, layout), layout);
}

IntegerType float_bits_of(const std::string& element) {
  if (element == "f32") return {32, false};
  if (element == "f16" || element == "bf16") return {16, element == "bf16"};
  return {};
}

bool fits_float(double number, const std::string& element) {
  return !std::isfinite(number) || std::isfinite(float_of_type(number, element));
}

DataType data_type_of(const Type& type, const Diagnostics& diagnostics) {
  constexpr Word<DataType> kTypes[] = {
      {"f16", DataType::kF16},    {"i16", DataType::kF16},      {"ui16", DataType::kF16},
      {"bf16", DataType::kBf16},  {"f32", DataType::kF32},      {"i32", DataType::kInt32},
      {"ui32", DataType::kInt32}, {"i8", DataType::kInt8},      {"ui8", DataType::kInt8},
      {"i4", DataType::kInt4},    {"f8E4M3FN", DataType::kFp8}, {"f8E5M2", DataType::kFp8}};
  std::string element = type.element;
  if (element.rfind("si", 0) == 0) element.erase(0, 1);  // si8 is i8
  if (const auto found = meaning_of(kTypes, element)) return *found;
  if (type.element.rfind("f8", 0) == 0 || type.element == "hif8") return DataType::kFp8;
  if (type.element.rfind("f4", 0) == 0) return DataType::kMxFp4;
  if (element == "i64" || element == "ui64") return DataType::kInt32;
  diagnostics.fail(type.place, "tiles of ", type.element, " have no cost");
}

Element element_of(const Type& type, const Diagnostics& diagnostics) {
  std::string e = type.element;
  if (e.rfind("si", 0) == 0) e.erase(0, 1);  // si8 is i8
  if (e == "i1") return Element::kU8;
  if (e == "index" || e == "ui64") return Element::kI64;
  constexpr Word<Element> kSmallFloats[] = {{"f8E4M3", Element::kE4m3},
                                            {"f8E5M2", Element::kE5m2},
                                            {"f8E8M0", Element::kE8m0},
                                            {"f4E2M1", Element::kE2m1},
                                            {"f4E1M2", Element::kE1m2}};
  for (const auto& [word, element] : kSmallFloats)
    if (e.rfind(word, 0) == 0) return element;
  if (e == "bf16x2") return Element::kU32;
  if (e == "hif8x2") return Element::kU16;
  for (unsigned i = 0; i < cluster::kElementCount; ++i)
    if (e == to_string(static_cast<Element>(i))) return static_cast<Element>(i);
  diagnostics.fail(type.place, "elements of ", e, " are not modelled");
}

Location space_of(const Type& pointer) {
  constexpr Word<Location> kSpaces[] = {{"ub", Location::kUb},
                                        {"vec", Location::kUb},
                                        {"l1", Location::kL1},
                                        {"mat", Location::kL1},
                                        {"l0a", Location::kL0a},
                                        {"left", Location::kL0a},
                                        {"l0b", Location::kL0b},
                                        {"right", Location::kL0b},
                                        {"l0c", Location::kL0c},
                                        {"acc", Location::kL0c},
                                        {"bias", Location::kBias},
                                        {"bt", Location::kBias},
                                        {"fb", Location::kFixBuffer},
                                        {"fbuf", Location::kFixBuffer},
                                        {"scaling", Location::kFixBuffer}};
  for (const Attribute& a : pointer.options)
    for (const auto& [word, location] : kSpaces)
      if (a.key == word || a.key.find("<" + std::string(word) + ">") != std::string::npos)
        return location;
  return Location::kGm;
}

Location location_of(const Type& tile, const Diagnostics& diagnostics) {
  constexpr Word<Location> kLocations[] = {{"vec", Location::kUb},
                                           {"mat", Location::kL1},
                                           {"left", Location::kL0a},
                                           {"right", Location::kL0b},
                                           {"acc", Location::kL0c},
                                           {"bias", Location::kBias},
                                           {"scaling", Location::kFixBuffer},
                                           {"left_scale", Location::kScaleA},
                                           {"right_scale", Location::kScaleB}};
  return require_word(kLocations, tile.location, tile.place,
                      "a tile in vec, mat, left, right, acc, bias or scaling", diagnostics);
}

std::optional<SpecialValue> role_of(const Parameter& parameter) {
  constexpr Word<SpecialValue> kRoles[] = {{"spmd_block_idx", SpecialValue::kCluster},
                                           {"spmd_block_num", SpecialValue::kBlockCount},
                                           {"spmd_subblock_idx", SpecialValue::kSubblockIndex},
                                           {"spmd_subblock_num", SpecialValue::kSubblockCount}};
  const auto ends_in = [](const std::string& name, std::string_view end) {
    return name.size() >= end.size() &&
           name.compare(name.size() - end.size(), end.size(), end) == 0;
  };
  if (parameter.type.kind != Type::Kind::kScalar || is_float_argument(parameter))
    return std::nullopt;
  for (const auto& [end, meaning] : kRoles) {
    if (ends_in(parameter.name, end)) return meaning;
    for (const Attribute& a : parameter.attributes)
      if (ends_in(a.key, end)) return meaning;
  }
  return std::nullopt;
}

// --- attributes ---

namespace {

/// The last word without a prefix: "RINT" of #pto<round_mode RINT>, #pto<round_mode CAST_RINT>,
/// #pto.round_mode<CAST_RINT>.
std::string last_word_of(const Attribute& a) {
  std::string text = a.value;
  while (!text.empty() && (text.back() == '>' || text.back() == ' ')) text.pop_back();
  const std::size_t begin = text.find_last_of("< _");
  return begin == std::string::npos ? text : text.substr(begin + 1);
}

Rounding rounding_named(const Attribute& a, const Diagnostics& diagnostics) {
  constexpr Word<Rounding> kRoundings[] = {{"NONE", Rounding::kDefault},
                                           {"RINT", Rounding::kNearestEven},
                                           {"ROUND", Rounding::kNearestAway},
                                           {"FLOOR", Rounding::kFloor},
                                           {"CEIL", Rounding::kCeil},
                                           {"TRUNC", Rounding::kTruncate},
                                           {"ODD", Rounding::kOdd}};
  if (const auto rounding = meaning_of(kRoundings, last_word_of(a))) return *rounding;
  fail_expected(diagnostics, a.place,
                "a rounding mode NONE, RINT, ROUND, FLOOR, CEIL, TRUNC or ODD", a.value);
}

/// Whether an attribute has the word `on` or no value; otherwise it must have the word `off`.
bool is_on(const Attribute& a, const char* on, const char* off, const Diagnostics& diagnostics) {
  const std::string word = last_word_of(a);
  if (word == on || a.value.empty()) return true;
  if (word == off) return false;
  diagnostics.fail(a.place, a.key, ": expected ", on, " or ", off, ", found ",
                   text::in_quotes(a.value));
}

/// The predicate of #pto<cmp less_than>, #pto.cmp<LT> or #pto<cmp lt>.
Predicate predicate_of(const Attribute& a, const Diagnostics& diagnostics) {
  struct Spelling {
    const char *name, *code, *small_code;
    Predicate predicate;
  };
  // A name that another name ends with comes last.
  constexpr Spelling kSpellings[] = {{"not_equal", "NE", "ne", Predicate::kNotEqual},
                                     {"less_equal", "LE", "le", Predicate::kLessEqual},
                                     {"greater_equal", "GE", "ge", Predicate::kGreaterEqual},
                                     {"less_than", "LT", "lt", Predicate::kLess},
                                     {"greater_than", "GT", "gt", Predicate::kGreater},
                                     {"equal", "EQ", "eq", Predicate::kEqual}};
  const auto has = [&a](const std::string& text) {
    return a.value.find(text) != std::string::npos;
  };
  for (const Spelling& s : kSpellings) {
    const std::string code = s.code, small_code = s.small_code;
    if (has(s.name) || has(code + ">") || has(" " + code) || has(" " + small_code + ">") ||
        has("<" + small_code + ">"))
      return s.predicate;
  }
  fail_expected(diagnostics, a.place, "a comparison such as #pto<cmp less_than>", a.value);
}

/// The pattern of #pto.mask_pattern<P0101>, which selects the first of every two elements: the last
/// digit stands for the first element.
cluster::GatherPattern pattern_named(const Attribute& a, const Diagnostics& diagnostics) {
  const std::string word = last_word_of(a);
  const std::string bits = word.empty() ? "" : word.substr(1);
  if (word == "P1111") return {1, 0};
  if (word == "P0101" || word == "P1010") return {2, word == "P1010"};
  const std::size_t one = bits.find('1');
  const bool single = bits.size() == 4 && one != std::string::npos &&
                      bits.find_first_not_of('0') == one &&
                      bits.find('1', one + 1) == std::string::npos;
  if (word[0] == 'P' && single) return {4, static_cast<std::uint8_t>(3 - one)};
  fail_expected(diagnostics, a.place, "a pattern P0101, P1010, P0001, P0010, P0100, P1000 or P1111",
                a.value);
}

}  // namespace

std::int64_t number_of(const Operation& op, const char* key, std::int64_t otherwise,
                       const Diagnostics& diagnostics) {
  const Attribute* a = find(op.attributes, key);
  if (a == nullptr) return otherwise;
  const auto number = whole_number(std::string_view(a->value).substr(0, a->value.find(':')));
  if (!number) fail_expected(diagnostics, a->place, joined("a whole number for ", key), a->value);
  return *number;
}

std::string text_of(const Operation& op, const char* key) {
  const Attribute* a = find(op.attributes, key);
  if (a == nullptr) return "";
  std::string text = a->value;
  text.erase(std::remove_if(text.begin(), text.end(), [](char c) { return c == '"' || c == '@'; }),
             text.end());
  return text;
}

std::string word_of(const Attribute& attribute) {
  std::string text = attribute.value;
  const std::size_t end = text.find_last_not_of(">\"");
  text.resize(end == std::string::npos ? 0 : end + 1);
  const std::size_t start = text.find_last_of("< \"");
  return start == std::string::npos ? text : text.substr(start + 1);
}

Pad pad_of(const Type& type, const Diagnostics& diagnostics) {
  const Attribute* pad = find(type.options, "pad");
  std::string word = pad == nullptr ? "0" : pad->value;
  for (const Attribute& a : type.options)
    if (a.key.rfind("pad=", 0) == 0) word = a.key.substr(4);
  constexpr Word<Pad> kPads[] = {{"0", Pad::kNone},
                                 {"1", Pad::kZero},
                                 {"2", Pad::kLargest},
                                 {"3", Pad::kLeast},
                                 {"4", Pad::kOther}};
  return require_word(kPads, word.substr(0, word.find(':')), type.place, "pad 0 to 4", diagnostics);
}

bool is_addition(const Attribute& atomic, Place place, const Diagnostics& diagnostics) {
  const std::string word = word_of(atomic);
  if (word == "atomic_max" || word == "atomic_min")
    diagnostics.fail(place, "stores to GM with ", word,
                     " are not modelled; expected none or atomic_add");
  constexpr Word<bool> kWords[] = {
      {"none", false}, {"atomic_none", false}, {"add", true}, {"atomic_add", true}};
  return require_word(kWords, word, place, "none or atomic_add", diagnostics);
}

void set_options(const Operation& op, TileOperation& operation, const Diagnostics& diagnostics) {
  if (const Attribute* a = find(op.attributes, "rmode"))
    operation.rounding = rounding_named(*a, diagnostics);
  if (const Attribute* a = find(op.attributes, "satmode"))
    operation.saturates = is_on(*a, "ON", "OFF", diagnostics);
  if (const Attribute* a = find(op.attributes, "cmpMode"))
    operation.predicate = static_cast<std::uint8_t>(predicate_of(*a, diagnostics));
  if (const Attribute* a = find(op.attributes, "reluPreMode"))
    operation.relu = a->value.find("no_relu") == std::string::npos;
  if (const Attribute* a = find(op.attributes, "atomicType"))
    operation.adds = is_addition(*a, op.place, diagnostics);
  if (const Attribute* a = find(op.attributes, "upperOrLower"))
    operation.descends = a->value.rfind('1', 0) == 0;
  if (const Attribute* a = find(op.attributes, "descending"))
    operation.descends = is_on(*a, "true", "false", diagnostics);
  if (const Attribute* a = find(op.attributes, "reversed"))
    operation.scalar_first = is_on(*a, "true", "false", diagnostics);
  if (const Attribute* a = find(op.attributes, "exhausted"))
    operation.exhausts = is_on(*a, "true", "false", diagnostics);
  if (const Attribute* a = find(op.attributes, "maskPattern"))
    operation.mask = pattern_named(*a, diagnostics);
  if (const Attribute* a = find(op.attributes, "axis"))
    operation.mask.by_rows = is_on(*a, "\"col\"", "\"row\"", diagnostics);
}

}  // namespace tessera::pto
