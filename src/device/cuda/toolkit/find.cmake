# Finds what the cuda/ folders are compiled with: nvcc, cuBLAS, cuDNN and, if it is installed, NCCL. The root
# CMakeLists.txt includes this file and reads its results: wt_cuda, and the targets CUDA::cudart, CUDA::cublas, cudnn and
# (only where NCCL is) nccl. Three places are searched, the first one that has a compiler or library wins:
#   build/cuda                  `./windtunnel get cuda` and .ci/run install CUDA 13 there from PyPI (./install)
#   the toolkit itself          CUDACXX, PATH, /usr/local/cuda; cuDNN and NCCL may have been copied into it
#   the system, and python3     Debian packages of cuDNN and NCCL; the wheels that PyTorch brings along

set(wt_cuda OFF)
set(wt_cuda_wanted ${WT_CUDA})
# Compiling for a GPU takes minutes, so AUTO requires both: a compiler, and a GPU to compute on.
if(WT_CUDA STREQUAL AUTO AND NOT EXISTS /dev/nvidia0 AND NOT EXISTS /dev/dxg)
  set(wt_cuda_wanted OFF)
endif()
if(NOT wt_cuda_wanted)
  return()
endif()

# Where python3 has the wheel of a library for this version of CUDA; empty otherwise.
function(folder_of_wheel library result)
  execute_process(
    COMMAND python3 -c "import importlib.metadata as metadata, sys
print(metadata.distribution(sys.argv[1]).locate_file(sys.argv[2]))"
            nvidia-${library}-cu${CUDAToolkit_VERSION_MAJOR} nvidia/${library}
    OUTPUT_VARIABLE folder OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
  set(${result} ${folder} PARENT_SCOPE)
endfunction()

# Makes the imported target `library` if its header and its shared object are found. A wheel has the shared object by
# its versioned name alone. The user may give the folder, as -DCUDNN_ROOT=... or -DNCCL_ROOT=...
function(find_library_of_nvidia library version)
  string(TOUPPER ${library} name)
  foreach(wheel IN ITEMS no yes)
    if(NOT (WT_${name} AND WT_${name}_INCLUDE))
      set(root ${${name}_ROOT})
      if(wheel)
        folder_of_wheel(${library} root)
      endif()
      find_path(WT_${name}_INCLUDE ${library}.h
                HINTS ${root}/include ${CUDAToolkit_INCLUDE_DIRS} ${CUDAToolkit_BIN_DIR}/../include)
      find_library(WT_${name} NAMES ${library} lib${library}.so.${version}
                   HINTS ${root}/lib ${CUDAToolkit_LIBRARY_DIR} ${CUDAToolkit_BIN_DIR}/../lib)
    endif()
  endforeach()
  if(WT_${name} AND WT_${name}_INCLUDE)
    add_library(${library} INTERFACE IMPORTED GLOBAL)
    target_link_libraries(${library} INTERFACE ${WT_${name}})
    target_include_directories(${library} SYSTEM INTERFACE ${WT_${name}_INCLUDE})
  endif()
endfunction()

if(NOT DEFINED CMAKE_CUDA_ARCHITECTURES AND NOT DEFINED ENV{CUDAARCHS})
  set(CMAKE_CUDA_ARCHITECTURES native)
endif()
# NVIDIA's packages put nvcc in a folder that is not in PATH. It is searched again on each run of CMake, since it may have
# been installed after the last one.
find_program(wt_nvcc nvcc HINTS ${CMAKE_SOURCE_DIR}/build/cuda/bin PATHS /usr/local/cuda/bin NO_CACHE)
if(wt_nvcc AND NOT DEFINED ENV{CUDACXX})
  set(ENV{CUDACXX} ${wt_nvcc})
endif()
if(NOT CMAKE_CUDA_COMPILER)
  unset(CMAKE_CUDA_COMPILER CACHE)
endif()
include(CheckLanguage)
check_language(CUDA)
if(CMAKE_CUDA_COMPILER)
  enable_language(CUDA)
  # CUDA 13 has no libnvToolsExt. CMake 3.25 sets a property of this target all the same, and stops without it.
  if(NOT TARGET CUDA::nvToolsExt)
    add_library(CUDA::nvToolsExt INTERFACE IMPORTED)
  endif()
  find_package(CUDAToolkit 12)
endif()
if(CMAKE_CUDA_COMPILER AND CUDAToolkit_FOUND)
  find_library_of_nvidia(cudnn 9)
  find_library_of_nvidia(nccl 2)  # Optional: one way to reduce between GPUs.
endif()

if(TARGET cudnn)
  set(wt_cuda ON)
  set(CMAKE_CUDA20_STANDARD_COMPILE_OPTION -std=c++20)  # CMake 3.25 does not know that nvcc has it.
  set(CMAKE_CUDA20_EXTENSION_COMPILE_OPTION -std=c++20)
  # fmt 9 does without constexpr under nvcc, and then fails in C++20.
  add_compile_definitions($<$<COMPILE_LANGUAGE:CUDA>:FMT_USE_CONSTEXPR=1>)
  # Kernels are lambdas. Products and sums round one by one, so that elements have the bits that the CPU computes. The
  # kernels wait for memory; fused multiply-add would not make them faster.
  add_compile_options("$<$<COMPILE_LANGUAGE:CUDA>:--extended-lambda;--fmad=false>")
elseif(WT_CUDA STREQUAL ON)
  message(FATAL_ERROR "WT_CUDA is ON, and one of these is missing: nvcc (put it in PATH, or set CUDACXX), the CUDA "
                      "Toolkit 12 or newer with cuBLAS, cuDNN. `./windtunnel get cuda` installs them in build/cuda")
else()
  message(STATUS "This machine has a GPU and lacks the CUDA Toolkit 12 (or newer) or cuDNN, so numerics run on the CPU. "
                 "`./windtunnel get cuda` installs them in build/cuda")
endif()
