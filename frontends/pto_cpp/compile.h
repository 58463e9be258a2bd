// A kernel in C++ to a module that can be loaded: the compiler of the host with the headers of library/ (reference
// pto_cpp.md 1). Modules are kept in a folder, by the contents of all files that they are made of.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "models/cluster/program/program.h"

namespace tessera::pto_cpp {

struct CompileOptions {
  cluster::Profile profile = cluster::Profile::kA2A3;
  std::string function;  ///< function that the run starts; may name an instance of a template
  std::vector<std::string> includes;  ///< folders of the user's headers
  std::vector<std::string> flags;     ///< further flags of the compiler, behind ours
};

/// A function that a run can start, as the text declares it.
struct EntryText {
  std::string name;  ///< as --function gives it
  std::vector<std::string> parameters;
  unsigned line = 0;
};

/// What the text of a kernel says, before it is compiled.
struct KernelText {
  std::string file, text;  ///< the text after the rewrite of launches
  EntryText entry;
  /// The only kind of core that the file is for: it does not tell kinds apart (`__DAV_VEC__`), so it is a cube kernel if it
  /// has matrix products or moves into L0, and a vector kernel otherwise. Nothing: both.
  std::optional<cluster::CoreKind> only;
};

/// Reads a kernel, and finds the function `function`; "": the only one that a run could start. Throws UserError.
KernelText read_kernel(const std::string& file, const std::string& function);

/// `kernel<<<blocks, l2, stream>>>(arguments)` as g++ can parse it: `kernel->*tsr_launch(blocks, l2, stream)(arguments)`.
/// Lines stay lines.
std::string with_launches(const std::string& text);

struct CompiledKernel {
  cluster::Profile profile = cluster::Profile::kA2A3;
  std::string source;    ///< the file that was compiled
  EntryText entry;       ///< the function that the cores start
  std::string aic, aiv;  ///< files of the modules; "": the kernel is not for this kind of core
  std::string library;   ///< the folder of the headers
};
/// The user's files that a kernel was compiled from.
std::vector<std::string> files_of(const CompiledKernel& kernel);
/// Compiles for the kinds of core that the file is for, both at the same time, what the cache does not have. Throws UserError with what the
/// compiler says.
CompiledKernel compile(const KernelText& kernel, const CompileOptions& options);

}  // namespace tessera::pto_cpp
