#include <cstdio>

#include "emulation/api/call.h"

using wt::emulation::call;
using wt::emulation::Machine;

cudaError_t cudaGetDeviceCount(int* count) {
  return call([&](Machine& m) {
    *count = m.description().gpus;
    return *count > 0 ? cudaSuccess : cudaErrorNoDevice;
  });
}

cudaError_t cudaGetDeviceProperties(cudaDeviceProp* properties, int device) {
  return call([&](Machine& m) {
    if (!m.has_device(device)) return cudaErrorInvalidDevice;
    *properties = {.name = "Emulated GPU",
                   .totalGlobalMem = m.memory.bytes(),
                   .multiProcessorCount = 8,
                   .major = 8,
                   .minor = 0};
    return cudaSuccess;
  });
}

cudaError_t cudaDeviceGetPCIBusId(char* id, int length, int device) {
  return call([&](Machine& m) {
    if (!m.has_device(device)) return cudaErrorInvalidDevice;
    const int written = std::snprintf(id, static_cast<std::size_t>(length), "0000:%02x:00.0", device + 1);
    return written < length ? cudaSuccess : cudaErrorInvalidValue;
  });
}

cudaError_t cudaDriverGetVersion(int* version) {
  *version = 13000;
  return cudaSuccess;
}

cudaError_t cudaSetDevice(int device) {
  return call([&](Machine& m) {
    if (!m.has_device(device)) return cudaErrorInvalidDevice;
    m.current = device;
    return cudaSuccess;
  });
}

cudaError_t cudaDeviceCanAccessPeer(int* can, int device, int peer) {
  return call([&](Machine& m) {
    if (!m.has_device(device) || !m.has_device(peer)) return cudaErrorInvalidDevice;
    *can = device != peer && !m.description().staged.contains({device, peer});
    return cudaSuccess;
  });
}

cudaError_t cudaDeviceEnablePeerAccess(int peer, unsigned flags) {
  return call([&](Machine& m) {
    if (flags != 0) return cudaErrorInvalidValue;
    if (!m.has_device(peer) || peer == m.current) return cudaErrorInvalidDevice;
    if (m.description().staged.contains({m.current, peer})) return cudaErrorPeerAccessUnsupported;
    return m.connected.emplace(m.current, peer).second ? cudaSuccess : cudaErrorPeerAccessAlreadyEnabled;
  });
}
