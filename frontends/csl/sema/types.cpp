#include "frontends/csl/sema/types.h"

#include <algorithm>
#include <charconv>
#include <functional>
#include <numeric>

#include "frontends/csl/sema/hash.h"

namespace tessera::csl {
namespace {

constexpr std::string_view kHandles[] = {"color",       "local_task_id",   "data_task_id",
                                         "ut_id",       "control_task_id", "input_queue",
                                         "output_queue"};
constexpr std::string_view kDsds[] = {"mem1d_dsd", "mem4d_dsd", "circbuf_dsd", "fabin_dsd",
                                      "fabout_dsd"};
constexpr std::string_view kDsrs[] = {"dsr_dest",      "dsr_src0", "dsr_src1", "dsr_fifo_dest",
                                      "dsr_fifo_src1", "xdsr",     "sr"};

std::string address(const Type* type) {
  return std::to_string(reinterpret_cast<std::uintptr_t>(type));
}

std::string list_of_names(const std::vector<const Type*>& types) {
  std::string text;
  for (const Type* type : types) text += (text.empty() ? "" : ", ") + type->name;
  return text;
}

}  // namespace

std::int64_t Type::count() const {
  std::int64_t product = 1;
  for (const std::int64_t extent : extents) product *= extent;
  return product;
}

int Type::find_field(std::string_view field) const {
  for (std::size_t i = 0; i < fields.size(); ++i) {
    if (fields[i].name == field) return static_cast<int>(i);
  }
  return -1;
}

bool is_byte(const Type& type) {
  constexpr unsigned kBits = 8;
  return type.is(TypeKind::kInteger) && type.bits <= kBits;
}

std::int64_t alignment_of(const Type& type) {
  if (type.is(TypeKind::kArray)) return alignment_of(*type.element);
  if (!type.is(TypeKind::kStruct)) return is_byte(type) ? 1 : 2;
  if (type.is_packed()) return 2;
  std::int64_t most = 1;
  for (const Field& field : type.fields) most = std::max(most, alignment_of(*field.type));
  return most;
}

namespace {

std::int64_t aligned(std::int64_t bytes, std::int64_t alignment) {
  return (bytes + alignment - 1) / alignment * alignment;
}

}  // namespace

bool is_exportable(const Type& type, const Type& half) {
  constexpr unsigned kShort = 16, kLong = 32;
  switch (type.kind) {
  case TypeKind::kInteger:
    return type.bits == kShort || type.bits == kLong;
  case TypeKind::kFloat:
    return type.bits == kLong || &type == &half;
  case TypeKind::kBool:
  case TypeKind::kDsd:
  case TypeKind::kHandle:
  case TypeKind::kFunction:
    return true;
  case TypeKind::kArray:
  case TypeKind::kPointer:
    return type.element->is(TypeKind::kAnyopaque) || is_exportable(*type.element, half);
  case TypeKind::kEnum:
    return is_exportable(*type.element, half);
  case TypeKind::kStruct:
    return type.layout != StructLayout::kAutomatic;
  default:
    return false;
  }
}

std::optional<std::int64_t> packed_bits(const Type& type) {
  constexpr std::int64_t kAddressBits = 16;
  switch (type.kind) {
  case TypeKind::kInteger:
  case TypeKind::kFloat:
    return type.bits;
  case TypeKind::kBool:
    return 1;
  case TypeKind::kEnum:
    return type.element->bits;
  case TypeKind::kPointer:
    return kAddressBits;
  case TypeKind::kStruct:
    if (!type.is_packed()) return std::nullopt;
    if (type.is_union) return type.fields.empty() ? 0 : packed_bits(*type.fields[0].type);
    return bit_offset_of_field(type, type.fields.size());
  default:
    return std::nullopt;
  }
}

std::int64_t bit_offset_of_field(const Type& type, std::size_t i) {
  std::int64_t bits = 0;
  for (std::size_t k = 0; k < i && !type.is_union; ++k)
    bits += packed_bits(*type.fields[k].type).value_or(0);
  return bits;
}

std::int64_t offset_of_field(const Type& type, std::size_t i) {
  constexpr std::int64_t kWordBits = 16;
  if (type.is_packed()) return bit_offset_of_field(type, i) / kWordBits * 2;
  if (type.is_union) return 0;
  std::int64_t bytes = 0;
  for (std::size_t k = 0; k < i; ++k)
    bytes = aligned(bytes, alignment_of(*type.fields[k].type)) + size_of(*type.fields[k].type);
  return aligned(bytes, alignment_of(*type.fields[i].type));
}

std::int64_t size_of(const Type& type) {
  switch (type.kind) {
  case TypeKind::kInteger:
    if (is_byte(type)) return 1;
    [[fallthrough]];
  case TypeKind::kFloat:
    // Memory has words of 16 bits; above 32 bits there are two words of 32.
    return type.bits > 32 ? (type.bits + 63) / 64 * 8 : (type.bits + 15) / 16 * 2;
  case TypeKind::kBool:
  case TypeKind::kHandle:
  case TypeKind::kPointer:
  case TypeKind::kDirection:
    return 2;
  case TypeKind::kFunction:
    return type.is_generic || type.is_task ? 0 : 2;
  case TypeKind::kDsd:
    return 8;
  case TypeKind::kEnum:
    return std::max<std::int64_t>(size_of(*type.element), 2);
  case TypeKind::kRange:  // start, stop and step
    return size_of(*type.element) == 0 ? 0 : 3 * std::max<std::int64_t>(size_of(*type.element), 2);
  case TypeKind::kArray:
    return type.count() * size_of(*type.element);
  case TypeKind::kStruct: {
    if (type.fields.empty()) return 0;
    if (type.is_packed()) {  // an integer of as many bits
      constexpr std::int64_t kWordBits = 16;
      return std::max<std::int64_t>((packed_bits(type).value_or(0) + kWordBits - 1) / kWordBits * 2,
                                    2);
    }
    if (type.is_union) {
      std::int64_t most = 0;
      for (const Field& field : type.fields) most = std::max(most, size_of(*field.type));
      return aligned(most, alignment_of(type));
    }
    const std::size_t last = type.fields.size() - 1;
    return aligned(offset_of_field(type, last) + size_of(*type.fields[last].type),
                   alignment_of(type));
  }
  default:
    return 0;
  }
}

namespace {

/// The first part that is no array or struct and of which `is_wanted` is so.
template <class Is>
const Type* find_part(const Type& type, Is is_wanted) {
  if (type.is(TypeKind::kArray)) return find_part(*type.element, is_wanted);
  if (!type.is(TypeKind::kStruct)) return is_wanted(type) ? &type : nullptr;
  for (const Field& field : type.fields) {
    if (const Type* const part = find_part(*field.type, is_wanted)) return part;
  }
  return nullptr;
}

}  // namespace

const Type* part_without_memory(const Type& type) {
  return find_part(type, [](const Type& part) { return size_of(part) == 0; });
}

const Type* part_for_compiler(const Type& type) {
  return find_part(type, [](const Type& part) {
    switch (part.kind) {
    case TypeKind::kComptimeInt:
    case TypeKind::kComptimeFloat:
    case TypeKind::kString:
    case TypeKind::kType:
    case TypeKind::kModule:
    case TypeKind::kAnyStruct:
      return true;
    case TypeKind::kRange:  // of numbers of the running program it has one
      return part.element->is(TypeKind::kComptimeInt);
    default:
      return false;
    }
  });
}

Types::Types()
    : void_type(basic(TypeKind::kVoid, "void")), bool_type(basic(TypeKind::kBool, "bool")),
      comptime_int(basic(TypeKind::kComptimeInt, "comptime_int")),
      comptime_float(basic(TypeKind::kComptimeFloat, "comptime_float")),
      string(basic(TypeKind::kString, "comptime_string")),
      type_type(basic(TypeKind::kType, "type")),
      module(basic(TypeKind::kModule, "imported_module")),
      undefined(basic(TypeKind::kUndefined, "(undefined)")),
      noreturn(basic(TypeKind::kNoReturn, "(none)")),
      any_struct(basic(TypeKind::kAnyStruct, "comptime_struct")),
      anytype(basic(TypeKind::kAnytype, "anytype")),
      direction(basic(TypeKind::kDirection, "direction")) {
  basic(TypeKind::kAnyopaque, "anyopaque");
  for (const char* name : {"f16", "bf16", "cb16"}) basic(TypeKind::kFloat, name, 16, true);
  basic(TypeKind::kFloat, "f32", 32, true);
  for (const std::string_view name : kHandles) basic(TypeKind::kHandle, std::string(name));
  for (const std::string_view name : kDsds) basic(TypeKind::kDsd, std::string(name));
  for (const std::string_view name : kDsrs) basic(TypeKind::kDsr, std::string(name));
  basic(TypeKind::kFifo, "fifo");
}

const Type* Types::add(Type type) {
  all_.push_back(std::make_unique<const Type>(std::move(type)));
  return all_.back().get();
}

const Type* Types::intern(const std::string& key, Type type) {
  const auto found = by_key_.find(key);
  if (found != by_key_.end()) return found->second;
  return by_key_.emplace(key, add(std::move(type))).first->second;
}

const Type* Types::basic(TypeKind kind, std::string name, unsigned bits, bool is_signed) {
  Type made;
  made.kind = kind;
  made.name = name;
  made.bits = bits;
  made.is_signed = is_signed;
  const Type* const type = add(std::move(made));
  words_.emplace(type->name, type);
  return type;
}

namespace {

std::size_t hash_of_parts(const Type& type) {
  std::size_t hash = static_cast<std::size_t>(type.kind) * 8 + 4U * type.to_many +
                     2U * type.is_const + type.is_tuple;
  mix(hash, type.element);
  for (const std::int64_t extent : type.extents) mix(hash, static_cast<std::size_t>(extent));
  for (const Field& field : type.fields) {
    mix(hash, std::hash<std::string_view>()(field.name));
    mix(hash, field.type);
  }
  return hash;
}

bool has_parts(const Type& type, const Type& parts) {
  return type.kind == parts.kind && type.element == parts.element &&
         type.to_many == parts.to_many && type.is_const == parts.is_const &&
         type.is_tuple == parts.is_tuple && type.extents == parts.extents &&
         std::equal(
             type.fields.begin(), type.fields.end(), parts.fields.begin(), parts.fields.end(),
             [](const Field& a, const Field& b) { return a.type == b.type && a.name == b.name; });
}

}  // namespace

template <class NameOf>
const Type* Types::of_parts(Type parts, const NameOf& name_of) {
  const std::size_t hash = hash_of_parts(parts);
  const auto [first, last] = by_parts_.equal_range(hash);
  for (auto known = first; known != last; ++known) {
    if (has_parts(*known->second, parts)) return known->second;
  }
  parts.name = name_of(parts);
  return by_parts_.emplace(hash, add(std::move(parts)))->second;
}

const Type* Types::find(std::string_view name) {
  const auto found = words_.find(name);
  if (found != words_.end()) return found->second;
  if (name.size() < 2 || (name[0] != 'i' && name[0] != 'u') || name[1] == '0') return nullptr;
  unsigned bits = 0;
  const auto [end, error] = std::from_chars(name.data() + 1, name.data() + name.size(), bits);
  if (error != std::errc() || end != name.data() + name.size() || bits > 65535) return nullptr;
  return basic(TypeKind::kInteger, std::string(name), bits, name[0] == 'i');
}

const Type* Types::word(std::string_view name) {
  return find(name);
}

std::uint64_t parts_of(const std::vector<Field>& fields) {
  return std::accumulate(fields.begin(), fields.end(), std::uint64_t{1},
                         [](std::uint64_t sum, const Field& f) { return sum + f.type->parts; });
}

const Type* Types::array(const Type* element, std::vector<std::int64_t> extents) {
  Type made;
  made.kind = TypeKind::kArray;
  made.parts = element->parts;
  made.element = element;
  made.extents = std::move(extents);
  return of_parts(std::move(made), [](const Type& type) {
    std::string list;
    for (const std::int64_t extent : type.extents)
      list += (list.empty() ? "" : ", ") + std::to_string(extent);
    return "[" + list + "]" + type.element->name;
  });
}

const Type* Types::pointer(const Type* element, bool to_many, bool is_const) {
  Type made;
  made.kind = TypeKind::kPointer;
  made.element = element;
  made.to_many = to_many;
  made.is_const = is_const;
  return of_parts(std::move(made), [](const Type& type) {
    return std::string(type.to_many ? "[*]" : "*") + (type.is_const ? "const " : "") +
           type.element->name;
  });
}

const Type* Types::function(std::vector<const Type*> parameters, const Type* result, bool is_task) {
  Type made;
  made.kind = TypeKind::kFunction;
  made.name = (is_task ? "task(" : "fn(") + list_of_names(parameters) + ")" + result->name;
  made.element = result;
  made.is_task = is_task;
  std::string key = is_task ? "task " : "fn ";
  key += address(result);
  for (const Type* parameter : parameters) key += " " + address(parameter);
  made.parameters = std::move(parameters);
  return intern(key, std::move(made));
}

const Type* Types::generic_function() {
  Type made;
  made.kind = TypeKind::kFunction;
  made.name = "fn(..)";
  made.is_generic = true;
  made.element = anytype;
  return intern("generic function", std::move(made));
}

const Type* Types::range(const Type* element) {
  Type made;
  made.kind = TypeKind::kRange;
  made.element = element;
  return of_parts(std::move(made),
                  [](const Type& type) { return "range of " + type.element->name; });
}

const Type* Types::structure(std::vector<Field> fields, bool is_tuple) {
  Type made;
  made.kind = TypeKind::kStruct;
  made.parts = parts_of(fields);
  made.fields = std::move(fields);
  made.is_tuple = is_tuple;
  return of_parts(std::move(made), [](const Type& type) {
    std::string list;
    for (const Field& field : type.fields)
      list +=
          (list.empty() ? " " : ", ") + (type.is_tuple ? "" : field.name + ": ") + field.type->name;
    return "struct {" + list + (list.empty() ? "}" : " }");
  });
}

const Type* Types::tuple(const std::vector<const Type*>& elements) {
  std::vector<Field> fields;
  fields.reserve(elements.size());
  for (const Type* element : elements) fields.push_back({std::to_string(fields.size()), element});
  return structure(std::move(fields), true);
}

const Type* Types::named_structure(const std::string& place, std::string name,
                                   std::vector<Field> fields, bool is_union, StructLayout layout) {
  std::string key = "declared " + place;
  for (const Field& field : fields) key += " " + field.name + ":" + address(field.type);
  Type made;
  made.kind = TypeKind::kStruct;
  made.parts = parts_of(fields);
  made.name = std::move(name);
  made.fields = std::move(fields);
  made.is_named = true;
  made.is_union = is_union;
  made.layout = layout;
  return intern(key, std::move(made));
}

const Type* Types::enumeration(const std::string& place, std::string name, const Type* tag,
                               std::vector<EnumMemberValue> members) {
  std::string key = "declared " + place + " " + tag->name;
  for (const EnumMemberValue& member : members)
    key += " " + member.name + "=" + std::to_string(member.value);
  Type made;
  made.kind = TypeKind::kEnum;
  made.name = std::move(name);
  made.element = tag;
  made.members = std::move(members);
  return intern(key, std::move(made));
}

}  // namespace tessera::csl
