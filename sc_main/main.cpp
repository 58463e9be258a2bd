// The start of every executable. The library brings a main() of its own; this one keeps the
// kernel's banner out of the output.
#include <systemc>

#include <cstdlib>

int main(int argc, char* argv[]) {
  ::setenv("SYSTEMC_DISABLE_COPYRIGHT_MESSAGE", "1", 0);
  return sc_core::sc_elab_and_sim(argc, argv);
}
