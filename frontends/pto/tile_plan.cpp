#include "frontends/pto/tile_plan.h"

#include <algorithm>

namespace tessera::pto {

namespace {

std::int64_t aligned(std::int64_t address, Location location) {
  const std::int64_t alignment = cluster::alignment_of(location);
  return (address + alignment - 1) / alignment * alignment;
}

/// Whether a tile is one that a vector operation may also do without: the last of its inputs.
bool is_scratch(const Operation& op, const Argument& a) {
  const OperationInfo& info = operation_info(op.name);
  const bool vector = info.meaning == Meaning::kVector || info.meaning == Meaning::kVectorIn;
  if (!vector || info.most != info.least + 1 || a.role != Role::kIn) return false;
  std::size_t inputs = 0;
  const Argument* last = nullptr;
  for (const Argument& other : op.arguments) {
    if (other.role != Role::kIn) continue;
    ++inputs;
    last = &other;
  }
  return inputs == info.most && last == &a;
}

}  // namespace

TilePlan::TilePlan(const Function& function, const std::array<Room, cluster::kLocationCount>& rooms,
                   bool ignores_scratch, const Diagnostics& diagnostics) {
  std::vector<Loop> loops;
  visit(function.body, loops, diagnostics);
  for (Life& life : lives_) {  // a tile that nothing uses keeps its place
    if (life.first != ~0U) continue;
    life.first = life.defined;
    life.last = next_;
    life.is_scratch = false;
  }
  for (unsigned l = 0; l < cluster::kLocationCount; ++l) {
    const auto location = static_cast<Location>(l);
    std::int64_t end = rooms[l].first;
    for (const Life& life : lives_)
      if (life.location == location) end = aligned(end, location) + life.bytes;
    for (Life& life : lives_)
      if (life.location == location && ignores_scratch && life.is_scratch) life.bytes = 0;
    if (end > rooms[l].end && place(location, rooms[l])) continue;
    for (Life& life : lives_)
      if (life.location == location) life.address = -1;
  }
}

std::optional<std::int64_t> TilePlan::address_of(const Operation& op) const {
  for (const Life& life : lives_)
    if (life.op == &op && life.address >= 0) return life.address;
  return std::nullopt;
}

unsigned TilePlan::count(const Region& region) {
  unsigned n = 0;
  for_each_operation(region, [&n](const Operation&) { ++n; });
  return n;
}

void TilePlan::visit(const Region& region, std::vector<Loop>& loops,
                     const Diagnostics& diagnostics) {
  for (const Operation& op : region.operations) {
    const unsigned here = next_++;
    const Meaning meaning = operation_info(op.name).meaning;
    const bool has_address =
        std::any_of(op.arguments.begin(), op.arguments.end(),
                    [](const Argument& a) { return a.role == Role::kAddress; });
    const Type* type = !op.types.empty()          ? &op.types[0]
                       : !op.result_types.empty() ? &op.result_types[0]
                                                  : nullptr;
    if (meaning == Meaning::kAllocTile && !has_address && type != nullptr &&
        type->kind == Type::Kind::kTile) {
      Life life;
      life.op = &op;
      life.location = location_of(*type, diagnostics);
      life.bytes = (type->shape[0] * type->shape[1] * room_bits_of(*type) + 7) / 8;
      life.defined = here;
      tiles_[op.results[0].name] = {lives_.size()};
      lives_.push_back(life);
      continue;
    }
    for (const Argument& a : op.arguments) {
      use(a.text, here, loops);
      const auto tiles = tiles_.find(a.text);
      if (tiles == tiles_.end() || is_scratch(op, a)) continue;
      for (const std::size_t t : tiles->second) lives_[t].is_scratch = false;
    }
    const bool loops_here = meaning == Meaning::kFor || meaning == Meaning::kWhile;
    unsigned inside = 0;
    for (const Region& inner : op.regions) inside += count(inner);
    if (loops_here) loops.push_back({here, here + inside});
    add_alias(op);
    for (const Region& inner : op.regions) visit(inner, loops, diagnostics);
    if (loops_here) loops.pop_back();
    add_alias(op);  // again, for what its regions yield
    for (const Argument& a : op.arguments) use(a.text, here, loops);
  }
}

void TilePlan::use(const std::string& name, unsigned at, const std::vector<Loop>& loops) {
  const auto tiles = tiles_.find(name);
  if (tiles == tiles_.end()) return;
  for (const std::size_t t : tiles->second) {
    Life& life = lives_[t];
    unsigned first = at, last = at;
    for (const Loop& loop : loops) {
      if (life.defined > loop.first) continue;
      first = std::min(first, loop.first);
      last = std::max(last, loop.last);
    }
    life.first = std::min(life.first, first);
    life.last = std::max(life.last, last);
  }
}

// The results of an operation on tiles, and the values that its regions yield, may be those tiles.
void TilePlan::add_alias(const Operation& op) {
  std::vector<std::size_t> all;
  const auto collect = [&](const Operation& from) {
    for (const Argument& a : from.arguments) {
      const auto tiles = tiles_.find(a.text);
      if (tiles != tiles_.end()) all.insert(all.end(), tiles->second.begin(), tiles->second.end());
    }
  };
  if (op.results.empty()) return;
  collect(op);
  for (const Region& region : op.regions)
    if (!region.operations.empty()) collect(region.operations.back());
  if (all.empty()) return;
  std::sort(all.begin(), all.end());
  all.erase(std::unique(all.begin(), all.end()), all.end());
  for (const Result& r : op.results) {
    tiles_[r.name] = all;
    for (unsigned n = 0; r.count > 1 && n < r.count; ++n)
      tiles_[r.name + "#" + std::to_string(n)] = all;
  }
  for (const Argument& a : op.arguments)
    if (a.role == Role::kCarried) tiles_[a.text] = all;
  for (const Region& region : op.regions)
    for (const Parameter& p : region.parameters) tiles_[p.name] = all;
}

// Puts each tile into the first hole that is large enough, in the order in which lives begin.
bool TilePlan::place(Location location, Room room) {
  std::vector<Life*> order;
  for (Life& life : lives_)
    if (life.location == location) order.push_back(&life);
  std::stable_sort(order.begin(), order.end(),
                   [](const Life* a, const Life* b) { return a->first < b->first; });
  std::vector<const Life*> placed;
  for (Life* life : order) {
    std::int64_t address = aligned(room.first, location);
    bool moved = true;
    while (moved) {
      moved = false;
      for (const Life* other : placed) {
        const bool together = other->first <= life->last && life->first <= other->last;
        if (!together || other->address >= address + life->bytes ||
            address >= other->address + other->bytes)
          continue;
        address = aligned(other->address + other->bytes, location);
        moved = true;
      }
    }
    if (address + life->bytes > room.end) return false;
    life->address = address;
    placed.push_back(life);
  }
  return true;
}

}  // namespace tessera::pto
