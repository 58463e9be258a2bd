#include "platforms/wse/debug_target.h"

#include <algorithm>
#include <utility>

#include "frontends/compiled/routes.h"
#include "frontends/csl/sema/library.h"
#include "frontends/tasm/disassembler.h"
#include "models/pe/line_starts.h"
#include "platforms/debug/causes.h"
#include "tlm_ifaces/vocabulary/errors.h"
#include "tlm_ifaces/vocabulary/nearest.h"

namespace tessera::wse {

namespace {

debug::ProgramText text_of(const pe::Image& image) {
  debug::ProgramText text;
  text.name = image.file;
  for (const pe::SourceFile& file : image.files) text.files.push_back(file.name);
  if (text.files.empty()) text.files.push_back(image.file);
  for (const pe::Instruction& in : image.code)
    text.lines.emplace_back(in.file < text.files.size() ? in.file : 0, in.line);
  for (std::uint32_t pc = 0; pc < image.code.size(); ++pc)
    text.begins.push_back(pe::begins_line(image, pc));
  for (const pe::Function& function : image.functions)
    text.functions.push_back({function.name, function.entry, false});
  for (const pe::TaskBinding& task : image.tasks) {
    const bool is_known =
        std::any_of(text.functions.begin(), text.functions.end(),
                    [&task](const auto& f) { return f.is_task && f.entry == task.entry; });
    if (!is_known) text.functions.push_back({task.name, task.entry, true});
  }
  std::stable_sort(text.functions.begin(), text.functions.end(),
                   [](const auto& a, const auto& b) { return a.entry < b.entry; });
  return text;
}

void add_calls(const compiled::Inlined& from, debug::ProgramText& text) {
  for (const compiled::Inlined::Call& call : from.calls)
    text.calls.push_back({call.function, {call.file, call.line}, call.parent});
  text.call_at.resize(text.lines.size());
  for (const compiled::Inlined::Range& range : from.code) {
    for (std::uint32_t pc = range.begin; pc < range.end && pc < text.call_at.size(); ++pc)
      text.call_at[pc] = range.call;
  }
}

[[noreturn]] void refuse_name(const PeView& here, const std::string& name) {
  throw UserError("", "", "the PE has no '" + name + "'" + did_you_mean(name, here.names()));
}

}  // namespace

DebugTarget::DebugTarget(ObservedMachine& observed, const Workload& workload,
                         const compiled::Program* compiled)
    : machine_(observed.machine()), observed_(observed), workload_(workload),
      layout_(workload.layout), compiled_(compiled) {
  for (const auto& image : workload.programs.images()) texts_.push_back(text_of(*image));
  for (std::size_t i = 0; compiled_ != nullptr && i < texts_.size(); ++i) {
    const bool has_calls =
        i < compiled_->symbols.size() && compiled_->symbols[i].inlined != nullptr;
    if (has_calls) add_calls(*compiled_->symbols[i].inlined, texts_[i]);
  }
  listeners_.resize(texts_.size());
  in_use_.resize(texts_.size());
}

// --- places

TileCoord DebugTarget::tile_of(std::uint32_t place) const {
  const auto at = static_cast<int>(place);
  return {at % layout_.width, at / layout_.width};
}

std::vector<int> DebugTarget::coordinates(std::uint32_t place) const {
  const TileCoord tile = tile_of(place);
  if (compiled_ == nullptr) return {tile.x, tile.y};
  return {tile.x - compiled_->rectangle.x, tile.y - compiled_->rectangle.y};
}

std::optional<std::uint32_t> DebugTarget::place_at(const std::vector<int>& at) const {
  if (at.size() != 2) return {};
  const std::vector<int> first = coordinates(0);
  const TileCoord tile{at[0] - first[0], at[1] - first[1]};
  if (!layout_.on_grid(tile)) return {};
  return static_cast<std::uint32_t>(layout_.tile_index(tile));
}

std::string DebugTarget::name_of(std::uint32_t place) const {
  const TileCoord tile = tile_of(place);
  if (compiled_ != nullptr && !compiled_->rectangle.contains(tile))
    return "tile " + to_string(tile);
  const std::vector<int> at = coordinates(place);
  return "PE " + to_string(TileCoord{at[0], at[1]});
}

std::optional<std::uint32_t> DebugTarget::program_of(std::uint32_t place) const {
  const std::int32_t program = layout_.program_of_tile[place];
  if (program < 0) return {};
  return static_cast<std::uint32_t>(program);
}

pe::ComputeEngineCore* DebugTarget::engine_at(std::uint32_t place) const {
  return machine_.engine(tile_of(place));
}

pe::ComputeEngineCore& DebugTarget::engine(std::uint32_t place) {
  pe::ComputeEngineCore* const found = engine_at(place);
  if (found == nullptr) throw UserError("", "", name_of(place) + " has no program");
  found->catch_up(machine_.domain().next_free_cycle());
  return *found;
}

// --- programs

std::string DebugTarget::instruction_text(std::uint32_t program, std::uint32_t pc) const {
  const pe::Image& image = *workload_.programs.images()[program];
  return tasm::to_string(image.code[pc], image);
}

debug::Flow DebugTarget::flow_of(std::uint32_t program, std::uint32_t pc) const {
  switch (workload_.programs.images()[program]->code[pc].op) {
  case pe::Opcode::kCall:
    return debug::Flow::kCall;
  case pe::Opcode::kRet:
    return debug::Flow::kReturn;
  case pe::Opcode::kEnd:
    return debug::Flow::kEnd;
  case pe::Opcode::kEndt:
  case pe::Opcode::kEndf:
    return debug::Flow::kMayEnd;
  default:
    return debug::Flow::kNext;
  }
}

std::optional<std::string> DebugTarget::library_text(const std::string& file) const {
  if (file.size() < 3 || file.front() != '<') return {};
  const auto text = csl::find_library(file.substr(1, file.size() - 2));
  if (!text) return {};
  return std::string(*text);
}

// --- stops

const pe::Listeners* DebugTarget::listeners_of(std::uint32_t place) const {
  if (followed_ == place) return &of_followed_;
  const auto program = static_cast<std::size_t>(layout_.program_of_tile[place]);
  return in_use_[program] ? &listeners_[program] : observed_.listeners();
}

// A PE that stands at an instruction has come there before anybody asked.
void DebugTarget::attach(observe::PlaceWatch& watch, std::uint32_t place) {
  pe::ComputeEngineCore* const there = engine_at(place);
  if (there == nullptr) return;
  watch.stand(place, pc(place).has_value());
  const pe::Listeners* const listeners = listeners_of(place);
  if (there->state().listeners != listeners) there->set_listeners(listeners);
}

void DebugTarget::set_stops(observe::PlaceWatch& watch,
                            const std::vector<observe::StopSet>& stops) {
  const pe::Listeners* const others = observed_.listeners();
  observe::Sink* const stalls = others == nullptr ? nullptr : others->stalls;
  for (std::size_t program = 0; program < texts_.size(); ++program) {
    bool has_stop = false;
    for (std::uint32_t pc = 0; pc < texts_[program].lines.size(); ++pc)
      has_stop = has_stop || stops[program].has(pc);
    listeners_[program] = {stalls, &watch, &stops[program]};
    in_use_[program] = has_stop;
  }
  of_followed_ = {stalls, &watch, nullptr};
  for (std::uint32_t place = 0; place < place_count(); ++place) {
    if (program_of(place)) attach(watch, place);
  }
}

void DebugTarget::follow(observe::PlaceWatch& watch, std::optional<std::uint32_t> place) {
  if (followed_ == place) return;
  const std::optional<std::uint32_t> before = followed_;
  followed_ = place;
  of_followed_.watch = &watch;
  for (const auto& changed : {before, place}) {
    if (changed && program_of(*changed)) attach(watch, *changed);
  }
}

void DebugTarget::look_closely(std::uint32_t place) {
  if (pe::ComputeEngineCore* const there = engine_at(place)) there->set_step_every_group(true);
}

// --- what is there

std::optional<std::uint32_t> DebugTarget::pc(std::uint32_t place) {
  pe::ComputeEngineCore* const there = engine_at(place);
  if (there == nullptr || !there->state().main.runs() || there->operations().has_main_thread())
    return {};
  return there->state().main.pc();
}

std::vector<debug::Frame> DebugTarget::frames(std::uint32_t place) {
  const auto program = program_of(place);
  if (!program || engine_at(place) == nullptr) return {};
  return PeView(engine(place), nullptr, now_).frames(texts_[*program]);
}

std::vector<std::string> DebugTarget::state(std::uint32_t place) {
  return run::sentences_about(observed_, place, now_);
}

std::vector<std::string> DebugTarget::scopes() const {
  if (compiled_ == nullptr) return {"Globals", "Registers", "DSRs", "Queues", "Tasks"};
  return {"Locals", "Globals", "Registers", "DSRs", "Queues", "Tasks"};
}

namespace {
const std::map<std::string, std::string>* aliases_of(const compiled::Program* program,
                                                     std::optional<std::uint32_t> code) {
  if (program == nullptr || !code || *code >= program->symbols.size()) return nullptr;
  return &program->symbols[*code].variables;
}
}  // namespace

std::vector<LocalHere> DebugTarget::globals_elsewhere(std::uint32_t place) {
  const auto program = program_of(place);
  if (compiled_ == nullptr || !program || *program >= compiled_->symbols.size()) return {};
  const auto at = pc(place);
  if (!at) return {};
  return wse::globals_elsewhere(compiled_->symbols[*program].locals, *at);
}

PeView DebugTarget::view(std::uint32_t place) {
  PeView made(engine(place), aliases_of(compiled_, program_of(place)), now_);
  std::vector<Elsewhere> elsewhere;
  for (const LocalHere& global : globals_elsewhere(place))
    elsewhere.push_back({*global.local->global, pe::bytes_of(global.local->element),
                         bits_of(global, engine(place).state())});
  made.set_elsewhere(std::move(elsewhere));
  return made;
}

std::vector<debug::Variable> DebugTarget::variables(std::uint32_t place, const std::string& scope) {
  if (engine_at(place) == nullptr) return {};
  const PeView here = view(place);
  if (scope == "Locals") {
    std::vector<debug::Variable> all;
    for (const LocalHere& local : locals(place)) {
      all.push_back(local.is_in_memory() ? here.symbol_variable(local.local->name, local.symbol())
                                         : variable_of(local, engine(place).state()));
      all.back().type = local.local->type;
    }
    return all;
  }
  if (scope == "Globals") return here.globals();
  if (scope == "Registers") return here.registers();
  if (scope == "DSRs") return here.descriptors();
  if (scope == "Queues") return here.queues();
  if (scope == "Tasks") return here.tasks();
  return {};
}

std::vector<LocalHere> DebugTarget::locals(std::uint32_t place) {
  const auto program = program_of(place);
  if (compiled_ == nullptr || !program || *program >= compiled_->symbols.size()) return {};
  const std::vector<debug::Frame> all = frames(place);
  if (all.empty()) return {};
  const std::size_t frame = std::min<std::size_t>(chosen_frame(), all.size() - 1);
  return locals_at(compiled_->symbols[*program].locals, all[frame]);
}

std::optional<LocalHere> DebugTarget::find_local(std::uint32_t place, const std::string& name) {
  if (compiled_ == nullptr || engine_at(place) == nullptr) return {};
  for (const LocalHere& here : locals(place)) {
    if (here.local->name == name) return here;
  }
  return {};
}

const pe::Symbol* DebugTarget::find_symbol(std::uint32_t place, const std::string& name) {
  if (const auto local = find_local(place, name)) {
    if (!local->is_in_memory()) return nullptr;
    of_local_ = local->symbol();
    return &of_local_;
  }
  return view(place).find_symbol(name);
}

std::vector<debug::Variable> DebugTarget::elements(std::uint32_t place, const std::string& name,
                                                   std::uint32_t first, std::uint32_t count) {
  PeView here = view(place);
  const pe::Symbol* const symbol = find_symbol(place, name);
  if (symbol == nullptr) refuse_name(here, name);
  std::vector<debug::Variable> all;
  const unsigned bytes = symbol->element_bytes();
  for (std::uint32_t i = first; i < symbol->elements() && i - first < count; ++i)
    all.push_back({name + "[" + std::to_string(i) + "]", to_string(here.element(*symbol, i)),
                   std::string(symbol->element_type()), symbol->address + i * bytes, 0});
  return all;
}

debug::Variable DebugTarget::variable(std::uint32_t place, const debug::Name& name) {
  PeView here = view(place);
  const pe::Symbol* const symbol = find_symbol(place, name.text);
  if (symbol != nullptr && !name.index) return here.symbol_variable(name.text, *symbol);
  debug::Variable variable;
  variable.name = name.text;
  if (symbol != nullptr) {
    const std::uint32_t index = here.index_in(*symbol, *name.index);
    variable.name += "[" + std::to_string(index) + "]";
    variable.type = std::string(symbol->element_type());
    variable.address = symbol->address + index * symbol->element_bytes();
    variable.value = to_string(here.element(*symbol, index));
    return variable;
  }
  if (const auto local = find_local(place, name.text)) {
    variable = variable_of(*local, engine(place).state());
    if (local->at == nullptr || name.index) variable.value = to_string(value(place, name));
    return variable;
  }
  for (const std::vector<debug::Variable>& scope :
       {here.descriptors(), here.queues(), here.tasks()}) {
    for (const debug::Variable& v : scope) {
      if (v.name == name.text && !name.index) return v;
    }
  }
  variable.value = to_string(value(place, name));
  return variable;
}

debug::Value DebugTarget::value(std::uint32_t place, const debug::Name& name) {
  PeView here = view(place);
  const pe::Symbol* const symbol = find_symbol(place, name.text);
  if (symbol != nullptr) {
    if (!name.index && symbol->elements() != 1)
      throw UserError("", "",
                      name.text + " has " + std::to_string(symbol->elements()) +
                          " elements; name one, such as " + name.text + "[0]");
    return here.element(*symbol, here.index_in(*symbol, name.index.value_or(0)));
  }
  if (const auto local = find_local(place, name.text)) {
    if (name.index) throw UserError("", "", "'" + name.text + "' is no array");
    return value_of(*local, engine(place).state());
  }
  if (!name.index) {
    if (name.text == "x" || name.text == "y")
      return debug::Value::of(coordinates(place)[name.text == "x" ? 0 : 1]);
    if (const auto known = here.state_value(name.text)) return *known;
  }
  refuse_name(here, name.text);
}

debug::Value DebugTarget::length(std::uint32_t place, const std::string& name) {
  PeView here = view(place);
  if (const auto queue = here.queue_length(name)) return *queue;
  if (const pe::Symbol* const symbol = find_symbol(place, name))
    return debug::Value::of(symbol->elements());
  throw UserError("", "", "'" + name + "' is no input queue, FIFO or array of the PE");
}

debug::Bytes DebugTarget::bytes_of(std::uint32_t place, const debug::Name& name) {
  const PeView here = view(place);
  const pe::Symbol* const symbol = find_symbol(place, name.text);
  if (symbol == nullptr && find_local(place, name.text))
    throw UserError(
        "", "", "'" + name.text + "' is in no memory here; a breakpoint with a condition sees it");
  if (symbol == nullptr) return {};
  if (!name.index) return {symbol->address, symbol->bytes()};
  const unsigned bytes = symbol->element_bytes();
  return {symbol->address + here.index_in(*symbol, *name.index) * bytes, bytes};
}

void DebugTarget::assign(std::uint32_t place, const debug::Name& name, const debug::Value& value) {
  PeView here = view(place);
  const pe::Symbol* const symbol = find_symbol(place, name.text);
  if (symbol != nullptr) {
    if (!name.index && symbol->elements() != 1)
      throw UserError("", "", "name one element, such as " + name.text + "[0]");
    const std::uint32_t index = here.index_in(*symbol, name.index.value_or(0));
    here.set_element(*symbol, index, value);
    // The register, or where it has been put, is what the program reads next.
    const std::uint32_t address = symbol->address + index * symbol->element_bytes();
    for (const LocalHere& global : globals_elsewhere(place)) {
      if (*global.local->global != address) continue;
      if (global.is_in_memory())
        here.set_element(global.symbol(), 0, value);
      else
        set_value(global, engine(place).state(), value);
    }
    return;
  }
  if (const auto local = find_local(place, name.text))
    return set_value(*local, engine(place).state(), value);
  if (name.index || !here.set_register(name.text, value)) refuse_name(here, name.text);
}

std::vector<std::byte> DebugTarget::read(std::uint32_t place, std::uint32_t address,
                                         std::uint32_t count) {
  if (address >= pe::kSramBytes) return {};
  std::vector<std::byte> bytes(std::min(count, pe::kSramBytes - address));
  if (!bytes.empty())
    engine(place).sram().read_bytes(address, static_cast<std::uint32_t>(bytes.size()),
                                    bytes.data());
  return bytes;
}

void DebugTarget::write(std::uint32_t place, std::uint32_t address,
                        const std::vector<std::byte>& bytes) {
  if (address >= pe::kSramBytes || bytes.size() > pe::kSramBytes - address)
    throw UserError("", "", "the bytes lie outside of the memory");
  engine(place).sram().write_bytes(address, static_cast<std::uint32_t>(bytes.size()), bytes.data());
}

std::vector<std::string> DebugTarget::names(std::uint32_t place) {
  if (engine_at(place) == nullptr) return {};
  std::vector<std::string> all = PeView(engine(place), nullptr, now_).names();
  for (const LocalHere& here : locals(place)) all.push_back(here.local->name);
  return all;
}

std::vector<std::string> DebugTarget::routes(std::uint32_t place) {
  std::vector<std::string> lines;
  for (const layout::TileRoute& route : layout_.routes_of(tile_of(place)))
    lines.push_back("color " + std::to_string(route.color.value()) + ": " +
                    compiled::route_text(layout_.routes[route.route].route));
  if (lines.empty()) lines.emplace_back("no color has a route here");
  return lines;
}

std::vector<std::string> DebugTarget::why() {
  observed_.catch_up(machine_.domain().next_free_cycle());
  const auto name = [this](const std::vector<int>& at) {
    const TileCoord tile{at[0], at[1]};
    const bool is_moved =
        compiled_ != nullptr && (compiled_->rectangle.x != 0 || compiled_->rectangle.y != 0);
    const std::string own = name_of(static_cast<std::uint32_t>(layout_.tile_index(tile)));
    // Sentences name tiles of the machine.
    return is_moved ? own + " (tile " + to_string(tile) + "):" : debug::in_parentheses(at);
  };
  return debug::causes_of(observed_, name);
}

}  // namespace tessera::wse
