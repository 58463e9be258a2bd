// Values that are known at compile time (csl.md 4). A value does not know its type; Result joins the
// two.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include <boost/multiprecision/cpp_int.hpp>

#include "frontends/csl/ir/ir.h"
#include "frontends/csl/sema/types.h"
#include "frontends/csl/syntax/ast.h"

namespace tessera::csl {

using BigInt = boost::multiprecision::cpp_int;

/// Indexed by the value of type direction, which is the number of its bit in color configurations.
inline constexpr std::array<std::string_view, 5> kDirectionNames = {"WEST", "EAST", "SOUTH",
                                                                    "NORTH", "RAMP"};

class Aggregate;
struct Cell;
struct Dsd;
class Instance;
struct Value;

struct Void {};
/// The value of `undefined` and of variables without initializer.
struct Undefined {};

struct FunctionValue {
  Instance* instance = nullptr;
  const Function* function = nullptr;
};

/// Elements of arrays and fields of structs; copies share them until one of them is changed.
using AggregateRef = std::shared_ptr<const Aggregate>;

/// Where an object lies: in a variable, then field by field and element by element. Arrays of
/// several dimensions count their elements row by row. An element may lie outside of its array.
struct PointerValue {
  std::shared_ptr<Cell> cell;  ///< nullptr: `address` says it
  std::vector<std::int64_t> path;
  std::int64_t address = 0;
};

/// Colors, ids, DSRs, FIFOs, enums and directions are integers.
struct Value {
  std::variant<Void, Undefined, bool, BigInt, double, std::string, const Type*, FunctionValue,
               Instance*, AggregateRef, std::shared_ptr<const PointerValue>,
               std::shared_ptr<const Dsd>>
      v;

  template <class T>
  bool holds() const {
    return std::holds_alternative<T>(v);
  }
  template <class T>
  const T& get() const {
    return std::get<T>(v);
  }
  const BigInt& integer() const { return std::get<BigInt>(v); }
  const std::string& text() const { return std::get<std::string>(v); }
  const Aggregate& elements() const { return *std::get<AggregateRef>(v); }
  const PointerValue& pointer() const { return *std::get<std::shared_ptr<const PointerValue>>(v); }
  bool is_undefined() const { return holds<Undefined>(); }
};

/// Where an object of the running program lies.
struct Storage {
  ir::Value address;
  std::int32_t offset = 0;  ///< bytes
  bool is_whole = false;    ///< a number of its own: of 8 bits, nothing else lies in its word
  /// Of a part of a packed struct that is not whole words: `width` bits from bit `shift` of the word
  /// on; else 0.
  std::uint16_t width = 0;
  std::uint16_t shift = 0;
  bool is_packed = false;  ///< a part of a packed struct, which has no address of its own
};

/// A descriptor with fields that only the running program knows: those of a record in memory
/// (docs/tile-programs.md, "Descriptors in variables") or of a descriptor of the program, except
/// for those that are given.
struct LiveDsd {
  std::optional<Storage> record;
  std::uint32_t descriptor = 0;  ///< index into ir::Module::descriptors if there is no record
  /// It is one of these, which differ in queue and color: `chosen` is its number. Empty: it is `descriptor`.
  std::vector<std::uint32_t> several;
  ir::Value chosen;
  ir::Value base;  ///< byte address; kNone: the record or descriptor has it
  ir::Value extent;
  ir::Value stride;
  const Type* element = nullptr;  ///< of memory; nullptr: only the running program knows it
  bool is_variable = false;       ///< see Dsd
};

struct Result;
/// The fields of a struct, or start, stop and step of a range.
using Parts = std::shared_ptr<const std::vector<Result>>;

/// The value of an operand that only the running program knows. `what` names it in messages. Code
/// that is made for the tile finds it in a register or at an address; analysis at compile time knows
/// that it exists and its type.
struct RunTimeOperand {
  std::string what;
  std::variant<std::monostate, ir::Value, Storage, LiveDsd, Parts> place;
};

/// What the analysis of an expression gives.
struct Result {
  const Type* type = nullptr;
  std::variant<Value, RunTimeOperand> operand;

