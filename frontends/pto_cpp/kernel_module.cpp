#include "frontends/pto_cpp/kernel_module.h"

#include <dlfcn.h>

#include "tlm_ifaces/vocabulary/errors.h"

namespace tessera::pto_cpp {

KernelModule::KernelModule(const std::string& file, const std::string& library)
    : handle_(dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL)), lines_(file, library) {
  if (handle_ == nullptr) throw UserError(file, "", std::string("cannot be loaded: ") + dlerror());
  api_ = static_cast<const TsrApi**>(dlsym(handle_, "tsr_api"));
  const auto* version = static_cast<const std::uint32_t*>(dlsym(handle_, "tsr_version"));
  if (api_ == nullptr || version == nullptr || *version != TSR_INTERFACE_VERSION)
    throw UserError(file, "", "is no kernel module of this version; compile it again");
  if (const auto* entry = static_cast<const TsrEntry* const*>(dlsym(handle_, "tsr_entry")))
    entry_ = *entry;
  Dl_info info{};
  if (dladdr(api_, &info) != 0) base_ = reinterpret_cast<std::uint64_t>(info.dli_fbase);
}

KernelModule::~KernelModule() {
  if (handle_ != nullptr) dlclose(handle_);
}

}  // namespace tessera::pto_cpp
