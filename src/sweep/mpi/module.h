#pragma once
// What a sweep needs of MPI, as the module windtunnel_mpi.so exports it. The program loads the module only if
// mpirun has started it, so that every other start neither needs nor loads MPI's libraries. Nothing here names
// an MPI type.

extern "C" {

struct WindtunnelRanks {
  int rank;
  int size;
  // Sends a message without waiting for its receiver to read it whole.
  void (*send)(int to, const char* bytes, int size);
  // The size of the next message from any rank, and the rank; -1 if none has arrived.
  int (*look)(int* from);
  // Reads the message that look() has found.
  void (*receive)(int from, char* bytes, int size);
  void (*end)();            // when all ranks have said what they have to say
  void (*abort)(int code);  // ends all ranks
};

// Initialises MPI. Call it once.
const WindtunnelRanks* windtunnel_ranks();
}
