// A kernel in C++ to a module that can be loaded: the compiler of the host with the headers of library/ (reference
// pto_cpp.md 1). Modules are kept in a folder, by the contents of all files that they are made of.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "frontends/pto_cpp/kernel_text.h"

namespace tessera::pto_cpp {

struct CompileOptions {
  cluster::Profile profile = cluster::Profile::kA2A3;
  std::string function;  ///< function that the run starts; may name an instance of a template
  std::vector<std::string> includes;  ///< folders of the user's headers
  std::vector<std::string> flags;     ///< further flags of the compiler, after ours
  /// The only kind of core that the launch has; nothing: both.
  std::optional<cluster::CoreKind> only;
};

struct CompiledKernel {
  cluster::Profile profile = cluster::Profile::kA2A3;
  std::string source;    ///< the file that was compiled
  EntryText entry;       ///< the function that the cores start
  std::string aic, aiv;  ///< files of the modules; "": the kernel is not for this kind of core
  std::string library;   ///< the folder of the headers
  std::vector<std::string> files;  ///< the user's files that it was compiled from, beside `source`
};
/// Compiles for the kinds of core that the file is for, both at the same time, what the cache does not have. Throws UserError with what the
/// compiler says.
CompiledKernel compile(const KernelText& kernel, const CompileOptions& options);

}  // namespace tessera::pto_cpp
