#include "frontends/csl/codegen/codegen.h"

#include <algorithm>
#include <map>
#include <stdexcept>
#include <utility>

#include "frontends/csl/codegen/emit.h"
#include "frontends/csl/codegen/frames.h"
#include "frontends/csl/codegen/legalize.h"
#include "frontends/csl/codegen/names.h"
#include "frontends/csl/codegen/pointers.h"
#include "frontends/csl/codegen/sections.h"
#include "frontends/csl/ir/key.h"
#include "frontends/csl/ir/verify.h"
#include "frontends/csl/messages/messages.h"
#include "frontends/text/diagnostics.h"
#include "tlm_ifaces/vocabulary/errors.h"

namespace tessera::csl::codegen {
namespace {

/// Bytes after which the banks repeat (wse.md 6.2): 8 banks of 2 bytes.
constexpr std::uint32_t kBankPass = 16;

using namespace ir;

/// The program does not fit into SRAM.
struct TooLarge : UserError {
  using UserError::UserError;
};

/// Puts code, data and declarations into the image.
class Linker {
 public:
  Linker(const Module& module, std::vector<FunctionId> functions, Code code, const Cycles& cycles,
         const Options& options)
      : module_(module), options_(options), functions_(std::move(functions)),
        code_(std::move(code)), frames_(lay_out_frames(module, functions_, cycles)),
        image_(module.settings) {}

  pe::Image link() {
    if (!module_.files.empty()) image_.file = module_.files[0];
    image_.code = std::move(code_.instructions);
    name_declarations();
    place_data();
    place_descriptors();
    apply_fixups();
    declare_sections();
    declare_labels();
    name_files();
    inlined_ = inlined();
    locals_ = locals();
    return std::move(image_);
  }

  Symbols symbols() const {
    return {function_names_, addresses_, variable_names_, locals_, inlined_};
  }

 private:
  std::shared_ptr<const std::vector<PlacedLocal>> locals() const {
    auto all = std::make_shared<std::vector<PlacedLocal>>();
    for (const FunctionId f : functions_) {
      const auto of = code_.locals.find(f);
      if (of == code_.locals.end()) continue;
      for (const PlacedLocal& local : of->second) {
        all->push_back(local);
        if (local.local->global)
          all->back().global_address = addresses_[*local.local->global] + local.local->offset;
        all->back().places.clear();
        for (const LocalPlace& at : local.places) add_place(all->back(), at);
      }
    }
    return all;
  }

  std::shared_ptr<const InlinedCode> inlined() {
    auto all = std::make_shared<InlinedCode>();
    all->calls = std::move(code_.inlined);
    all->by_pc = std::move(code_.inlined_of);
    all->by_pc.resize(image_.code.size());
    return all;
  }

  /// The place of an instruction as a function has it that some calls have been expanded in: that of the call, for one of its code.
  ir::Place place_in(std::uint32_t pc, std::uint32_t inlined) const {
    const pe::Instruction& in = image_.code[pc];
    ir::Place at = {in.file - 1, in.line, inlined_->by_pc[pc]};
    while (at.inlined != 0 && at.inlined != inlined) at = inlined_->calls[at.inlined - 1].call;
    return at;
  }

  /// Instructions outside of the block that declares the local are nobody's concern.
  void add_place(PlacedLocal& local, LocalPlace at) const {
    const SourceLocal& of = *local.local;
    const auto is_outside = [&](std::uint32_t pc) {
      const ir::Place there = place_in(pc, local.inlined);
      return !of.global && (there.inlined != local.inlined || there.file != of.place.file ||
                            there.line < of.place.line || there.line > of.last_line);
    };
    while (at.begin < at.end && is_outside(at.begin)) ++at.begin;
    while (at.begin < at.end && is_outside(at.end - 1)) --at.end;
    if (at.begin == at.end) return;
    if (at.kind == LocalPlace::Kind::kMemory) at.number = addresses_[at.number];
    local.places.push_back(at);
  }

  void name_declarations() {
    // The host launches exported functions by name, so they come first.
    for (const FunctionId f : functions_) {
      if (module_.functions[f].exported)
        function_names_[f] = names_.unique(module_.functions[f].name);
    }
    for (pe::QueueBinding& q : image_.queues) q.name = names_.unique(q.name);
    for (VariableId v = 0; v < module_.variables.size(); ++v) {
      if (!module_.variables[v].owner)
        variable_names_[v] = names_.unique(module_.variables[v].name);
    }
    for (const FunctionId f : functions_) {
      if (!module_.functions[f].exported)
        function_names_[f] = names_.unique(module_.functions[f].name);
    }
  }

