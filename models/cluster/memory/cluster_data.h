// What tiles and arrays contain (reference ascend.md 1.3, 2.9): the buffers of all cores of a launch and
// the arrays in GM. One object a machine, which its cores share; without it a machine has no values and
// the same cycles. With Contents::kScalars it checks operands and keeps what scalar units load and store,
// and tiles have no values.
//
// An operation reads when it starts on its pipe and writes when it is complete: the core computes the
// result at the start and gives it with the cycle in which it is there. So whoever reads without having
// waited sees what was there before, and the order of the cores inside a cycle does not matter.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "models/cluster/cluster_config.h"
#include "models/cluster/memory/held_lines.h"
#include "models/cluster/memory/memory.h"
#include "models/cluster/memory/written_bytes.h"
#include "models/cluster/program/program.h"
#include "models/state/fwd.h"

namespace tessera::cluster {

class ClusterData {
 public:
  enum class Contents : std::uint8_t { kAll, kScalars };
  ClusterData(Profile profile, const Launch& launch, std::vector<GmArray> arrays,
              Contents contents = Contents::kAll);
  bool has_tiles() const { return contents_ == Contents::kAll; }

  // --- the host ---

  const std::vector<GmArray>& arrays() const { return arrays_; }
  /// The contents of an array, whose size they fix. An array without is as large as the tensors that
  /// the program makes of it, and all zeros.
  void bind(std::size_t array, std::vector<std::byte> bytes);
  /// As bind() with so many zeros; 0: the array has no contents again. Only while nothing runs.
  void resize(std::size_t array, std::size_t bytes);
  /// The cores were reset in cycle `now`: buffers are empty, and what was under way is lost. Arrays keep what
  /// they hold in this cycle, or become as at the start.
  void reset(Cycle now, bool keep_arrays);
  /// How large an array is now, in bytes.
  std::size_t size(std::size_t array) const { return static_cast<std::size_t>(gm_[array].size); }
  /// Its size() bytes as they are at the end of cycle `now`, for reading and writing, until the
  /// machine goes on.
  std::byte* bytes_at(std::size_t array, Cycle now) {
    return gm_[array].memory.bytes_at(now, size(array));
  }
  /// Elements as they are at the end of cycle `now`, until the machine goes on.
  TileValues values_at(const ResolvedOperand& operand, CoreId core, Cycle now) {
    return memory(operand, core).read(operand, now, false);
  }
  /// For a debugger, see Memory::set_element. `value` has one element.
  void set_element(const ResolvedOperand& operand, CoreId core, std::size_t index, TileValues value,
                   Cycle now) {
    memory(operand, core).set_element(operand, index, std::move(value), now);
  }
  /// Bytes of a buffer of `core` from `first` on, as values_at(); as many of `count` as there are.
  std::vector<std::byte> buffer_at(CoreId core, Location location, std::uint32_t first,
                                   std::uint32_t count, Cycle now);
  /// For a debugger. False, and no effect, where the bytes do not lie in the buffer.
  bool set_buffer(CoreId core, Location location, std::uint32_t first,
                  const std::vector<std::byte>& bytes, Cycle now);
  /// All that has been written, up to the size of the array.
  std::vector<std::byte> contents(std::size_t array);
  /// Sizes of an array that is not bound: those of its largest tensor if that fills it, else one size.
  std::vector<std::size_t> shape(std::size_t array) const;
  bool is_written(std::size_t array) const { return gm_[array].is_written; }
  /// Whether its contents are known: tiles without values have not been written to it.
  bool is_known(std::size_t array) const { return has_tiles() || gm_[array].written.empty(); }
  /// What is wrong with the way in which the launch divides arrays among its clusters, in sentences:
  /// several clusters write the same bytes, or an output has bytes that none writes.
  std::vector<std::string> describe_division() const;

  // --- cores ---

