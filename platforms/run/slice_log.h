// What places of a machine did when, kept in memory for the live view: the slices that a trace would have.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "models/observe/perfetto_writer.h"

namespace tessera::run {

class SliceLog final : public observe::SliceListener {
 public:
  /// Slices of a track, at most; the older half makes room.
  static constexpr std::size_t kMostSlices = 65536;

  /// Texts are numbers of words().
  struct Row {
    Cycle begin = 0;
    Cycle end = 0;
    std::uint32_t name = 0;
    std::uint32_t line = 0;
    std::uint32_t what = 0;
    std::uint32_t count = 0;
  };
  struct Track {
    std::string name;
    std::vector<Row> rows;  ///< by their end
    Cycle from = 0;         ///< what ended before is not kept
  };
  /// By process and thread.
  using Tracks = std::map<std::pair<unsigned, unsigned>, Track>;

  void on_track(unsigned process, unsigned thread, std::string_view name) override {
    tracks_[{process, thread}].name = name;
  }
  void on_slice(unsigned process, unsigned thread, const Slice& slice) override;

  const Tracks& tracks() const { return tracks_; }
  /// Number 0 is the empty text.
  const std::vector<std::string>& words() const { return words_; }

 private:
  std::uint32_t number_of(std::string_view word);

  Tracks tracks_;
  std::vector<std::string> words_{std::string()};
  std::unordered_map<std::string, std::uint32_t> numbers_{{std::string(), 0}};
};

}  // namespace tessera::run
