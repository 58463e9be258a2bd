// From the evaluated layout of a CSL program to what its PEs run.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "frontends/csl/codegen/codegen.h"
#include "frontends/csl/sema/engine.h"

namespace tessera::csl {

struct CodeOptions {
  codegen::Style style = codegen::Style::kVendor;
  codegen::Locals locals = codegen::Locals::kMemory;  ///< of the plain style
  bool optimize = true;
  codegen::PrintedPass printed;
  bool has_memcpy = false;  ///< the code shares its memory with host transfers
};

/// Of a value of --csl-code (vendor, plain, best) and of --csl-locals (memory, registers).
CodeOptions code_options(const std::string& style, const std::string& locals);

/// What the host reaches on the PEs of a variant.
struct HostSymbol {
  std::string name;  ///< as `@export_symbol` gives it
  const Type* type = nullptr;
  bool is_function = false;
  bool is_constant =
      false;  ///< data: the pointer leads to constants, of which code may have copies
  /// Data: byte address of the pointer variable whose value counts at the copy (csl.md 5).
  std::uint32_t address = 0;
  std::string function;  ///< name of the function in the image
};

struct CompiledVariant {
  std::shared_ptr<const pe::Image> image;  ///< the same one for variants with the same code
  /// Image symbols of variables by the names that they have for the host: "x", "module.x" or that of
  /// `linkname`.
  std::map<std::string, std::string> variables;
  std::vector<HostSymbol> symbols;
  /// Of all functions; the same for variants with the same code.
  std::shared_ptr<const std::vector<codegen::PlacedLocal>> locals;
  std::shared_ptr<const codegen::InlinedCode> inlined;
};

/// The intermediate code of a variant. Throws UserError(file, "LINE:COLUMN", problem).
ir::Module analyse(Engine& engine, Variant& variant);

/// Compiles the variants of a program. Code that several of them have, as PEs do that differ in names of
/// colors or in params without use, is generated once.
class Compiler {
 public:
  explicit Compiler(Engine& engine, const CodeOptions& options = {});
  /// The program of the PEs of a variant. Throws UserError.
  CompiledVariant operator()(Variant& variant);

 private:
  struct Code {
    std::shared_ptr<const pe::Image> image;
    codegen::Symbols names;
  };
  /// `sections`: as codegen::Options has them.
  Code code_of(ir::Module module, decltype(codegen::Options::sections) sections);

  Engine& engine_;
  codegen::Options options_;
  std::unordered_map<std::string, Code> codes_;  ///< by ir::key_of()
  std::size_t key_bytes_ = 0;
};

}  // namespace tessera::csl
