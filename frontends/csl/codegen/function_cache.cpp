#include "frontends/csl/codegen/function_cache.h"

#include <type_traits>
#include <utility>

#include "frontends/csl/codegen/records.h"
#include "frontends/csl/ir/key.h"

namespace tessera::csl::codegen {
namespace {

using namespace ir;

/// Of the keys; functions take some times as much.
constexpr std::size_t kMostBytes = std::size_t{32} << 20;

/// Who has the address of a variable.
enum PointedTo : std::uint8_t { kOpen = 1, kOfDescriptor = 2, kOfFifo = 4, kOfVariable = 8 };

template <class T>
void add(std::string& key, const T& number) {
  static_assert(std::is_arithmetic_v<T> || std::is_enum_v<T>);
  key.append(reinterpret_cast<const char*>(&number), sizeof number);
}

}  // namespace

const Optimized* FunctionCache::find(const std::string& key, const Questions& questions) const {
  const auto found = entries_.find(key);
  if (found == entries_.end()) return nullptr;
  for (const Entry& entry : found->second) {
    if (questions.agrees(entry.asked)) return &entry.made;
  }
  return nullptr;
}

void FunctionCache::add(std::string key, const Questions& questions, Optimized made) {
  key_bytes_ += key.size();
  if (key_bytes_ > kMostBytes) return;
  entries_[std::move(key)].push_back({questions.asked(), std::move(made)});
}

FunctionKeys::FunctionKeys(const Module& module, const OpenVariables& open)
    : module_(module), pointed_to_(module.variables.size()) {
  for (VariableId v = 0; v < pointed_to_.size(); ++v) pointed_to_[v] = open[v] ? kOpen : 0;
  for (const Descriptor& d : module.descriptors) {
    if (d.array) pointed_to_[*d.array] |= kOfDescriptor;
  }
  for (const Fifo& f : module.fifos) pointed_to_[f.array] |= kOfFifo;
  for (const Variable& v : module.variables) {
    for (const Variable::Address& a : v.addresses) pointed_to_[a.variable] |= kOfVariable;
  }
}

std::string FunctionKeys::of(FunctionId id, const std::string& options) const {
  const Function& function = module_.functions[id];
  std::string key = options;
  append_key(key, function);
  VariableId last = 0;
  bool is_first = true;
  for (const Block& block : function.blocks) {
    for (const Instruction& in : block.code) {
      for (const Value& v : in.operands) {
        if (!v.is_address() || (!is_first && v.number == last)) continue;
        is_first = false;
        last = v.number;
        add_variable(key, last, id);
      }
    }
  }
  return key;
}

void FunctionKeys::add_variable(std::string& key, VariableId v, FunctionId id) const {
  const Variable& variable = module_.variables[v];
  add(key, variable.type);
  add(key, variable.count);
  add(key, variable.owner == id);
  add(key, variable.owner.has_value());
  add(key, pointed_to_[v]);
  if (variable.init.size() != kRecordWords) return;
  for (const std::uint32_t word : variable.init) add(key, word);
}

}  // namespace tessera::csl::codegen
