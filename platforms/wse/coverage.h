// The source lines that the tiles of a run executed.
#pragma once

#include <memory>
#include <vector>

#include "frontends/layout/layout.h"
#include "models/observe/wait_book.h"
#include "models/pe/program.h"
#include "platforms/report/coverage.h"

namespace tessera::wse {

/// `book` is finished, and its tiles have kept what they issued (observe::TileWaits::keep_issued). Program number
/// n of the book runs image n % images.size().
report::Coverage coverage_of(const observe::WaitBook& book,
                             const std::vector<std::shared_ptr<const pe::Image>>& images,
                             const layout::Layout& layout);
/// The text of a module of the CSL library, "math"; empty: there is none.
std::string library_text(const std::string& name);

}  // namespace tessera::wse
