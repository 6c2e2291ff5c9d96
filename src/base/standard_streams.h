#pragma once
// A program can be started without standard input, output or error (`program 2>&-`). The first files that it
// opens then have the numbers of these streams, and messages get into a file of results or into the socket of
// the simulation.

namespace wt {

// Gives the numbers of closed standard streams to files that can be neither written nor, as standard input,
// read. Writing to a closed standard output fails as before, and no other file gets its number. A program calls
// this function before it opens anything.
void reserve_standard_streams();

// The same file under a number above those of the standard streams; for a library, whose program may not have
// reserved them. The number that was passed is closed if another one is returned.
int above_standard_streams(int descriptor);

}  // namespace wt
