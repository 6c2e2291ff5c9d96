#pragma once

#include <filesystem>

namespace wt::output {

// Exchanges the names of two folders in one step of the file system, so that a reader finds either the old
// folder or the new one under a name, and never none. Some file systems lack this step (Linux's
// renameat2(2) lists them). There, three renames do the same by way of the name `spare`, and a process that is
// killed between them leaves a folder under that name; settle_exchange() repairs this. Throws MachineError, with
// both names as they were, if the file system refuses.
void exchange(const std::filesystem::path& left, const std::filesystem::path& right,
              const std::filesystem::path& spare);

// Puts back what an exchange of `left`, which was killed between its renames, left under the name `spare`, or
// completes the exchange where the new folder is already in place. `right` is the other name, unless nothing
// is known of it.
void settle_exchange(const std::filesystem::path& left, const std::filesystem::path& right,
                     const std::filesystem::path& spare);

}  // namespace wt::output