  static std::uint32_t aligned(std::uint32_t address, const pe::Symbol& symbol) {
    const std::uint32_t align = symbol.align == 0 ? bytes_of(symbol.type) : symbol.align;
    return (address + align - 1) / align * align;
  }

  void place(pe::Symbol symbol) {
    end_ = aligned(end_, symbol);
    symbol.address = end_;
    end_ += symbol.count * bytes_of(symbol.type);
    image_.symbols.push_back(std::move(symbol));
  }

  pe::Symbol symbol_of(VariableId v) {
    const Variable& variable = module_.variables[v];
    pe::Symbol symbol;
    symbol.name = variable_names_[v];
    symbol.type = element_of(variable.type);
    symbol.count = variable.count;
    symbol.align = variable.align;
    symbol.packed = variable.packed;
    symbol.packed_count = variable.packed_count;
    symbol.init = variable.init;
    set_place(symbol, variable.place);
    return symbol;
  }

  std::vector<VariableId> globals_in_order() const {
    std::vector<VariableId> globals;
    for (VariableId v = 0; v < module_.variables.size(); ++v) {
      if (!module_.variables[v].owner) globals.push_back(v);
    }
    std::stable_sort(globals.begin(), globals.end(), [this](VariableId a, VariableId b) {
      return module_.variables[a].order < module_.variables[b].order;
    });
    return globals;
  }

  /// Whole passes over the banks, so that they change no bank of a global.
  void place_frames() {
    if (frames_.bytes == 0) return;
    pe::Symbol symbol;
    symbol.name = names_.unique("frames");
    symbol.type = pe::ElementType::kU16;
    symbol.count = (frames_.bytes + kBankPass - 1) / kBankPass * kBankPass / 2;
    symbol.align = 4;
    place(std::move(symbol));
    frames_base_ = image_.symbols.back().address;
  }

  /// The frames, then globals in their order: what leaves a global array upwards meets later
  /// globals or free memory, and no return address.
  void place_data() {
    end_ = image_.task_table_bytes() +
           static_cast<std::uint32_t>(image_.code.size()) * pe::kInstructionBytes;
    addresses_.resize(module_.variables.size());
    place_frames();
    std::vector<std::pair<std::size_t, VariableId>> symbols;
    const std::vector<VariableId> globals = globals_in_order();
    DataSections sections(image_.file, end_);
    for (const VariableId v : globals) {
      const auto section = options_.sections.find(v);
      if (section != options_.sections.end())
        sections.add(section->second.first, section->second.second, v, symbol_of(v));
    }
    for (const VariableId v : globals) {
      if (options_.sections.count(v) != 0) continue;
      pe::Symbol symbol = symbol_of(v);
      const std::uint32_t bytes = symbol.count * bytes_of(symbol.type);
      while (sections.begins_before(aligned(end_, symbol) + bytes))
        place_section(sections, symbols);
      symbols.emplace_back(image_.symbols.size(), v);
      place(std::move(symbol));
      addresses_[v] = image_.symbols.back().address;
    }
    while (!sections.empty()) place_section(sections, symbols);
    for (VariableId v = 0; v < module_.variables.size(); ++v) {
      if (module_.variables[v].owner) addresses_[v] = frames_base_ + frames_.variables[v];
    }
    for (const auto& [symbol, v] : symbols) {
      for (const Variable::Address& a : module_.variables[v].addresses)
        image_.symbols[symbol].init.at(a.element) =
            (image_.symbols[symbol].init[a.element] + addresses_[a.variable]) & 0xFFFFU;
    }
    image_.data_end = end_;
    if (end_ > pe::kSramBytes) fail_full();
  }

  /// The next variable of a section, and nothing from here to where it begins.
  void place_section(DataSections& sections,
                     std::vector<std::pair<std::size_t, VariableId>>& symbols) {
    auto [v, symbol, address] = sections.take();
    if (address > end_) {
      pe::Symbol gap;
      gap.name = names_.unique("gap");
      gap.type = pe::ElementType::kU16;
      gap.count = (address - end_ + 1) / 2;
      place(std::move(gap));
    }
    symbols.emplace_back(image_.symbols.size(), v);
    place(std::move(symbol));
    addresses_[v] = image_.symbols.back().address;
  }

