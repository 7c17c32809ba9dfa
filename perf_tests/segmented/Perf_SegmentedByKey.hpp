// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef KOKKOSMMA_PERF_SEGMENTED_BY_KEY_HPP
#define KOKKOSMMA_PERF_SEGMENTED_BY_KEY_HPP

#include "segmented/Perf_Segmented.hpp"

#ifdef KOKKOS_ENABLE_CUDA
#include <cub/device/device_reduce.cuh>
#endif

/// Sums and scans of runs of equal keys: the library's against CUB's.
namespace perf {

/// The number of runs must be known.
inline void check_runs(std::size_t runs, Cut const& cut) {
  if (runs != cut.segments)
    throw std::runtime_error("wrong number of runs: " + std::to_string(runs) +
                             ", expected " + std::to_string(cut.segments));
}

#ifdef KOKKOS_ENABLE_CUDA
/// As the library's call it returns when the number of runs is on the host.
template <class T>
Call cub_reduce_by_key(Work<T> const& w) {
  using Sum = sum_type<T>;
  // The device writes to pinned memory of the host: no copy.
  Kokkos::View<int, Kokkos::CudaHostPinnedSpace> const runs("perf::runs");
  auto const call = cub_call(w.exec, [=](void* scratch, std::size_t& bytes) {
    return cub::DeviceReduce::ReduceByKey(
        scratch, bytes, static_cast<int const*>(w.keys), w.unique_keys(),
        cub_items(w.x.data()), w.y.data(), runs.data(), Plus<Sum>{},
        static_cast<int>(w.cut.n), w.exec.cuda_stream());
  });
  return [w, runs, call] {
    call();
    check_cuda(cudaStreamSynchronize(w.exec.cuda_stream()),
               "cudaStreamSynchronize");
    check_runs(static_cast<std::size_t>(runs()), w.cut);
  };
}
#endif

template <class T>
Call by_key_call(Work<T> const& w) {
  Vector<int> const keys(w.keys, w.cut.n), unique(w.unique_keys(), w.cut.n);
#ifdef KOKKOS_ENABLE_CUDA
  if (w.c.contender == Contender::cub_by_key && w.c.scans())
    return cub_by_key_scan<T>(w.exec, static_cast<int const*>(w.keys),
                              w.x.data(), w.y.data(), w.cut.n);
  if (w.c.contender == Contender::cub_by_key) return cub_reduce_by_key(w);
#endif
  if (w.c.scans())
    return
        [w, keys] { KokkosMMA::inclusive_scan_by_key(w.exec, keys, w.x, w.y); };
  return [w, keys, unique] {
    check_runs(KokkosMMA::reduce_by_key(w.exec, keys, w.x, unique, w.y), w.cut);
  };
}

template <class T>
void SegmentedTests::register_by_key() {
  std::size_t const most = m_session.segment_elements<T>();
  for (Task task : {Task::reduce, Task::scan})
    for (std::size_t length : sizes({1, 4, 16, 256, most}, most))
      for (Contender c : {Contender::segmented, Contender::cub_by_key})
        register_case<T>({task, c, Shape::keys, Pattern::length, length,
                          most / length * length},
                         &by_key_call<T>);
}

}  // namespace perf

#endif
