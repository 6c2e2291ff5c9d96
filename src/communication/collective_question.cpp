#include "communication/collective_question.h"

namespace wt::communication {

using collective::Operation;

bool adds(Operation operation) {
  return operation == Operation::all_reduce || operation == Operation::reduce ||
         operation == Operation::reduce_scatter;
}

bool has_root(Operation operation) {
  return operation == Operation::broadcast || operation == Operation::reduce ||
         operation == Operation::gather || operation == Operation::scatter;
}

bool is_shared_out(Operation operation) {
  return operation != Operation::all_reduce && operation != Operation::broadcast &&
         operation != Operation::reduce && operation != Operation::sendrecv;
}

}  // namespace wt::communication
