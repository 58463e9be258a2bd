// A machine for tests of the host port: 2 x 2 tiles, the last one without memory; two edges, of
// which the second one echoes nothing; two functions. Nothing moves by itself.
#pragma once

#include <array>
#include <cstring>
#include <utility>
#include <vector>

#include "models/host/device.h"

namespace tessera::host::test {

class FakeDevice : public Device {
 public:
  static constexpr std::uint32_t kTileBytes = 0x400;

  FakeDevice() {
    info_.width = 2;
    info_.height = 2;
    info_.tile_bytes = kTileBytes;
    info_.period_ps = 1000;
    info_.edges = {{{0, 0}, Direction::kWest, 0}, {{1, 1}, Direction::kEast, 1U << 3}};
    info_.functions = {"main", "second"};
    info_.counters = {"hops", "tasks"};
    info_.symbols = {{"A", 1, 0x40, 8, 2}};
    info_.programs = 3;
    build_edges();
  }

  void build_edges() {
    edges_.clear();
    fabric::FabricTiming timing;
    for (const EdgeInfo& edge : info_.edges)
      edges_.emplace_back(edge.side, timing, IdentRange{}, observe::Probe());
  }

  const DeviceInfo& info() const override { return info_; }
  void set_listener(DeviceListener* listener) override { listener_ = listener; }
  bool at_rest() const override { return rests; }
  bool has_memory(std::uint32_t tile) const override { return tile < 3; }
  void read_memory(std::uint32_t tile, std::uint32_t at, std::uint32_t count,
                   std::byte* to) override {
    std::memcpy(to, memory[tile].data() + at, count);
  }
  void write_memory(std::uint32_t tile, std::uint32_t at, std::uint32_t count,
                    const std::byte* from) override {
    std::memcpy(memory[tile].data() + at, from, count);
  }
  std::byte* direct_memory(std::uint32_t tile) override { return memory[tile].data(); }
  std::uint32_t launch(const LaunchRequest& request, Cycle at) override {
    launches.emplace_back(request, at);
    return request.function == 0 ? request.width * request.height : 0;
  }
  void send(std::uint32_t edge, Color color, std::vector<Word> words, Cycle from) override {
    sent.push_back({edge, color, words, from});
    edges_[edge].send(color, std::move(words), from);
  }
  void expect(std::uint32_t edge, Color color, std::uint32_t count) override {
    edges_[edge].expect(color, count);
  }
  void cancel(std::uint32_t edge, Color color) override { edges_[edge].cancel(color); }
  bool failed() const override { return has_failed; }
  void reset(bool keep_memory) override {
    resets.push_back(keep_memory);
    build_edges();
  }
  /// The second program has one function more and no symbols; the third one does not fit.
  bool load(std::uint32_t program) override {
    if (program == 2) return false;
    loaded = program;
    info_.functions = {"main", "second"};
    if (program == 1) info_.functions.emplace_back("third");
    if (program == 1) info_.symbols.clear();
    build_edges();
    return true;
  }
  std::uint32_t program() const override { return loaded; }
  const EdgeCore& edge(std::uint32_t edge) const override { return edges_[edge]; }
  std::uint64_t counter(std::uint32_t number) override { return 0x1'0000'0007ULL + number; }

  /// A wavelet comes out of an edge in cycle `now`.
  void deliver(std::uint32_t edge, Color color, std::uint32_t payload, bool control, Cycle now) {
    link::Wavelet w;
    w.color = color;
    w.payload = payload;
    w.control = control;
    edges_[edge].put(w, now);
    edges_[edge].step(now);
    if (listener_ != nullptr) listener_->stream_completed(now);
  }
  DeviceListener* listener() const { return listener_; }

  struct Sent {
    std::uint32_t edge;
    Color color;
    std::vector<Word> words;
    Cycle from;
  };
  bool rests = true;
  bool has_failed = false;
  std::uint32_t loaded = 0;
  std::vector<bool> resets;  ///< whether memory was kept
  std::array<std::array<std::byte, kTileBytes>, 4> memory{};
  std::vector<std::pair<LaunchRequest, Cycle>> launches;
  std::vector<Sent> sent;

 protected:
  DeviceInfo info_;

 private:
  std::vector<EdgeCore> edges_;
  DeviceListener* listener_ = nullptr;
};

}  // namespace tessera::host::test