  /// Throws std::logic_error for arrays that are not those of this object.
  void check_arrays(const Program& program) const;
  /// Why the operand cannot be accessed, or "". Notes how large arrays are.
  std::string find_fault(const TileOperand& operand, const ResolvedOperand& resolved, CoreId core);
  /// The operand of an operation on tiles that does not begin where its buffer needs it (ascend.md 1.3), or "".
  static std::string find_unaligned(const TileOperation& operation,
                                    const ResolvedOperation& resolved);
  /// Why what the operation does has no values, or "".
  std::string find_unmodelled(const TileOperation& operation) const;
  /// Why a part of an array cannot be copied to or from its tile, or "".
  std::string find_misfit(const TileOperation& operation, const ResolvedOperation& resolved) const;
  /// The result of an operation that starts now; `behind`: it reads what M is about to write.
  TileValues start(const TileOperation& operation, const ResolvedOperation& resolved, CoreId core,
                   Cycle now, bool behind);
  /// The result is there in cycle `due`, which is later than `now`.
  void finish(const TileOperation& operation, const ResolvedOperation& resolved, CoreId core,
              Pipe pipe, TileValues result, Cycle now, Cycle due);

  // --- scalar caches ---

  ScalarCache::Bytes read_line(std::uint16_t array, std::int64_t first, Cycle now) {
    return gm_[array].memory.read_line(first, now);
  }
  /// One element of a buffer, for the scalar unit. Tiles without values have zeros, and the run has
  /// guessed.
  TileValues read_buffer(const ResolvedOperand& operand, CoreId core, Cycle now);
  void write_buffer(const ResolvedOperand& operand, CoreId core, TileValues value, Cycle now,
                    Cycle due);
  /// One element of an array, without a cache. A write takes place between the cycles `from_to`.
  TileValues read_word(const ResolvedOperand& operand, Cycle now) {
    return gm_[operand.array].memory.read(operand, now, false);
  }
  void write_word(const ResolvedOperand& operand, CoreId core, TileValues value, bool adds,
                  std::pair<Cycle, Cycle> from_to);
  bool has_guessed() const { return has_guessed_; }
  /// What kPrint shows: when, who, where in the program, and the text.
  struct Printed {
    Cycle at = 0;
    CoreId core;
    std::string where, text;

    template <class Archive>
    void visit(Archive& archive) {
      archive(at, core, where, text);
    }
  };
  /// With the elements of `operand`, which may be nullptr.
  void print(Printed printed, const ResolvedOperand* operand);
  /// In order of cycles, then cores.
  std::vector<Printed> printed() const;

  /// Stores that GM does not have yet.
  HeldLines& held() { return held_; }
  /// The line of `core`, which instruction `pc` sends, is in GM in cycle `due`.
  void write_line(const ScalarCache::Line& line, CoreId core, std::uint32_t pc, Cycle now,
                  Cycle due);
  /// Bytes of others that lines overwrote when they went back (Memory::Lost), by array.
  struct Lost {
    CoreId core;
    std::uint16_t array = 0;
    Memory::Lost bytes;
  };
  std::vector<Lost> lost();

  /// For checkpoints, between two cycles of which `next` is the second.
  void visit(state::Archive& archive, Cycle next);

  /// For tests: an operand as it is when all that is under way has been written.
  TileValues peek(const ResolvedOperand& operand, CoreId core) {
    return read(operand, core, kNever, false);
  }
  void poke(const ResolvedOperand& operand, CoreId core, TileValues values) {
    write(operand, core, std::move(values), {0, 0, 0}, false);
  }

 private:
  struct Array {
    Memory memory;
    bool is_bound = false, is_written = false, is_read = false;
    std::int64_t size = 0;  // bytes
    std::vector<std::size_t> shape;
    WrittenBytes written;
  };

  void note_access(Array& array, const ResolvedOperand& o, CoreId core);
  Memory& memory(const ResolvedOperand& operand, CoreId core);
  TileValues read(const ResolvedOperand& operand, CoreId core, Cycle now, bool behind);
  void write(const ResolvedOperand& operand, CoreId core, TileValues values,
             const Memory::When& when, bool adds);
  /// Notes how large an array is at least. Throws IllegalBehaviour if a run with values cannot hold all that nobody binds.
  void note_view(Array& array, const ResolvedOperand& o);

  const Contents contents_;
  const Capacities capacities_;
  const Launch launch_;
  const std::vector<GmArray> arrays_;
  std::vector<Array> gm_;
  std::vector<Memory> buffers_;  // by core, then Location
  HeldLines held_;
  std::vector<Printed> printed_;
  bool has_guessed_ = false;
};

}  // namespace tessera::cluster
