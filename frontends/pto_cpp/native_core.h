// One core that executes a kernel in C++ (see native_cores.h): its native code, the request that it waits for, and the
// instructions that serve it.
#pragma once

#include <deque>

#include "frontends/pto_cpp/call_sites.h"
#include "frontends/pto_cpp/float_control.h"
#include "frontends/pto_cpp/native_cores.h"
#include "frontends/pto_cpp/native_fiber.h"

namespace tessera::pto_cpp {

/// Why native code stopped.
struct NativeCores::Request {
  enum class Kind : std::uint8_t { kEnded, kOperation, kSync, kLoad, kClean, kNothing, kFailed };
  Kind kind = Kind::kEnded;
  std::uint64_t from = 0;  // the return address of the call, in the module
  const TsrCall* call = nullptr;
  TsrSync sync = TSR_SET_FLAG;
  int pipe = 0, to = 0, mode = 0;
  std::int64_t id = 0;
  std::uint64_t address = 0;
  std::size_t bytes = 0;
};

/// Native bytes that the scalar unit stores before it does anything else.
struct NativeCores::Store {
  std::uint64_t address, from;
  std::size_t bytes;
};

/// The native code of one core: it leaves a Request and waits.
struct NativeCores::Core {
  Core(const NativeLaunch& to_launch, const MemoryMap& map, cluster::CoreId core_id,
       KernelModule& code);
  ~Core() { module.forget(statics); }
  void start();
  /// Runs native code up to its next request.
  void run();
  /// Native code calls this to wait until its request has been served.
  [[gnu::always_inline]] void wait(const Request& r) {
    if (!fiber.is_running()) launch.trail->end_run("calls PTO in a thread or a process of its own");
    launch.trail->at(reinterpret_cast<const void*>(module.base() + r.from));
    request = r;
    fiber.wait();
  }
  void place(Site& site);
  /// Throws IllegalBehaviour with the text of the request.
  [[noreturn]] void fail() const;
  void take_loaded(const std::vector<std::int64_t>& registers);
  Range issue(const Step& step, std::vector<std::int64_t>& registers);
  Range issue_store(std::vector<std::int64_t>& registers);
  /// The instructions that serve a request.
  Step step_of(const Request& r);

  /// Each core runs its block, and those that are a multiple of all resident blocks after it.
  unsigned first_block() const { return launch.block_of(id); }
  unsigned next_block() const { return block + launch.resident_blocks; }

  const NativeLaunch& launch;
  const MemoryMap& memory;
  const cluster::CoreId id;
  KernelModule& module;
  TsrApi api{};
  // What every request needs, in few lines of the cache.
  Request request;
  bool served = true;        // the request has been served
  bool is_launcher = false;  // the function is a launcher, which has come to its launch
  unsigned load_piece = 0;   // bytes that the scalar unit is loading
  std::uint64_t load_address = 0,
                load_bytes = 0;  // what is left of the native load that is being served
  Cycle now = 0, scalar_cycles = 0;
  std::uint64_t blocks_run = 0;  // basic blocks since the last request
  NativeFiber fiber;
  FloatControl float_control;  // how this core's native code rounds
  CallSites sites;
  std::deque<Store> stores;  // not issued yet
  unsigned block = 0, block_count = 0;
  // Set only while it is found out whether the core takes part.
  std::function<const std::byte*(unsigned)> contents;
  std::string failure;             // the text of a request kFailed
  std::vector<std::byte> statics;  // this core's copy of the variables of the module
  std::vector<std::int64_t> arguments;
  std::shared_ptr<cluster::Program> program;
};

}  // namespace tessera::pto_cpp
