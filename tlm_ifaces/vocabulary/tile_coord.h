// Place of a tile on the fabric: column x (grows east), row y (grows south) (wse.md 1.2).
#pragma once

#include <ostream>
#include <string>

namespace tessera {

struct TileCoord {
  int x = 0;
  int y = 0;
  friend constexpr bool operator==(TileCoord a, TileCoord b) { return a.x == b.x && a.y == b.y; }
  friend constexpr bool operator!=(TileCoord a, TileCoord b) { return !(a == b); }
};

inline std::string to_string(TileCoord t) {
  return "(" + std::to_string(t.x) + ", " + std::to_string(t.y) + ")";
}
inline std::ostream& operator<<(std::ostream& os, TileCoord t) {
  return os << to_string(t);
}

}  // namespace tessera
