// One core that executes a kernel in C++ (see native_cores.h): its native code, the request that it waits for, and the
// instructions that serve it.
#pragma once

#include <array>
#include <cstring>
#include <deque>
#include <map>
#include <optional>

#include "frontends/pto_cpp/call_sites.h"
#include "frontends/pto_cpp/float_control.h"
#include "frontends/pto_cpp/native_cores.h"
#include "frontends/pto_cpp/native_fiber.h"
#include "frontends/pto_cpp/native_threads.h"
#include "frontends/pto_cpp/native_vectors.h"

namespace tessera::pto_cpp {

/// Why native code stopped.
struct NativeCores::Request {
  enum class Kind : std::uint8_t {
    kEnded,
    kOperation,
    kSync,
    kLoad,
    kClean,
    kThreads,
    kVectors,
    kNothing,
    kFailed
  };
  Kind kind = Kind::kEnded;
  std::uint64_t from = 0;  // the return address of the call, in the module
  const TsrCall* call = nullptr;
  TsrSync sync = TSR_SET_FLAG;
  int pipe = 0, to = 0, mode = 0;
  std::int64_t id = 0;  // kThreads: the number of the function
  std::uint64_t address = 0;
  std::size_t bytes = 0;
};

/// Native bytes that the scalar unit stores before it does anything else.
struct NativeCores::Store {
  std::uint64_t address, from;
  std::size_t bytes;
};

/// An access of native code, and the bytes that were there when its core last looked.
struct NativeCores::Watched {
  static constexpr std::size_t kMost = 16;  // bytes
  static constexpr unsigned kBlocks = 12;   // so long it is looked at in each of them

  void look() {
    std::memcpy(seen.data(), reinterpret_cast<const void*>(access.address), access.bytes);
  }
  bool has_changed() const {
    return std::memcmp(seen.data(), reinterpret_cast<const void*>(access.address), access.bytes) !=
           0;
  }

  Store access;
  std::array<std::byte, kMost> seen{};
  unsigned age = 0;
};

/// The native code of one core: it leaves a Request and waits.
struct NativeCores::Core {
  Core(const NativeLaunch& to_launch, const MemoryMap& map, cluster::CoreId core_id,
       KernelModule& code);
  ~Core();
  void start();
  /// Runs native code up to its next request.
  void run();
  /// Native code calls this to wait until its request has been served.
  [[gnu::always_inline]] void wait(const Request& r) {
    if (vectors.has_steps() && !vectors.is_in_scope() && r.kind != Request::Kind::kVectors)
      end_vectors();
    launch.trail->at(reinterpret_cast<const void*>(module.base() + r.from));
    if (!watched.empty()) note_hidden_stores();
    if (!faded.empty() && r.kind != Request::Kind::kLoad) note_faded();
    request = r;
    fiber.wait();
    for (Watched& w : watched) w.look();
  }
  /// A vector function ends: the instructions that native code came to are its body.
  void end_vectors();
  /// Finds stores that g++ does not tell of: those to an address that native code has accessed since its last call, on
  /// every way to here. What has other bytes than when this core last looked is such a store.
  void note_hidden_stores();
  /// Whether it is such a store, which none that waits covers.
  bool note_store(const Watched& w);
  /// The same for what basic blocks long before have accessed: at the next call, after which g++ tells anew.
  void note_faded();
  void note_faded(std::uint64_t address);
  /// Another basic block begins, or native code ends.
  void end_block() {
    if (watched.empty()) return;
    note_hidden_stores();
    std::size_t kept = 0;
    for (Watched& w : watched) {
      if (++w.age < Watched::kBlocks) {
        watched[kept++] = w;
      } else {
        w.look();
        faded.insert_or_assign(w.access.address, w);
      }
    }
    watched.erase(watched.begin() + static_cast<std::ptrdiff_t>(kept), watched.end());
  }
  void place(Site& site);
  /// Runs the threads of a function that native code has started.
  cluster::ThreadWork run_threads(NativeThreads& runner, std::int64_t function,
                                  cluster::ThreadMemory& data);
  /// Where its native code stands, "k.cpp:12".
  std::string place() const;
  /// Throws IllegalBehaviour with the text of the request, and `more`.
  [[noreturn]] void fail(const std::string& more = "") const;
  void take_loaded(const std::vector<std::int64_t>& registers);
  Range issue(const Step& step, std::vector<std::int64_t>& registers);
  Range issue_store(std::vector<std::int64_t>& registers);
  /// Takes back the store of a statement that loads too, until `load` is served; nothing: the last store is of another one.
  std::optional<Store> hold_copy(const Request& load);
  /// The instructions that serve a request.
  Step step_of(const Request& r);

  /// Each core runs its block, and those that are a multiple of all resident blocks after it.
  unsigned first_block() const { return launch.block_of(id); }
  unsigned next_block() const { return block + launch.resident_blocks; }

  const NativeLaunch& launch;
  const MemoryMap& memory;
  const cluster::CoreId id;
  KernelModule& module;
  const TsrApi& api;
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
  NativeVectors vectors;
  std::uint64_t blocks_before_scope = 0;
  std::deque<Store> stores;      // not issued yet
  std::vector<Watched> watched;  // what the last basic blocks have accessed
  std::map<std::uint64_t, Watched>
      faded;  // what those before have, since the last call, by address
  unsigned block = 0, block_count = 0;
  // Set only while it is found out whether the core takes part.
  std::function<const std::byte*(unsigned)> contents;
  std::string failure;  // the text of a request kFailed
  struct StartedThreads {
    TsrThreads launch;
    unsigned block, block_count;  // when native code came to it
  };
  std::map<std::int64_t, StartedThreads> functions;  // of threads, that have not run
  std::int64_t functions_started = 0;
  NativeThreads* threads = nullptr;  // while they run
  std::vector<std::byte> statics;    // this core's copy of the variables of the module
  std::vector<std::int64_t> arguments;
  std::shared_ptr<cluster::Program> program;
};

}  // namespace tessera::pto_cpp
