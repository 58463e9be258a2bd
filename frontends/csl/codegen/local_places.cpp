#include "frontends/csl/codegen/local_places.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <utility>

namespace tessera::csl::codegen {
namespace {

using namespace ir;

constexpr std::uint32_t kNowhere = ~std::uint32_t{0};
constexpr std::uint32_t kUnknown = kNowhere - 1;  ///< no way to the block has been followed yet

/// What may have the value of a local: a register of the function, or a variable in memory.
struct Holder {
  std::size_t local = 0;
  std::optional<RegisterId> reg;
  VariableId variable = 0;
};

/// Which holder has the value of a local.
struct Now {
  std::uint32_t holder = kNowhere;
  /// The call inside of which it got it (ir::Place::inlined): until that returns, the source has the value before. 0: of none.
  std::uint32_t since = 0;
  friend bool operator==(const Now& a, const Now& b) {
    return a.holder == b.holder && a.since == b.since;
  }
};

class LocalFinder {
 public:
  LocalFinder(const Module& module, FunctionId id, const Allocation& allocation,
              const std::vector<std::vector<std::uint32_t>>& starts)
      : module_(module), f_(module.functions[id]), id_(id), allocation_(allocation),
        starts_(starts), of_register_(f_.registers.size(), kNowhere) {}

  std::vector<PlacedLocal> run(std::uint32_t entry) {
    find_holders();
    if (!holders_.empty()) {
      note_assignments();
      find_live();
      find_states();
      for (BlockId b = 0; b < f_.blocks.size(); ++b) place_in(b);
    }
    place_constants(entry);
    finish();
    return std::move(found_);
  }

 private:
  using State = std::vector<Now>;  // by local

  // --- what there is

  std::size_t local_of(const SourceLocalRef& local, Type type) {
    const auto [number, is_new] = numbers_.try_emplace(local.get(), found_.size());
    if (is_new) {
      PlacedLocal made;
      made.local = local;
      made.type = type;
      found_.push_back(std::move(made));
    }
    return number->second;
  }

  void add_register(RegisterId r) {
    if (r >= f_.locals.size() || f_.locals[r] == nullptr || allocation_[r] == kUnused) return;
    const SourceLocalRef& local = f_.locals[r];
    if (of_register_[r] != kNowhere) return;
    of_register_[r] = static_cast<std::uint32_t>(holders_.size());
    holders_.push_back({local_of(local, f_.registers[r]), r, 0});
  }

  void add_variable(VariableId v) {
    const Variable& variable = module_.variables[v];
    if (variable.owner != id_ || variable.local == nullptr) return;
    const auto [holder, is_new] = of_variable_.try_emplace(v, holders_.size());
    if (!is_new) return;
    const std::size_t local = local_of(variable.local, variable.type);
    if (!variable.is_spilled) {
      found_[local].count = variable.count;
      found_[local].packed = variable.packed;
      found_[local].packed_count = variable.packed_count;
    }
    holders_.push_back({local, std::nullopt, v});
  }

  void find_holders() {
    for (RegisterId r = 0; r < f_.locals.size(); ++r) {
      if (f_.locals[r] != nullptr) local_of(f_.locals[r], f_.registers[r]);
    }
    for (const RegisterId p : f_.parameters) add_register(p);
    for (const Block& block : f_.blocks) {
      for (const Instruction& in : block.code) {
        for (const RegisterId r : in.results) add_register(r);
        for (const Value& v : in.operands) {
          if (v.is_address()) add_variable(v.number);
        }
      }
    }
  }

  /// The holder that the instruction gives a value, if it is memory.
  std::optional<std::size_t> stored_by(const Instruction& in) const {
    if (in.op != Op::kStore || !in.operands[0].is_address()) return {};
    const auto holder = of_variable_.find(in.operands[0].number);
    if (holder == of_variable_.end()) return {};
    return holder->second;
  }
  std::optional<std::size_t> assigned_by(RegisterId r) const {
    if (of_register_[r] == kNowhere) return {};
    return of_register_[r];
  }
  /// Whether the local has the value from where the instruction stands on. Not if the instruction was made for another name,
  /// of an earlier line, whose value the local has got since; that line is not known any more.
  static bool assigns(const Instruction& in, const SourceLocal& local) {
    const bool is_choice = in.op == Op::kSelect || in.op == Op::kChoose;
    const bool is_of_block = in.place.file == local.place.file &&
                             in.place.line >= local.place.line && in.place.line <= local.last_line;
    const bool is_line =
        std::binary_search(local.assigned.begin(), local.assigned.end(), in.place.line);
    return is_choice || !is_of_block || is_line || local.assigned.empty();
  }
  /// Memory of the frame that is no spilled register has the value of its local until another one says so.
  bool is_own_memory(const Holder& h) const {
    return !h.reg && !module_.variables[h.variable].is_spilled;
  }

