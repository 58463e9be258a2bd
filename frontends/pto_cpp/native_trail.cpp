#include "frontends/pto_cpp/native_trail.h"

#include <unistd.h>

#include <cstring>

#include "frontends/pto_cpp/kernel_module.h"
#include "frontends/pto_cpp/line_table.h"

namespace tessera::pto_cpp {

namespace {

template <std::size_t N>
void keep(char (&place)[N], const std::string& text) {
  place[text.copy(place, N - 1)] = '\0';
}

}  // namespace

void NativeTrail::set_kernel(const std::string& name, const std::string& library) {
  keep(kernel_, name);
  keep(library_, library);
  of_process_ = this;
}

void NativeTrail::set_module(cluster::CoreKind kind, const KernelModule& module) {
  Module& m = modules_[static_cast<unsigned>(kind)];
  m.base = module.base();
  keep(m.file, module.file());
}

void NativeTrail::end_run(const char* why) {
  keep(why_ended_, why);
  _exit(4);
}

std::string NativeTrail::place() const {
  if (who() == kNobody) return "";
  if (who() == kLoading)
    return std::string("kernel ") + kernel_ + ": constructors of global objects: ";
  const Module& module = modules_[kind_.load(std::memory_order_relaxed)];
  LineTable lines(module.file, library_);
  const SourceLine& line = lines.at(last_.load(std::memory_order_relaxed) - module.base);
  const std::string where =
      line.file.empty() ? "" : line.file + ":" + std::to_string(line.line) + ": ";
  if (who() == kHost) return where + "host program " + kernel_ + ": ";
  return where + "kernel " + kernel_ + " on " + to_string(cluster::CoreId::at(who() - kFirstCore)) +
         ": ";
}

}  // namespace tessera::pto_cpp
