#include "frontends/csl/sema/program.h"

namespace tessera::csl {

void append_key(std::string& key, const ColorConfig& config) {
  const auto add = [&key](unsigned part) { key += static_cast<char>(part); };
  for (const unsigned part :
       {unsigned{config.rx}, unsigned{config.tx}, unsigned{config.swap_x}, unsigned{config.swap_y},
        config.current_position, unsigned{config.ring_mode}, unsigned{config.teardown},
        unsigned{config.messages}})
    add(part);
  constexpr unsigned kNone = 0xff;
  for (const SwitchPosition& position : config.positions) {
    add(position.is_valid);
    add(position.rx.value_or(kNone));
    add(position.tx.value_or(kNone));
  }
  key += config.pop_mode;
  for (const auto& [name, value] : config.filter) key += ";" + name + "=" + value;
}

}  // namespace tessera::csl
