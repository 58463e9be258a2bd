// Random rows of routers whose colors change their routes again and again, the safe way (wse.md
// 1.9: after a marker) or with one write at a random moment. The checker must be silent in the
// first case, and in the second report exactly if something was under way (numesh.md S24), which is
// known from the events of the same run without a checker.
//
// TESSERA_EPOCH_CASES: cases of each test instead (soak).
#include <gtest/gtest.h>

#include <map>
#include <random>
#include <string>
#include <vector>

#include "models/fabric/registers.h"
#include "models/observe/digest.h"
#include "models/observe/event_fields.h"
#include "tests/models/fabric/bench.h"
#include "tests/support/number_from.h"
#include "tlm_ifaces/vocabulary/errors.h"

namespace tessera::fabric::bench {
namespace {

using config_space::kColorBase;
using config_space::kTeardownBit;

constexpr unsigned kColors = 3;
constexpr unsigned kCases = 400;

unsigned long cases() {
  return tessera::test::number_from("TESSERA_EPOCH_CASES", kCases);
}

/// Words of a phase go from the source to the end of the row; the takers get a copy.
struct Phase {
  unsigned words;
  std::vector<bool> taker;  // by tile
};
struct Stream {
  Direction to;  // EAST or WEST
  std::vector<Phase> phases;
};
struct UnsafeWrite {
  unsigned color;
  int tile;
  Cycle cycle;
};

class Case {
 public:
  explicit Case(std::uint64_t seed) : random_(seed), length_(pick(3, 7)), timing_(timing_1_1_2()) {
    timing_.hop_latency = static_cast<unsigned>(pick(1, 3));
    timing_.buffer_depth = static_cast<unsigned>(pick(1, 3));
    stall_percent_ = pick(0, 3) * 20;
    handler_seed_ = random_();
    for (Stream& stream : streams_) {
      stream.to = pick(0, 1) == 0 ? kE : kW;
      stream.phases.resize(static_cast<std::size_t>(pick(2, 5)));
      for (Phase& phase : stream.phases) {
        phase.words = static_cast<unsigned>(pick(0, 30));
        for (int x = 0; x < length_; ++x) phase.taker.push_back(pick(0, 1) == 0);
        phase.taker[static_cast<std::size_t>(sink(stream))] = true;
      }
    }
  }

  /// What the sinks got. `write` turns the route of a tile to what it is not at the time.
  struct Outcome {
    std::string report;  // what the checker reports
    std::uint64_t digest = 0;
    Recorder events;
    std::vector<std::vector<std::uint32_t>> got;  // by color and tile: payloads
  };
  Outcome run(bool watched, const UnsafeWrite* write, std::uint64_t shuffle = 0) const {
    Outcome out;
    Mesh mesh(length_, 1, timing_, &out.events);
    if (!watched) mesh.watch(nullptr);
    if (shuffle != 0) mesh.scheduler().shuffle_step_order(shuffle);
    build(mesh);
    std::array<std::array<std::size_t, 8>, kColors> phase{};  // by color and tile
    mesh.on_teardown = [&](TileCoord at, const RouterCore::Teardown& t) {
      // Drawn in the order of time, colors and tiles, whatever the step order is.
      std::mt19937_64 own(handler_seed_ + t.due * 1000 + t.color.value() * 10 +
                          static_cast<unsigned>(at.x));
      handle(mesh, at, t, phase[t.color.value()][static_cast<std::size_t>(at.x)]++, own);
    };
    try {
      if (write != nullptr) {
        mesh.run(write->cycle);
        const auto tile = static_cast<std::size_t>(write->tile);
        mesh.write({write->tile, 0}, address(write->color),
                   way(write->color, write->tile, phase[write->color][tile]) ^ 1U << index(kR),
                   write->cycle);
      }
      mesh.run();
    } catch (const IllegalBehaviour& e) {
      out.report = e.what();
    }
    observe::Digest digest;
    for (const observe::Event& e : out.events.events) digest.on_event(e);
    out.digest = digest.value();
    for (unsigned c = 0; c < kColors; ++c) {
      for (int x = 0; x < length_; ++x) out.got.push_back(data_of(mesh, c, x));
    }
    return out;
  }
  /// What the sinks should get.
  std::vector<std::vector<std::uint32_t>> expected() const {
    std::vector<std::vector<std::uint32_t>> all;
    for (const Stream& stream : streams_) {
      for (int x = 0; x < length_; ++x) {
        std::vector<std::uint32_t> words;
        for (std::uint32_t p = 0; p < stream.phases.size(); ++p) {
          const Phase& phase = stream.phases[p];
          if (x == source(stream) || !phase.taker[static_cast<std::size_t>(x)]) continue;
          for (std::uint32_t n = 0; n < phase.words; ++n) words.push_back(p << 16 | n);
        }
        all.push_back(words);
      }
    }
    return all;
  }

