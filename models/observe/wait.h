// Deadlock diagnoses: who waits for what (docs/architecture.md#errors).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace tessera::observe {

/// What a wait needs, or what others get when it ends. Two are the same thing if all members are equal.
struct Resource {
  enum class Kind : std::uint8_t {
    kNone,     ///< not known
    kTime,     ///< needs: nothing but time
    kNever,    ///< needs: what nobody can give
    kThread,   ///< gives: what thread `number` of the place does next; it sends on `color`
    kSwitch,   ///< needs: a wavelet that moves a switch or ends a teardown
    kPeer,     ///< needs: another thread of the place; with number kMain: a task needs it
    kReader,   ///< a reader of input queue `number`
    kInput,    ///< room in the input queue of `color`
    kWavelet,  ///< a wavelet of `color` that leaves the router of the place at `side`
    kBuffer,  ///< room in the router for `color` at the input `side`; kBeyond: at the one beyond the output
    kQueue,  ///< room in output queue `number`, whose oldest wavelet has `color`
    kStream  ///< gives: wavelets of `color` of the host, at `side`
  };
  static constexpr std::uint8_t kAny = 0xFF;
  static constexpr std::uint8_t kBeyond =
      1;  ///< kBuffer: what lies beyond output `side` of the place
  static constexpr std::uint8_t kMain =
      0xFE;  ///< kThread: the main thread, or a task to be run by it

  Kind kind = Kind::kNone;
  std::uint8_t number = 0;
  std::uint8_t color = kAny;
  std::uint8_t side = kAny;  ///< a Direction
  std::uint32_t place = 0;

  std::uint64_t key() const {
    return std::uint64_t{place} << 32 | std::uint64_t{side} << 24 | std::uint64_t{color} << 16 |
           std::uint64_t{number} << 8 | static_cast<std::uint64_t>(kind);
  }
};

/// One line.
struct Wait {
  std::uint32_t place = 0;  ///< linear index of the tile
  std::string who;          ///< "microthread 2 (fadds at gemv.tasm:31, task reduce)"
  std::string what;         ///< "a wavelet on input queue 3 (color 4): 2 of 6 elements done"
  /// Someone is blocked. false: wavelets lie in a buffer or queue and nothing will read them.
  bool blocks = true;
  /// With blocks = false: a service, such as a data task, that lacks a wavelet.
  bool idle = false;
  /// Characters of `what` that other places with the same wait share; what comes after is theirs.
  std::size_t shared = std::string::npos;
  /// Characters of `who` that name the place, at its begin.
  std::size_t name = 0;
  std::vector<Resource> needs = {};  ///< all of them
  Resource gives = {};
};

/// All lines of a machine. On a large one there may be millions; then the first of each sort are
/// kept in words. Of the others it is known what they need, and which of the kinds they are.
class Waits {
 public:
  using value_type = Wait;
  using const_iterator = std::vector<Wait>::const_iterator;
  static constexpr std::uint32_t kNotKept = std::numeric_limits<std::uint32_t>::max();

  /// Waits that differ in their place and in how far they have come.
  struct Kind {
    std::string who, what;
    bool blocks = true, idle = false;
  };
  /// A wait of any place.
  struct Node {
    std::uint32_t place = 0;
    std::uint32_t kind = 0;  ///< index in kinds()
    std::uint32_t kept = 0;  ///< which of the lines it is; kNotKept: none
    std::uint32_t first_need = 0, needs = 0;
    Resource gives;
  };

  Waits() = default;
  /// Keeps at most `most` that block, that do not and that are idle.
  explicit Waits(std::size_t most) : most_(most) {}
  /// All lines of one place, and no others.
  static Waits of(std::uint32_t place) {
    Waits waits;
    waits.only_ = place;
    return waits;
  }

  /// Whether lines of a place are kept: where not, nobody needs to look for them.
  bool wants(std::uint32_t place) const {
    return (!only_ || place == *only_) && (!within_ || within_(place));
  }
  /// From here on only lines of these places are taken.
  void take_only(std::function<bool(std::uint32_t place)> within) { within_ = std::move(within); }
  void push_back(Wait wait) {
    if (!wants(wait.place)) return;
    const bool keeps = ++counts_[sort_of(wait.blocks, wait.idle)] <= most_;
    nodes_.push_back({wait.place, kind_of(wait),
                      keeps ? static_cast<std::uint32_t>(kept_.size()) : kNotKept,
                      static_cast<std::uint32_t>(needs_.size()),
                      static_cast<std::uint32_t>(wait.needs.size()), wait.gives});
    needs_.insert(needs_.end(), wait.needs.begin(), wait.needs.end());
    if (keeps) kept_.push_back(std::move(wait));
  }
  /// Whether an idle one would still be kept; if not, count_idle() does without words.
  bool keeps_idle() const { return counts_[kIdle] < most_; }
  void count_idle() { ++counts_[kIdle]; }

  // How many there are, kept or not.
  std::size_t blocking() const { return counts_[kBlocking]; }
  std::size_t unread() const { return counts_[kUnread]; }
  std::size_t total() const { return counts_[kBlocking] + counts_[kUnread] + counts_[kIdle]; }

  // Those that are kept, in the order in which they came.
  const_iterator begin() const { return kept_.begin(); }
  const_iterator end() const { return kept_.end(); }
  std::size_t size() const { return kept_.size(); }
  bool empty() const { return kept_.empty(); }
  const Wait& operator[](std::size_t i) const { return kept_[i]; }

  // All but those of count_idle(), in the order in which they came.
  const std::vector<Node>& nodes() const { return nodes_; }
  const std::vector<Kind>& kinds() const { return kinds_; }
  const Resource* needs_of(const Node& node) const { return needs_.data() + node.first_need; }

 private:
  enum Sort : std::size_t { kBlocking, kUnread, kIdle };
  static Sort sort_of(bool blocks, bool idle) {
    return blocks ? kBlocking : idle ? kIdle : kUnread;
  }
  std::uint32_t kind_of(const Wait& wait);

  std::size_t most_ = std::numeric_limits<std::size_t>::max();
  std::optional<std::uint32_t> only_;
  std::function<bool(std::uint32_t)> within_;
  std::array<std::size_t, 3> counts_{};
  std::vector<Wait> kept_;
  std::vector<Node> nodes_;
  std::vector<Resource> needs_;
  std::vector<Kind> kinds_;
  std::unordered_map<std::string, std::uint32_t> kind_by_text_;
};

}  // namespace tessera::observe
