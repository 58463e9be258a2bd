// The pipes between cube and vector that a function has opened, and what it pushes and pops: what can
// be seen wrong at one end of a pipe is refused here, fifo_ends.h compares both ends.
#pragma once

#include <vector>

#include "frontends/pto/fifo.h"
#include "frontends/pto/fifo_ends.h"

namespace tessera::pto {

class FifoTable : LoweringPart {
 public:
  using LoweringPart::LoweringPart;

  /// Adds a pipe with the attributes of `op`, whose ends are not open. Throws UserError if one of
  /// them makes no sense. The reference is valid until the next pipe.
  Fifo& add(const Operation& op, std::int64_t id, bool through_gm);
  /// Opens its ends. `gm`: its buffer in GM, or nullptr; `to_aiv`, `to_aic`: addresses of the
  /// buffers of the consumers.
  void open_ends(Fifo& fifo, const Operation& op, const Value* gm, const Value& to_aiv,
                 const Value& to_aic);

  bool has_id(std::int64_t id) const;
  Fifo& at(unsigned index) { return fifos_[index]; }
  unsigned index_of(const Fifo& fifo) const { return static_cast<unsigned>(&fifo - fifos_.data()); }
  const std::vector<Fifo>& all() const { return fifos_; }
  /// The pipe that an operation names, by a handle or by its id.
  Fifo& of(const Operation& op);
  /// The end that the operation works on; notes its split in the pipe.
  FifoEnd& end_of(Fifo& fifo, const Operation& op, bool produces);

  /// A push or a pop of a tile, which has to fit a slot.
  void note_tile(const Fifo& fifo, const Operation& op, const Type& type, bool pushes);
  /// .. of an entry in GM, which fits.
  void note_entry(const Fifo& fifo, const Operation& op, const Type& type, bool pushes);
  std::vector<PipeEnd> take_pipe_ends() { return std::move(pipe_ends_); }

 private:
  /// An attribute of 1..`most`.
  std::int64_t positive(const Operation& op, const char* key, std::int64_t otherwise,
                        std::int64_t most) const;
  void note_split(Fifo& fifo, const Operation& op) const;
  /// The ring of the consumer lies in its memory, and in the buffer that is reserved for it.
  void check_ring(const Fifo& fifo, const Operation& op, const Value& buffer, bool to_aiv) const;

  std::vector<Fifo> fifos_;
  std::vector<PipeEnd> pipe_ends_;  // of fifos_
  std::int64_t next_flag_ = 0;      // of a pipe without flag_base
};

}  // namespace tessera::pto
