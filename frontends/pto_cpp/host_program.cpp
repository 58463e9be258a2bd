#include "frontends/pto_cpp/host_program.h"

#include <utility>

#include "tlm_ifaces/vocabulary/errors.h"

namespace tessera::pto_cpp {

/// The functions of TsrApi; `self` is a HostProgram. Native code of the host may access memory of the device as it is.
class HostProgram::Interface {
 public:
  static TsrApi of(HostProgram& host) {
    TsrApi api{};
    api.version = TSR_INTERFACE_VERSION;
    api.self = &host;
    api.operation = [](void* self, const TsrCall* call) {
      fail(self, (std::string(call->operation) + " outside of a kernel").c_str());
    };
    api.sync = [](void* self, TsrSync, int, int, std::int64_t, int) {
      fail(self, "a flag or barrier outside of a kernel");
    };
    api.special = [](void*, TsrSpecial) -> std::int64_t { return 0; };
    api.access = [](void*, const void*, std::size_t, bool, const void*) {};
    api.clean = [](void*, const void*) {};
    api.address = [](void* self, const char*, std::uint64_t) -> void* {
      fail(self, "a tile outside of a kernel");
      return nullptr;
    };
    api.launch = launch;
    api.block = [](void* self, const void* at) {  // also in threads, which may outlive the program
      auto* const program = static_cast<HostProgram*>(self);
      if (program->fiber_.is_running()) program->trail_.at(at);
    };
    api.fail = fail;
    api.fail_at = [](void* self, const char* text, const void*) { fail(self, text); };
    api.threads = [](void* self, const TsrThreads*) {
      fail(self, "a function of threads outside of a kernel");
    };
    api.meet = [](void* self) { fail(self, "threads outside of a kernel"); };
    api.exchange = [](void* self, std::uint64_t, std::uint64_t*) -> std::uint32_t {
      fail(self, "threads outside of a kernel");
      return 0;
    };
    api.allocate = [](void* self, std::size_t bytes) -> void* {
      HostProgram& program = *static_cast<HostProgram*>(self);
      return program.memory_->allocate(program.allocations_++, bytes);
    };
    return api;
  }

 private:
  static void fail(void* self, const char* text) {
    HostProgram& host = *static_cast<HostProgram*>(self);
    host.failure_ = text;
    host.fiber_.wait();
  }
  static void launch(void* self, std::uint64_t blocks, void (*run)(void*), void (*drop)(void*),
                     void* closure) {
    HostProgram& host = *static_cast<HostProgram*>(self);
    host.kernel_ = {run, closure, blocks};
    host.drop_ = drop;
    host.fiber_.wait();
  }
};

HostProgram::HostProgram(std::shared_ptr<KernelModule> module, cluster::CoreKind kind,
                         std::shared_ptr<MemoryMap> memory, std::vector<std::int64_t> arguments,
                         NativeTrail& trail)
    : module_(std::move(module)), kind_(kind), memory_(std::move(memory)),
      arguments_(std::move(arguments)), trail_(trail),
      api_(KernelModule::keep(Interface::of(*this))) {
  fiber_.start([this] { module_->entry()->call(arguments_.data()); });
}

HostProgram::~HostProgram() {
  drop_kernel();
  module_->forget(statics_);
}

void HostProgram::drop_kernel() {
  if (drop_ != nullptr) {
    module_->enter(statics_, api_);  // drop_ is native code of the module
    drop_(kernel_.closure);
  }
  drop_ = nullptr;
  kernel_ = {};
}

const BoundKernel* HostProgram::run_to_launch() {
  drop_kernel();
  module_->enter(statics_, api_);
  trail_.enter(NativeTrail::kHost, kind_);
  fiber_.run();
  if (fiber_.crash().signal != 0) failure_ = "it ended with " + fiber_.describe_crash();
  if (!failure_.empty())
    throw IllegalBehaviour(trail_.place() + failure_, "/tessera/cluster/native");
  trail_.leave();
  return kernel_.run != nullptr ? &kernel_ : nullptr;
}

}  // namespace tessera::pto_cpp