  /// Locals of which all assignments of the source are still there.
  void note_assignments() {
    std::vector<std::set<std::uint32_t>> lines(found_.size());
    for (const Block& block : f_.blocks) {
      for (const Instruction& in : block.code) {
        if (const auto h = stored_by(in)) lines[holders_[*h].local].insert(in.place.line);
        for (const RegisterId r : in.results) {
          if (const auto h = assigned_by(r)) lines[holders_[*h].local].insert(in.place.line);
        }
      }
    }
    is_whole_.resize(found_.size());
    for (std::size_t l = 0; l < found_.size(); ++l) {
      const SourceLocal& local = *found_[l].local;
      is_whole_[l] = !local.is_copied && !local.global &&
                     std::all_of(local.assigned.begin(), local.assigned.end(),
                                 [&](std::uint32_t line) { return lines[l].count(line) != 0; });
    }
  }

  // --- which values somebody reads later

  void step_back(const Instruction& in, std::vector<bool>& live) const {
    if (const auto h = stored_by(in)) live[*h] = false;
    for (const RegisterId r : in.results) {
      if (const auto h = assigned_by(r)) live[*h] = false;
    }
    for (std::size_t i = 0; i < in.operands.size(); ++i) {
      const Value& v = in.operands[i];
      if (v.is_register()) {
        if (const auto h = assigned_by(v.number)) live[*h] = true;
      }
      if (!v.is_address() || (i == 0 && in.op == Op::kStore)) continue;
      const auto holder = of_variable_.find(v.number);
      if (holder != of_variable_.end()) live[holder->second] = true;
    }
  }

  std::vector<bool> live_out(BlockId b) const {
    std::vector<bool> live(holders_.size());
    const Instruction& last = f_.blocks[b].last();
    for (unsigned t = 0; t < last.target_count(); ++t) {
      const std::vector<bool>& in = live_in_[last.targets[t]];
      for (std::size_t h = 0; h < in.size(); ++h) live[h] = live[h] || in[h];
    }
    return live;
  }

  void find_live() {
    live_in_.assign(f_.blocks.size(), std::vector<bool>(holders_.size()));
    for (bool changed = true; changed;) {
      changed = false;
      for (auto b = static_cast<BlockId>(f_.blocks.size()); b-- > 0;) {
        std::vector<bool> live = live_out(b);
        const std::vector<Instruction>& code = f_.blocks[b].code;
        for (auto in = code.rbegin(); in != code.rend(); ++in) step_back(*in, live);
        if (live == live_in_[b]) continue;
        live_in_[b] = std::move(live);
        changed = true;
      }
    }
  }

  // --- which of them has the value

  /// What the instruction writes over, or brings back to memory.
  void forget(const Instruction& in, State& state) const {
    for (std::size_t l = 0; l < state.size(); ++l) {
      const std::uint32_t now = state[l].holder;
      if (now >= kUnknown || !holders_[now].reg) continue;
      const bool is_lost = in.op == Op::kCall || is_stored(*found_[l].local, in) ||
                           std::any_of(in.results.begin(), in.results.end(), [&](RegisterId r) {
                             return overlap(r, *holders_[now].reg);
                           });
      if (is_lost) state[l] = {};
    }
  }
  static bool is_stored(const SourceLocal& local, const Instruction& in) {
    return local.global && in.op == Op::kStore && in.operands[0].is_address() &&
           in.operands[0].number == *local.global;
  }
  bool overlap(RegisterId a, RegisterId b) const {
    if (allocation_[a] == kUnused || allocation_[b] == kUnused) return false;
    const unsigned end_of_a = allocation_[a] + (is_wide(f_.registers[a]) ? 2U : 1U);
    const unsigned end_of_b = allocation_[b] + (is_wide(f_.registers[b]) ? 2U : 1U);
    return allocation_[a] < end_of_b && allocation_[b] < end_of_a;
  }

  void take(const Instruction& in, State& state) const {
    const auto set = [&](std::size_t h) {
      const SourceLocal& local = *found_[holders_[h].local].local;
      const bool is_inside = !local.global && in.place.inlined != local.place.inlined;
      state[holders_[h].local] = {static_cast<std::uint32_t>(h), is_inside ? in.place.inlined : 0};
    };
    if (const auto h = stored_by(in)) set(*h);
    for (const RegisterId r : in.results) {
      const auto h = assigned_by(r);
      if (!h) continue;
      if (assigns(in, *found_[holders_[*h].local].local))
        set(*h);
      else
        state[holders_[*h].local] = {};
    }
  }

  State at_entry() const {
    State state(found_.size());
    for (std::size_t h = 0; h < holders_.size(); ++h) {
      const bool arrives = holders_[h].reg && std::find(f_.parameters.begin(), f_.parameters.end(),
                                                        *holders_[h].reg) != f_.parameters.end();
      if (arrives || is_own_memory(holders_[h]))
        state[holders_[h].local] = {static_cast<std::uint32_t>(h), 0};
    }
    return state;
  }