  /// A moment and a tile between source and end that is not in teardown then.
  UnsafeWrite draw_write(const Recorder& events) {
    UnsafeWrite write{};
    do {
      write.color = static_cast<unsigned>(pick(0, kColors - 1));
      write.tile = pick(1, length_ - 2);
      write.cycle = static_cast<Cycle>(pick(1, 500));
    } while (in_teardown(events, write));
    return write;
  }
  /// Whether a wavelet had left its source by then, and had not left that tile. A marker of which
  /// only a copy has left gives what follows it to the teardown that is to come.
  bool something_under_way(const Recorder& events, const UnsafeWrite& write) const {
    struct Hops {
      Cycle source = kNever, first = kNever, last = 0;  // at the source, at the tile
      bool marker = false;
    };
    std::map<std::uint64_t, Hops> wavelets;  // by ident: in the order of the stream
    const Stream& stream = streams_[write.color];
    for (const observe::Event& e : events.of(observe::EventKind::kHop)) {
      if (observe::color_of(e) != write.color) continue;
      Hops& hops = wavelets[e.ident];
      hops.marker = observe::control_of(e);
      if (e.place == static_cast<std::uint32_t>(source(stream))) hops.source = e.cycle;
      if (e.place != static_cast<std::uint32_t>(write.tile)) continue;
      hops.first = std::min(hops.first, e.cycle);
      hops.last = std::max(hops.last, e.cycle);
    }
    for (const auto& [ident, hops] : wavelets) {
      if (hops.marker && hops.first < write.cycle && hops.last >= write.cycle) return false;
      if (hops.source <= write.cycle && hops.first >= write.cycle) return true;
    }
    return false;
  }

 private:
  int pick(int from, int to) {
    return from + static_cast<int>(random_() % static_cast<unsigned>(to - from + 1));
  }
  int source(const Stream& stream) const { return stream.to == kE ? 0 : length_ - 1; }
  int sink(const Stream& stream) const { return stream.to == kE ? length_ - 1 : 0; }
  static config_space::Address address(unsigned color) {
    return static_cast<config_space::Address>(kColorBase + color);
  }
  /// The route of a tile in a phase; after the last one as in that.
  ColorRoute route_of(unsigned color, int x, std::size_t phase) const {
    const Stream& stream = streams_[color];
    if (x == source(stream)) return route({kR}, {stream.to});
    DirectionSet tx;
    const Phase& now = stream.phases[std::min(phase, stream.phases.size() - 1)];
    if (now.taker[static_cast<std::size_t>(x)]) tx.insert(kR);
    if (x != sink(stream)) tx.insert(stream.to);
    return route({opposite(stream.to)}, tx);
  }
  unsigned way(unsigned color, int x, std::size_t phase) const {
    return color_register(route_of(color, x, phase));
  }

