#include "models/pe/banks.h"

namespace tessera::pe {

unsigned stride_limit(std::int32_t words) {
  if (words == 0 || words == 1) return kFullWidth;
  constexpr auto kBanks = static_cast<std::int32_t>(kBankCount);
  switch ((words % kBanks + kBanks) % kBanks) {
  case 0:
    return 1;
  case 1:
  case 7:
  case 4:  // wse.md 10 no. 23: the page says two and four in the same sentence
    return 2;
  default:
    return kFullWidth;
  }
}

}  // namespace tessera::pe
