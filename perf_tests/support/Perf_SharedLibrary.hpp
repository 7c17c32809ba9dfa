// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef KOKKOSMMA_PERF_SHAREDLIBRARY_HPP
#define KOKKOSMMA_PERF_SHAREDLIBRARY_HPP

#include <Kokkos_Core.hpp>

#ifdef KOKKOS_ENABLE_CUDA
#include <dlfcn.h>

#include <string>
#include <vector>

namespace perf {

/// A shared library and its functions. \c missing() says what is not there.
class SharedLibrary {
 public:
  explicit SharedLibrary(std::vector<std::string> const& names) {
    for (std::string const& name : names) {
      m_handle = dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL);
      if (m_handle) return;
      if (m_missing.empty()) m_missing = dlerror();
    }
  }
  SharedLibrary(SharedLibrary const&)            = delete;
  SharedLibrary& operator=(SharedLibrary const&) = delete;

  /// \p function becomes null where the library lacks it.
  template <class Function>
  void find(Function& function, char const* name) const {
    function =
        m_handle ? reinterpret_cast<Function>(dlsym(m_handle, name)) : nullptr;
  }
  /// One that the library cannot be used without.
  template <class Function>
  void load(Function& function, char const* name) {
    find(function, name);
    if (!m_handle) return;
    if (!function && m_missing.empty())
      m_missing = std::string("no function ") + name;
  }
  std::string const& missing() const { return m_missing; }
  void set_missing(std::string const& why) { m_missing = why; }
  bool usable() const { return m_handle && m_missing.empty(); }

 private:
  // Not closed: such libraries keep threads and memory until the end.
  void* m_handle = nullptr;
  std::string m_missing;
};

}  // namespace perf

#endif

#endif
