// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// A call runs 100 times, then more often beside a kernel in another stream that
// waits for the host. A kernel that the library launches for the first time
// then would be loaded, which may wait for all running kernels. So may memory
// that is allocated then.

#include <Kokkos_Core.hpp>

#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <mutex>
#include <string_view>
#include <thread>
#include <utility>

#ifdef KOKKOS_ENABLE_CUDA

namespace {

using Exec = Kokkos::Cuda;

__global__ void wait_for_host(int volatile const* go) {
  while (*go == 0) {
  }
}

/// Ends the waiting kernel after ten seconds, whatever the host does.
class Watchdog {
 public:
  explicit Watchdog(int volatile* go)
      : m_go(go), m_thread([this] {
          std::unique_lock<std::mutex> lock(m_mutex);
          m_barked = !m_done.wait_for(lock, std::chrono::seconds(10),
                                      [this] { return m_is_done; });
          *m_go    = 1;
        }) {}
  /// Ends it now. Returns whether it was running still.
  bool done() {
    {
      std::lock_guard<std::mutex> const lock(m_mutex);
      m_is_done = true;
    }
    m_done.notify_one();
    m_thread.join();
    return !m_barked;
  }

 private:
  int volatile* m_go;
  std::mutex m_mutex;
  std::condition_variable m_done;
  bool m_is_done = false, m_barked = false;
  std::thread m_thread;
};

template <class Run>
bool returns_beside_a_waiting_kernel(Run const& run, int calls_before = 100) {
  // The kernel itself is loaded.
  void* memory = nullptr;
  cudaHostAlloc(&memory, sizeof(int), cudaHostAllocMapped);
  int* const go            = static_cast<int*>(memory);
  int volatile* const flag = go;
  *flag                    = 1;
  cudaStream_t stream;
  cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
  wait_for_host<<<1, 1, 0, stream>>>(go);
  cudaStreamSynchronize(stream);

  for (int call = 0; call < calls_before; ++call) run();
  Kokkos::fence();
  *flag = 0;
  wait_for_host<<<1, 1, 0, stream>>>(go);
  Watchdog watchdog(flag);
  for (int call = 0; call < 60; ++call) run();
  bool const returned = watchdog.done();
  cudaStreamSynchronize(stream);
  Kokkos::fence();
  cudaStreamDestroy(stream);
  cudaFreeHost(go);
  return returned;
}

/// Sums of as many values as the call says.
struct AddToArray {
  using value_type = double[];
  int value_count;
  Kokkos::View<int*, Exec> x;
  KOKKOS_FUNCTION void operator()(int i, double* sums) const {
    for (int e = 0; e < value_count; ++e) sums[e] += x(i);
  }
};

bool check(std::string_view call) {
  int const n = 5000;  // few: measured after 100 calls
  Exec const space;
  Kokkos::View<int*, Exec> const x("x", n);
  Kokkos::View<int**, Exec> const y("y", 70, 70);
  Kokkos::View<double, Exec> const sum("sum");
  using Range = Kokkos::RangePolicy<Exec>;
  using Box   = Kokkos::MDRangePolicy<Exec, Kokkos::Rank<2>>;
  using Team  = Kokkos::TeamPolicy<Exec>;
  if (call == "loop")
    return returns_beside_a_waiting_kernel([&] {
      Kokkos::parallel_for(
          Range(space, 0, n), KOKKOS_LAMBDA(int i) { x(i) += i; });
    });
  if (call == "box")
    return returns_beside_a_waiting_kernel([&] {
      Kokkos::parallel_for(
          Box(space, {0, 0}, {70, 70}),
          KOKKOS_LAMBDA(int i, int j) { y(i, j) += i; });
    });
  // Kokkos 5.2 has a kernel of its own for grids that are too small. It is
  // timed in a later call.
  if (call == "long_box")
    return returns_beside_a_waiting_kernel(
        [&] {
          Kokkos::parallel_for(
              Box(space, {0, 0}, {1, 3000000}),
              KOKKOS_LAMBDA(int i, int j) { y(i, j % 70) = j; });
        },
        1);
  if (call == "copy") {
    // In tiles at first, and then of too few elements for them.
    Kokkos::View<int**, Kokkos::LayoutLeft, Exec> const left("l", 70, 70),
        small_left("l", 8, 8);
    Kokkos::View<int**, Kokkos::LayoutRight, Exec> const right("r", 70, 70),
        small_right("r", 8, 8);
    int calls = 0;
    return returns_beside_a_waiting_kernel([&] {
      if (calls++ < 100)
        Kokkos::deep_copy(space, right, left);
      else
        Kokkos::deep_copy(space, small_right, small_left);
    });
  }
  if (call == "array") {
    Kokkos::View<double*, Exec> const sums("sums", 100);
    int calls = 0;
    return returns_beside_a_waiting_kernel([&] {
      int const length = calls++ < 100 ? 2 : 100;
      Kokkos::parallel_reduce(Range(space, 0, n), AddToArray{length, x},
                              Kokkos::subview(sums, std::pair(0, length)));
    });
  }
  if (call == "teams")
    return returns_beside_a_waiting_kernel([&] {
      Kokkos::parallel_for(
          Team(space, 30, 32), KOKKOS_LAMBDA(Team::member_type const& member) {
            int row = 0;
            Kokkos::parallel_reduce(
                Kokkos::TeamThreadRange(member, 100),
                [&](int k, int& update) { update += x(k); }, row);
            if (member.team_rank() == 0) x(member.league_rank()) = row;
          });
    });
  if (call == "sum_over_teams")
    return returns_beside_a_waiting_kernel([&] {
      Kokkos::parallel_reduce(
          Team(space, 30, 32),
          KOKKOS_LAMBDA(Team::member_type const& member, double& total) {
            int row = 0;
            Kokkos::parallel_reduce(
                Kokkos::TeamThreadRange(member, 100),
                [&](int k, int& update) { update += x(k); }, row);
            if (member.team_rank() == 0) total += row;
          },
          sum);
    });
  if (call == "sum_on_the_host")
    return returns_beside_a_waiting_kernel(
        [&] {
          double result = 0;
          Kokkos::parallel_reduce(
              Range(space, 0, n),
              KOKKOS_LAMBDA(int i, double& update) { update += x(i); }, result);
        },
        8);
  if (call == "sum")
    return returns_beside_a_waiting_kernel([&] {
      Kokkos::parallel_reduce(
          Range(space, 0, n),
          KOKKOS_LAMBDA(int i, double& update) { update += x(i); }, sum);
    });
  return returns_beside_a_waiting_kernel([&] {
    Kokkos::parallel_scan(
        Range(space, 0, n), KOKKOS_LAMBDA(int i, int& update, bool final) {
          update += i;
          if (final) x(i) = update;
        });
  });
}

}  // namespace

int main(int argc, char** argv) {
  Kokkos::ScopeGuard const kokkos(argc, argv);
  bool const returned = argc > 1 && check(argv[1]);
  if (!returned)
    std::printf(
        "failed: %s waited for a kernel that waits for the host for ten "
        "seconds\n",
        argc > 1 ? argv[1] : "no call");
  return returned ? 0 : 1;
}

#else

int main() { return 0; }

#endif
