#include "platforms/ascend/debug_target.h"

#include <algorithm>
#include <utility>

#include "platforms/debug/causes.h"
#include "tlm_ifaces/vocabulary/errors.h"

namespace tessera::ascend {

namespace {

// The body of a vector function runs as a whole when the core comes to the function, so nobody stands in it.
debug::ProgramText text_of(const cluster::Program& program) {
  debug::ProgramText text;
  text.name = program.file;
  text.files.push_back(program.file);
  for (const cluster::Instruction& i : program.code) text.lines.emplace_back(0, i.line);
  for (std::uint32_t pc = 0; pc < program.code.size(); ++pc) {
    if (program.code[pc].op != cluster::Opcode::kVectorFunction) continue;
    for (std::uint32_t in = pc + 1; in < program.code[pc].target; ++in) text.lines[in].second = 0;
  }
  text.functions.push_back({program.name, 0, true});
  return text;
}

}  // namespace

DebugTarget::DebugTarget(Machine& machine, ClusterView& view, cluster::ClusterData& data,
                         observe::ToldPlaces& told)
    : machine_(machine), view_(view), data_(data), told_(told) {
  for (const cluster::AiCore* core : machine.view().cores()) {
    const cluster::Program* const program = core->program();
    if (program == nullptr ||
        std::find(programs_.begin(), programs_.end(), program) != programs_.end())
      continue;
    programs_.push_back(program);
    texts_.push_back(text_of(*program));
  }
}

// --- places

const cluster::AiCore* DebugTarget::core_at(std::uint32_t place) const {
  return machine_.view().find(cluster::CoreId::at(place));
}

CoreValues DebugTarget::values(std::uint32_t place) const {
  const cluster::AiCore* const core = core_at(place);
  if (core == nullptr || core->program() == nullptr)
    throw UserError("", "", name_of(place) + " runs no kernel");
  return {*core, data_, now_};
}

std::optional<std::uint32_t> DebugTarget::place_at(const std::vector<int>& at) const {
  for (std::uint32_t place = 0; place < place_count(); ++place) {
    if (coordinates(place) == at) return place;
  }
  return {};
}

std::string DebugTarget::name_of(std::uint32_t place) const {
  const std::vector<int> at = coordinates(place);
  return "core (" + std::to_string(at[0]) + ", " + std::to_string(at[1]) + "), " +
         to_string(cluster::CoreId::at(place));
}

std::optional<std::uint32_t> DebugTarget::program_of(std::uint32_t place) const {
  const cluster::AiCore* const core = core_at(place);
  if (core == nullptr) return {};
  const auto found = std::find(programs_.begin(), programs_.end(), core->program());
  if (found == programs_.end()) return {};
  return static_cast<std::uint32_t>(found - programs_.begin());
}

// --- programs

std::string DebugTarget::instruction_text(std::uint32_t program, std::uint32_t pc) const {
  return to_string(programs_[program]->code[pc]);
}

debug::Flow DebugTarget::flow_of(std::uint32_t program, std::uint32_t pc) const {
  const bool ends = programs_[program]->code[pc].op == cluster::Opcode::kEnd;
  return ends ? debug::Flow::kEnd : debug::Flow::kNext;
}

// --- stops

void DebugTarget::set_stops(observe::PlaceWatch& watch,
                            const std::vector<observe::StopSet>& stops) {
  told_.set_watch(watch);
  for (std::uint32_t place = 0; place < place_count(); ++place) {
    const auto program = program_of(place);
    told_.set_stops(place, program ? &stops[*program] : nullptr);
    watch.stand(place, pc(place).has_value());
  }
}

void DebugTarget::follow(observe::PlaceWatch& watch, std::optional<std::uint32_t> place) {
  told_.set_watch(watch);
  told_.follow(place);
  if (place) watch.stand(*place, pc(*place).has_value());
}

// --- what is there

std::optional<std::uint32_t> DebugTarget::pc(std::uint32_t place) {
  const cluster::AiCore* const core = core_at(place);
  if (core == nullptr) return {};
  return core->pc();
}

std::vector<debug::Frame> DebugTarget::frames(std::uint32_t place) {
  const auto program = program_of(place);
  const auto at = pc(place);
  if (!program || !at) return {};
  return {{texts_[*program].functions.front().name, texts_[*program].line_of(*at), *at}};
}

std::string DebugTarget::at_rest(std::uint32_t place) {
  const cluster::AiCore* const core = core_at(place);
  if (core == nullptr || core->program() == nullptr) return "no kernel";
  return core->finished() ? "the kernel has ended"
                          : "the scalar unit has ended, and pipes have not";
}

std::vector<std::string> DebugTarget::state(std::uint32_t place) {
  return run::sentences_about(view_, place, now_);
}

std::vector<std::string> DebugTarget::scopes() const {
  return {"Locals", "Tiles", "Arrays", "Pipes", "Flags", "Registers"};
}

std::vector<debug::Variable> DebugTarget::variables(std::uint32_t place, const std::string& scope) {
  if (!program_of(place)) return {};
  const CoreValues core = values(place);
  if (scope == "Locals") return core.scalars();
  if (scope == "Tiles") return core.tiles();
  if (scope == "Arrays") return core.arrays();
  if (scope == "Pipes") return core.pipes();
  if (scope == "Flags") return core.flags();
  if (scope == "Registers") return core.registers();
  return {};
}

void DebugTarget::assign(std::uint32_t place, const debug::Name& name, const debug::Value& value) {
  const CoreValues core = values(place);
  if (const auto number = core.register_of(name, value))
    machine_.find(cluster::CoreId::at(place))->set_register(number->first, number->second);
  else
    core.set_element(name, value);
}

void DebugTarget::write(std::uint32_t place, std::uint32_t address,
                        const std::vector<std::byte>& bytes) {
  values(place).set_memory(address, bytes);
}

std::vector<std::string> DebugTarget::routes(std::uint32_t) {
  return {"AI cores have no routes; see info pipes and info flags"};
}

std::vector<std::string> DebugTarget::why() {
  return debug::causes_of(view_);
}

}  // namespace tessera::ascend
