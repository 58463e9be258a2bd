// A kernel in C++ that was compiled for one kind of core and loaded into this process.
#pragma once

#include <cstdint>
#include <string>

#include "frontends/pto_cpp/library/pto/interface.h"
#include "frontends/pto_cpp/line_table.h"

namespace tessera::pto_cpp {

class KernelModule {
 public:
  /// Throws UserError for a file that is no module of this version.
  KernelModule(const std::string& file, const std::string& library);
  ~KernelModule();
  KernelModule(const KernelModule&) = delete;
  KernelModule& operator=(const KernelModule&) = delete;

  /// The function that --function names; nullptr: there is none.
  const TsrEntry* entry() const { return entry_; }
  /// What native code of the module calls from now on.
  void use(const TsrApi& api) { *api_ = &api; }
  std::uint64_t offset_of(const void* address) const {
    return reinterpret_cast<std::uint64_t>(address) - base_;
  }
  LineTable& lines() { return lines_; }

 private:
  void* handle_ = nullptr;
  const TsrEntry* entry_ = nullptr;
  const TsrApi** api_ = nullptr;
  std::uint64_t base_ = 0;
  LineTable lines_;
};

}  // namespace tessera::pto_cpp
