#include "frontends/pto_cpp/kernel_module.h"

#include <dlfcn.h>
#include <elf.h>

#include <cstring>
#include <fstream>
#include <iterator>

#include "tlm_ifaces/vocabulary/errors.h"

namespace tessera::pto_cpp {

KernelModule::KernelModule(const std::string& file, const std::string& library)
    : file_(file), handle_(dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL)), lines_(file, library) {
  if (handle_ == nullptr) throw UserError(file, "", std::string("cannot be loaded: ") + dlerror());
  api_ = static_cast<const TsrApi**>(dlsym(handle_, "tsr_api"));
  const auto* version = static_cast<const std::uint32_t*>(dlsym(handle_, "tsr_version"));
  if (api_ == nullptr || version == nullptr || *version != TSR_INTERFACE_VERSION)
    throw UserError(file, "", "is no kernel module of this version; compile it again");
  if (const auto* entry = static_cast<const TsrEntry* const*>(dlsym(handle_, "tsr_entry")))
    entry_ = *entry;
  Dl_info info{};
  if (dladdr(api_, &info) != 0) base_ = reinterpret_cast<std::uint64_t>(info.dli_fbase);
  find_variables();
}

void KernelModule::find_variables() {
  std::ifstream in(file_, std::ios::binary);
  const std::vector<char> bytes{std::istreambuf_iterator<char>(in), {}};
  const auto* header = reinterpret_cast<const Elf64_Ehdr*>(bytes.data());
  const auto* sections = reinterpret_cast<const Elf64_Shdr*>(bytes.data() + header->e_shoff);
  const char* const names = bytes.data() + sections[header->e_shstrndx].sh_offset;
  for (unsigned i = 0; i < header->e_shnum; ++i) {
    const std::string name = names + sections[i].sh_name;
    if (name != ".data" && name != ".bss") continue;
    auto* const begin = reinterpret_cast<std::byte*>(base_ + sections[i].sh_addr);
    variables_.push_back({begin, sections[i].sh_size});
    initial_.insert(initial_.end(), begin, begin + sections[i].sh_size);
  }
}

void KernelModule::enter(std::vector<std::byte>& statics, const TsrApi& api) {
  if (current_ != &statics) {
    if (statics.empty()) statics = initial_;
    std::size_t at = 0;
    for (const Section& s : variables_) {
      if (current_ != nullptr) std::memcpy(current_->data() + at, s.begin, s.bytes);
      std::memcpy(s.begin, statics.data() + at, s.bytes);
      at += s.bytes;
    }
    current_ = &statics;
  }
  *api_ = &api;
}

KernelModule::~KernelModule() {
  if (handle_ != nullptr) dlclose(handle_);
}

}  // namespace tessera::pto_cpp
