// The types of CSL (csl.md 2). Each type exists once: two types are the same if their addresses are.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace tessera::csl {

enum class TypeKind : std::uint8_t {
  kVoid,
  kBool,
  kInteger,
  kComptimeInt,
  kFloat,
  kComptimeFloat,
  kString,
  kType,
  kModule,
  kUndefined,  ///< type of `undefined`, which converts to every type
  kNoReturn,   ///< type of an expression that leaves its block instead of having a value
  kAnyStruct,  ///< comptime_struct: as the type of a variable it takes every struct
  kAnytype,
  kAnyopaque,
  kDirection,
  kHandle,  ///< colors, ids of tasks, queues, microthreads
  kDsd,
  kDsr,
  kFifo,
  kRange,
  kArray,
  kPointer,
  kFunction,
  kStruct,
  kEnum
};

struct Type;

/// Where the fields of a struct or union lie (csl.md 2).
enum class StructLayout : std::uint8_t {
  kAutomatic,
  kExtern,  ///< as in C
  kPacked   ///< bit after bit, the first field lowest
};

struct Field {
  std::string name;  ///< "0", "1" .. in a tuple
  const Type* type = nullptr;
};
struct EnumMemberValue {
  std::string name;
  std::int64_t value = 0;
};

/// What the members mean depends on the kind; those that have no meaning keep their defaults.
struct Type {
  TypeKind kind = TypeKind::kVoid;
  std::string name;   ///< as written in CSL
  unsigned bits = 0;  ///< integers and floats
  bool is_signed = false;
  bool is_const = false;  ///< pointers: what the pointer points to is const
  bool to_many = false;   ///< [*]T
  bool is_task = false;
  bool is_tuple = false;
  bool is_named = false;  ///< a struct or union with a declaration of its own
  bool is_union = false;  ///< a struct whose fields all lie at its start
  StructLayout layout = StructLayout::kAutomatic;
  bool is_generic = false;  ///< a function with comptime or anytype parameters
  /// The element type of an array, pointer or range, the tag type of an enum, or the result type of
  /// a function.
  const Type* element = nullptr;
  std::vector<std::int64_t> extents;
  std::vector<Field> fields;            ///< structs only
  std::vector<const Type*> parameters;  ///< functions only
  std::vector<EnumMemberValue> members;
  /// Parts of the type and of its parts. Types share parts, so a program can double them with each line.
  std::uint64_t parts = 1;

  bool is(TypeKind k) const { return kind == k; }
  bool is_any_integer() const { return is(TypeKind::kInteger) || is(TypeKind::kComptimeInt); }
  bool is_any_float() const { return is(TypeKind::kFloat) || is(TypeKind::kComptimeFloat); }
  bool is_number() const { return is_any_integer() || is_any_float(); }
  bool is_packed() const { return is(TypeKind::kStruct) && layout == StructLayout::kPacked; }
  bool is_aggregate() const { return is(TypeKind::kArray) || is(TypeKind::kStruct); }
  bool is_single_pointer() const { return is(TypeKind::kPointer) && !to_many; }
  bool is_handle(std::string_view handle) const { return is(TypeKind::kHandle) && name == handle; }
  /// Elements of an array, all dimensions together.
  std::int64_t count() const;
  /// Index of a field; -1 if there is none of that name.
  int find_field(std::string_view field) const;
};

/// Parts of a struct with these fields.
std::uint64_t parts_of(const std::vector<Field>& fields);
/// Bytes that a value takes in the memory of a tile; 0 for types without a run-time form.
std::int64_t size_of(const Type& type);
/// The first part of a type that the memory of a PE does not hold, such as a comptime_int; nullptr: it holds all of it.
const Type* part_without_memory(const Type& type);
/// Of these the first part that has values at compile time only; nullptr: the running program has values of the type.
const Type* part_for_compiler(const Type& type);
/// An integer of up to 8 bits, which takes one byte.
bool is_byte(const Type& type);
/// Bytes of which the address of a value is a multiple.
std::int64_t alignment_of(const Type& type);
/// Bytes from the start of a struct to its field `i`; of a packed one to the word in which it starts.
std::int64_t offset_of_field(const Type& type, std::size_t i);
/// Whether a value of the type may be where other object files see it (csl.md 2). `half`: the 16-bit float of the program.
bool is_exportable(const Type& type, const Type& half);
/// Bits that a field of the type takes in a packed struct; nothing: it cannot be one.
std::optional<std::int64_t> packed_bits(const Type& type);
/// Bits from the start of a packed struct to its field `i`.
std::int64_t bit_offset_of_field(const Type& type, std::size_t i);

/// Makes types. They live as long as this object.
class Types {
  std::vector<std::unique_ptr<const Type>> all_;  // before the members that are made with them
  std::map<std::string, const Type*, std::less<>> by_key_;
  std::unordered_map<std::string_view, const Type*> words_;
  /// Arrays, pointers, ranges and anonymous structs by their parts: a layout asks for them millions of times.
  std::unordered_multimap<std::size_t, const Type*> by_parts_;

 public:
  Types();
  Types(const Types&) = delete;
  Types& operator=(const Types&) = delete;

  /// A type that is a word: "i16", "color", "mem1d_dsd"; integers of any width. nullptr if it is none.
  const Type* find(std::string_view name);
  /// A word that is known to be a type.
  const Type* word(std::string_view name);
  const Type* array(const Type* element, std::vector<std::int64_t> extents);
  const Type* pointer(const Type* element, bool to_many, bool is_const);
  const Type* function(std::vector<const Type*> parameters, const Type* result, bool is_task);
  /// The type of functions that are made anew for the arguments of each call.
  const Type* generic_function();
  const Type* range(const Type* element);
  /// An anonymous struct: the same one for the same names and types in the same order.
  const Type* structure(std::vector<Field> fields, bool is_tuple);
  const Type* tuple(const std::vector<const Type*>& elements);
  /// The type of a declaration at `place` of a file: the same one whoever imports the file, as long as
  /// the members are equal.
  const Type* named_structure(const std::string& place, std::string name, std::vector<Field> fields,
                              bool is_union, StructLayout layout);
  const Type* enumeration(const std::string& place, std::string name, const Type* tag,
                          std::vector<EnumMemberValue> members);

  const Type* const void_type;
  const Type* const bool_type;
  const Type* const comptime_int;
  const Type* const comptime_float;
  const Type* const string;
  const Type* const type_type;
  const Type* const module;
  const Type* const undefined;
  const Type* const noreturn;
  const Type* const any_struct;
  const Type* const anytype;
  const Type* const direction;

 private:
  const Type* add(Type type);
  const Type* intern(const std::string& key, Type type);
  /// The type of these parts; `name_of` is asked for its name when it is new.
  template <class NameOf>
  const Type* of_parts(Type parts, const NameOf& name_of);
  const Type* basic(TypeKind kind, std::string name, unsigned bits = 0, bool is_signed = false);
};

}  // namespace tessera::csl
