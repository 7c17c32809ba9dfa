// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// A device whose memory the application holds: calls that Kokkos has room for
// give their results, without memory of the library's own.

#include <KokkosMMA.hpp>
#include <KokkosMMA_LastRoute.hpp>
#include <Kokkos_Core.hpp>

#include <cstdint>
#include <cstdio>
#include <vector>

namespace {

struct Add {
  KOKKOS_FUNCTION void operator()(int i, std::int64_t& update) const {
    update += i;
  }
  KOKKOS_FUNCTION void operator()(int i, std::int64_t& update, bool) const {
    update += i;
  }
};

bool right(Kokkos::View<int*> const& x) {
  std::int64_t sum = -1, total = -1;
  Kokkos::deep_copy(x, 0);
  for (int round = 0; round < 20; ++round)
    Kokkos::parallel_for(
        x.extent(0), KOKKOS_LAMBDA(int i) { x(i) = round + i; });
  std::int64_t loop = -1;
  Kokkos::parallel_reduce(
      x.extent(0),
      KOKKOS_LAMBDA(int i, std::int64_t& wrong) { wrong += x(i) != 19 + i; },
      loop);
  Kokkos::parallel_reduce(1000, Add(), sum);
  Kokkos::parallel_scan(1000, Add(), total);
  std::printf("sum %lld, total %lld, wrong %lld, route %s\n",
              static_cast<long long>(sum), static_cast<long long>(total),
              static_cast<long long>(loop),
              std::string(to_string(KokkosMMA::last_route())).c_str());
  return sum == 499500 && total == 499500 && loop == 0;
}

}  // namespace

int main(int argc, char** argv) {
  Kokkos::ScopeGuard const kokkos(argc, argv);
  Kokkos::View<int*> const x("x", 300000);
  bool passed = true;
#ifdef KOKKOS_ENABLE_CUDA
  {
    KokkosMMA::ScopedSettings const plain(
        KokkosMMA::Settings{KokkosMMA::Route::generic});
    passed = right(x) && passed;  // the scratch of Kokkos is there
  }
  std::vector<void*> held;
  for (std::size_t bytes = std::size_t(1) << 30; bytes >= 256; bytes /= 2)
    for (void* memory = nullptr; cudaMalloc(&memory, bytes) == cudaSuccess;)
      held.push_back(memory);
  cudaGetLastError();
#endif
  passed = right(x) && passed;
#ifdef KOKKOS_ENABLE_CUDA
  passed = cudaPeekAtLastError() == cudaSuccess && passed;
  for (void* const memory : held) cudaFree(memory);
#endif
  passed = right(x) && passed;
  return passed ? 0 : 1;
}
