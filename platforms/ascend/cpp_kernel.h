// A kernel in C++ on AI-core clusters: its arguments from the command line, its launch, its cores.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "frontends/pto_cpp/kernel_file.h"
#include "frontends/pto_cpp/native_cores.h"
#include "platforms/ascend/arrays.h"
#include "platforms/ascend/kernel.h"
#include "platforms/ascend/options.h"
#include "platforms/data/host_array.h"

namespace tessera::ascend {

/// Whether the file is a kernel in C++, its text or what ascend-cxx has made of it.
bool is_cpp(const std::string& file);

class CppKernel {
 public:
  /// Compiles the kernel if it is not `compiled`, and loads it. `trail` outlives it. Throws UserError.
  CppKernel(const Options& options, const AscendConfig& config,
            const std::optional<pto_cpp::CompiledKernel>& compiled, pto_cpp::NativeTrail& trail);
  /// "add(f32* x, f32* y, i32 n)".
  std::string signature() const;
  /// Reads its arguments, and finds out which kinds of core take part. `at_end` is called when the run is over, before anything
  /// is written. Throws UserError.
  void prepare(const Options& options, const AscendConfig& config, std::function<void()> at_end);

  const LaunchedKernel& launched() const { return *launched_; }
  /// Puts the contents of its arguments into the arrays of the machine.
  void fill(Arrays& arrays) const;

 private:
  const TsrEntry& entry() const;
  std::string name_of(unsigned argument) const;
  void read_arguments(const Options& options, const AscendConfig& config);
  /// The arguments of one device; adds the names of those without a value to `missing`.
  void read_arguments_of(unsigned device, const AscendConfig& config,
                         const std::map<std::string, std::string>& args,
                         std::vector<std::string>& missing);
  /// "dst", or "dst@1" where there are several devices.
  std::string name_on(unsigned device, unsigned argument) const;
  void add_array(const std::string& name, const std::string& value, const std::string& pointee,
                 unsigned device);
  /// An array of 64-bit words, of which those with & are addresses of arrays.
  void fill_words(std::size_t array, const std::string& value);
  /// The kinds of core that take part in a launch.
  struct Kinds {
    bool aic = false, aiv = false;
    unsigned blocks = 0;  ///< of the launch, if the function is a launcher
  };
  Kinds kinds(const std::function<const std::byte*(unsigned array)>& contents) const;
  cluster::Launch find_launch(const AscendConfig& config);

  void run_hosts(const std::vector<pto_cpp::KernelArgument>& arguments);
  /// LaunchedKernel::next_launch of a host program. Throws IllegalBehaviour.
  bool go_on(Arrays& arrays, Cycle next);

  std::vector<std::string> names_;  // names of the arguments
  pto_cpp::NativeLaunch native_;
  std::shared_ptr<pto_cpp::NativeCores> cores_;
  pto_cpp::LaunchMark mark_;
  bool asks_subblock_ = false, lacks_subblocks_ = false;
  Kinds kinds_;
  std::unique_ptr<pto_cpp::HostProgram> aic_host_, aiv_host_;
  std::vector<data::HostArray> contents_;  // by array; those of zeros have a shape and no bytes
  std::vector<std::size_t> array_bytes_;
  std::map<std::size_t, std::string> words_;  // arrays of words, until all arrays are known
  unsigned devices_ = 1;
  std::unique_ptr<LaunchedKernel> launched_;
};

}  // namespace tessera::ascend
