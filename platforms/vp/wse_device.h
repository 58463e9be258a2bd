// A WSE machine as the host port sees it: memory of tiles, edges, launches, counters.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "models/host/device.h"
#include "models/observe/event_stream.h"
#include "platforms/wse/machine.h"
#include "platforms/wse/workload.h"

namespace tessera::vp {

class WseDevice : public host::Device, private observe::Sink {
 public:
  /// Edges are those that streams of the workload use, in the order of Workload::links; functions those
  /// of its programs, each name once, in the order of the programs. Adds itself to `events`. All
  /// arguments must outlive it. Throws UserError for a layout that is beyond the memory map.
  WseDevice(const wse::Workload& workload, wse::Machine& machine, observe::EventStream& events);
  /// Another program that the host may load. It must outlive the device. Throws UserError as the constructor.
  void add_program(const wse::Workload& workload);

  const host::DeviceInfo& info() const override { return infos_[program_]; }
  const host::DeviceInfo& info_of(std::uint32_t program) const { return infos_[program]; }
  void set_listener(host::DeviceListener* listener) override;
  bool at_rest() const override { return machine_.domain().idle(); }
  bool has_memory(std::uint32_t tile) const override;
  void read_memory(std::uint32_t tile, std::uint32_t at, std::uint32_t count,
                   std::byte* to) override {
    memory(tile).read_bytes(at, count, to);
  }
  void write_memory(std::uint32_t tile, std::uint32_t at, std::uint32_t count,
                    const std::byte* from) override {
    memory(tile).write_bytes(at, count, from);
  }
  std::byte* direct_memory(std::uint32_t tile) override { return memory(tile).in_one_piece(); }
  std::uint32_t launch(const host::LaunchRequest& request, Cycle at) override;
  void send(std::uint32_t edge, Color color, std::vector<host::Word> words, Cycle from) override {
    edges_[edge]->send(color, std::move(words), from);
  }
  void expect(std::uint32_t edge, Color color, std::uint32_t count) override {
    edges_[edge]->expect(color, count);
  }
  void cancel(std::uint32_t edge, Color color) override { edges_[edge]->cancel(color); }
  std::uint32_t program_of(std::uint32_t tile) const override {
    return static_cast<std::uint32_t>(workload().layout.program_of_tile[tile]);
  }
  void reset(bool keep_memory) override;
  bool load(std::uint32_t program) override;
  std::uint32_t program() const override { return program_; }
  bool failed() const override { return machine_.domain().failure().has_value(); }
  const host::EdgeCore& edge(std::uint32_t edge) const override { return edges_[edge]->core(); }
  std::uint64_t counter(std::uint32_t number) override;

 private:
  void on_event(const observe::Event& event) override;
  TileCoord at(std::uint32_t tile) const;
  /// The memory of a tile, as it is between two cycles.
  pe::Sram& memory(std::uint32_t tile);
  void catch_up();
  const wse::Workload& workload() const { return *workloads_[program_]; }

  std::vector<const wse::Workload*> workloads_;  // by program
  std::uint32_t program_ = 0;
  wse::Machine& machine_;
  const observe::EventStream& events_;
  std::vector<host::DeviceInfo> infos_;  // by program
  std::vector<host::Edge*> edges_;
  host::DeviceListener* listener_ = nullptr;
  Cycle caught_up_ = kNever;  // cycle up to which all engines have been caught up
};

}  // namespace tessera::vp
