// What a core waits for, and what it has waited for, as text that two ways of running it must agree on.
#pragma once

#include <string>

#include "models/observe/wait_book.h"
#include "tests/models/pe/bench.h"

namespace tessera::pe::test {

inline std::string words_of(const Bench& bench, Cycle now) {
  observe::Waits waits;
  bench.core.describe_waits(waits, now);
  std::string text;
  for (const observe::Wait& wait : waits) text += wait.who + ": " + wait.what + "\n";
  return text;
}

/// Ends the account at `cycles`: by instruction, then by reason, then all of it.
inline std::string account_of(Bench& bench, observe::WaitBook& book, Cycle cycles) {
  bench.core.finish_waits(cycles);
  book.finish(cycles, cycles);
  std::string text;
  for (const auto& entry : book.lines(0).entries()) {
    text += bench.core.image().place_of(entry.pc) + " thread " + std::to_string(entry.thread) +
            " " + std::string(observe::info(entry.reason).name) + " " +
            std::to_string(entry.number) + ": " + std::to_string(entry.cycles) + "\n";
  }
  std::uint64_t all = 0;
  for (unsigned r = 0; r < observe::kWaitReasonCount; ++r) {
    const auto reason = static_cast<observe::WaitReason>(r);
    all += book.total(reason);
    text += "tile " + std::string(observe::info(reason).name) + ": " +
            std::to_string(book.total(reason)) + "\n";
  }
  return text + "of " + std::to_string(all) + " cycles\n";
}

}  // namespace tessera::pe::test
