#pragma once
// The functions behind the rows of the catalog (catalog.cpp), in one small file for each idea. They are
// called through make_schedule (catalog.h), which checks the request: at least two ranks, a number of them
// that the algorithm allows (unless the request has a shape or orders), and a root among them.

#include "collective/request.h"

namespace wt::collective {

// All-reduce
Schedule bidirectional_ring(const Request& request);
Schedule binomial_tree(const Request& request);
Schedule blueconnect(const Request& request);
Schedule bruck(const Request& request);
Schedule chain(const Request& request);
Schedule double_binary_tree(const Request& request);
Schedule halving_doubling(const Request& request);
Schedule hierarchical(const Request& request);
Schedule hierarchical_copy(const Request& request);
Schedule leader(const Request& request);
Schedule multi_rail(const Request& request);
Schedule nvls(const Request& request);
Schedule nvls_tree(const Request& request);
Schedule one_shot(const Request& request);
Schedule parameter_server(const Request& request);
Schedule recursive_doubling(const Request& request);
Schedule reduce_to_one(const Request& request);
Schedule ring(const Request& request);
Schedule sharp(const Request& request);
Schedule swing(const Request& request);
Schedule tensorflow_ring(const Request& request);
Schedule torus_2d(const Request& request);
Schedule torus_2d_bucket(const Request& request);
Schedule torus_3d(const Request& request);
Schedule torus_3d_bucket(const Request& request);
Schedule tree(const Request& request);
Schedule two_shot(const Request& request);

// Reduce-scatter and all-gather
Schedule bruck_all_gather(const Request& request);
Schedule bruck_reduce_scatter(const Request& request);
Schedule direct_all_gather(const Request& request);
Schedule direct_reduce_scatter(const Request& request);
Schedule doubling_all_gather(const Request& request);
Schedule halving_reduce_scatter(const Request& request);
Schedule multi_rail_all_gather(const Request& request);
Schedule multi_rail_reduce_scatter(const Request& request);
Schedule nvls_all_gather(const Request& request);
Schedule nvls_reduce_scatter(const Request& request);
Schedule pat_all_gather(const Request& request);
Schedule pat_reduce_scatter(const Request& request);
Schedule ring_all_gather(const Request& request);
Schedule ring_reduce_scatter(const Request& request);

// From or to a root
Schedule binomial_broadcast(const Request& request);
Schedule binomial_gather(const Request& request);
Schedule binomial_reduce(const Request& request);
Schedule binomial_scatter(const Request& request);
Schedule chain_broadcast(const Request& request);
Schedule multi_rail_broadcast(const Request& request);
Schedule chain_reduce(const Request& request);
Schedule multi_rail_reduce(const Request& request);
Schedule flat_broadcast(const Request& request);
Schedule flat_gather(const Request& request);
Schedule flat_reduce(const Request& request);
Schedule flat_scatter(const Request& request);
Schedule scatter_ring(const Request& request);
Schedule tensorflow_broadcast(const Request& request);

// All-to-all
Schedule bruck_all_to_all(const Request& request);
Schedule direct_all_to_all(const Request& request);
Schedule pairwise_all_to_all(const Request& request);
Schedule ring_all_to_all(const Request& request);
// An all-to-all with this rule: n * n chunks, of which chunk s * n + t goes from rank s to rank t.
Schedule all_to_all_of(const Request& request, Rule rule);

// To the next rank
Schedule direct_sendrecv(const Request& request);

// The length of a chunk in TensorFlow's ring: a part of the vector in whole units of 64 bytes.
std::int64_t tensorflow_chunk_elements(std::int64_t elements, std::int64_t chunks, int element_bytes);

}  // namespace wt::collective
