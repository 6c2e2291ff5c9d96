#pragma once
// Where a collective's time can't be trusted, and why.

#include <string>
#include <vector>

#include "communication/call.h"
#include "communication/collective_question.h"
#include "communication/collective_row.h"

namespace wt::communication {

// NCCL's constants hold for the group: NVIDIA's GPUs of one generation that are joined by something real.
bool is_driven_by_nccl(const Group& group);

// Sets what a call takes to begin on a system whose tiny all-reduce was measured. If that is less than the class's
// messages alone take, the call begins at once, and all latencies are shortened by one factor. InputError where there is
// no such call.
void calibrate_launch(CallOptions& options, Seconds tiny_message, const Group& group);

// About the machine and the question, said once.
std::vector<std::string> warnings_of(const CollectiveQuestion& question, const Group& group);

// About one row.
std::vector<std::string> warnings_of(const CollectiveQuestion& question, const Group& group,
                                     const collective::Contract& contract, const CollectiveRow& row);

// The library has no such algorithm for this.
bool is_borrowed(const CollectiveQuestion& question, const Group& group, const CollectiveRow& row);
std::string about_borrowed(const std::vector<CollectiveRow>& rows);  // empty: there are none

}  // namespace wt::communication
