// PTO assembly in MLIR text form as a tree (docs/ascend-platform.md): modules, functions, operations
// with their regions. Every node knows its place in the text. A row of operations.h says how an
// operation is written.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "frontends/text/diagnostics.h"

namespace tessera::pto {

using text::Diagnostics;
using text::joined;
using text::Place;

inline constexpr std::int64_t kDynamic = -1;  ///< a size written as ?

/// key = value; a unit attribute has no value.
struct Attribute {
  Place place;
  std::string key;
  std::string value;  ///< as written, without blanks
};

struct Type {
  enum class Kind : std::uint8_t {
    kScalar,      ///< index, i1, i8 .. i64, f32 ..
    kPointer,     ///< !pto.ptr<T>
    kTensorView,  ///< !pto.tensor_view<SHAPE>
    kPartition,   ///< !pto.partition_tensor_view<SHAPE>
    kTile,        ///< !pto.tile_buf<..>, long or short form
    kMemref,      ///< memref<SHAPE ..>
    kRegister,  ///< !pto.vreg<64xf32>, !pto.mask<b32>, !pto.vmi.vreg<..>, !pto.vmi.mask<..>, !pto.align
    kOpaque  ///< !pto.pipe, !pto.eventid_array<N>, vector<..>: name and what is in brackets
  };
  Place place;
  Kind kind = Kind::kScalar;
  std::string element;              ///< type of the elements; kScalar: the type; kOpaque: its name
  std::vector<std::int64_t> shape;  ///< kTile: rows and columns; kRegister: lanes
  std::int64_t valid_rows = kDynamic, valid_columns = kDynamic;  ///< kTile: size of the valid part
  std::string
      location;  ///< kTile: "vec", "mat", "left", "right", "acc", ..; kRegister: name of the type
  std::vector<Attribute> options;  ///< further parameters, in order
  bool is_open =
      false;  ///< kTile: the compiler does not know its valid sizes, though they are numbers here
};

/// One operand, number or word of an operation.
struct Argument {
  enum class Role : std::uint8_t {
    kOperand,
    kIn,
    kOut,
    kAddress,
    kValidRow,
    kValidColumn,
    kShape,
    kStride,
    kOffset,
    kSize,
    kValid,  ///< subview: valid rows and columns
    kPipe,
    kId,
    kPredicate,
    kInduction,  ///< scf.for: the value of the loop
    kCarried,    ///< scf.for, scf.while: a value of iter_args; its kInit follows
    kInit,
    kCallee,  ///< func.call: `@f`
    kIndex    ///< pto.eventid_array_get, _set: what stands in brackets
  };
  enum class Kind : std::uint8_t { kValue, kInteger, kFloat, kWord };
  Place place;
  Role role = Role::kOperand;
  Kind kind = Kind::kValue;
  std::string text;         ///< "%a", "%r#1", "PIPE_V", "slt", "1.0"; kInteger: "" or "0x1F"
  std::string key = {};     ///< name of a named operand: `gm_slot_buffer = %a`
  std::int64_t number = 0;  ///< value of a kInteger
};

using Role = Argument::Role;

/// "%r:2 = " names two values, %r#0 and %r#1.
struct Result {
  Place place;
  std::string name;
  unsigned count = 1;
};

struct Parameter {
  Place place;
  std::string name;  ///< "%arg0"
  Type type;
  std::vector<Attribute> attributes;
};

inline bool is_float_argument(const Parameter& p) {
  return p.type.kind == Type::Kind::kScalar && p.type.element.find('f') != std::string::npos;
}

struct Operation;
struct Region {
  std::vector<Parameter> parameters;  ///< parameters of a block: ^bb0(%a: T)
  std::vector<Operation> operations;
};

struct Operation {
  Place place;
  std::string name;  ///< "pto.tload"
  std::vector<Result> results;
  std::vector<Argument> arguments;  ///< in the order of the text
  std::vector<Type> types;          ///< after the colon
  std::vector<Type> result_types;   ///< after -> or `to`
  std::vector<Attribute> attributes;
  std::vector<Region> regions;  ///< scf.if: then, else; scf.while: before, after
  std::string raw;              ///< unknown operation: the text after its name
};

/// The number of values that an operation gives.
inline std::size_t result_count(const Operation& op) {
  std::size_t count = 0;
  for (const Result& r : op.results) count += r.count;
  return count;
}

/// Calls `visit` for all operations of a region and of the regions inside it, in their order.
template <class Visit>
void for_each_operation(const Region& region, const Visit& visit) {
  for (const Operation& op : region.operations) {
    visit(op);
    for (const Region& inner : op.regions) for_each_operation(inner, visit);
  }
}

struct Function {
  Place place;
  std::string name;  ///< without @
  bool is_private = false;
  bool has_body = false;  ///< false: declared elsewhere
  std::vector<Parameter> parameters;
  std::vector<Type> results;
  std::vector<Attribute> attributes;
  Region body;
};

struct Module {
  std::string file;
  std::vector<Attribute> attributes;
  std::vector<Function> functions;
};

/// Returns nullptr if no attribute has this key.
inline const Attribute* find(const std::vector<Attribute>& attributes, const std::string& key) {
  for (const Attribute& a : attributes)
    if (a.key == key) return &a;
  return nullptr;
}

}  // namespace tessera::pto
