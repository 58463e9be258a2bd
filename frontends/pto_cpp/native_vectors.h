// The vector functions of a core that executes a kernel in C++ (library/pto/registers.h). Native code comes to the instructions
// of a function one by one and goes on at once; at the end of the function the model takes them as its body, and computes
// values and time. An instruction at one place of the code with the same registers and words is lowered once.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "frontends/pto_cpp/library/pto/interface.h"
#include "frontends/pto_cpp/line_table.h"
#include "frontends/pto_cpp/memory_map.h"
#include "models/cluster/program/program.h"
#include "models/cluster/program/vector_body.h"

namespace tessera::pto_cpp {

class NativeVectors {
 public:
  NativeVectors(cluster::CoreId core, const MemoryMap& memory, LineTable& lines)
      : core_(core), memory_(memory), lines_(lines) {}

  /// Native code at `from` comes to an instruction. Answers why it cannot be; empty: it is part of the function.
  std::string add(const TsrVectorCall& call, std::uint64_t from);
  void clear();
  /// A scope that names the function begins, or ends.
  void enter(std::uint64_t from) {
    if (depth_++ == 0) begin_ = from;
  }
  void leave() { depth_ -= depth_ > 0 ? 1 : 0; }
  bool is_in_scope() const { return depth_ > 0; }
  /// Instructions wait for the end of their function.
  bool has_steps() const { return !steps_.empty(); }
  /// Where the function begins.
  std::uint64_t begin() const { return begin_; }

  /// How the function accesses UB: operands of the operation, as divide() makes them.
  const std::vector<cluster::Access>& accesses() const { return accesses_; }
  /// Ends the function: lowers what is new, and puts its instructions into the program. Throws IllegalBehaviour.
  void finish(cluster::Program& program);
  std::vector<cluster::RegisterStep> take() { return std::move(finished_); }

 private:
  using Key = std::vector<std::uint64_t>;
  struct Hash {
    std::size_t operator()(const Key& key) const;
  };
  /// What a register or mask holds.
  struct Lanes {
    std::uint16_t number = 0;
    const char* element = nullptr;  ///< nullptr: nothing
    std::uint32_t lanes = 0;        ///< of a mask
  };
  /// An operand of an instruction as it was when the instruction came for the first time.
  struct Operand {
    TsrVectorRole role = TSR_WORD;
    const char* element = "";
    Lanes lanes;  ///< before the instruction
  };
  static constexpr unsigned kMostNumbers = 3;
  struct Instruction {
    const char* operation = "";
    bool merges = false;
    std::uint64_t from = 0;
    std::uint32_t mask_lanes = 0;
    std::vector<Operand> operands;
    bool is_lowered = false;
    std::vector<cluster::RegisterOperation> operations;
    std::uint32_t pc = 0;  ///< of the first operation
  };
  struct Step {
    Instruction* instruction;
    std::int64_t address;
    std::array<std::int64_t, kMostNumbers> numbers;
  };
  /// Bytes that the accesses of some instructions lie between, about.
  struct Range {
    std::int64_t first, end;
    cluster::Access access;
    std::vector<const Instruction*> instructions;
  };

  struct Form;

  Lanes& lanes_of(const void* place);
  std::uint32_t mask_lanes(const TsrVectorCall& call) const;
  bool is_copy_of_nothing(const TsrVectorCall& call);
  void note_results(const TsrVectorCall& call, std::uint32_t lanes);
  Form form_of(Instruction& to, const SourceLine& place);
  void lower(Instruction& to);
  void merge(Instruction& to, std::uint16_t mask);
  void put(Instruction& instruction, cluster::Program& program);
  std::uint16_t source(Instruction& to, const Operand& o, std::uint32_t lanes);
  std::uint16_t new_number();
  std::vector<Range> ranges() const;
  void divide();
  cluster::RegisterStep step_of(const Step& s, std::uint32_t n) const;  ///< of its n-th operation

  const cluster::CoreId core_;
  const MemoryMap& memory_;
  LineTable& lines_;
  unsigned depth_ = 0;
  std::uint64_t begin_ = 0;
  std::unordered_map<const void*, Lanes> registers_;
  std::uint16_t numbers_ = 0;  ///< of registers that have one
  std::unordered_map<Key, Instruction, Hash> instructions_;
  Key key_;  ///< of the instruction that comes
  std::vector<Operand> operands_;
  std::vector<Step> steps_;
  std::unordered_map<const Instruction*, std::uint8_t> operand_of_;
  std::vector<cluster::Access> accesses_;
  std::vector<cluster::RegisterStep> finished_;
};

}  // namespace tessera::pto_cpp