  [[noreturn]] void fail_full() const {
    std::vector<std::pair<std::uint32_t, std::string>> users;
    for (std::size_t i = 0; i < functions_.size(); ++i) {
      const std::uint32_t begin = code_.entries[functions_[i]];
      const bool is_last = i + 1 == functions_.size();
      const auto all = static_cast<std::uint32_t>(image_.code.size());
      const std::uint32_t end = is_last ? all : code_.entries[functions_[i + 1]];
      users.push_back({(end - begin) * pe::kInstructionBytes,
                       "the code of " + module_.functions[functions_[i]].name});
    }
    for (const pe::Symbol& s : image_.symbols)
      users.push_back({s.count * bytes_of(s.type), s.name});
    std::stable_sort(users.begin(), users.end(),
                     [](const auto& a, const auto& b) { return a.first > b.first; });
    constexpr std::size_t kMost = 8;
    users.resize(std::min(users.size(), kMost));
    std::string table;
    for (const auto& [bytes, what] : users) table += text::joined("\n  ", bytes, " bytes: ", what);
    throw TooLarge(image_.file, "",
                   text::joined("expected a program of at most ", pe::kSramBytes,
                                " bytes, found one that needs ", end_, "; the task table takes ",
                                image_.task_table_bytes(), ", the largest other parts are",
                                tag(Id::kMemoryFull), table));
  }

  void place_descriptors() {
    for (const Descriptor& d : module_.descriptors) {
      pe::Dsd dsd = d.dsd;
      dsd.name = names_.unique(dsd.name);
      if (d.array) {
        dsd.base = static_cast<std::uint16_t>(dsd.base + addresses_[*d.array]);
        if (dsd.kind == pe::DsdKind::kCircbuf)
          dsd.wrap_base = static_cast<std::uint16_t>(dsd.wrap_base + addresses_[*d.array]);
      }
      image_.dsds.push_back(std::move(dsd));
    }
    for (const Fifo& f : module_.fifos) {
      pe::Fifo fifo = f.fifo;
      fifo.name = names_.unique(fifo.name);
      fifo.base = static_cast<std::uint16_t>(addresses_[f.array]);
      fifo.bytes = static_cast<std::uint16_t>(module_.variables[f.array].bytes());
      image_.fifos.push_back(std::move(fifo));
    }
  }

  void apply_fixups() {
    for (const Fixup& fixup : code_.fixups) {
      pe::Operand& operand = image_.code[fixup.pc].operands.at(fixup.slot);
      std::uint32_t value = 0;
      if (fixup.kind == Fixup::Kind::kFunction) value = code_.entries[fixup.number];
      if (fixup.kind == Fixup::Kind::kLink) value = frames_base_ + *frames_.links[fixup.number];
      if (fixup.kind == Fixup::Kind::kVariable)
        value = (addresses_[fixup.number] + static_cast<std::uint32_t>(fixup.offset)) & 0xFFFFU;
      operand.value = static_cast<std::int32_t>(value);
    }
  }

  /// Tasks stand in the order of their code; rotations follow them.
  void declare_sections() {
    std::vector<std::uint32_t> number(module_.tasks.size());
    for (const FunctionId f : functions_) {
      const Function& function = module_.functions[f];
      if (!function.is_task) {
        pe::Function made;
        made.name = function_names_[f];
        made.entry = code_.entries[f];
        set_place(made, function.place);
        image_.functions.push_back(std::move(made));
        continue;
      }
      for (std::size_t t = 0; t < module_.tasks.size(); ++t) {
        if (module_.tasks[t].function != f) continue;
        number[t] = static_cast<std::uint32_t>(image_.tasks.size());
        pe::TaskBinding binding = module_.tasks[t].binding;
        binding.name = function_names_[f];
        binding.entry = code_.entries[f];
        set_place(binding, function.place);
        image_.tasks.push_back(std::move(binding));
      }
    }
    for (pe::Rotation& r : image_.rotations) {
      r.main = number.at(r.main);
      r.alternative = number.at(r.alternative);
    }
  }

  void declare_labels() {
    std::vector<std::uint32_t>& targets = code_.label_targets;
    std::sort(targets.begin(), targets.end());
    targets.erase(std::unique(targets.begin(), targets.end()), targets.end());
    unsigned n = 0;
    for (const std::uint32_t target : targets)
      image_.labels.push_back({names_.unique("L" + std::to_string(++n)), target});
  }

  void name_files() {
    if (module_.files.empty()) return;
    image_.files.push_back({image_.file, ""});
    for (const std::string& file : module_.files) image_.files.push_back({file, ""});
  }

  const Module& module_;
  const Options& options_;
  const std::vector<FunctionId> functions_;
  Code code_;
  const Frames frames_;
  pe::Image image_;
  Names names_;
  std::map<VariableId, std::string> variable_names_;
  std::map<FunctionId, std::string> function_names_;
  std::vector<std::uint32_t> addresses_;  // by VariableId
  std::shared_ptr<const std::vector<PlacedLocal>> locals_;
  std::shared_ptr<const InlinedCode> inlined_;
  std::uint32_t frames_base_ = 0;
  std::uint32_t end_ = 0;
};

}  // namespace

namespace {

/// Makes the functions of a module what is emitted, one after the other.
class Lowering {
 public:
  Lowering(Module& module, const Options& options, bool unrolls)
      : module_(module), options_(options), unrolls_(unrolls), open_(module), keys_(module, open_) {
    for (const auto part : {static_cast<int>(options.style), static_cast<int>(options.locals),
                            static_cast<int>(module.settings.half), unrolls ? 1 : 0})
      key_of_options_ += static_cast<char>(part);
  }

