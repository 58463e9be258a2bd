// What a function knows of the DSRs that its program names, while its code is made (csl.md 8.3): from the load of a register on, as long
// as code runs straight on and calls nothing. Whoever knows it refuses operations that leave their arrays.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <utility>

#include "frontends/csl/ir/ir.h"
#include "frontends/csl/sema/value.h"

namespace tessera::csl {

struct FunctionCode;

class KnownDsrs {
 public:
  struct Held {
    const Type* kind = nullptr;  ///< of the descriptor
    std::shared_ptr<const Dsd> dsd;
    pe::OpConfig config;  ///< of the load
    ir::BlockId block = 0;
    std::size_t size = 0;  ///< of its code when this was known
  };

  /// The code that was made last gives the register this descriptor. Nothing is known of it if `held` has none, or takes elements
  /// one by one.
  void load(const pe::Operand& dsr, const FunctionCode& code, Held held);
  void forget(const pe::Operand& dsr) { held_.erase({dsr.kind, dsr.reg}); }
  /// nullptr: it is not known.
  const Held* find(const pe::Operand& dsr, const FunctionCode& code) const;
  /// An operation on `length` elements of `bytes` used it: with `save_address` it goes on from there. `length`: nothing if only the
  /// running program knows it.
  void use(const pe::Operand& dsr, const FunctionCode& code, std::optional<std::int64_t> length,
           unsigned bytes);

 private:
  std::map<std::pair<std::uint16_t, unsigned>, Held> held_;
};

}  // namespace tessera::csl
