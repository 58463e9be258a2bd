// Trace Event Format, the JSON that ui.perfetto.dev and chrome://tracing open: processes with named
// threads, slices, flows between them, and counters. The recorders of all machines write through it.
//
// The format counts in microseconds: 1 us is 1 clock cycle of the machine.
#pragma once

#include <cstdint>
#include <iosfwd>
#include <string>
#include <string_view>

#include "tlm_ifaces/vocabulary/cycle.h"

namespace tessera::observe {

/// Takes the tracks and slices of a trace instead of a file. Processes and threads count from 0.
class SliceListener {
 public:
  struct Slice {
    std::string_view name;
    Cycle begin = 0;
    Cycle end = 0;          ///< the cycle after the last one
    std::string_view line;  ///< "gemv.tasm:31"; may be empty
    std::string_view what;  ///< of a wait: what it was for; may be empty
    std::string_view
        count;  ///< elements of an operation, wavelets of a queue, in digits; may be empty
  };
  virtual ~SliceListener() = default;
  virtual void on_track(unsigned process, unsigned thread, std::string_view name) = 0;
  virtual void on_slice(unsigned process, unsigned thread, const Slice& slice) = 0;
};

/// Gives the files of a trace that is cut into several.
class TraceParts {
 public:
  virtual ~TraceParts() = default;
  /// The file after the present one, which is complete. It lives as long as the trace.
  virtual std::ostream& next_part() = 0;
};

/// `text` as JSON writes it: between double quotes, with quotes, backslashes and control characters
/// escaped.
std::string json_quote(std::string_view text);

class PerfettoWriter {
 public:
  /// A thread of a process. Both count from 0.
  struct Track {
    unsigned process = 0;
    unsigned thread = 0;
  };

  /// The details of a slice, or the values of a counter.
  class Args {
   public:
    Args& add(std::string_view key, std::uint64_t value);
    Args& add(std::string_view key, std::string_view text);
    /// "KEY": true.
    Args& mark(std::string_view key);

    /// The value of a key as JSON writes it, a text without its quotes; empty: there is none.
    std::string_view find(std::string_view key) const;

   private:
    friend class PerfettoWriter;
    void begin(std::string_view key);
    std::string members_;
  };

  /// Where the trace goes: into a file, or to a listener, which hears of slices and the names of threads only.
  struct Target {
    Target(std::ostream& file) : out(&file) {}                // NOLINT: a trace takes either
    Target(SliceListener& heard_by) : listener(&heard_by) {}  // NOLINT
    /// A file of about `bytes` bytes, which `parts` follow.
    Target(std::ostream& file, TraceParts& others, std::uint64_t bytes)
        : out(&file), parts(&others), part_bytes(bytes) {}
    std::ostream* out = nullptr;
    SliceListener* listener = nullptr;
    TraceParts* parts = nullptr;
    std::uint64_t part_bytes = 0;
  };

  /// Begins the file. What `target` names must outlive the writer.
  explicit PerfettoWriter(Target target);

  /// Processes and threads are shown in the order of their numbers.
  void name_process(unsigned process, std::string_view name);
  void name_thread(Track track, std::string_view name);
  /// A slice takes one cycle at least. `color`: a color name of the format; nullptr: the viewer
  /// chooses.
  void slice(Track track, std::string_view name, Cycle start, Cycle end, const Args& args,
             const char* color = nullptr);
  void instant(Track track, std::string_view name, Cycle at, const Args& args);
  /// An arrow from one slice to another: from the one that contains cycle `sent` on track `from` to
  /// the one that contains cycle `received` on track `to`.
  void flow(std::string_view name, Track from, Cycle sent, Track to, Cycle received);
  /// The values that `name` has from cycle `at` on.
  void counter(unsigned process, std::string_view name, Cycle at, const Args& args);
  /// Whether the file has the bytes that a part is to have.
  bool is_full() const {
    return target_.parts != nullptr && written_ + text_.size() >= target_.part_bytes;
  }
  /// Ends the file and begins the next one, in which nothing has a name yet.
  void begin_part();
  /// Ends the file.
  void finish();

 private:
  void begin_file();
  void begin(char phase, unsigned process, std::string_view name);
  void add(std::string_view key, std::uint64_t value);
  void add_thread(Track track) { add("tid", std::uint64_t{track.thread} + 1); }
  void end(const Args& args);
  void end_flow(char phase, std::string_view name, Track track, Cycle at);
  void write_out();

  Target target_;
  std::string text_;           ///< what has not been written yet
  std::uint64_t written_ = 0;  ///< bytes of the file
  std::uint64_t flows_ = 0;
  bool first_ = true;
};

}  // namespace tessera::observe