  void build(Mesh& mesh) const {
    for (int x = 0; x < length_; ++x) {
      mesh.router({x, 0}).set_reconfigurable(Generation::kWse2);
      for (unsigned c = 0; c < kColors; ++c) {
        mesh.router({x, 0}).set_route(Color(c), route_of(c, x, 0));
        mesh.endpoint({x, 0}).open(Color(c), 3);
      }
      const auto percent = static_cast<unsigned>(stall_percent_);
      mesh.endpoint({x, 0}).stall([percent, x](Cycle now) {
        return (now * 0x9E3779B97F4A7C15 + static_cast<unsigned>(x)) % 1009 % 100 < percent;
      });
    }
    mesh.connect();
    for (unsigned c = 0; c < kColors; ++c) send(mesh, c);
  }
  void send(Mesh& mesh, unsigned color) const {
    const Stream& stream = streams_[color];
    const auto from = static_cast<std::uint64_t>(source(stream)) + 1;
    std::uint32_t count = color << 24;
    for (std::uint32_t p = 0; p < stream.phases.size(); ++p) {
      for (std::uint32_t n = 0; n < stream.phases[p].words; ++n) {
        link::Wavelet w = data(color, p << 16 | n);
        w.ident = from << 32 | ++count;
        mesh.endpoint({source(stream), 0}).send(w);
      }
      link::Wavelet marker = control(color, {kTeardown});
      marker.ident = from << 32 | ++count;
      mesh.endpoint({source(stream), 0}).send(marker);
    }
  }
  /// Some time after the notice, in one write or with some in teardown before.
  void handle(Mesh& mesh, TileCoord at, const RouterCore::Teardown& t, std::size_t phase,
              std::mt19937_64& random) const {
    const unsigned next = way(t.color.value(), at.x, phase + 1);
    Cycle due = t.due + 1 + random() % 40;
    if (random() % 2 == 0) {
      mesh.write(at, address(t.color.value()), next | kTeardownBit, due);
      due += 1 + random() % 10;
    }
    mesh.write(at, address(t.color.value()), next, due);
  }
  std::vector<std::uint32_t> data_of(Mesh& mesh, unsigned color, int x) const {
    std::vector<std::uint32_t> words;
    for (const Delivery& d : mesh.endpoint({x, 0}).deliveries()) {
      if (!d.wavelet.control && d.wavelet.color == Color(color)) words.push_back(d.wavelet.payload);
    }
    return words;
  }
  bool in_teardown(const Recorder& events, const UnsafeWrite& write) const {
    bool inside = false;
    for (const observe::Event& e : events.of(observe::EventKind::kTeardown)) {
      if (e.place != static_cast<std::uint32_t>(write.tile) || e.a != write.color) continue;
      if (e.cycle >= write.cycle && e.b == 1) break;
      inside = e.b == 1 || e.cycle >= write.cycle;
    }
    return inside;
  }

  std::mt19937_64 random_;
  int length_;
  FabricTiming timing_;
  int stall_percent_ = 0;
  std::uint64_t handler_seed_ = 0;
  std::array<Stream, kColors> streams_;
};

TEST(FabricEpochsProperty_numesh_S24, SafeOrderIsSilentAndChangesNothing) {
  for (std::uint64_t seed = 1; seed <= cases(); ++seed) {
    Case test(seed);
    const Case::Outcome plain = test.run(false, nullptr);
    const Case::Outcome watched = test.run(true, nullptr, seed % 3);
    ASSERT_EQ(watched.report, "") << "seed " << seed;
    ASSERT_EQ(watched.digest, plain.digest) << "seed " << seed;
    ASSERT_EQ(watched.got, test.expected()) << "seed " << seed;
  }
}

TEST(FabricEpochsProperty_numesh_S24, UnsafeWriteIsReportedIfSomethingIsUnderWay) {
  unsigned long caught = 0;
  for (std::uint64_t seed = 1; seed <= cases(); ++seed) {
    Case test(seed);
    const UnsafeWrite write = test.draw_write(test.run(false, nullptr).events);
    const Case::Outcome plain = test.run(false, &write);
    const Case::Outcome watched = test.run(true, &write, seed % 3);
    const bool expected = test.something_under_way(plain.events, write);
    ASSERT_EQ(!watched.report.empty(), expected)
        << "seed " << seed << ", tile " << write.tile << ", color " << write.color << ", cycle "
        << write.cycle << "\n"
        << watched.report;
    caught += expected ? 1 : 0;
  }
  EXPECT_GT(caught, cases() / 5);
  EXPECT_LT(caught, cases() * 4 / 5);
}

}  // namespace
}  // namespace tessera::fabric::bench
