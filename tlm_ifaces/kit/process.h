// What differs between releases of SystemC for modules with processes.
//
// SC_METHOD and SC_THREAD need the class of the module. SystemC 2.3 takes it from SC_HAS_PROCESS, which
// SystemC 3 (IEEE 1666-2023) finds out by itself and calls obsolete. Write TESSERA_HAS_PROCESS(Module);
// in its place.
#pragma once

#include <systemc>

#if SC_VERSION_MAJOR < 3
#define TESSERA_HAS_PROCESS(module_type) SC_HAS_PROCESS(module_type)
#else
#define TESSERA_HAS_PROCESS(module_type) static_assert(true, "takes the semicolon")
#endif
