// The pipes between cube and vector that a function opens, and a record of what it pushes and pops.
// The table refuses mistakes that one end of a pipe shows; fifo_ends.h compares both ends.
#pragma once

#include <vector>

#include "frontends/pto/fifo.h"
#include "frontends/pto/fifo_ends.h"

namespace tessera::pto {

class FifoTable : LoweringPart {
 public:
  using LoweringPart::LoweringPart;

  /// Adds a pipe with the attributes of `op`; its ends are not open yet. Throws UserError for an
  /// attribute out of range. The reference is valid until the next add().
  Fifo& add(const Operation& op, std::int64_t id, bool through_gm);
  /// Opens the ends of a pipe. `gm` is its buffer in GM or nullptr; `to_aiv` and `to_aic` are the
  /// addresses of the rings of the consumers.
  void open_ends(Fifo& fifo, const Operation& op, const Value* gm, const Value& to_aiv,
                 const Value& to_aic);

  bool has_id(std::int64_t id) const;
  Fifo& at(unsigned index) { return fifos_[index]; }
  unsigned index_of(const Fifo& fifo) const { return static_cast<unsigned>(&fifo - fifos_.data()); }
  const std::vector<Fifo>& all() const { return fifos_; }
  /// The pipe that an operation names by a handle or an id. Throws UserError if there is none.
  Fifo& of(const Operation& op);
  /// The end that a push or a pop works on. Sets the split of the pipe from the operation.
  FifoEnd& end_of(Fifo& fifo, const Operation& op, bool produces);

  /// Records a push or a pop of a tile. Throws UserError if the tile does not fit a slot.
  void note_tile(const Fifo& fifo, const Operation& op, const Type& type, bool pushes);
  /// Records a push or a pop of an entry in GM.
  void note_entry(const Fifo& fifo, const Operation& op, const Type& type, bool pushes);
  std::vector<PipeEnd> take_pipe_ends() { return std::move(pipe_ends_); }

 private:
  /// The value of an attribute, which must be 1..`most`.
  std::int64_t positive(const Operation& op, const char* key, std::int64_t otherwise,
                        std::int64_t most) const;
  void note_split(Fifo& fifo, const Operation& op) const;
  /// Throws UserError if the ring of the consumer does not fit its memory or its reserved buffer.
  void check_ring(const Fifo& fifo, const Operation& op, const Value& buffer, bool to_aiv) const;

  std::vector<Fifo> fifos_;
  std::vector<PipeEnd> pipe_ends_;  // one for each of fifos_
  std::int64_t next_flag_ = 0;      // for a pipe without flag_base
};

}  // namespace tessera::pto
