// A host function that allocates memory of the device, copies to it, launches kernels and copies the results back: native code
// before a launch and after it. It runs in the modules of both kinds of core, for each has its own instance of the kernel;
// what the second one does to the device is the same.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "frontends/pto_cpp/kernel_module.h"
#include "frontends/pto_cpp/memory_map.h"
#include "frontends/pto_cpp/native_fiber.h"
#include "frontends/pto_cpp/native_trail.h"

namespace tessera::pto_cpp {

/// A kernel with its arguments, as a launch gives it to one kind of core.
struct BoundKernel {
  void (*run)(void* closure) = nullptr;
  void* closure = nullptr;
  std::uint64_t blocks = 0;
};

class HostProgram {
 public:
  /// `arguments` are those of the function. `memory` gets an array for each allocation.
  HostProgram(std::shared_ptr<KernelModule> module, cluster::CoreKind kind,
              std::shared_ptr<MemoryMap> memory, std::vector<std::int64_t> arguments,
              NativeTrail& trail);
  ~HostProgram();
  HostProgram(const HostProgram&) = delete;
  HostProgram& operator=(const HostProgram&) = delete;

  /// Runs up to the next launch; nullptr: to the end. What the kernels before have done is in memory. Throws IllegalBehaviour
  /// for a function that fails.
  const BoundKernel* run_to_launch();

 private:
  class Interface;
  void drop_kernel();

  const NativeFiber::Signals signals_;
  const std::shared_ptr<KernelModule> module_;
  const cluster::CoreKind kind_;
  const std::shared_ptr<MemoryMap> memory_;
  const std::vector<std::int64_t> arguments_;
  NativeTrail& trail_;
  std::vector<std::byte> statics_;
  const TsrApi& api_;
  NativeFiber fiber_;
  BoundKernel kernel_;
  void (*drop_)(void*) = nullptr;
  unsigned allocations_ = 0;
  std::string failure_;
};

}  // namespace tessera::pto_cpp
