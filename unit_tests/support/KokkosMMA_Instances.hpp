// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef KOKKOSMMA_INSTANCES_HPP
#define KOKKOSMMA_INSTANCES_HPP

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <vector>

namespace KokkosMMA::Testing {

/// Instances that may run at the same time, as many as the space has room for
/// and at most `wanted`.
template <class Exec>
std::vector<Exec> make_instances(int wanted) {
  int const number = std::clamp(Exec().concurrency(), 1, wanted);
  if (number == 1) return {Exec()};
  return Kokkos::Experimental::partition_space(Exec(),
                                               std::vector<int>(number, 1));
}

#ifdef KOKKOS_ENABLE_CUDA
/// A kernel that holds its stream until the host opens it, and then writes a
/// value that later work reads. It gives up after some seconds, so that a call
/// that wrongly waits for it fails and does not hang.
struct Gate {
  using Flag = Kokkos::View<int, Kokkos::SharedHostPinnedSpace>;
  Flag open{"open"};
  Flag opened_by_host{"opened_by_host"};
  Kokkos::View<std::int64_t, Kokkos::Cuda> value{"value"};

  KOKKOS_FUNCTION void operator()(int) const {
    int volatile const* const flag = open.data();
    int seen                       = 0;
    for (int reads = 0; reads < 3000000 && seen == 0; ++reads) seen = *flag;
    opened_by_host() = seen;
    value()          = 777;
  }
  void close(Kokkos::Cuda const& exec) const {
    open()           = 0;
    opened_by_host() = 0;
    Kokkos::deep_copy(value, -111);
    Kokkos::parallel_for("gate", Kokkos::RangePolicy<Kokkos::Cuda>(exec, 0, 1),
                         *this);
  }
  void let_go() const {
    std::atomic_thread_fence(std::memory_order_seq_cst);
    *const_cast<int volatile*>(open.data()) = 1;
  }
};
#endif

}  // namespace KokkosMMA::Testing

#endif
