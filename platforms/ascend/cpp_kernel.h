// A kernel in C++ on AI-core clusters: its arguments from the command line, its launch, its cores.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "frontends/pto_cpp/native_cores.h"
#include "platforms/ascend/arrays.h"
#include "platforms/ascend/kernel.h"
#include "platforms/ascend/options.h"
#include "platforms/data/host_array.h"

namespace tessera::ascend {

/// Whether the file is a kernel in C++.
bool is_cpp(const std::string& file);

class CppKernel {
 public:
  /// Compiles the kernel, reads its arguments, and finds out which kinds of core take part. `trail` outlives it. Throws
  /// UserError.
  CppKernel(const Options& options, const AscendConfig& config, pto_cpp::NativeTrail& trail);

  const LaunchedKernel& launched() const { return *launched_; }
  /// Of a host program: it goes on behind its launch, with what the arrays contain. Throws IllegalBehaviour.
  void finish(Arrays& arrays);
  /// Puts the contents of its arguments into the arrays of the machine.
  void fill(Arrays& arrays) const;

 private:
  void read_arguments(const Options& options, const AscendConfig& config,
                      const std::vector<std::string>& names, const TsrEntry& entry);
  void add_array(const std::string& name, const std::string& value, const std::string& pointee);
  cluster::Launch find_launch(const AscendConfig& config) const;

  void run_hosts(const std::vector<pto_cpp::KernelArgument>& arguments);

  pto_cpp::NativeLaunch native_;
  std::optional<cluster::CoreKind> only_;  // the kind of core that the file is for
  std::unique_ptr<pto_cpp::HostProgram> aic_host_, aiv_host_;
  std::vector<data::HostArray> contents_;  // by array; those of zeros have a shape and no bytes
  std::vector<std::size_t> array_bytes_;
  std::unique_ptr<LaunchedKernel> launched_;
};

}  // namespace tessera::ascend
