// Cores that execute a kernel in C++ (reference pto_cpp.md 6): the source of instructions of their scalar units. Each
// core has a fiber, in which the native code of the kernel runs up to its next call: an operation, a flag, or a load or
// store of GM or UB. The call becomes an instruction; when the scalar unit has issued it and asks for the next one, the
// native code goes on.
//
// Native loads and stores go through the scalar cache of the model. Before a load, native code finds at the address what
// the model has loaded; what it stores, the model takes from there.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "frontends/pto_cpp/host_program.h"
#include "frontends/pto_cpp/kernel_module.h"
#include "frontends/pto_cpp/memory_map.h"
#include "frontends/pto_cpp/native_threads.h"
#include "frontends/pto_cpp/native_trail.h"
#include "models/cluster/program/program.h"
#include "models/cluster/program/thread_function.h"
#include "models/cluster/program/vector_body.h"

namespace tessera::pto_cpp {

/// An argument of the kernel: a number, or an array in GM.
struct KernelArgument {
  std::int64_t value = 0;  ///< a real number is stored as the bits of a double
  int array = -1;          ///< number of the array
};

/// What a launch starts on every core.
struct NativeLaunch {
  cluster::Profile profile = cluster::Profile::kA2A3;
  unsigned clusters = 1;  ///< of all devices
  unsigned devices = 1;
  unsigned blocks = 1;           ///< of each device
  unsigned resident_blocks = 1;  ///< blocks at a time; a core runs further ones after its first
  unsigned subblocks = 1;        ///< AIVs of a block
  /// The first block of a core.
  std::function<unsigned(cluster::CoreId)> block_of = [](cluster::CoreId core) {
    return core.cluster;
  };
  std::uint64_t clock_khz = 0;
  /// Time of native code: so many cycles a basic block, beyond those that the issue of an operation contains.
  Cycle block_cycles = 2, issue_cycles = 5;
  bool automatic_sync =
      false;  ///< the model orders the pipes of each core, as the vendor's compiler may
  std::string name, file;  ///< name and source file of the kernel
  std::vector<cluster::GmArray> arrays;
  std::vector<KernelArgument> arguments;  ///< of the first device, then of the next
  std::shared_ptr<KernelModule> aic, aiv;
  std::shared_ptr<MemoryMap> memory;  ///< with the arrays
  NativeTrail* trail = nullptr;       ///< where the cores record which native code they run
  /// What the cores of a kind start in place of the entry of their module.
  BoundKernel aic_kernel, aiv_kernel;
};

class NativeCores final : public cluster::InstructionSource,
                          public cluster::ThreadSource,
                          public cluster::VectorSource {
 public:
  explicit NativeCores(NativeLaunch launch);
  ~NativeCores() override;

  /// The launches from now on start these.
  void set_kernels(const BoundKernel& aic, const BoundKernel& aiv, unsigned blocks);
  /// Whether a kind of core takes part: its native code comes to an operation of its own pipes before one that only the
  /// other kind has, as the code of a kernel for that kind does. For that block 0 runs up to there; `contents` gives the
  /// bytes of an array that it reads on the way.
  bool takes_part(cluster::CoreKind kind,
                  const std::function<const std::byte*(unsigned array)>& contents);

  /// Blocks of the launch that the function made up to there; 0: it is no launcher.
  unsigned launched_blocks() const { return launched_blocks_; }

  std::shared_ptr<const cluster::Program> begin(cluster::CoreId core) override;
  Range next(cluster::CoreId core, std::vector<std::int64_t>& registers, Cycle now) override;
  cluster::ThreadWork run_threads(cluster::CoreId core, std::int64_t function,
                                  cluster::ThreadMemory& data) override;
  std::vector<cluster::RegisterStep> take_body(cluster::CoreId core) override;

 private:
  unsigned launched_blocks_ = 0;
  struct Core;
  struct Request;
  struct Store;
  struct Watched;
  class Interface;

  Core& core(cluster::CoreId id);
  /// What the cores of the other devices do, for a failure on one of them.
  std::string others_stand(cluster::CoreId id) const;
  std::unique_ptr<Core> make_core(cluster::CoreId id);
  std::vector<std::int64_t> argument_values(cluster::CoreId core) const;

  const NativeFiber::Signals signals_;
  NativeLaunch launch_;
  const MemoryMap& memory_;
  NativeThreads threads_;
  std::vector<std::unique_ptr<Core>> cores_;  // by CoreId::index()
};

}  // namespace tessera::pto_cpp
