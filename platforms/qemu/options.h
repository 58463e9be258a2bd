// Options of qemu_platform: those of QEMU, and those of the accelerators.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "platforms/vp/options.h"

namespace tessera::qemu {

struct Options : vp::Options {
  Options() {
    cli::Option argument{"qemu-arg", "WORD",
                         "one more word of QEMU's command line; may be given several times",
                         [this](const std::string& word) { qemu_arguments.push_back(word); }};
    argument.repeatable = true;
    own_groups.front() = {
        "Guest",
        {cli::file("guest", "FILE", guest, cli::Option::File::kRead,
                   "what QEMU boots: a multiboot or Linux kernel, e.g. --guest driver.elf"),
         cli::text("qemu", "PROGRAM", qemu, "QEMU for x86_64, 7.2 or 10.0"), argument,
         cli::one_of("accel", "NAME", accel, {"tcg", "kvm"},
                     "how QEMU executes the guest; interrupts need kvm"),
         cli::one_of("machine", "NAME", machine, {"pc", "microvm"},
                     "the machine of the guest (default: pc with kvm, microvm with tcg)"),
         cli::whole_number("memory", memory_mb, "memory of the guest in MB (default: 64)"),
         cli::text(
             "access-time", "TIME", access_time,
             "simulated time from one access of the guest to the next, e.g. --access-time 1us"),
         cli::whole_number("silence", silence_s,
                           "seconds without an access after which the run ends (default: 60)"),
         cli::whole_number("expect-exit", expected_status,
                           "exit status of QEMU with which the guest says that all is well "
                           "(default: 0)"),
         failures_option(), header_option()}};
  }

  std::string guest;
  std::string qemu = "qemu-system-x86_64";
  std::vector<std::string> qemu_arguments;
  std::string accel = "tcg";
  std::string machine;  // empty: machine_of()
  std::optional<std::uint64_t> memory_mb;
  std::string access_time = "100ns";
  std::optional<std::uint64_t> silence_s;
  std::optional<std::uint64_t> expected_status;
};

}  // namespace tessera::qemu
