#pragma once
// How much memory this process can still take, so that what a user asks for is refused before it is tried.
// Linux grants memory that it doesn't have, and later ends the process without a word.

#include <string_view>

#include "base/quantity.h"

namespace wt {

// The least of what the machine has available, what the process's control group leaves, and what its limit of
// address space leaves. A system that states none of them has as much as 64 bits count.
Bytes free_memory();

// Throws InputError if `wanted` is more than free_memory(). `what` is the subject of the sentence "... needs
// 3 TB of memory, and this machine has 20 GB free".
void require_memory(Bytes wanted, std::string_view what, std::string_view remedy, const Place& place = {});

// The same for a given amount of free memory.
void require_memory(Bytes wanted, Bytes free, std::string_view what, std::string_view remedy,
                    const Place& place = {});

}  // namespace wt
