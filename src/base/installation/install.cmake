# cmake --install: the program, the library with its headers and a CMake package, the helper program, and the data, in the
# places that src/base/installation.h describes. The root CMakeLists.txt has made the libraries from its tables; nothing
# here names a layer or a package.

include(GNUInstallDirs)
include(CMakePackageConfigHelpers)
set(wt_package_folder ${CMAKE_INSTALL_LIBDIR}/cmake/windtunnel)
set(wt_include_folder ${CMAKE_INSTALL_INCLUDEDIR}/windtunnel)  # includes read "plan/plan.h", as in the source

set_target_properties(wt_everything PROPERTIES EXPORT_NAME windtunnel)
target_compile_features(wt_everything INTERFACE cxx_std_20)
foreach(name IN LISTS wt_layers)
  target_include_directories(wt_${name} INTERFACE $<INSTALL_INTERFACE:${wt_include_folder}>)
  install(DIRECTORY src/${name} DESTINATION ${wt_include_folder} FILES_MATCHING PATTERN "*.h")
endforeach()
install(TARGETS ${wt_libraries} wt_everything EXPORT windtunnelTargets DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(EXPORT windtunnelTargets NAMESPACE windtunnel:: DESTINATION ${wt_package_folder})
set_target_properties(windtunnel_cli windtunnel_simulator PROPERTIES INSTALL_RPATH_USE_LINK_PATH ON)
install(TARGETS windtunnel_cli DESTINATION ${CMAKE_INSTALL_BINDIR})
install(TARGETS windtunnel_simulator DESTINATION libexec/windtunnel)
if(TARGET windtunnel_mpi)
  install(TARGETS windtunnel_mpi DESTINATION libexec/windtunnel)
endif()
install(DIRECTORY platforms scenarios DESTINATION share/windtunnel)
# The page of reports and its renderer, if they are built by the time of the installation; PNG needs the rasteriser.
install(DIRECTORY viz/dist/ DESTINATION share/windtunnel/viz OPTIONAL)
install(DIRECTORY viz/node_modules/@resvg DESTINATION share/windtunnel/viz/node_modules OPTIONAL)

# The package of a target is the word before its two colons: nlohmann_json::nlohmann_json.
set(wt_dependencies fmt Threads)
foreach(name IN LISTS wt_layers)
  packages_of(${name} targets)
  foreach(target IN LISTS targets)
    string(REGEX REPLACE "::.*" "" target ${target})
    if(NOT target MATCHES "^(hdf5|libzip)$")  # these have no package that finds them everywhere
      list(APPEND wt_dependencies ${target})
    endif()
  endforeach()
endforeach()
list(REMOVE_DUPLICATES wt_dependencies)
list(JOIN wt_dependencies " " wt_dependencies)

# The optional libraries of Keras' files are named by the files that were found here.
foreach(target hdf5 libzip)
  if(TARGET ${target})
    string(APPEND wt_named_libraries "if(NOT TARGET ${target})\n  add_library(${target} INTERFACE IMPORTED)\n"
           "  target_link_libraries(${target} INTERFACE ${WT_${target}_LIBRARY})\nendif()\n")
  endif()
endforeach()

# CUDA's toolkit has a package; cuDNN and NCCL have none, and are named by the files that were found here.
if(wt_cuda)
  string(APPEND wt_cuda_dependencies "find_dependency(CUDAToolkit ${CUDAToolkit_VERSION_MAJOR})\n")
  foreach(row "cudnn WT_CUDNN" "nccl WT_NCCL")
    separate_arguments(row)
    list(POP_FRONT row target variable)
    if(TARGET ${target})
      string(APPEND wt_cuda_dependencies "if(NOT TARGET ${target})\n  add_library(${target} INTERFACE IMPORTED)\n"
             "  target_link_libraries(${target} INTERFACE ${${variable}})\nendif()\n")
    endif()
  endforeach()
endif()

configure_package_config_file(src/base/installation/windtunnelConfig.cmake.in ${CMAKE_BINARY_DIR}/packaging/windtunnelConfig.cmake
                              INSTALL_DESTINATION ${wt_package_folder} NO_SET_AND_CHECK_MACRO
                              NO_CHECK_REQUIRED_COMPONENTS_MACRO)
write_basic_package_version_file(${CMAKE_BINARY_DIR}/packaging/windtunnelConfigVersion.cmake
                                 COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_BINARY_DIR}/packaging/windtunnelConfig.cmake
              ${CMAKE_BINARY_DIR}/packaging/windtunnelConfigVersion.cmake src/base/installation/prefix.cpp.in
        DESTINATION ${wt_package_folder})
