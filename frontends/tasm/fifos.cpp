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
      a_.fail(s_.symbol.place, "expected a data symbol that no other fifo has, found ",
              in_quotes(symbol.name), ", the symbol of ", named(a_, *owner->second));
    }
    if (symbol.align != 0 && symbol.align < pe::kFifoAlignment) {
      a_.fail(s_.symbol.place, "expected a data symbol aligned to ", pe::kFifoAlignment,
              " bytes for a fifo, found ", in_quotes(symbol.name), " with align=", symbol.align);
    }
    if (symbol.align == 0) symbol.align = pe::kFifoAlignment;
  }

  /// A register that the FIFO has for the whole program.
  std::uint8_t number(const ExpressionPtr& e, const char* option, const char* what, unsigned count,
                      std::uint8_t pe::Fifo::*member) const {
    if (!e) {
      a_.fail(s_.name.place, "expected ", option, "= for fifo ", in_quotes(s_.name.text),
              ", found none; a fifo keeps ", what, " for the whole program");
    }
    const auto value = a_.integer<std::uint8_t>(*e, what, 0, count - 1);
    for (std::size_t i = 0; i < index_; ++i) {
      const pe::Fifo& other = a_.image.fifos[i];
      if (other.*member != value) continue;
      a_.fail(e->place, "expected ", what, " that no other fifo has, found ", value,
              ", which is that of ", named(a_, other));
    }
    return value;
  }

  void set_actions() {
    if (s_.empty) fifo_.empty_action = s_.empty->value;
    if (s_.full) fifo_.full_action = s_.full->value;
    a_.refuse_on(Generation::kWse2, s_.full,
                 "full=", "a full fifo of wse2 is always test_or_suspend");
    if (!a_.is_wse2()) return;
    if (fifo_.empty_action == pe::FifoAction::kTestOrSuspend ||
        fifo_.empty_action == pe::FifoAction::kTerminate) {
      return;
    }
    a_.fail(s_.empty->place, "expected empty=test_or_suspend or empty=terminate, found ",
            in_quotes(to_string(fifo_.empty_action)), "; wse2 has no other actions");
  }

  void set_priority_and_simd() {
    a_.refuse_on(Generation::kWse2, s_.priority,
                 "priority=", "on wse2 the operation or input queue has the priority");
    a_.refuse_on(Generation::kWse3, s_.simd, "simd=", "only fifos of wse2 have SIMD modes");
    if (s_.priority) fifo_.priority = s_.priority->value;
    if (!s_.simd) return;
    fifo_.simd = s_.simd->value;
    if (fifo_.simd != pe::SimdMode::kOff && fifo_.simd != pe::SimdMode::kMax) return;
    a_.fail(s_.simd->place, "expected simd=32, simd=64 or simd=32_or_64 for a fifo, found ",
            in_quotes(to_string(fifo_.simd)));
  }

  Assembly& a_;
  const FifoStatement& s_;
  std::size_t index_;
  Owners& owners_;
  pe::Fifo& fifo_;
};

void resolve(Assembly& a, const FifoStatement& s, pe::Fifo& fifo) {
  const pe::Symbol& symbol = a.image.symbols[a.names.find(s.symbol.text)->index];
  fifo.base = static_cast<std::uint16_t>(symbol.address);
  fifo.bytes = static_cast<std::uint16_t>(symbol.count * pe::bytes_of(symbol.type));
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
