#include "sidecar/cli/startup_memory.h"

#include <link.h>
#include <malloc.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>

namespace tenure {
namespace {

// dl_iterate_phdr names the program first; 1 ends the iteration there.
int ReleaseProgram(dl_phdr_info* program, std::size_t /*size*/,
                   void* /*context*/) {
  const auto page = static_cast<std::uintptr_t>(sysconf(_SC_PAGESIZE));
  for (int i = 0; i < program->dlpi_phnum; ++i) {
    const ElfW(Phdr)& segment = program->dlpi_phdr[i];
    // A writable segment has pages that no file has; the others have none,
    // because nothing is relocated in them.
    if (segment.p_type != PT_LOAD || (segment.p_flags & PF_W) != 0) continue;
    const std::uintptr_t address = program->dlpi_addr + segment.p_vaddr;
    const std::uintptr_t first = address / page * page;
    const std::uintptr_t end = address + segment.p_memsz;
    // NOLINTNEXTLINE(performance-no-int-to-ptr): so does the loader tell it
    madvise(reinterpret_cast<void*>(first), end - first, MADV_DONTNEED);
  }
  return 1;
}

}  // namespace

void ReleaseStartupMemory() {
  malloc_trim(0);
  dl_iterate_phdr(&ReleaseProgram, nullptr);
}

}  // namespace tenure
