// simulate/ computes when everything in a plan happens on a described machine. Values and TensorFlow are
// unknown here.
//
// The idea: a plan becomes a job, flat arrays of activities that wait for each other, and SimGrid is left
// with a clock and with the sharing of links. Two gradients that two GPUs send to a third through its link of
// 25 GB/s:
//
//   id  waits for  delay    bytes  route      start     end
//    0             100 us       0             0        100 us    a kernel on GPU 0
//    1             100 us       0             0        100 us    a kernel on GPU 1
//    2  0            2 us     1 MB  a, c      100 us   182 us    from GPU 0 over its link a and GPU 2's link c:
//    3  1            2 us     1 MB  b, c      100 us   182 us    2 us latency, then 1 MB at half of 25 GB/s
//
// What holds: a kernel occupies its stream for its cost, kernels of a stream run in the order of their ids,
// and the flows that are on a link at the same time share its bandwidth max-min fairly (Bertsekas and
// Gallager, Data Networks, 1992, section 6.5.2). The same plan gives the same bits every time, and a plan
// whose equal parts are represented by one of them gives the dates of the whole plan to 1e-9.
//
// SimGrid: Casanova, Giersch, Legrand, Quinson, Suter, "Versatile, Scalable, and Accurate Simulation of
// Distributed Applications and Platforms", 2014; its flow model CM02 without corrections for TCP.
//
// Read next: simulate/translate.h (plan to job), simulate/job.h (the arrays), simulate/classes.h (what
// happens at the same times), simulate/helper.h (a process for each simulation), simulate/simulator/ (that
// process: events, SimGrid).
#pragma once

#include <span>

#include "plan/costs.h"
#include "plan/pool.h"
#include "plan/timeline.h"
#include "platform/platform.h"

namespace wt::simulate {

// A Run or a Sum occupies the stream of its device for its cost, in the order of ids. A Collective takes its
// cost as soon as all of its dependencies have finished. A Move waits for its latency and its cost; then its
// bytes share the links of its route max-min fairly with all other flows. `where` holds the endpoint of each
// device of the plan. Throws InputError when no route joins two devices that exchange data, and MachineError
// when the process of the simulation can't be started or dies.
plan::Timeline simulate(const plan::Plan& plan, const plan::Costs& costs, const platform::Platform& platform,
                        std::span<const platform::Endpoint> where);

// The workers of a pool execute its closures. A worker that is free takes the next one; at the same date the
// one with the smallest number is first. The coordinator dispatches one closure at a time. What several
// workers have in common, the kernels of a server and its links, they share: kernels of a server run one at a
// time, in the order in which what they read is there.
plan::PoolTimeline simulate(const plan::Pooled& pooled, const plan::Pool& pool, const plan::Costs& costs,
                            const platform::Platform& platform, std::span<const platform::Endpoint> where);

}  // namespace wt::simulate
