#include "platforms/data/computed.h"

namespace tessera::data {

Values values_of(const Computed& computed) {
  Values values{computed.shape(), std::vector<double>(computed.size())};
  computed.read(0, values.elements.size(), values.elements.data());
  return values;
}

}  // namespace tessera::data
