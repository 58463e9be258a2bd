// The calls of a kernel in C++ as instructions. A call at one place of the code with the same constants - types and
// addresses of tiles, valid sizes, shapes and strides of tensors - is lowered once; what may differ each time, the
// place of a tensor in its array and numbers, is in registers.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "frontends/pto/operation_code.h"
#include "frontends/pto_cpp/library/pto/interface.h"
#include "frontends/pto_cpp/line_table.h"
#include "frontends/pto_cpp/memory_map.h"

namespace tessera::pto_cpp {

/// Registers of the operands of an instruction.
inline constexpr unsigned kArgumentRegisters = 16;
using Arguments = std::array<std::int64_t, kArgumentRegisters>;

/// Instructions of one place of the code.
struct Site {
  const std::vector<std::uint64_t>* key = nullptr;
  Site* next = nullptr;              ///< the one that came after it last time
  std::uint32_t begin = 0, end = 0;  ///< where its user keeps them; 0: nowhere yet
  pto::OperationCode code;
  SourceLine place;
};

/// An instruction, or several, and what is in the registers when it begins.
struct Step {
  Site* site = nullptr;
  Arguments arguments;  // NOLINT: as many have a value as `count` says
  unsigned count = 0;   ///< number of arguments
};

/// Whether a tile or tensor of the call is a null pointer, in words; "": no. Native code may pass references that lead nowhere: it is
/// the fiber that calls this, so that reading them is a fault of the kernel at its line.
std::string why_no_operands(const TsrCall& call);

class CallSites {
 public:
  /// All words that the instructions of a site depend on: two calls share a site only if every word agrees.
  using Key = std::vector<std::uint64_t>;

  CallSites(cluster::Profile profile, cluster::CoreKind core, const MemoryMap& memory,
            LineTable& lines)
      : profile_(profile), core_(core), memory_(memory), lines_(lines) {}

  /// `from`: the return address of the call, from the begin of the module. Throws IllegalBehaviour for
  /// operands that the operation does not take.
  Step operation(const TsrCall& call, std::uint64_t from);
  Step sync(TsrSync what, int pipe, int to, std::int64_t id, int mode, std::uint64_t from);
  /// A native load or store of 1, 2, 4 or 8 bytes; the value is in register kValue.
  Step access(const DeviceAddress& at, unsigned bytes, bool stores, std::uint64_t from);
  /// nullptr: all lines.
  Step clean(const DeviceAddress* at, std::uint64_t from);
  /// A function of threads, by its number (models/cluster/program/thread_function.h).
  Step threads(std::int64_t function, std::uint64_t from);
  /// A vector function whose body is elsewhere (models/cluster/program/vector_body.h), by how its operands access UB.
  Step vectors(const std::vector<cluster::Access>& accesses, std::uint64_t from);
  /// One instruction of the scalar unit that does nothing.
  Step nothing(std::uint64_t from);
  static constexpr unsigned kValue = 1;

 private:
  struct Hash {
    std::size_t operator()(const Key& key) const;
  };
  template <class... Words>
  void set_key(const Words&... words);
  /// The site of key_; nullptr: it comes for the first time.
  Site* find();
  Site* keep(const SourceLine& place, pto::OperationCode code);
  pto::OperationCode lower(const TsrCall& call, const SourceLine& place);
  pto::Instruction instruction(cluster::Opcode op, cluster::Pipe pipe) const;

  const cluster::Profile profile_;
  const cluster::CoreKind core_;
  const MemoryMap& memory_;
  LineTable& lines_;
  std::unordered_map<Key, Site, Hash> sites_;
  Key key_;               // of the call that is being served
  Site* last_ = nullptr;  // the site that was found last
};

}  // namespace tessera::pto_cpp
