// Claims about the emulated machine itself: it does what CUDA promises and no more, and answers what CUDA forbids with
// CUDA's error. Whoever doubts a test that passes on it begins here.

#include <cublas_v2.h>
#include <gtest/gtest.h>

#include <set>

#include "emulation/launch.h"
#include "emulation/machine.h"

namespace wt::emulation {
namespace {

__global__ void set_to(int* target, int value) { *target = value; }
__global__ void add_one(const int* source, int* target) { *target = *source + 1; }

// A machine of two GPUs, what a test makes on it, and how a stream is read.
class EmulatedMachine : public testing::TestWithParam<unsigned> {
 protected:
  cudaStream_t stream(int device = 0) {
    cudaStream_t made = nullptr;
    EXPECT_EQ(cudaSetDevice(device), cudaSuccess);
    EXPECT_EQ(cudaStreamCreateWithFlags(&made, cudaStreamNonBlocking), cudaSuccess);
    return made;
  }
  cudaEvent_t event(int device = 0) {
    cudaEvent_t made = nullptr;
    EXPECT_EQ(cudaSetDevice(device), cudaSuccess);
    EXPECT_EQ(cudaEventCreate(&made), cudaSuccess);
    return made;
  }
  int* number(int device = 0) {
    void* made = nullptr;
    EXPECT_EQ(cudaSetDevice(device), cudaSuccess);
    EXPECT_EQ(cudaMalloc(&made, sizeof(int)), cudaSuccess);
    return static_cast<int*>(made);
  }
  static cudaError_t set(int* target, int value, cudaStream_t on) {
    launch<int*, int>(1, 1, on, set_to, target, value);
    return cudaGetLastError();
  }
  static cudaError_t add(const int* source, int* target, cudaStream_t on) {
    launch<const int*, int*>(1, 1, on, add_one, source, target);
    return cudaGetLastError();
  }
  static int read(const int* source, cudaStream_t on) {
    int value = 0;
    EXPECT_EQ(cudaMemcpyAsync(&value, source, sizeof(value), cudaMemcpyDeviceToHost, on), cudaSuccess);
    return value;
  }
  // Of a stream that begins, what `f` enqueues, and its end.
  template <class F>
  cudaError_t capture(cudaStream_t on, cudaGraph_t* graph, const F& f) {
    EXPECT_EQ(cudaStreamBeginCapture(on, cudaStreamCaptureModeThreadLocal), cudaSuccess);
    f();
    const cudaError_t status = cudaStreamEndCapture(on, graph);
    cudaGetLastError();
    return status;
  }

