#pragma once
// Repeats a recorded program here, and says what became of it.

#include "study/recordings/recording.h"
#include "study/recordings/verdict.h"

namespace wt::recordings {

Judgement judge(const Recording& recording);

}  // namespace wt::recordings
