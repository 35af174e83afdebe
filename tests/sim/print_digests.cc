// Prints the digests of the first seeds, for `make digests`: two compilers must
// print the same.
#include <cstdio>

#include "tests/sim/digest.h"

int main() {
  std::fputs(tenure::sim::Digests().c_str(), stdout);
  return 0;
}
