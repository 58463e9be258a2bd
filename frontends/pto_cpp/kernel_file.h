// A compiled kernel as one file, kernel.so, for builds of one's own: `ascend-cxx` writes it, `ascend_platform` runs it. It is the
// module for one kind of core, which tools for shared objects take; the module for the other kind, and what a run has to know about
// both, follow it.
#pragma once

#include <string>

#include "frontends/pto_cpp/compile.h"

namespace tessera::pto_cpp {

/// Whether the name ends in ".so", as those of kernel files do.
bool is_kernel_file(const std::string& file);
/// Throws UserError for a file that cannot be written.
void write_kernel_file(const std::string& file, const CompiledKernel& kernel);
/// The modules get files in the cache, by their contents. Throws UserError for a file that ascend-cxx of this version has not
/// written.
CompiledKernel read_kernel_file(const std::string& file);

}  // namespace tessera::pto_cpp
