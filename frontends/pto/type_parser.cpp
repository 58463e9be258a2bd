#include "frontends/pto/type_parser.h"

#include <algorithm>
#include <charconv>
#include <iterator>
#include <utility>

#include "frontends/pto/words.h"
#include "tlm_ifaces/vocabulary/nearest.h"

namespace tessera::pto {

namespace {

using Kind = Token::Kind;
constexpr std::int64_t kUnset = -2;  // a valid size that the type does not have

bool is_scalar(const std::string& name) {
  return is_one_of({"index",  "i1",       "i4",     "i8",        "i16",      "i32",      "i64",
                    "ui8",    "ui16",     "ui32",   "ui64",      "si8",      "si16",     "si32",
                    "si64",   "f8E4M3FN", "f8E5M2", "f8E8M0FNU", "f16",      "bf16",     "f32",
                    "f64",    "f8E4M3",   "f8E8M0", "hif8",      "f4E1M2x2", "f4E2M1x2", "f4E1M2",
                    "f4E2M1", "hif8x2",   "bf16x2"},
                   name);
}
/// Types of values that no operation computes with: their contents are kept as they are.
bool is_opaque(const std::string& name) {
  return is_one_of({"!pto.pipe", "!pto.eventid_array", "!pto.event", "!pto.async_session",
                    "!pto.async_event", "!pto.local_array", "!pto.struct",
                    "!pto.prefetch_async_context", "vector", "tensor", "tuple", "none"},
                   name);
}
Type type_at(Place place, Type::Kind kind, const std::string& element = "") {
  Type type;
  type.place = place;
  type.kind = kind;
  type.element = element;
  return type;
}
/// !pto.f8E4M3 is a scalar type without its prefix.
std::string without_prefix(const std::string& name) {
  constexpr std::string_view kPrefix = "!pto.";
  const std::string bare =
      name.compare(0, kPrefix.size(), kPrefix) == 0 ? name.substr(kPrefix.size()) : name;
  return is_scalar(bare) ? bare : name;
}
bool is_wordlike(const Token& token) {
  return token.kind != Kind::kPunctuation && token.kind != Kind::kString;
}

}  // namespace

void TypeParser::parse_alias() {
  const Token name = cursor_.take();
  cursor_.expect("=");
  if (!aliases_.emplace(name.text, parse_type()).second)
    cursor_.fail(name.place, "the type ", name.text, " is defined twice");
}

std::vector<Type> TypeParser::parse_types() {
  std::vector<Type> types;
  do {
    types.push_back(parse_type());
  } while (cursor_.accept(","));
  return types;
}

std::vector<Type> TypeParser::parse_type_list() {
  cursor_.expect("(");
  if (cursor_.accept(")")) return {};
  std::vector<Type> types = parse_types();
  cursor_.expect(")");
  return types;
}

std::vector<Type> TypeParser::parse_results() {
  if (!cursor_.accept("->")) return {};
  if (cursor_.next_is("(")) return parse_type_list();
  return {parse_type()};
}

bool TypeParser::begins_type(const std::string& word) {
  return is_scalar(word) || is_opaque(word) || word == "memref";
}

Type TypeParser::parse_type() {
  const Token token = cursor_.peek();
  if (token.kind == Kind::kType) return parse_named(cursor_.take());
  if (token.is("<")) {  // pto.addptr: <f32>; pto.subset: <loc=mat, ..>, <32x64xf32, ..>
    const Token& next = cursor_.peek(1);
    const bool tile = next.kind == Kind::kShape || cursor_.peek(2).is("=");
    return tile ? parse_tile(token.place) : parse_pointer(token.place);
  }
  if (token.kind != Kind::kWord) cursor_.fail_expected("a type");
  if (cursor_.accept_word("memref")) return parse_shaped(Type::Kind::kMemref, token.place);
  if (is_opaque(token.text)) return parse_opaque(cursor_.take());
  if (!is_scalar(token.text)) cursor_.fail_expected("a type");
  return type_at(cursor_.take().place, Type::Kind::kScalar, token.text);
}

Type TypeParser::parse_opaque(const Token& name) {
  Type type = type_at(name.place, Type::Kind::kOpaque, name.text);
  if (!cursor_.accept("<") || cursor_.accept(">")) return type;
  parse_option(type);
  parse_rest(type);
  return type;
}

// A mask of the physical level has a lane for each element of a register.
Type TypeParser::parse_register(const Token& name) {
  constexpr std::int64_t kMostLanes = 1 << 16, kRegisterBits = 2048;
  Type type = type_at(name.place, Type::Kind::kRegister, "i8");
  type.location = name.text;
  type.shape = {1};
  if (name.text == "!pto.align") return type;
  const bool is_mask = name.text.find("mask") != std::string::npos;
  cursor_.expect("<");
  const Token lanes = shape_token(cursor_.take());
  const std::size_t x = lanes.kind == Kind::kShape ? lanes.text.find('x') : std::string::npos;
  type.element = x == std::string::npos ? lanes.text : without_prefix(lanes.text.substr(x + 1));
  const bool granule = is_one_of({"b8", "b16", "b32", "pred"}, type.element);
  if (is_mask ? !granule : !is_scalar(type.element))
    cursor_.fail(lanes.place, "expected lanes such as ", is_mask ? "b32 or 64xb32" : "64xf32",
                 ", found ", text::in_quotes(lanes.text));
  if (x != std::string::npos)
    type.shape[0] = whole_number(lanes.text.substr(0, x)).value_or(0);
  else if (is_mask && type.element != "pred")
    type.shape[0] = kRegisterBits / 8 / (type.element == "b32" ? 4 : type.element == "b16" ? 2 : 1);
  if (type.shape[0] < 1 || type.shape[0] > kMostLanes)
    cursor_.fail(lanes.place, "expected 1..", kMostLanes, " lanes");
  const bool pair = type.element.rfind("f4", 0) == 0;  // an element of f4E2M1x2 is a byte here
  if (name.text == "!pto.vreg" &&
      type.shape[0] * (pair ? 8 : bits_of(type.element)) != kRegisterBits)
    cursor_.fail(lanes.place, "a vector register has 256 bytes, found ", lanes.text);
  parse_rest(type);
  return type;
}

Type TypeParser::parse_shaped(Type::Kind kind, const Place& place) {
  Type type = type_at(place, kind);
  cursor_.expect("<");
  if (cursor_.peek().kind != Kind::kInteger && cursor_.peek().kind != Kind::kShape)
    cursor_.fail_expected("a shape such as 16x?xf32");
  parse_shape(shape_token(cursor_.take()), type);
  parse_rest(type);
  if (kind == Type::Kind::kMemref) make_tile(type);
  return type;
}

// 16x32x!pto.f8E4M3 are two tokens.
Token TypeParser::shape_token(Token token) {
  while (!token.text.empty()) {  // 8 x 128 x f32
    const Token& next = cursor_.peek();
    const bool in_size =
        token.text.back() == 'x' && (next.kind == Kind::kInteger || next.kind == Kind::kWord);
    if (!next.is_word("x") && !in_size) break;
    token.text += cursor_.take().text;
    token.kind = Kind::kShape;
  }
  if (token.text.back() == 'x' && cursor_.peek().kind == Kind::kType)
    token.text += without_prefix(cursor_.take().text);
  return token;
}

// A memref in a buffer on chip is a tile. Its last dimension is the columns.
void TypeParser::make_tile(Type& type) {
  for (const Attribute& option : type.options) {
    const std::size_t begin = option.key.find("address_space<");
    if (begin == std::string::npos) continue;
    const std::string space =
        option.key.substr(begin + 14, option.key.find('>', begin) - begin - 14);
    if (space == "gm" || space == "zero") return;
    std::int64_t rows = 1;
    for (std::size_t d = 0; d + 1 < type.shape.size(); ++d) rows *= type.shape[d];
    if (type.shape.empty() || rows <= 0 || type.shape.back() <= 0) {
      type.kind = Type::Kind::kPointer;  // nobody knows how much lies behind it
      type.shape.clear();
      return;
    }
    type.shape = {rows, type.shape.back()};
    type.valid_rows = rows;
    type.valid_columns = type.shape[1];
    type.kind = Type::Kind::kTile;
    type.location = space;
    type.options = {{type.place, "memref", ""}};
    return;
  }
}

Type TypeParser::parse_named(const Token& name) {
  if (const auto alias = aliases_.find(name.text); alias != aliases_.end()) {
    Type type = alias->second;
    type.place = name.place;
    return type;
  }
  if (is_scalar(without_prefix(name.text)))
    return type_at(name.place, Type::Kind::kScalar, without_prefix(name.text));
  if (name.text == "!pto.tile_buf" || name.text == "!pto.multi_tile_buf")
    return parse_tile(name.place);
  if (name.text == "!pto.ptr") return parse_pointer(name.place);
  if (is_one_of({"!pto.vreg", "!pto.mask", "!pto.align", "!pto.vmi.vreg", "!pto.vmi.mask"},
                name.text))
    return parse_register(name);
  if (is_opaque(name.text)) return parse_opaque(name);
  if (name.text == "!pto.tensor_view") return parse_shaped(Type::Kind::kTensorView, name.place);
  if (name.text == "!pto.partition_tensor_view" || name.text == "!pto.tile_view")
    return parse_shaped(Type::Kind::kPartition, name.place);
  cursor_.fail(name.place, "unknown type ", text::in_quotes(name.text),
               ", expected !pto.ptr, !pto.tensor_view, !pto.partition_tensor_view or "
               "!pto.tile_buf");
}

Type TypeParser::parse_pointer(const Place& place) {
  if (pointers_ == kMostPointers)
    cursor_.fail(place, "more than ", kMostPointers, " pointers inside each other");
  Type type = type_at(place, Type::Kind::kPointer);
  cursor_.expect("<");
  ++pointers_;
  type.element = parse_type().element;
  --pointers_;
  parse_rest(type);
  return type;
}

// 16x?xf32. What follows the last x is the element type.
void TypeParser::parse_shape(const Token& token, Type& type) {
  const std::string& text = token.text;
  std::size_t at = 0;
  while (at < text.size() && (text[at] == '?' || (text[at] >= '0' && text[at] <= '9'))) {
    std::int64_t size = kDynamic;
    if (text[at] == '?') {
      ++at;
    } else {
      const auto [end, error] = std::from_chars(&text[at], text.data() + text.size(), size);
      if (error != std::errc()) cursor_.fail(token.place, "a size that is too large: " + text);
      at = static_cast<std::size_t>(end - text.data());
    }
    type.shape.push_back(size);
    if (at >= text.size() || text[at] != 'x')
      cursor_.fail(token.place, "expected a shape such as 16x?xf32, found ", text::in_quotes(text));
    ++at;
  }
  type.element = text.substr(at);
  if (!is_scalar(type.element))
    cursor_.fail(token.place, "unknown element type ", text::in_quotes(type.element), " of ", text);
}

// loc=vec, dtype=f32, rows=.. in any order, or the short form vec, 16x128xf32.
Type TypeParser::parse_tile(const Place& place) {
  Type type = type_at(place, Type::Kind::kTile);
  type.shape = {kDynamic, kDynamic};
  type.valid_rows = type.valid_columns = kUnset;
  cursor_.expect("<");
  do {
    parse_tile_entry(type);
  } while (cursor_.accept(","));
  cursor_.expect(">", "',' or '>'");
  if (type.location.empty()) cursor_.fail(type.place, "a tile type without loc");
  if (type.element.empty()) cursor_.fail(type.place, "a tile type without dtype");
  if (type.shape.size() != 2 || type.shape[0] <= 0 || type.shape[1] <= 0)
    cursor_.fail(type.place, "a tile type needs two sizes above 0, rows and columns");
  constexpr std::int64_t kMost = 1 << 24;  // no buffer has more elements; their bytes fit 64 bits
  if (type.shape[0] > kMost || type.shape[1] > kMost)
    cursor_.fail(type.place, "a tile of ", type.shape[0], " x ", type.shape[1],
                 " elements, expected at most ", kMost, " rows and columns");
  if (type.valid_rows == kUnset) type.valid_rows = type.shape[0];
  if (type.valid_columns == kUnset) type.valid_columns = type.shape[1];
  if (type.valid_rows > type.shape[0] || type.valid_columns > type.shape[1])
    cursor_.fail(type.place, "the valid part of a tile is larger than the tile");
  return type;
}

constexpr const char* kTileOptions[] = {"blayout", "slayout", "fractal", "pad", "compact", "count"};

void TypeParser::parse_tile_entry(Type& type) {
  const Token key = cursor_.take();
  if (key.kind == Kind::kShape) {
    type.shape.clear();
    parse_shape(shape_token(key), type);
    if (type.shape.size() != 2) type.shape.resize(3);  // parse_tile refuses it
    return;
  }
  if (key.kind == Kind::kAttribute) {  // #pto.address_space<vec>
    cursor_.expect("<");
    type.location = cursor_.expect_kind(Kind::kWord, "a location such as vec").text;
    return cursor_.expect(">");
  }
  if (key.is_word("strided") && cursor_.next_is("<")) {  // strides and offset of a part
    parse_raw();
    return;
  }
  if (key.kind == Kind::kType) {  // tiles of pto.alloc_multi_tile: <!pto.tile_buf<..>, count=2>
    const Place place = type.place;
    type = parse_named(key);
    type.place = place;
    return;
  }
  if (key.kind != Kind::kWord)
    cursor_.fail(key.place, "expected a parameter of the tile, found ", found(key));
  if (!cursor_.accept("=")) {
    type.location = key.text;
    return;
  }
  if (key.text == "valid") return parse_valid(type);
  const std::pair<std::string_view, std::int64_t*> sizes[] = {{"rows", &type.shape[0]},
                                                              {"cols", &type.shape[1]},
                                                              {"v_row", &type.valid_rows},
                                                              {"v_col", &type.valid_columns}};
  for (const auto& [name, size] : sizes) {
    if (key.text != name) continue;
    *size = parse_size(key.text);
    return;
  }
  const Token value = cursor_.take();
  if (!is_wordlike(value))
    cursor_.fail(value.place, "expected a value of ", key.text, ", found ", found(value));
  if (key.text == "loc") {
    type.location = value.text;
  } else if (key.text != "dtype") {
    if (std::count(std::begin(kTileOptions), std::end(kTileOptions), key.text) == 0)
      cursor_.fail(key.place, "a tile type has no parameter ", text::in_quotes(key.text),
                   did_you_mean(key.text, {std::begin(kTileOptions), std::end(kTileOptions)}));
    type.options.push_back({key.place, key.text, value.text});
  } else {
    type.element = without_prefix(value.text);
    if (!is_scalar(type.element))
      cursor_.fail(value.place, "unknown element type ", text::in_quotes(value.text));
  }
}

// valid=8x?: rows and columns in one word.
void TypeParser::parse_valid(Type& type) {
  const Token token = cursor_.expect_kind(Kind::kShape, "a size such as 8x16 or ?x?");
  Type sizes;
  parse_shape({token.kind, token.text + "xi8", token.place}, sizes);
  if (sizes.shape.size() != 2)
    cursor_.fail(token.place, "expected two sizes such as 8x16, found ",
                 text::in_quotes(token.text));
  type.valid_rows = sizes.shape[0];
  type.valid_columns = sizes.shape[1];
}

std::int64_t TypeParser::parse_size(const std::string& key) {
  if (cursor_.peek().kind == Kind::kShape && cursor_.peek().text == "?") {
    cursor_.take();
    return kDynamic;
  }
  const Place place = cursor_.place();
  const std::int64_t size = parse_integer();
  const std::int64_t least = key == "rows" || key == "cols" ? 1 : 0;
  if (size < least) cursor_.fail(place, key, " is ", size, ", expected ", least, " or more");
  return size;
}

std::int64_t TypeParser::parse_integer() {
  const bool negative = cursor_.accept("-");
  const Token token = cursor_.peek();
  const bool hexadecimal = token.kind == Kind::kShape && token.text.rfind("0x", 0) == 0;
  if (token.kind != Kind::kInteger && !hexadecimal) cursor_.fail_expected("a whole number");
  cursor_.take();
  const std::string digits = (negative ? "-" : "") + token.text.substr(hexadecimal ? 2 : 0);
  const auto number = whole_number(digits, hexadecimal ? 16 : 10);
  if (!number) cursor_.fail(token.place, token.text, " is no number of 64 bits");
  return *number;
}

void TypeParser::parse_option(Type& type) {
  const Place place = cursor_.place();
  type.options.push_back({place, parse_raw(), ""});
}

// What a type has beyond what is known, up to its closing bracket.
void TypeParser::parse_rest(Type& type) {
  while (cursor_.accept(",")) parse_option(type);
  cursor_.expect(">");
}

std::string TypeParser::parse_raw() {
  std::string text;
  unsigned depth = 0;
  bool after_word = false;
  while (true) {
    const Token& token = cursor_.peek();
    if (token.kind == Kind::kEnd) cursor_.fail_expected("a closing bracket");
    if (depth == 0 && (token.closes() || token.is(","))) return text;
    if (token.opens()) ++depth;
    if (token.closes()) --depth;
    if (after_word && is_wordlike(token)) text += ' ';
    after_word = is_wordlike(token);
    text += spelling(cursor_.take());
  }
}

void TypeParser::parse_attributes(std::vector<Attribute>& attributes) {
  cursor_.expect("{");
  if (cursor_.accept("}")) return;
  do {
    const Token key = cursor_.take();
    if (key.kind != Kind::kWord && key.kind != Kind::kString)
      cursor_.fail(key.place, "expected the name of an attribute, found ", found(key));
    Attribute attribute{key.place, key.text, ""};
    if (cursor_.accept("=")) attribute.value = parse_raw();
    attributes.push_back(std::move(attribute));
  } while (cursor_.accept(","));
  cursor_.expect("}");
}

}  // namespace tessera::pto
