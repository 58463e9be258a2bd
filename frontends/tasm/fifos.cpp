// FIFOs (wse.md 5.6). Their DSRs, XDSRs and alignments are known before anything else is placed or
// loaded; addresses and tasks come later.
#include <map>

#include "frontends/tasm/assembly.h"

namespace tessera::tasm {
namespace {

/// FIFOs by the index of their symbol.
using Owners = std::map<std::size_t, const pe::Fifo*>;

class FifoReserver {
 public:
  FifoReserver(Assembly& a, const FifoStatement& s, std::size_t index, Owners& owners)
      : a_(a), s_(s), index_(index), owners_(owners), fifo_(a.image.fifos[index]) {}

  void reserve() {
    align_symbol();
    fifo_.dsr = number(s_.dsr, "dsr", "a DSR", pe::kDsrsPerFile, &pe::Fifo::dsr);
    fifo_.xdsr = number(s_.xdsr, "xdsr", "an XDSR", pe::kXdsrCount, &pe::Fifo::xdsr);
    set_actions();
    set_priority_and_simd();
  }

 private:
  void align_symbol() {
    const Entity& entity =
        a_.names.require(s_.symbol, {NameKind::kData}, "the name of a data symbol");
    pe::Symbol& symbol = a_.image.symbols[entity.index];
    const auto [owner, is_new] = owners_.emplace(entity.index, &fifo_);
    if (!is_new) {
      fail(s_.symbol.place, "expected a data symbol that no other fifo has, found " +
                                quoted(symbol.name) + ", the symbol of " +
                                place_of(*owner->second));
    }
    if (symbol.align != 0 && symbol.align < pe::kFifoAlignment) {
      fail(s_.symbol.place, "expected a data symbol aligned to " +
                                std::to_string(pe::kFifoAlignment) + " bytes for a fifo, found " +
                                quoted(symbol.name) +
                                " with align=" + std::to_string(symbol.align));
    }
    if (symbol.align == 0) symbol.align = pe::kFifoAlignment;
  }

  /// A register that the FIFO has for the whole program.
  std::uint8_t number(const ExpressionPtr& e, const char* option, const char* what, unsigned count,
                      std::uint8_t pe::Fifo::*member) const {
    if (!e) {
      fail(s_.name.place, std::string("expected ") + option + "= for fifo " + quoted(s_.name.text) +
                              ", found none; a fifo keeps " + what + " for the whole program");
    }
    const auto value = static_cast<std::uint8_t>(a_.integer(*e, what, 0, count - 1));
    for (std::size_t i = 0; i < index_; ++i) {
      const pe::Fifo& other = a_.image.fifos[i];
      if (other.*member != value) continue;
      fail(e->place, std::string("expected ") + what + " that no other fifo has, found " +
                         std::to_string(value) + ", which is that of " + place_of(other));
    }
    return value;
  }

  void set_actions() {
    if (s_.empty) fifo_.empty_action = s_.empty->value;
    if (s_.full) fifo_.full_action = s_.full->value;
    if (a_.options.generation == Generation::kWse3) return;
    if (s_.full) {
      fail(s_.full->place,
           "expected no full=, found one; a full fifo of wse2 is always test_or_suspend");
    }
    if (fifo_.empty_action == pe::FifoAction::kTestOrSuspend ||
        fifo_.empty_action == pe::FifoAction::kTerminate) {
      return;
    }
    fail(s_.empty->place, "expected empty=test_or_suspend or empty=terminate, found " +
                              quoted(to_string(fifo_.empty_action)) +
                              "; wse2 has no other actions");
  }

  void set_priority_and_simd() {
    const bool wse2 = a_.options.generation == Generation::kWse2;
    if (s_.priority && wse2) {
      fail(s_.priority->place,
           "expected no priority=, found one; on wse2 the operation or input queue has the "
           "priority");
    }
    if (s_.simd && !wse2)
      fail(s_.simd->place, "expected no simd=, found one; only fifos of wse2 have SIMD modes");
    if (s_.priority) fifo_.priority = s_.priority->value;
    if (!s_.simd) return;
    fifo_.simd = s_.simd->value;
    if (fifo_.simd != pe::SimdMode::kOff && fifo_.simd != pe::SimdMode::kMax) return;
    fail(s_.simd->place, "expected simd=32, simd=64 or simd=32_or_64 for a fifo, found " +
                             quoted(to_string(fifo_.simd)));
  }

  static std::string place_of(const pe::Fifo& fifo) {
    return quoted(fifo.name) + " of line " + std::to_string(fifo.line);
  }

  [[noreturn]] void fail(Place place, const std::string& problem) const {
    a_.diagnostics.fail(place, problem);
  }

  Assembly& a_;
  const FifoStatement& s_;
  std::size_t index_;
  Owners& owners_;
  pe::Fifo& fifo_;
};

void resolve(Assembly& a, const FifoStatement& s, pe::Fifo& fifo) {
  const pe::Symbol& symbol = a.image.symbols[a.names.find(s.symbol.text)->index];
  const unsigned bytes = pe::bytes_of(symbol.type);
  fifo.base = static_cast<std::uint16_t>(symbol.address);
  fifo.bytes = static_cast<std::uint16_t>(symbol.count * bytes);
  if (s.activate_push) fifo.activate_push = resolve_local_task_id(a, *s.activate_push);
  if (s.activate_pop) fifo.activate_pop = resolve_local_task_id(a, *s.activate_pop);
}

}  // namespace

void reserve_fifos(Assembly& a, const std::vector<Statement>& statements) {
  Owners owners;
  for_each<FifoStatement>(statements, [&](const FifoStatement& s, std::size_t index) {
    FifoReserver(a, s, index, owners).reserve();
  });
}

void resolve_fifos(Assembly& a, const std::vector<Statement>& statements) {
  for_each<FifoStatement>(statements, [&](const FifoStatement& s, std::size_t index) {
    resolve(a, s, a.image.fifos[index]);
  });
}

}  // namespace tessera::tasm
