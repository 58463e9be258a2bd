#include "tests/support/random_program.h"

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

 private:
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
  std::string make_pairs() {
    std::vector<unsigned> ends = some_nodes(6);
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

  std::mt19937_64 random_;
  unsigned rank_ = 1;
  std::array<unsigned, 3> size_ = {1, 1, 1};
};

}  // namespace

RandomProgram random_program(std::uint64_t seed) {
  return Generator(seed).make();
}

}  // namespace tessera::test