  bool is_known() const { return std::holds_alternative<Value>(operand); }
  const Value& value() const { return std::get<Value>(operand); }
  Value& value() { return std::get<Value>(operand); }
};

/// A sequence of values. Many equal ones, as `@zeros` makes them, take the space of one.
class Aggregate {
 public:
  explicit Aggregate(std::vector<Value> elements)
      : size_(elements.size()), elements_(std::move(elements)) {}
  Aggregate(std::size_t size, Value value) : size_(size), all_(std::move(value)) {}

  std::size_t size() const { return size_; }
  const Value& operator[](std::size_t index) const {
    return elements_.empty() ? all_ : elements_[index];
  }
  /// An element that may be changed.
  Value& at(std::size_t index) {
    if (elements_.empty()) elements_.assign(size_, all_);
    return elements_[index];
  }
  bool is_uniform() const { return elements_.empty(); }

 private:
  std::size_t size_;
  Value all_;
  std::vector<Value> elements_;
};

/// A variable, or a constant that has an address.
struct Cell {
  enum class Kind : std::uint8_t {
    kConstant,
    kComptimeVariable,  ///< changes while the comptime code runs
    kRunTimeVariable    ///< variable of a tile: `value` is its value at the start
  };
  Kind kind = Kind::kConstant;
  const Type* type = nullptr;
  /// A variable of type comptime_struct takes the type of each struct that it is given.
  bool takes_any_struct = false;
  bool is_mistaken = false;  ///< its declaration has a mistake, which is noted
  Value value;
  /// The operand of a constant that the running program computes.
  std::optional<RunTimeOperand> operand;
  unsigned conditions = 0;  ///< number of run-time conditions around the declaration
  std::string name;
  std::string link_name;                  ///< name of the symbol, if the program sets it
  const Instance* instance = nullptr;     ///< set for globals
  const Variable* declaration = nullptr;  ///< set for globals
  std::int64_t alignment = 0;             ///< in bytes; 0: the alignment of the type
  std::string section;                    ///< of `linksection`
};

/// A data structure descriptor (csl.md 8.1).
struct Dsd {
  /// Memory descriptors: what they point to.
  std::shared_ptr<const PointerValue> base;
  const Type* element = nullptr;
  std::int64_t offset = 0;            ///< in elements
  std::int64_t bytes = 0;             ///< beyond `offset`: of an increment by smaller elements
  std::vector<std::int64_t> extents;  ///< outer first
  std::vector<std::int64_t> strides;  ///< outer first, in elements
  /// The strides are distances of elements that differ by one in this variable, as a tensor access
  /// has them; else the machine's, counted from the last element of the inner loops (wse.md 5.3).
  bool has_steps = false;
  /// Of a `var` that its file does not change: operations get it by value (docs/csl.md, "Code of the vendor").
  bool is_variable = false;
  /// The other fields as they were given: colors, queues, `simd_mode` ..
  std::vector<std::pair<std::string, Result>> options;
};

/// How messages, `@comptime_print` and keys of variants show a value. Deeply equal values have equal
/// texts, except that long arrays are cut short if `is_short`.
std::string text_of(const Type& type, const Value& value, bool is_short = false);
/// An array or a struct.
Value make_aggregate(std::vector<Value> elements);
/// The value behind a path, nullptr if an element lies outside.
const Value* element_at(const Value& root, const std::vector<std::int64_t>& path);
/// The same to be changed: shared parts are copied.
Value* element_at(Value& root, const std::vector<std::int64_t>& path);
/// nothing: not an int64_t
std::optional<std::int64_t> small(const BigInt& value);

}  // namespace tessera::csl
