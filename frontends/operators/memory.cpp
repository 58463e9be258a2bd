#include "frontends/operators/memory.h"

#include "frontends/operators/reader_parts.h"

namespace tessera::operators {
namespace {

/// What operators mean, in terms of the memories of the nodes.
class Meaning {
 public:
  Meaning(const MemoryMap& map, Memory& memory) : map_(map), memory_(memory) {}

  void use(const Operator& op) {
    for (const Message& message : op.messages) {
      for (std::uint32_t k = 0; k < message.words; ++k)
        out(op, message.to, k) = in(op, message.from, k);
    }
    for (const Nodes& instance : op.instances) {
      for (std::uint32_t k = 0; k < op.words; ++k) use_word(op, instance, k);
    }
  }

 private:
  std::uint32_t in(const Operator& op, NodeIndex node, std::uint32_t k) const {
    return memory_[node][map_.array[op.in] + k];
  }
  std::uint32_t& out(const Operator& op, NodeIndex node, std::uint32_t k) {
    return memory_[node][map_.array[op.out] + k];
  }
  void take(const Operator& op, NodeIndex node, std::uint32_t k, std::uint32_t word) {
    out(op, node, k) = combined(op.how, out(op, node, k), word);
  }

  void use_word(const Operator& op, const Nodes& nodes, std::uint32_t k) {
    const std::size_t n = nodes.size();
    std::uint32_t total = in(op, nodes[0], k);
    switch (op.kind) {
    case Kind::kStream:
    case Kind::kBroadcast:
      for (std::size_t i = 1; i < n; ++i) take(op, nodes[i], k, total);
      return;
    case Kind::kShift:
    case Kind::kCircularShift:
      for (std::size_t i = 1; i < n; ++i) take(op, nodes[i], k, in(op, nodes[i - 1], k));
      if (op.kind == Kind::kCircularShift) take(op, nodes[0], k, in(op, nodes[n - 1], k));
      return;
    case Kind::kReduce:
      for (std::size_t i = 1; i < n; ++i) total = combined(op.how, total, in(op, nodes[i], k));
      out(op, nodes[0], k) = total;
      return;
    case Kind::kPrefix:
      out(op, nodes[0], k) = total;
      for (std::size_t i = 1; i < n; ++i) {
        total = combined(op.how, total, in(op, nodes[i], k));
        out(op, nodes[i], k) = total;
      }
      return;
    case Kind::kOnline:
      return;
    }
  }

  const MemoryMap& map_;
  Memory& memory_;
};

}  // namespace

MemoryMap map_memory(const Program& program) {
  MemoryMap map;
  for (const Array& array : program.arrays) {
    map.array.push_back(map.words);
    map.words += array.words;
  }
  for (const Operator& op : program.operators) {
    map.partial.push_back(map.words);
    if (op.kind == Kind::kReduce) map.words += op.words;
  }
  return map;
}

Memory initial_memory(const Program& program, const MemoryMap& map) {
  Memory memory(program.mesh.node_count(), std::vector<std::uint32_t>(map.words));
  for (std::size_t a = 0; a < program.arrays.size(); ++a) {
    const Array& array = program.arrays[a];
    for (std::size_t i = 0; i < array.given.size(); ++i)
      memory[i / array.words][map.array[a] + i % array.words] = array.given[i];
    if (!array.given.empty() || array.init.empty() || array.init == "0") continue;
    const InitialWords words(program, array);
    for (NodeIndex node = 0; node < memory.size(); ++node)
      words.fill(node, 0, array.words, &memory[node][map.array[a]]);
  }
  return memory;
}

Memory expected_memory(const Program& program, const PhasePlan& plan, const MemoryMap& map,
                       Memory memory) {
  Meaning meaning(map, memory);
  for (const std::size_t op : plan.continuing) meaning.use(program.operators[op]);
  for (const Region& region : plan.regions) {
    for (const std::size_t turn : region.turns) {
      for (const Use& use : plan.phases[turn].uses()) {
        if (!use.is_work) meaning.use(program.operators[use.index]);
      }
    }
  }
  return memory;
}

}  // namespace tessera::operators
