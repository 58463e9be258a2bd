// A kernel in C++ that was compiled for one kind of core and loaded into this process.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "frontends/pto_cpp/library/pto/interface.h"
#include "frontends/pto_cpp/line_table.h"

namespace tessera::pto_cpp {

class KernelModule {
 public:
  /// Throws UserError for a file that is no module of this version. The code stays loaded until the process ends: unloading it
  /// would run what it has left for its end (`atexit`, destructors of statics), which no device does and which may never end.
  KernelModule(const std::string& file, const std::string& library);
  ~KernelModule() = default;
  KernelModule(const KernelModule&) = delete;
  KernelModule& operator=(const KernelModule&) = delete;

  /// The function that --function names; nullptr: there is none.
  const TsrEntry* entry() const { return entry_; }
  /// A core runs native code of the module from now on: with its own copy of the module's variables, which is `statics`
  /// while others run, and with what it calls. `statics` is empty at first.
  void enter(std::vector<std::byte>& statics, const TsrApi& api);
  /// A copy that is needed no longer.
  void forget(const std::vector<std::byte>& statics) {
    if (current_ == &statics) current_ = nullptr;
  }
  /// A copy that lives as long as the process, for enter(): threads of native code call through it when its core has gone.
  static const TsrApi& keep(const TsrApi& api);
  std::uint64_t offset_of(const void* address) const {
    return reinterpret_cast<std::uint64_t>(address) - base_;
  }
  LineTable& lines() { return lines_; }
  const std::string& file() const { return file_; }
  std::uint64_t base() const { return base_; }

 private:
  const std::string file_;
  void* handle_ = nullptr;
  const TsrEntry* entry_ = nullptr;
  const TsrApi** api_ = nullptr;
  std::uint64_t base_ = 0;
  /// Variables of the module in memory: sections .data and .bss.
  struct Section {
    std::byte* begin;
    std::size_t bytes;
  };
  void find_variables();  // none, if the module has only ours and those of the compiler

  std::vector<Section> variables_;
  std::vector<std::byte> initial_;             // values of the variables
  std::vector<std::byte>* current_ = nullptr;  // the copy whose values are in memory
  LineTable lines_;
};

}  // namespace tessera::pto_cpp
