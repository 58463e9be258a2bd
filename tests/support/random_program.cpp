#include "tests/support/random_program.h"

#include <algorithm>
#include <array>
#include <random>
#include <vector>

#include "tests/support/run_program.h"

namespace tessera::test {

namespace {

class Generator {
 public:
  explicit Generator(std::uint64_t seed) : random_(seed) {}

  RandomProgram make() {
    choose_mesh();
    RandomProgram result;
    result.target = choose_target();
    std::string operators;
    const unsigned count = below(8) + 1;
    for (unsigned i = 0; i < count; ++i)
      operators += (i == 0 ? "" : ", ") + ("\"o" + std::to_string(i)) + "\": " + make_operator();
    std::string names;
    for (unsigned i = 0; i < count; ++i) names += (i == 0 ? "" : ", ") + use(i);
    result.text = program_text(mesh_text(), operators, make_order(names), make_starts());
    return result;
  }

  RandomProgram make_mixed() {
    choose_mesh();
    RandomProgram result;
    result.target = choose_target();
    scheduled::Rules& rules = result.target.rules;
    rules.schedule_memory = 2 + below(3);
    if (chance(25)) rules.vfsms_per_cycle = 1 + below(6);
    if (chance(30)) result.target.worst_stall = below(400);
    result.target.max_length = 64;
    std::string order = make_mixed_order();
    std::string more = make_starts();
    if (chance(40)) more += (more.empty() ? "" : ", ") + make_interruptions();
    result.text = program_text(mesh_text(), operators_, order, more);
    return result;
  }

 private:
  using Nodes = std::vector<unsigned>;
  unsigned below(unsigned n) { return static_cast<unsigned>(random_() % n); }
  bool chance(unsigned percent) { return below(100) < percent; }
  template <std::size_t N>
  const char* one_of(const std::array<const char*, N>& words) {
    return words[below(N)];
  }

  void choose_mesh() {
    rank_ = 1 + below(3);
    const std::array<unsigned, 3> most = rank_ == 1   ? std::array<unsigned, 3>{16, 1, 1}
                                         : rank_ == 2 ? std::array<unsigned, 3>{8, 8, 1}
                                                      : std::array<unsigned, 3>{4, 4, 4};
    for (unsigned d = 0; d < 3; ++d) size_[d] = most[d] == 1 ? 1 : 2 + below(most[d] - 1);
  }
  std::string mesh_text() const {
    std::string text;
    for (unsigned d = 0; d < rank_; ++d) text += (d == 0 ? "" : ", ") + std::to_string(size_[d]);
    return "[" + text + "]";
  }
  unsigned nodes() const { return size_[0] * size_[1] * size_[2]; }
  std::string place(unsigned node) const {
    std::string text;
    for (unsigned d = 0; d < rank_; ++d) {
      text += (d == 0 ? "" : ", ") + std::to_string(node % size_[d]);
      node /= size_[d];
    }
    return "[" + text + "]";
  }

  operators::Target choose_target() {
    operators::Target target = default_target();
    scheduled::Rules& rules = target.rules;
    rules.vfsm_buffer = 1 + below(2);
    rules.output_depth = 1 + below(3);
    rules.input_depth = 1 + below(3);
    rules.switch_cost = chance(50) ? 0 : below(20);
    rules.barrier_latency = 1 + below(20);
    if (chance(15)) rules.vfsms_per_cycle = 2;
    if (chance(15)) rules.io_per_cycle = 2;
    if (chance(20)) rules.load_cycles = below(200);
    target.max_length = 512;
    return target;
  }

  /// A few distinct nodes in random order.
  std::vector<unsigned> some_nodes(unsigned most) {
    std::vector<unsigned> all(nodes());
    for (unsigned i = 0; i < all.size(); ++i) all[i] = i;
    const unsigned count = 2 + below(std::min<unsigned>(most, nodes()) - 1);
    for (unsigned i = 0; i < count; ++i)
      std::swap(all[i], all[i + below(static_cast<unsigned>(all.size()) - i)]);
    all.resize(count);
    return all;
  }
  std::string list(const std::vector<unsigned>& nodes) const {
    std::string text;
    for (const unsigned n : nodes) text += (text.empty() ? "" : ", ") + place(n);
    return "[" + text + "]";
  }

