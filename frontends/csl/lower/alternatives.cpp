#include "frontends/csl/lower/alternatives.h"

namespace tessera::csl {
namespace {

void make_from(ir::Builder& builder, const std::vector<Alternative>& all,
               std::vector<std::uint32_t>& chosen,
               const std::function<void(const std::vector<std::uint32_t>&)>& make) {
  if (chosen.size() == all.size()) return make(chosen);
  const Alternative& next = all[chosen.size()];
  const ir::BlockId end = builder.new_block();
  for (const std::uint32_t number : next.of) {
    const ir::BlockId yes = builder.new_block(), no = builder.new_block();
    builder.branch(ir::Condition::kEq, next.number, ir::constant(next.number.type, number), yes,
                   no);
    builder.enter(yes);
    chosen.push_back(number);
    make_from(builder, all, chosen, make);
    chosen.pop_back();
    builder.jump(end);
    builder.enter(no);
  }
  builder.trap();
  builder.enter(end);
}

}  // namespace

void for_each_alternative(ir::Builder& builder, const std::vector<Alternative>& all,
                          const std::function<void(const std::vector<std::uint32_t>&)>& make) {
  std::vector<std::uint32_t> chosen;
  make_from(builder, all, chosen, make);
}

}  // namespace tessera::csl
