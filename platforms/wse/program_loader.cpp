#include "platforms/wse/program_loader.h"

#include "frontends/tasm/assembler.h"
#include "tlm_ifaces/vocabulary/errors.h"

namespace tessera::wse {

Programs::Programs(const layout::Layout& layout, Generation generation) : layout_(layout) {
  for (const layout::Program& program : layout.programs) {
    tasm::AssembleOptions options;
    options.generation = generation;
    options.params.insert(program.params.begin(), program.params.end());
    try {
      images_.push_back(
          std::make_shared<const pe::Image>(tasm::assemble_file(program.code, options)));
    } catch (const UserError& e) {
      // A message without a line is about the parameters, which the layout gives.
      if (!e.place().empty()) throw;
      throw UserError(layout.file, program.place, e.what());
    }
  }
}

const std::shared_ptr<const pe::Image>& Programs::image_of(TileCoord tile) const {
  const std::int32_t program = layout_.program_of_tile[layout_.tile_index(tile)];
  return program < 0 ? none_ : images_[static_cast<std::size_t>(program)];
}

}  // namespace tessera::wse