  std::string make_operator() {
    static constexpr std::array<const char*, 6> kKinds = {"stream",         "broadcast", "shift",
                                                          "circular_shift", "reduce",    "prefix"};
    const std::string kind = one_of(kKinds);
    const bool message_bound = chance(12);  // refused where it is impossible
    const unsigned words = message_bound ? 100 : chance(60) ? 1 + below(6) : 1 + below(40);
    std::string text = "{\"kind\": \"" + kind + "\", \"words\": " + std::to_string(words);
    if (message_bound) text += ", \"technique\": \"message\"";
    if (chance(20)) text += ", \"compute\": " + std::to_string(1 + below(12));
    if (chance(20)) text += ", \"bandwidth\": \"1/" + std::to_string(2 + below(4)) + "\"";
    if (kind == "stream") return text + make_pairs() + "}";
    const bool lines = chance(50);
    if (lines) {
      const unsigned axis = below(rank_);
      text += std::string(", \"nodes\": \"all\", \"each\": \"") + "xyz"[axis] + "\"";
      std::vector<unsigned> roots;
      const unsigned chosen = below(size_[axis]);
      for (unsigned n = 0; n < nodes(); ++n) {
        const std::array<unsigned, 3> at = {n % size_[0], n / size_[0] % size_[1],
                                            n / (size_[0] * size_[1])};
        if (at[axis] == chosen) roots.push_back(n);
      }
      if (kind == "broadcast") text += ", \"from\": " + list(roots);
      if (kind == "reduce") text += ", \"to\": " + list(roots);
    } else {
      const std::vector<unsigned> members = some_nodes(10);
      text += ", \"nodes\": " + list(members);
      const std::string root = list({members[below(static_cast<unsigned>(members.size()))]});
      if (kind == "broadcast") text += ", \"from\": " + root;
      if (kind == "reduce") text += ", \"to\": " + root;
    }
    const bool shifts = kind == "shift" || kind == "circular_shift";
    if (shifts && chance(50)) text += ", \"by\": -1";
    return text + "}";
  }
  std::string make_pairs() { return pairs(some_nodes(6)); }
  std::string pairs(Nodes ends) const {
    if (ends.size() % 2 != 0) ends.pop_back();
    const auto half = static_cast<std::ptrdiff_t>(ends.size() / 2);
    return ", \"from\": " + list({ends.begin(), ends.begin() + half}) +
           ", \"to\": " + list({ends.begin() + half, ends.end()});
  }

  std::string use(unsigned i) {
    const std::string name = "\"o" + std::to_string(i) + "\"";
    if (chance(10))
      return "{\"loop\": " + std::to_string(2 + below(3)) + ", \"body\": [" + name + "]}";
    return name;
  }
  std::string make_order(const std::string& names) {
    static constexpr std::array<const char*, 4> kPhases = {"separate", "separate", "auto",
                                                           "shared"};
    const std::string phases = std::string("\"phases\": \"") + one_of(kPhases) + "\"";
    const unsigned form = below(10);
    if (form < 6) return "{\"sequential\": [" + names + "], " + phases + "}";
    if (form < 9)
      return "{\"loop\": " + std::to_string(2 + below(3)) + ", \"body\": [" + names + "], " +
             phases + "}";
    return "{\"parallel\": [" + names + "]}";
  }
  std::string make_starts() {
    if (chance(20)) return "";
    std::string text;
    const unsigned count = 1 + below(4);
    for (unsigned i = 0; i < count; ++i) {
      text += (i == 0 ? "" : ", ") + ("{\"nodes\": [" + place(below(nodes()))) +
              "], \"at\": " + std::to_string(below(600)) + "}";
    }
    return "\"starts\": [" + text + "]";
  }

  // --- mixed programs

  /// Nodes `first` to, not including, `last`.
  static Nodes range(unsigned first, unsigned last) {
    Nodes nodes;
    for (unsigned n = first; n < last; ++n) nodes.push_back(n);
    return nodes;
  }
  /// 2 or more of `pool`, if it has so many, in random order.
  Nodes some_of(Nodes pool, unsigned most) {
    const auto size = static_cast<unsigned>(pool.size());
    const unsigned count = 2 + below(std::max(2U, std::min(most, size)) - 1);
    for (unsigned i = 0; i < std::min(count, size); ++i)
      std::swap(pool[i], pool[i + below(size - i)]);
    pool.resize(std::min(count, size));
    return pool;
  }

  /// A sequence, one beside continuing operators, or two regions with or without these.
  std::string make_mixed_order() {
    const Nodes all = range(0, nodes());
    const unsigned rows = size_[rank_ - 1];
    const unsigned form = below(10);
    if (form < 5) return make_sequence(all, 0);
    std::string members;
    if (form < 8 || rows < 4) {
      members = make_sequence(all, 0) + ", " + new_operator(all, true);
    } else {
      const unsigned cut = nodes() / rows * (2 + below(rows - 3));  // ways stay on their side
      members = make_sequence(range(0, cut), 1) + ", " + make_sequence(range(cut, nodes()), 1);
    }
    if (chance(35)) members += ", " + new_operator(all, true);
    return "{\"parallel\": [" + members + "]}";
  }
  std::string make_sequence(const Nodes& pool, unsigned depth) {
    std::string members;
    std::vector<std::string> used;
    const unsigned count = 1 + below(4);
    for (unsigned i = 0; i < count; ++i) {
      std::string member;
      const unsigned kind = below(10);
      if (kind < 2 && depth < 2) {
        member = make_sequence(pool, depth + 1);
      } else if (kind == 2) {
        member = "{\"work\": " + std::to_string(1 + below(200)) +
                 ", \"nodes\": " + list(some_of(pool, 8)) + "}";
      } else if (kind == 3 && !used.empty()) {
        member = used[below(static_cast<unsigned>(used.size()))];
      } else {
        member = new_operator(pool, false);
        used.push_back(member);
      }
      members += (i == 0 ? "" : ", ") + member;
    }
    static constexpr std::array<const char*, 4> kPhases = {"separate", "separate", "auto",
                                                           "shared"};
    std::string text = chance(65) ? "{\"sequential\": ["
                                  : "{\"loop\": " + std::to_string(1 + below(4)) + ", \"body\": [";
    text += members + "], \"phases\": \"" + one_of(kPhases) + "\"";
    if (chance(5)) text += ", \"length\": " + std::to_string(4 + below(40));
    return text + "}";
  }

