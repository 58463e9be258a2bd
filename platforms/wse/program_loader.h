// Assembles the tile programs of a layout and checks what layout and programs say about each other.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "frontends/layout/layout.h"
#include "models/pe/program.h"

namespace tessera::wse {

/// The code images of a layout: one per distinct program, shared by all tiles that run it.
class Programs {
 public:
  /// Assembles every program of `layout` for `generation`. Throws UserError.
  Programs(const layout::Layout& layout, Generation generation);

  /// nullptr where the tile has no program.
  const std::shared_ptr<const pe::Image>& image_of(TileCoord tile) const;
  const std::vector<std::shared_ptr<const pe::Image>>& images() const { return images_; }

 private:
  const layout::Layout& layout_;
  std::vector<std::shared_ptr<const pe::Image>> images_;
  std::shared_ptr<const pe::Image> none_;
};

}  // namespace tessera::wse