  /// The function is then as the allocation says.
  Allocation run(FunctionId f) {
    Questions questions(module_, open_);
    const bool is_kept =
        options_.cache != nullptr && options_.optimize && options_.printed.out == nullptr;
    std::string key;
    if (is_kept) {
      key = keys_.of(f, key_of_options_);
      if (const Optimized* known = options_.cache->find(key, questions)) {
        if (options_.verify) expect_same(*known, f);
        module_.functions[f] = known->function;
        return known->allocation;
      }
    }
    Function function = optimized(f, questions);
    const std::size_t variables = module_.variables.size();
    Allocation allocation = allocate(module_, f, function);
    module_.functions[f] = std::move(function);
    // One whose registers spill has variables of its own.
    if (is_kept && module_.variables.size() == variables)
      options_.cache->add(std::move(key), questions, {module_.functions[f], allocation});
    return allocation;
  }

 private:
  Function optimized(FunctionId f, Questions& questions) const {
    Function function = module_.functions[f];
    if (options_.optimize)
      optimize({module_, open_, questions, options_.style, options_.locals, unrolls_,
                options_.printed.out == nullptr ? nullptr : &options_.printed, options_.verify},
               f, function);
    legalize(function);
    if (options_.optimize) {
      if (options_.style == Style::kVendor) expand_products(function);
      propagate_copies(function);
      legalize(function);
      remove_dead_code(function);
      if (options_.style != Style::kPlain) {
        store_low_halves(function);
        hoist_constants(function);
      }
      if (options_.style == Style::kVendor) form_addresses(function);
      if (options_.style != Style::kPlain) order_floats(module_, open_, f, function);
    }
    return function;
  }

  void expect_same(const Optimized& known, FunctionId f) const {
    Questions questions(module_, open_);
    Function function = optimized(f, questions);
    Module copy = module_;
    const bool is_same = allocate(copy, f, function) == known.allocation;
    std::string made, kept;
    append_key(made, function);
    append_key(kept, known.function);
    if (!is_same || made != kept)
      throw std::logic_error(function.name + " depends on more than its key says");
  }

  Module& module_;
  const Options& options_;
  const bool unrolls_;
  const OpenVariables open_;
  const FunctionKeys keys_;
  std::string key_of_options_;
};

/// The code of all functions that run, and the module as they are now.
Code code_of(Module& module, const std::vector<FunctionId>& functions, const Cycles& cycles,
             const Options& options, bool unrolls) {
  Code code;
  code.entries.resize(module.functions.size());
  Lowering lowering(module, options, unrolls);
  for (const FunctionId f : functions) emit(module, f, lowering.run(f), cycles, code);
  return code;
}

pe::Image image_of(Module module, const Options& options, bool unrolls, Symbols* symbols) {
  if (options.optimize && options.style != Style::kPlain) {
    fold_constant_globals(module);
    tabulate_choices(module);
  }
  if (options.optimize) inline_calls(module, unrolls ? options.style : Style::kPlain);
  lower_extra_parameters(module);
  const Cycles cycles = find_cycles(module);
  std::vector<FunctionId> functions = reachable_functions(module);
  for (const FunctionId f : cycles.overflow) {
    if (f != 0) functions.push_back(f);
  }
  const bool points_at_data = pointers_name_data(module, functions);
  Code code = code_of(module, functions, cycles, options, unrolls);
  Linker linker(module, functions, std::move(code), cycles, options);
  pe::Image image = linker.link();
  image.routing_unused = points_at_data && !image.routing_access();
  if (symbols != nullptr) *symbols = linker.symbols();
  return image;
}

}  // namespace

pe::Image generate(Module module, const Options& options, Symbols* symbols) {
  require_valid(module);
  if (!options.optimize || options.style == Style::kPlain)
    return image_of(std::move(module), options, false, symbols);
  try {
    pe::Image image = image_of(module, options, true, symbols);
    if (image.data_end <= options.room) return image;
  } catch (const TooLarge&) {
    // Another time, below.
  }
  // Loops that stay loops, and calls that stay calls, take less room.
  return image_of(std::move(module), options, false, symbols);
}

}  // namespace tessera::csl::codegen
