// One type of a PTO text becomes another one, at one place: the text is refused, or means the same as before.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "frontends/pto/lower.h"
#include "frontends/pto/parser.h"
#include "frontends/pto/printer.h"
#include "tlm_ifaces/vocabulary/errors.h"

namespace tessera::pto::type_mutation_test {
namespace {

using cluster::Operand;
using cluster::TileOperand;
using cluster::TileOperation;

// --- programs that are equal ---

bool same(const Operand& a, const Operand& b) {
  return a.is_register == b.is_register && a.value == b.value;
}

bool same(const cluster::Dimension& a, const cluster::Dimension& b) {
  return same(a.size, b.size) && same(a.stride, b.stride);
}

template <class List, class Same>
bool all_same(const List& a, const List& b, const Same& same) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), same);
}

bool same_operand(const TileOperand& a, const TileOperand& b) {
  const auto products = [](const auto& x, const auto& y) {
    return same(x.a, y.a) && same(x.b, y.b);
  };
  const auto dimensions = [](const auto& x, const auto& y) { return same(x, y); };
  return a.location == b.location && a.holder == b.holder && a.element == b.element &&
         a.array == b.array && a.access == b.access && a.address.base == b.address.base &&
         all_same(a.address.products, b.address.products, products) && same(a.rows, b.rows) &&
         same(a.columns, b.columns) && a.full_rows == b.full_rows && a.row_stride == b.row_stride &&
         a.by_columns == b.by_columns && all_same(a.dimensions, b.dimensions, dimensions);
}

bool same_operation(const TileOperation& a, const TileOperation& b) {
  return a.function == b.function && a.arithmetic == b.arithmetic &&
         all_same(a.operands, b.operands, same_operand);
}

bool same_instruction(const cluster::Instruction& a, const cluster::Instruction& b) {
  const auto type = [](cluster::IntegerType x, cluster::IntegerType y) {
    return x.bits == y.bits && x.is_unsigned == y.is_unsigned;
  };
  return a.op == b.op && a.pipe == b.pipe && a.to == b.to && a.type == b.type &&
         a.vector_class == b.vector_class && a.form == b.form && a.predicate == b.predicate &&
         a.special == b.special && a.mode == b.mode && type(a.operands, b.operands) &&
         type(a.result, b.result) && a.rd == b.rd && a.target == b.target &&
         a.operation == b.operation && same(a.id, b.id) && same(a.a, b.a) && same(a.b, b.b) &&
         same(a.c, b.c) &&
         all_same(a.size, b.size, [](const Operand& x, const Operand& y) { return same(x, y); });
}

bool same_program(const std::shared_ptr<const cluster::Program>& a,
                  const std::shared_ptr<const cluster::Program>& b) {
  if (!a || !b) return !a && !b;
  return all_same(a->code, b->code, same_instruction) &&
         all_same(a->operations, b->operations, same_operation);
}

// --- types that differ ---

/// The places of a module where a type stands.
std::vector<Type*> types_of(Module& module) {
  std::vector<Type*> types;
  const std::function<void(Region&)> add = [&](Region& region) {
    for (Parameter& p : region.parameters) types.push_back(&p.type);
    for (Operation& op : region.operations) {
      for (Type& type : op.types) types.push_back(&type);
      for (Type& type : op.result_types) types.push_back(&type);
      for (Region& inner : op.regions) add(inner);
    }
  };
  for (Function& f : module.functions) {
    for (Parameter& p : f.parameters) types.push_back(&p.type);
    for (Type& type : f.results) types.push_back(&type);
    add(f.body);
  }
  return types;
}

/// Other types in place of one: other elements, and, of tiles and views, other sizes and memories.
std::vector<Type> others(const Type& type) {
  std::vector<Type> list;
  for (const char* element :
       {"i1", "i8", "i16", "i32", "i64", "index", "f16", "bf16", "f32", "ui32"}) {
    if (type.kind != Type::Kind::kScalar && element == std::string("index")) continue;
    if (type.element == element || type.element == std::string("s") + element) continue;
    list.push_back(type);
    list.back().element = element;
  }
  if (type.kind == Type::Kind::kOpaque || type.kind == Type::Kind::kRegister) list.clear();
  for (std::size_t d = 0; d < type.shape.size(); ++d) {
    list.push_back(type);
    list.back().shape[d] = type.shape[d] == kDynamic ? 16 : type.shape[d] * 2;
  }
  if (type.kind == Type::Kind::kTile) {
    list.push_back(type);
    list.back().location = type.location == "vec" ? "mat" : "vec";
    list.push_back(type);
    list.back().valid_rows = type.valid_rows == kDynamic ? 1 : kDynamic;
  }
  if (type.kind == Type::Kind::kTensorView || type.kind == Type::Kind::kPartition) {
    list.push_back(type);
    list.back().kind =
        type.kind == Type::Kind::kPartition ? Type::Kind::kTensorView : Type::Kind::kPartition;
  }
  return list;
}

LowerOptions options_of(const Module& module) {
  LowerOptions options;
  options.profile = profile_of(module).value_or(module.file.find("a5") != std::string::npos
                                                    ? cluster::Profile::kA5
                                                    : cluster::Profile::kA2A3);
  for (const Function& f : module.functions)
    for (const Parameter& p : f.parameters)
      if (p.type.kind == Type::Kind::kScalar) options.params[p.name.substr(1)] = 1;
  return options;
}

std::optional<Kernel> lowered(const Module& module, const LowerOptions& options) {
  try {
    return lower(module, options);
  } catch (const UserError&) {
    return std::nullopt;
  }
}

std::vector<std::string> texts() {
  std::vector<std::string> list;
  for (const auto& entry :
       std::filesystem::recursive_directory_iterator(std::string(TESSERA_SOURCE_DIR) + "/examples"))
    if (entry.path().extension() == ".pto" && entry.path().parent_path().filename() != "sweeps")
      list.push_back(entry.path().string());
  std::sort(list.begin(), list.end());
  return list;
}

TEST(PtoTypeMutation, AnotherTypeIsRefusedOrMeansTheSame) {
  constexpr std::size_t kMutants = 300;  // of each text
  std::mt19937 random(1);
  unsigned refused = 0, equal = 0;
  for (const std::string& path : texts()) {
    Module module = parse_file(path);
    const LowerOptions options = options_of(module);
    const std::optional<Kernel> before = lowered(module, options);
    if (!before) continue;  // for the other machine
    const std::vector<Type*> places = types_of(module);
    for (std::size_t n = 0; n < kMutants; ++n) {
      Type& place = *places[random() % places.size()];
      const Type type = place;
      const std::vector<Type> list = others(type);
      if (list.empty()) continue;
      place = list[random() % list.size()];
      const std::optional<Kernel> after = lowered(module, options);
      const bool is_same =
          after && same_program(before->aic, after->aic) && same_program(before->aiv, after->aiv);
      EXPECT_TRUE(!after || is_same) << path << ":" << to_string(type.place) << ": "
                                     << to_string(type) << " as " << to_string(place);
      (after ? equal : refused) += 1;
      place = type;
    }
  }
  EXPECT_GT(refused, 10000u);
  EXPECT_GT(equal, 50u);  // types that no value depends on
}

}  // namespace
}  // namespace tessera::pto::type_mutation_test
