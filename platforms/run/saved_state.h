// A state that is being saved, on its way into the file of a checkpoint (checkpoint_file.cpp).
#pragma once

#include <cstdint>
#include <deque>
#include <future>
#include <string>
#include <vector>

#include "models/state/archive.h"
#include "platforms/run/checkpoint_file.h"

namespace tessera::run {

/// A state that is saved: other threads compress it meanwhile.
class SavedState {
 public:
  SavedState();
  ~SavedState();
  SavedState(const SavedState&) = delete;
  SavedState& operator=(const SavedState&) = delete;

  /// Takes the state.
  state::Archive& archive() { return archive_; }
  /// All has been saved. Writes beside `path`, flushes it to the disk and gives it its name; a file of this name becomes
  /// `path`.1. At every moment the newest whole file has one of these names. Throws UserError.
  void write(const std::string& path, const CheckpointHeader& header);

 private:
  using Bytes = std::vector<std::uint8_t>;
  struct Piece {
    Bytes plain, scratch, packed;
  };
  Bytes compress_beside(Bytes plain);
  Piece wait_for_one();

  std::deque<std::future<Piece>> under_way_;  // the oldest first
  std::vector<Bytes> packed_;
  std::uint64_t bytes_ = 0;  // of the state
  state::Archive archive_;
};

}  // namespace tessera::run