  void find_states() {
    in_.assign(f_.blocks.size(), State(found_.size(), {kUnknown, 0}));
    in_[0] = at_entry();
    std::vector<BlockId> open = {0};
    while (!open.empty()) {
      const BlockId b = open.back();
      open.pop_back();
      State state = in_[b];
      for (const Instruction& in : f_.blocks[b].code) {
        forget(in, state);
        take(in, state);
      }
      const Instruction& last = f_.blocks[b].last();
      for (unsigned t = 0; t < last.target_count(); ++t) {
        if (join(in_[last.targets[t]], state)) open.push_back(last.targets[t]);
      }
    }
  }

  /// Whether `to` has changed.
  static bool join(State& to, const State& from) {
    bool is_new = false;
    for (std::size_t l = 0; l < to.size(); ++l) {
      Now both = to[l];
      if (to[l].holder == kUnknown)
        both = from[l];
      else if (to[l].holder != from[l].holder)
        both = {};
      else if (to[l].since != from[l].since)
        both.since = 0;
      is_new = is_new || !(both == to[l]);
      to[l] = both;
    }
    return is_new;
  }

  // --- by instruction

  void place_in(BlockId b) {
    const std::vector<Instruction>& code = f_.blocks[b].code;
    if (starts_[b].empty() || in_[b].empty()) return;
    std::vector<std::vector<bool>> live(code.size() + 1);
    live[code.size()] = live_out(b);
    for (std::size_t k = code.size(); k-- > 0;) {
      live[k] = live[k + 1];
      step_back(code[k], live[k]);
    }
    State state = in_[b];
    for (std::size_t k = 0; k < code.size() && k + 1 < starts_[b].size(); ++k) {
      const std::uint32_t begin = starts_[b][k], end = starts_[b][k + 1];
      if (begin < end) note(begin, begin + 1, state, live[k], code[k].place);
      forget(code[k], state);
      if (begin + 1 < end) note(begin + 1, end, state, live[k], code[k].place);
      take(code[k], state);
    }
  }

  void note(std::uint32_t begin, std::uint32_t end, const State& state,
            const std::vector<bool>& live, Place at) {
    for (std::size_t l = 0; l < state.size(); ++l) {
      const std::uint32_t now = state[l].holder;
      if (now >= kUnknown) continue;
      const Holder& h = holders_[now];
      const bool is_lasting = is_whole_[l] || is_own_memory(h) || found_[l].local->global;
      if (!live[now] && !is_lasting) continue;
      if (state[l].since != 0 && is_inside(at, state[l].since)) continue;
      LocalPlace place;
      place.kind = h.reg ? LocalPlace::Kind::kRegister : LocalPlace::Kind::kMemory;
      place.number = h.reg ? allocation_[*h.reg] : h.variable;
      place.begin = begin;
      place.end = end;
      add(found_[l].places, place);
    }
  }

  /// Whether code that stands there is of an expanded call, or of one that it makes.
  bool is_inside(Place at, std::uint32_t inlined) const {
    while (at.inlined != 0 && at.inlined != inlined) at = f_.inlined[at.inlined - 1].call;
    return at.inlined == inlined;
  }

  static void add(std::vector<LocalPlace>& places, const LocalPlace& place) {
    const bool goes_on = !places.empty() && places.back().end == place.begin &&
                         places.back().kind == place.kind && places.back().number == place.number;
    if (goes_on)
      places.back().end = place.end;
    else
      places.push_back(place);
  }

  /// A local without any place, of which the source says the only value.
  void place_constants(std::uint32_t entry) {
    std::uint32_t end = entry;
    for (const auto& block : starts_) end = std::max(end, block.empty() ? entry : block.back());
    for (PlacedLocal& placed : found_) {
      const bool is_constant = placed.places.empty() && placed.local->known;
      if (is_constant)
        placed.places.push_back({LocalPlace::Kind::kConstant, *placed.local->known, entry, end});
    }
  }

  void finish() {
    std::stable_sort(found_.begin(), found_.end(), [](const PlacedLocal& a, const PlacedLocal& b) {
      return a.local->place.line < b.local->place.line;
    });
  }

  const Module& module_;
  const Function& f_;
  const FunctionId id_;
  const Allocation& allocation_;
  const std::vector<std::vector<std::uint32_t>>& starts_;
  std::vector<PlacedLocal> found_;
  std::map<const SourceLocal*, std::size_t> numbers_;
  std::vector<Holder> holders_;
  std::vector<std::uint32_t> of_register_;  ///< its holder
  std::map<VariableId, std::size_t> of_variable_;
  std::vector<bool> is_whole_;              ///< by local: no assignment was optimized away
  std::vector<std::vector<bool>> live_in_;  ///< by block and holder
  std::vector<State> in_;                   ///< by block
};

}  // namespace

std::vector<PlacedLocal> places_of_locals(const Module& module, FunctionId id,
                                          const Allocation& allocation,
                                          const std::vector<std::vector<std::uint32_t>>& starts,
                                          std::uint32_t entry) {
  return LocalFinder(module, id, allocation, starts).run(entry);
}

}  // namespace tessera::csl::codegen