  /// Declares an operator over nodes of `pool`; its name in quotes.
  std::string new_operator(const Nodes& pool, bool continuing) {
    const std::string name = "\"o" + std::to_string(operator_count_++) + "\"";
    operators_ += (operators_.empty() ? "" : ", ") + name + ": ";
    if (!continuing && !online_ && chance(15)) {
      online_ = true;  // one is allowed
      operators_ += make_online(pool);
    } else {
      operators_ += make_mixed_operator(pool);
    }
    return name;
  }
  std::string make_online(const Nodes& pool) {
    std::string messages;
    const unsigned count = 1 + below(6);
    for (unsigned i = 0; i < count; ++i) {
      const Nodes ends = some_of(pool, 2);
      messages += (i == 0 ? "{\"from\": " : ", {\"from\": ") + place(ends[0]) +
                  ", \"to\": " + place(ends[1]) + ", \"words\": " + std::to_string(1 + below(30)) +
                  "}";
    }
    return "{\"kind\": \"online\", \"messages\": [" + messages + "]}";
  }
  std::string make_mixed_operator(const Nodes& pool) {
    static constexpr std::array<const char*, 6> kKinds = {"stream",         "broadcast", "shift",
                                                          "circular_shift", "reduce",    "prefix"};
    static constexpr std::array<const char*, 5> kTechniques = {"auto", "processor", "marker",
                                                               "barrier", "message"};
    static constexpr std::array<const char*, 4> kCombines = {"sum", "max", "min", "replace"};
    const std::string kind = one_of(kKinds);
    const bool folds = kind == "reduce" || kind == "prefix";
    const unsigned words = chance(60) ? 1 + below(6) : 1 + below(90);
    std::string text = "{\"kind\": \"" + kind + "\", \"words\": " + std::to_string(words);
    if (chance(25)) text += ", \"compute\": " + std::to_string(below(10));
    if (chance(30)) text += ", \"bandwidth\": \"1/" + std::to_string(1 + below(5)) + "\"";
    if (chance(40)) text += std::string(", \"technique\": \"") + one_of(kTechniques) + "\"";
    if (chance(30))
      text += std::string(", \"combine\": \"") + kCombines[below(folds ? 3 : 4)] + "\"";
    if (chance(6)) text += ", \"slot\": " + std::to_string(below(7));
    if (kind == "stream") return text + pairs(some_of(pool, 6)) + "}";
    const Nodes members = some_of(pool, 10);
    std::string roots = list({members[0]});
    if (members.size() >= 4 && chance(30)) {
      const auto cut = members.begin() + 2 + below(static_cast<unsigned>(members.size()) - 3);
      text += ", \"subsets\": [" + list({members.begin(), cut}) + ", " +
              list({cut, members.end()}) + "]";
      roots = list({members[0], *cut});
    } else {
      text += ", \"nodes\": " + list(members);
    }
    if (kind == "broadcast") text += ", \"from\": " + roots;
    if (kind == "reduce") text += ", \"to\": " + roots;
    const bool shifts = kind == "shift" || kind == "circular_shift";
    if (shifts && chance(50)) text += ", \"by\": -1";
    return text + "}";
  }
  std::string make_interruptions() {
    std::string text;
    const unsigned count = 1 + below(4);
    for (unsigned i = 0; i < count; ++i) {
      text += (i == 0 ? "" : ", ") + ("{\"nodes\": [" + place(below(nodes()))) +
              "], \"at\": " + std::to_string(below(600)) +
              ", \"cycles\": " + std::to_string(1 + below(chance(50) ? 20 : 400)) + "}";
    }
    return "\"interruptions\": [" + text + "]";
  }

  std::mt19937_64 random_;
  std::string operators_;  // text of the operators of a mixed program
  unsigned operator_count_ = 0;
  bool online_ = false;
  unsigned rank_ = 1;
  std::array<unsigned, 3> size_ = {1, 1, 1};
};

}  // namespace

RandomProgram random_program(std::uint64_t seed) {
  return Generator(seed).make();
}

RandomProgram random_mixed_program(std::uint64_t seed) {
  return Generator(seed).make_mixed();
}

}  // namespace tessera::test
