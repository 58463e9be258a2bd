#include "frontends/csl/compile.h"

#include <algorithm>
#include <utility>

#include "frontends/csl/host_room.h"
#include "frontends/csl/ir/key.h"
#include "frontends/csl/lower/tile_code.h"
#include "frontends/text/diagnostics.h"

namespace tessera::csl {
namespace {

struct Analysed {
  ir::Module module;
  std::map<std::string, ir::FunctionId> functions;
  std::map<std::string, ir::VariableId> variables;  ///< exported pointers, by name
  std::map<std::string, ir::VariableId> globals;    ///< globals that the host may read, by name
  std::map<ir::VariableId, std::pair<std::string, std::uint32_t>> sections;
};

Analysed analysed(Engine& engine, Variant& variant) {
  engine.enter_tile(variant);
  // DSRs, FIFOs and queues that the code names change which ones are free for others, and activations what starts a task: then again.
  std::vector<pe::QueueBinding> queues;
  while (true) {
    const std::size_t dsrs = variant.tile.dsr_ids.size(), fifos = variant.tile.fifos.size(),
                      activated = variant.tile.activated_colors.size();
    TileCode code(engine, variant, queues);
    Analysed result;
    result.module = code.make();
    const bool is_settled = variant.tile.dsr_ids.size() == dsrs &&
                            variant.tile.fifos.size() == fifos &&
                            variant.tile.activated_colors.size() == activated &&
                            (code.named_queues.size() == queues.size() || !code.has_chosen_queue);
    queues = code.named_queues;
    if (!is_settled) continue;
    result.functions = code.exported;
    result.globals = code.globals();
    result.sections = std::move(code.sections);
    for (const ExportedSymbol& symbol : variant.tile.exports) {
      if (symbol.variable) result.variables[symbol.name] = *code.find_variable(*symbol.variable);
    }
    return result;
  }
}

/// Variables have orders that count the instances of modules in the whole program: only which comes first is code.
void number_orders(ir::Module& module) {
  std::vector<std::uint64_t> orders;
  for (const ir::Variable& variable : module.variables) orders.push_back(variable.order);
  std::sort(orders.begin(), orders.end());
  orders.erase(std::unique(orders.begin(), orders.end()), orders.end());
  for (ir::Variable& variable : module.variables) {
    const auto at = std::lower_bound(orders.begin(), orders.end(), variable.order);
    variable.order = static_cast<std::uint64_t>(at - orders.begin());
  }
}

}  // namespace

ir::Module analyse(Engine& engine, Variant& variant) {
  return analysed(engine, variant).module;
}

CodeOptions code_options(const std::string& style, const std::string& locals) {
  CodeOptions options;
  if (style == "plain") options.style = codegen::Style::kPlain;
  if (style == "best") options.style = codegen::Style::kBest;
  if (locals == "registers") options.locals = codegen::Locals::kRegisters;
  return options;
}

Compiler::Compiler(Engine& engine, const CodeOptions& options) : engine_(engine) {
  options_.style = options.style;
  options_.locals = options.locals;
  options_.optimize = options.optimize;
  options_.printed = options.printed;
  options_.cache = std::make_shared<codegen::FunctionCache>();
  if (options.has_memcpy) options_.room -= kHostTransferBytes;
}

Compiler::Code Compiler::code_of(ir::Module module, decltype(codegen::Options::sections) sections) {
  constexpr std::size_t kMostKeyBytes = std::size_t{64}
                                        << 20;  // of a program whose codes all differ
  number_orders(module);
  std::string key = ir::key_of(module);
  for (const auto& [variable, section] : sections)
    key += text::joined(";", variable, "=", section.first, ":", section.second);
  const auto known = codes_.find(key);
  if (known != codes_.end()) return known->second;
  Code code;
  codegen::Options options = options_;
  options.sections = std::move(sections);
  code.image =
      std::make_shared<const pe::Image>(codegen::generate(std::move(module), options, &code.names));
  key_bytes_ += key.size();
  if (key_bytes_ <= kMostKeyBytes) codes_.emplace(std::move(key), code);
  return code;
}

CompiledVariant Compiler::operator()(Variant& variant) {
  Analysed result = analysed(engine_, variant);
  const Code code = code_of(std::move(result.module), std::move(result.sections));
  CompiledVariant made;
  made.image = code.image;
  made.locals = code.names.locals;
  made.inlined = code.names.inlined;
  for (const auto& [name, variable] : result.globals)
    made.variables[name] = code.names.variables.at(variable);
  for (const ExportedSymbol& symbol : variant.tile.exports) {
    HostSymbol host;
    host.name = symbol.name;
    host.type = symbol.type;
    host.is_function = symbol.function.function != nullptr;
    if (host.is_function) {
      host.function = code.names.functions.at(result.functions.at(symbol.name));
    } else {
      host.is_constant = symbol.type->is(TypeKind::kPointer) && symbol.type->is_const;
      host.address = code.names.addresses.at(result.variables.at(symbol.name));
    }
    made.symbols.push_back(std::move(host));
  }
  return made;
}

}  // namespace tessera::csl
