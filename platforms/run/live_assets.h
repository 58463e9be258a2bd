// The files of the live view's page (platforms/run/live/), compiled in by CMake.
#pragma once

#include <string>

namespace tessera::run::live {

std::string body();    ///< body.html
std::string style();   ///< style.css
std::string script();  ///< the scripts, in the order in which they need each other

}  // namespace tessera::run::live
