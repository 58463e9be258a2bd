#include "frontends/csl/compile.h"

namespace tessera::csl {

CompiledVariant compile(Engine&, Variant& variant, const CodeOptions&) {
  throw UserError(variant.file, "", "the code of tiles cannot be compiled yet");
}

}  // namespace tessera::csl
