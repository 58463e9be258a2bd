#include "frontends/pto_cpp/kernel_module.h"

#include <dlfcn.h>
#include <elf.h>

#include <algorithm>
#include <cstring>
#include <deque>
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

namespace {

/// An ELF file: its sections, and what one of them contains.
class Elf {
 public:
  explicit Elf(const std::vector<char>& bytes)
      : bytes_(bytes), header_(reinterpret_cast<const Elf64_Ehdr*>(bytes.data())) {}

  unsigned count() const { return header_->e_shnum; }
  const Elf64_Shdr& section(unsigned n) const {
    return reinterpret_cast<const Elf64_Shdr*>(bytes_.data() + header_->e_shoff)[n];
  }
  const char* text(unsigned section_of_names, std::size_t at) const {
    return bytes_.data() + section(section_of_names).sh_offset + at;
  }
  bool has_variables(unsigned n) const {
    const std::string name = text(header_->e_shstrndx, section(n).sh_name);
    return name == ".data" || name == ".bss";
  }
  /// Whether a variable has a name, beside those that each module has. True if the file does not say.
  bool names_variables() const {
    for (unsigned t = 0; t < count(); ++t) {
      const Elf64_Shdr& table = section(t);
      if (table.sh_type != SHT_SYMTAB) continue;
      const auto* const begin = reinterpret_cast<const Elf64_Sym*>(bytes_.data() + table.sh_offset);
      return std::any_of(begin, begin + table.sh_size / sizeof *begin, [&](const Elf64_Sym& s) {
        const std::string name = text(table.sh_link, s.st_name);
        return ELF64_ST_TYPE(s.st_info) == STT_OBJECT && s.st_size > 0 && s.st_shndx < count() &&
               has_variables(s.st_shndx) && name != "tsr_api" && name != "completed.0";
      });
    }
    return true;
  }

 private:
  const std::vector<char>& bytes_;
  const Elf64_Ehdr* const header_;
};

}  // namespace

const TsrApi& KernelModule::keep(const TsrApi& api) {
  static std::deque<TsrApi> kept;  // references stay
  return kept.emplace_back(api);
}

void KernelModule::find_variables() {
  std::ifstream in(file_, std::ios::binary);
  const std::vector<char> bytes{std::istreambuf_iterator<char>(in), {}};
  const Elf file(bytes);
  if (!file.names_variables()) return;
  for (unsigned n = 0; n < file.count(); ++n) {
    if (!file.has_variables(n)) continue;
    auto* const begin = reinterpret_cast<std::byte*>(base_ + file.section(n).sh_addr);
    variables_.push_back({begin, file.section(n).sh_size});
    initial_.insert(initial_.end(), begin, begin + file.section(n).sh_size);
  }
}

void KernelModule::enter(std::vector<std::byte>& statics, const TsrApi& api) {
  if (current_ != &statics && !variables_.empty()) {
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

}  // namespace tessera::pto_cpp
