// Every test program starts here, so that whatever must happen before threads exist has one place.

#include <gtest/gtest.h>

#ifdef WT_SIMULATE
#include "simulate/server.h"
#endif

int main(int argc, char** argv) {
#ifdef WT_SIMULATE
  const wt::simulate::Server server;
#endif
  testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
}