  Machine machine_{{.gpus = 2, .memory = std::size_t{1} << 20, .staged = {{1, 0}}, .seed = GetParam()}};
};
INSTANTIATE_TEST_SUITE_P(Seeds, EmulatedMachine, testing::Range(0u, 6u));

// ---- Order

TEST_P(EmulatedMachine, KeepsTheOrderOfAStreamAndOfEvents) {
  const cudaStream_t a = stream(), b = stream();
  const cudaEvent_t done = event();
  int *x = number(), *y = number();
  EXPECT_EQ(set(x, 5, a), cudaSuccess);
  EXPECT_EQ(add(x, x, a), cudaSuccess);
  EXPECT_EQ(cudaEventRecord(done, a), cudaSuccess);
  EXPECT_EQ(set(x, 9, a), cudaSuccess);
  EXPECT_EQ(cudaStreamWaitEvent(b, done), cudaSuccess);
  EXPECT_EQ(add(x, y, b), cudaSuccess);
  const int seen = read(y, b);
  EXPECT_TRUE(seen == 7 || seen == 10) << seen << ": nothing orders the last set, and all before";
}

// Some order shows that a wait is missing, and with it none does.
TEST(EmulatedMachines, ShowAMissingWaitBySomeSeed) {
  for (const bool waits : {false, true}) {
    std::set<int> seen;
    for (unsigned seed = 0; seed < 12; ++seed) {
      Machine machine({.gpus = 1, .memory = 1 << 20, .seed = seed});
      cudaStream_t streams[2];
      for (cudaStream_t& each : streams) cudaStreamCreateWithFlags(&each, cudaStreamNonBlocking);
      cudaEvent_t done = nullptr;
      cudaEventCreate(&done);
      void *x = nullptr, *pinned = nullptr;
      cudaMalloc(&x, sizeof(int));
      cudaHostAlloc(&pinned, sizeof(int), cudaHostAllocDefault);
      launch<int*, int>(1, 1, streams[0], set_to, static_cast<int*>(x), 3);
      cudaEventRecord(done, streams[0]);
      if (waits) cudaStreamWaitEvent(streams[1], done);
      cudaMemcpyAsync(pinned, x, sizeof(int), cudaMemcpyDeviceToHost, streams[1]);
      cudaStreamSynchronize(streams[1]);
      seen.insert(*static_cast<int*>(pinned));
    }
    EXPECT_EQ(seen, waits ? std::set<int>({3}) : std::set<int>({-1, 3})) << "waits: " << waits;
  }
}

// By some seed a copy runs when the host has gone on, by another before.
TEST(EmulatedMachines, ShowAHostBufferThatIsFilledTooLateOrTooEarly) {
  std::set<int> seen;
  for (unsigned seed = 0; seed < 6; ++seed) {
    Machine machine({.gpus = 1, .memory = 1 << 20, .seed = seed});
    cudaStream_t stream = nullptr;
    cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
    void *x = nullptr, *pinned = nullptr;
    cudaMalloc(&x, sizeof(int));
    cudaHostAlloc(&pinned, sizeof(int), cudaHostAllocDefault);
    *static_cast<int*>(pinned) = 1;
    cudaMemcpyAsync(x, pinned, sizeof(int), cudaMemcpyHostToDevice, stream);
    cudaGetLastError();
    cudaSetDevice(0);
    *static_cast<int*>(pinned) = 2;
    int value = 0;
    cudaMemcpyAsync(&value, x, sizeof(int), cudaMemcpyDeviceToHost, stream);
    seen.insert(value);
  }
  EXPECT_EQ(seen, std::set<int>({1, 2}));
}

TEST_P(EmulatedMachine, TellsTimeByWhatWasDone) {
  const cudaStream_t a = stream();
  const cudaEvent_t begin = event(), end = event();
  int* x = number();
  cudaEventRecord(begin, a);
  set(x, 1, a);
  cudaEventRecord(end, a);
  float milliseconds = 0;
  if (GetParam() % 3 == 0) {  // does nothing before the host waits
    EXPECT_EQ(cudaEventElapsedTime(&milliseconds, begin, end), cudaErrorNotReady);
  }
  EXPECT_EQ(cudaEventSynchronize(end), cudaSuccess);
  EXPECT_EQ(cudaEventElapsedTime(&milliseconds, begin, end), cudaSuccess);
  EXPECT_GT(milliseconds, 0);
}

// ---- Captures

TEST_P(EmulatedMachine, CapturesAForkAndReplaysIt) {
  const cudaStream_t a = stream(), b = stream(1);
  const cudaEvent_t forked = event(), joined = event(1);
  cudaSetDevice(0);
  int *x = number(), *y = number(1);
  cudaGraph_t graph = nullptr;
  EXPECT_EQ(capture(a, &graph,
                    [&] {
                      cudaSetDevice(0);
                      set(x, 1, a);
                      cudaEventRecord(forked, a);
                      cudaStreamWaitEvent(b, forked);
                      cudaMemcpyAsync(y, x, sizeof(int), cudaMemcpyDefault, b);
                      cudaSetDevice(1);
                      add(y, y, b);
                      cudaEventRecord(joined, b);
                      cudaStreamWaitEvent(a, joined);
                      cudaMemcpyAsync(x, y, sizeof(int), cudaMemcpyDefault, a);
                    }),
            cudaSuccess);
  cudaGraphExec_t ready = nullptr;
  EXPECT_EQ(cudaGraphInstantiate(&ready, graph), cudaSuccess);
  EXPECT_EQ(read(x, a), -1) << "what is captured doesn't run";
  for (int replay = 0; replay < 3; ++replay) EXPECT_EQ(cudaGraphLaunch(ready, a), cudaSuccess);
  EXPECT_EQ(read(x, a), 2);
}

TEST_P(EmulatedMachine, EndsACaptureWhoseForkWasNotJoined) {
  const cudaStream_t a = stream(), b = stream();
  const cudaEvent_t forked = event();
  int* x = number();
  cudaGraph_t graph = nullptr;
  EXPECT_EQ(capture(a, &graph,
                    [&] {
                      cudaEventRecord(forked, a);
                      cudaStreamWaitEvent(b, forked);
                      set(x, 1, b);
                    }),
            cudaErrorStreamCaptureUnjoined);
  EXPECT_EQ(graph, nullptr);
  EXPECT_EQ(set(x, 2, b), cudaSuccess) << "both streams are free again";
  EXPECT_EQ(read(x, b), 2);
}

// What is done between, and the error that it gets; the capture is lost by it.
TEST_P(EmulatedMachine, ForbidsInACaptureWhatMightWait) {
  const cudaStream_t a = stream(), b = stream();
  const cudaEvent_t outside = event(), inside = event();
  int* x = number();
  cudaEventRecord(outside, b);
  void* made = nullptr;
  cublasHandle_t blas = nullptr;
  const std::pair<std::function<int()>, int> rows[] = {
      {[&] { return cudaMalloc(&made, 8); }, cudaErrorStreamCaptureUnsupported},
      {[&] { return cudaHostAlloc(&made, 8, 0); }, cudaErrorStreamCaptureUnsupported},
      {[&] { return cudaFree(x); }, cudaErrorStreamCaptureUnsupported},
      {[&] { return cublasCreate(&blas); }, CUBLAS_STATUS_ALLOC_FAILED},
      {[&] { return cudaStreamSynchronize(a); }, cudaErrorStreamCaptureUnsupported},
      {[&] { return cudaStreamWaitEvent(a, outside); }, cudaErrorStreamCaptureIsolation},
      {[&] { return cudaMemsetAsync(x, 0, 4, nullptr); }, cudaErrorStreamCaptureImplicit},
      {[&] { return cudaEventRecord(inside, a), cudaEventSynchronize(inside); }, cudaErrorCapturedEvent},
  };
  for (const auto& row : rows) {  // clang 14 takes no binding into a lambda
    const auto& call = row.first;
    const int error = row.second;
    cudaGraph_t graph = nullptr;
    EXPECT_EQ(capture(a, &graph,
                      [&] {
                        EXPECT_EQ(call(), error);
                        EXPECT_EQ(set(x, 1, a), cudaErrorStreamCaptureInvalidated) << error;
                      }),
              cudaErrorStreamCaptureInvalidated)
        << error;
  }
  cudaGraph_t none = nullptr;
  EXPECT_EQ(cudaStreamEndCapture(a, &none), cudaErrorInvalidValue);
}

TEST_P(EmulatedMachine, RecordsExternalEventsInGraphsAlone) {
  const cudaStream_t a = stream();
  const cudaEvent_t begin = event(), end = event();
  int* x = number();
  EXPECT_EQ(cudaEventRecordWithFlags(begin, a, cudaEventRecordExternal), cudaErrorInvalidValue);
  cudaGraph_t graph = nullptr;
  capture(a, &graph, [&] {
    cudaEventRecordWithFlags(begin, a, cudaEventRecordExternal);
    set(x, 1, a);
    cudaEventRecordWithFlags(end, a, cudaEventRecordExternal);
  });
  cudaGraphExec_t ready = nullptr;
  cudaGraphInstantiate(&ready, graph);
  float milliseconds = 0;
  EXPECT_EQ(cudaEventElapsedTime(&milliseconds, begin, end), cudaErrorInvalidResourceHandle)
      << "no replay yet";
  cudaGraphLaunch(ready, a);
  cudaStreamSynchronize(a);
  EXPECT_EQ(cudaEventElapsedTime(&milliseconds, begin, end), cudaSuccess);
  EXPECT_GT(milliseconds, 0);
}

// ---- Places

TEST_P(EmulatedMachine, LaunchesOnTheCurrentDeviceAlone) {
  const cudaStream_t a = stream(0);
  int* x = number(0);
  cudaSetDevice(1);
  EXPECT_EQ(set(x, 1, a), cudaErrorInvalidResourceHandle);
  EXPECT_EQ(cudaGetLastError(), cudaSuccess) << "the error was reported once";
  EXPECT_EQ(cudaEventRecord(event(1), a), cudaErrorInvalidResourceHandle);
}

TEST_P(EmulatedMachine, ReachesAnotherGpusMemoryWherePeersAreConnected) {
  const cudaStream_t a = stream(0);
  int* far = number(1);
  cudaSetDevice(0);
  EXPECT_EQ(cudaDeviceEnablePeerAccess(1, 0), cudaSuccess);
  EXPECT_EQ(cudaDeviceEnablePeerAccess(1, 0), cudaErrorPeerAccessAlreadyEnabled);
  EXPECT_EQ(set(far, 4, a), cudaErrorPeerAccessAlreadyEnabled) << "the last error is kept";
  EXPECT_EQ(read(far, a), 4);
  cudaSetDevice(1);
  EXPECT_EQ(cudaDeviceEnablePeerAccess(0, 0), cudaErrorPeerAccessUnsupported);
}

// What a kernel did, CUDA never forgives.
TEST_P(EmulatedMachine, StopsAtAKernelThatLeavesItsMemory) {
  const cudaStream_t a = stream(0);
  int* far = number(1);
  cudaSetDevice(0);
  set(far, 4, a);
  EXPECT_EQ(cudaStreamSynchronize(a), cudaErrorIllegalAddress);
  EXPECT_EQ(cudaGetLastError(), cudaErrorIllegalAddress);
  EXPECT_EQ(cudaGetLastError(), cudaErrorIllegalAddress);
  EXPECT_EQ(cudaSetDevice(1), cudaErrorIllegalAddress);
}

TEST_P(EmulatedMachine, KnowsMemoryThatWasFreed) {
  const cudaStream_t a = stream();
  int* x = number();
  EXPECT_EQ(cudaFree(x), cudaSuccess);
  EXPECT_EQ(cudaFree(x), cudaErrorInvalidValue);
  EXPECT_EQ(cudaMemsetAsync(x, 0, sizeof(int), a), cudaErrorInvalidValue);
  set(x, 1, a);
  EXPECT_EQ(cudaStreamSynchronize(a), cudaErrorIllegalAddress);
}

TEST_P(EmulatedMachine, HasNoMoreMemoryThanItSays) {
  void *all = nullptr, *more = nullptr;
  std::size_t free = 0, total = 0;
  EXPECT_EQ(cudaMemGetInfo(&free, &total), cudaSuccess);
  EXPECT_EQ(free, total);
  EXPECT_EQ(cudaMalloc(&all, total), cudaSuccess);
  EXPECT_EQ(cudaMalloc(&more, 1), cudaErrorMemoryAllocation);
  EXPECT_EQ(cudaGetLastError(), cudaErrorMemoryAllocation);
  EXPECT_EQ(cudaGetLastError(), cudaSuccess);
  EXPECT_EQ(cudaFree(all), cudaSuccess);
  EXPECT_EQ(cudaMalloc(&more, 1), cudaSuccess);
}

// ---- Libraries

// Each product leaves its partial sums there between two kernels.
TEST(EmulatedMachines, ShowAWorkspaceThatTwoStreamsShare) {
  bool is_spoilt = false;
  for (unsigned seed = 0; seed < 48; ++seed) {
    Machine machine({.gpus = 1, .memory = 1 << 20, .seed = seed});
    void *workspace = nullptr, *one = nullptr;
    cudaMalloc(&workspace, 4096);
    cudaMalloc(&one, 4 * sizeof(float));
    const float numbers[] = {3, 5};
    cudaStream_t streams[2];
    cublasHandle_t handles[2];
    for (int i = 0; i < 2; ++i) {
      cudaStreamCreateWithFlags(&streams[i], cudaStreamNonBlocking);
      cublasCreate(&handles[i]);
      cublasSetStream(handles[i], streams[i]);
      cublasSetWorkspace(handles[i], workspace, 4096);
    }
    auto* data = static_cast<float*>(one);
    cudaMemcpyAsync(data, numbers, sizeof(numbers), cudaMemcpyHostToDevice, streams[0]);
    cudaStreamSynchronize(streams[0]);
    const float unit = 1, nothing = 0;
    for (int i = 0; i < 2; ++i)
      EXPECT_EQ(
          cublasGemmStridedBatchedEx_64(handles[i], CUBLAS_OP_N, CUBLAS_OP_N, 1, 1, 1, &unit, data,
                                        CUDA_R_32F, 1, 1, data + 1, CUDA_R_32F, 1, 1, &nothing, data + 2 + i,
                                        CUDA_R_32F, 1, 1, 1, CUBLAS_COMPUTE_32F, CUBLAS_GEMM_DEFAULT),
          CUBLAS_STATUS_SUCCESS);
    cudaStreamSynchronize(streams[1]);
    float products[2];
    cudaMemcpyAsync(products, data + 2, sizeof(products), cudaMemcpyDeviceToHost, streams[0]);
    cudaStreamSynchronize(streams[0]);
    for (const float product : products) {
      EXPECT_TRUE(product == 15 || product != product) << product;
      is_spoilt = is_spoilt || product != product;
    }
    for (cublasHandle_t handle : handles) cublasDestroy(handle);
  }
  EXPECT_TRUE(is_spoilt);
}

}  // namespace
}  // namespace wt::emulation
