// Functions of the codes of one program that have been optimized: PEs whose codes differ have most functions in common.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "frontends/csl/codegen/allocation.h"
#include "frontends/csl/codegen/questions.h"
#include "frontends/csl/ir/ir.h"

namespace tessera::csl::codegen {

/// A function as it is emitted.
struct Optimized {
  ir::Function function;
  Allocation allocation;
};

class FunctionCache {
 public:
  /// What was made of the function with this key in a program that answers the same; nullptr: nothing yet.
  const Optimized* find(const std::string& key, const Questions& questions) const;
  void add(std::string key, const Questions& questions, Optimized made);

 private:
  struct Entry {
    std::vector<Questions::Answered> asked;
    Optimized made;
  };
  std::unordered_map<std::string, std::vector<Entry>> entries_;
  std::size_t key_bytes_ = 0;
};

/// The keys of functions of one program.
class FunctionKeys {
 public:
  FunctionKeys(const ir::Module& module, const OpenVariables& open);
  /// All that passes look at (passes.h). `options`: what else decides what they do.
  std::string of(ir::FunctionId id, const std::string& options) const;

 private:
  void add_variable(std::string& key, ir::VariableId v, ir::FunctionId id) const;

  const ir::Module& module_;
  std::vector<std::uint8_t> pointed_to_;  ///< by variable: flags of who has its address
};

}  // namespace tessera::csl::codegen
