// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef KOKKOSMMA_PERF_LIBRARIES_HPP
#define KOKKOSMMA_PERF_LIBRARIES_HPP

#include "support/Perf_Nvml.hpp"
#include "support/Perf_SharedLibrary.hpp"
#include "support/Perf_Timing.hpp"

#ifdef KOKKOS_ENABLE_CUDA
#if __has_include(<cublas_v2.h>)
#include <cublas_v2.h>
#define KOKKOSMMA_PERF_HAS_CUBLAS_HEADER
#endif
#endif

/// cuBLAS, opened when the program runs: a build does not need it, and a
/// machine without it measures everything else.
namespace perf {

#ifdef KOKKOS_ENABLE_CUDA

#ifdef KOKKOSMMA_PERF_HAS_CUBLAS_HEADER
/// The matrix-vector products of cuBLAS that sum the rows of a matrix when the
/// vector is of ones.
class Cublas {
 public:
  static Cublas& instance() {
    static Cublas cublas;
    return cublas;
  }
  /// Empty when it can be used.
  std::string const& missing() const { return m_library.missing(); }
  bool usable() const { return m_library.usable(); }

  /// y = A ones or A^T ones; A is column-major, rows by columns, and dense.
  template <class T>
  void multiply(Exec const& exec, bool transposed, std::size_t rows,
                std::size_t columns, T const* a, T const* ones,
                sum_type<T>* y) {
    check(m_set_stream(m_handle, exec.cuda_stream()), "cublasSetStream");
    using Sum     = sum_type<T>;
    Sum const one = 1, zero = 0;
    int const m                 = static_cast<int>(rows);
    int const n                 = static_cast<int>(columns);
    cublasOperation_t const how = transposed ? CUBLAS_OP_T : CUBLAS_OP_N;
    if constexpr (std::is_same_v<T, double>) {
      check(m_double(m_handle, how, m, n, &one, a, m, ones, 1, &zero, y, 1),
            "cublasDgemv");
    } else if constexpr (std::is_same_v<T, float>) {
      check(m_float(m_handle, how, m, n, &one, a, m, ones, 1, &zero, y, 1),
            "cublasSgemv");
    } else if constexpr (std::is_same_v<T, half_type>) {
      check(
          m_half(m_handle, how, m, n, &one, reinterpret_cast<__half const*>(a),
                 m, 0, reinterpret_cast<__half const*>(ones), 1, 0, &zero, y, 1,
                 0, 1),
          "cublasHSSgemvStridedBatched");
    } else {
      check(m_bhalf(m_handle, how, m, n, &one,
                    reinterpret_cast<__nv_bfloat16 const*>(a), m, 0,
                    reinterpret_cast<__nv_bfloat16 const*>(ones), 1, 0, &zero,
                    y, 1, 0, 1),
            "cublasTSSgemvStridedBatched");
    }
  }

 private:
  static std::vector<std::string> names() {
    std::string const name = "libcublas.so." + std::to_string(CUBLAS_VER_MAJOR);
    return {name, "/usr/local/cuda/lib64/" + name,
            "/usr/local/cuda/lib/" + name};
  }
  Cublas() : m_library(names()) {
    m_library.load(m_create, "cublasCreate_v2");
    m_library.load(m_set_stream, "cublasSetStream_v2");
    m_library.load(m_double, "cublasDgemv_v2");
    m_library.load(m_float, "cublasSgemv_v2");
    m_library.load(m_half, "cublasHSSgemvStridedBatched");
    m_library.load(m_bhalf, "cublasTSSgemvStridedBatched");
    if (!usable()) return;
    if (cublasStatus_t const status = m_create(&m_handle);
        status != CUBLAS_STATUS_SUCCESS)
      m_library.set_missing("cublasCreate returned " +
                            std::to_string(static_cast<int>(status)));
  }
  static void check(cublasStatus_t status, char const* what) {
    if (status != CUBLAS_STATUS_SUCCESS)
      throw std::runtime_error(std::string(what) + " returned " +
                               std::to_string(static_cast<int>(status)));
  }

  SharedLibrary m_library;
  cublasHandle_t m_handle = nullptr;
  decltype(&cublasCreate_v2) m_create;
  decltype(&cublasSetStream_v2) m_set_stream;
  decltype(&cublasDgemv_v2) m_double;
  decltype(&cublasSgemv_v2) m_float;
  decltype(&cublasHSSgemvStridedBatched) m_half;
  decltype(&cublasTSSgemvStridedBatched) m_bhalf;
};
#endif

#endif

}  // namespace perf

#endif
