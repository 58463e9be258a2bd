// MeshCore::step: what an active node-cycle of a scheduled mesh costs. 64 rows of 64 nodes, every
// row a stream whose VFSMs have one slot in a period; buffers allow a word in every slot.
#include <benchmark/benchmark.h>

#include <cstdint>
#include <string>

#include "models/observe/event_stream.h"
#include "models/scheduled/mesh_core.h"

namespace tessera::scheduled {
namespace {

constexpr unsigned kSize = 64;
constexpr std::uint32_t kEndless = 0xFFFFFFFF;

void add_node(Program& program, NodeId at, StreamId stream, unsigned x, unsigned period) {
  Node& node = program.nodes[at];
  node.vfsms.resize(1);
  Transfer transfer;
  transfer.stream = stream;
  transfer.source = x == 0 ? End::output(0) : End::link(Port::kXMinus);
  transfer.branches = {x + 1 == kSize ? End::input(0) : End::link(Port::kXPlus)};
  Schedule schedule;
  schedule.length = period;
  schedule.transfers = {transfer};
  schedule.slots = {{x % period, 0, 0}};
  node.schedules = {schedule};
  NodePhase phase;
  Step io;
  io.stream = stream;
  if (x == 0) {
    node.outputs.resize(1);
    io.kind = Step::Kind::kWrite;
    phase.tasks = {{"write", {{kEndless, {io}}}, Technique::kReturn, 0, {}}};
  } else if (x + 1 == kSize) {
    node.inputs.resize(1);
    io.kind = Step::Kind::kRead;
    phase.tasks = {{"read", {{kEndless, {io}}}, Technique::kReturn, 0, {}}};
    program.streams[stream].sinks = {{at, 0}};
  }
  node.phases = {phase};
  node.turns = {{0, 0}};
}

Program rows(unsigned period) {
  Program program;
  program.topology = {kSize, kSize, 1};
  program.rules.vfsm_buffer = period == 1 ? 2 : 1;
  program.nodes.resize(program.topology.nodes());
  program.streams.resize(kSize);
  for (unsigned y = 0; y < kSize; ++y)
    for (unsigned x = 0; x < kSize; ++x)
      add_node(program, program.topology.node({x, y, 0}), y, x, period);
  return program;
}

/// Items are node-cycles in which a word moved. Argument: period of the slots.
void scheduled_rows(benchmark::State& state) {
  const Program program = rows(static_cast<unsigned>(state.range(0)));
  observe::EventStream events(kSize, kSize, false);
  MeshCore mesh(program, &events);
  mesh.run(1000);  // full
  const std::uint64_t before = mesh.moves();
  for (auto _ : state) mesh.run(mesh.now() + 1);
  state.SetItemsProcessed(static_cast<std::int64_t>(mesh.moves() - before));
}
BENCHMARK(scheduled_rows)->Arg(1)->Arg(2)->Arg(4);

}  // namespace
}  // namespace tessera::scheduled
