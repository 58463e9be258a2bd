#include "frontends/csl/compile.h"

#include <algorithm>

#include "frontends/csl/lower/tile_code.h"

namespace tessera::csl {
namespace {

struct Analysed {
  ir::Module module;
  std::map<std::string, ir::FunctionId> functions;
  std::map<std::string, ir::VariableId> variables;  ///< exported pointers, by name
  std::map<std::string, ir::VariableId> globals;    ///< globals that the host may read, by name
};

Analysed analysed(Engine& engine, Variant& variant) {
  engine.enter_tile(variant);
  // DSRs, FIFOs and queues that the code names change which ones are free for others: then again.
  std::vector<pe::QueueBinding> queues;
  while (true) {
    const std::size_t dsrs = variant.tile.dsr_ids.size(), fifos = variant.tile.fifos.size();
    TileCode code(engine, variant, queues);
    Analysed result;
    result.module = code.make();
    const bool is_settled = variant.tile.dsr_ids.size() == dsrs &&
                            variant.tile.fifos.size() == fifos &&
                            (code.named_queues.size() == queues.size() || !code.has_chosen_queue);
    queues = code.named_queues;
    if (!is_settled) continue;
    result.functions = code.exported;
    result.globals = code.globals();
    for (const ExportedSymbol& symbol : variant.tile.exports) {
      if (symbol.variable) result.variables[symbol.name] = *code.find_variable(*symbol.variable);
    }
    return result;
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

CompiledVariant compile(Engine& engine, Variant& variant, const CodeOptions& options) {
  Analysed result = analysed(engine, variant);
  CompiledVariant made;
  codegen::Options codegen_options;
  codegen_options.style = options.style;
  codegen_options.locals = options.locals;
  codegen_options.optimize = options.optimize;
  codegen::Symbols names;
  made.image = codegen::generate(std::move(result.module), codegen_options, &names);
  for (const auto& [name, variable] : result.globals)
    made.variables[name] = names.variables.at(variable);
  for (const ExportedSymbol& symbol : variant.tile.exports) {
    HostSymbol host;
    host.name = symbol.name;
    host.type = symbol.type;
    host.is_function = symbol.function.function != nullptr;
    if (host.is_function) {
      host.function = names.functions.at(result.functions.at(symbol.name));
    } else {
      host.address = names.addresses.at(result.variables.at(symbol.name));
    }
    made.symbols.push_back(std::move(host));
  }
  return made;
}

}  // namespace tessera::csl
