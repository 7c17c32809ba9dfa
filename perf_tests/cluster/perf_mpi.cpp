// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Weak and strong scaling of KokkosMMA::mpi over the ranks of one job.
//
//   mpiexec -n 4 perf_mpi --mma-json=scaling.json
//
// The first 1, 2, 4, ... ranks, and all of them, make up a communicator each;
// the others wait. Beside them, on the same data and by the same clock, stands
// the call of one GPU without MPI, whose rate the efficiencies refer to, the
// copy ceiling of that GPU, and what links and collectives take.
//
// A sample is a number of calls back to back, from a barrier to the end of the
// last one on the device, by the host's clock; of each sample the slowest rank
// counts. Every result is checked.

#include <cstring>
#include <exception>
#include <thread>

#include "cluster/Perf_Ranks.hpp"

#ifndef KOKKOSMMA_PERF_GIT_REVISION
#define KOKKOSMMA_PERF_GIT_REVISION "unknown"
#endif

namespace perf {

using Range = Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>>;
template <class T>
using Matrix = Kokkos::View<T**, Kokkos::LayoutRight, Exec>;

// Data with sums in closed form, exact in every type: 8 elements make 4.
template <class T>
struct FillVector {
  Vector<T> x;
  std::int64_t first;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    x(i) = static_cast<T>((first + i) % 8 < 4 ? 1 : 0);
  }
};
inline double sum_before(std::int64_t i) {
  return double(i / 8 * 4 + std::min<std::int64_t>(i % 8, 4));
}

KOKKOS_INLINE_FUNCTION int grid_value(std::int64_t i, std::int64_t j) {
  return int((i * 7 + j * 13) % 11) - 5;
}
template <class T>
struct FillMatrix {
  Matrix<T> x;
  std::int64_t first;
  KOKKOS_FUNCTION void operator()(std::int64_t index) const {
    std::int64_t const columns          = std::int64_t(x.extent(1));
    x(index / columns, index % columns) = static_cast<T>(static_cast<float>(
        grid_value(first + index / columns, index % columns)));
  }
};

/// The call without MPI on the elements of one rank, then the same over ranks.
/// fill(i) writes the data from element i on, over(comm, n) makes the call on
/// the first n elements, right(first, n, ranks) looks at its results.
template <class Fill, class One, class Over, class Right>
void scaling_cases(Report& report, Options const& options, Steps const& steps,
                   std::string const& operation, char const* type,
                   double element_bytes, Fill const& fill, One const& one_call,
                   Over const& over, Right const& right) {
  std::int64_t const n = options.n / 8 * 8;
  fill(0);
  Case one{operation, type, "one", 1, double(n), double(n) * element_bytes};
  one.times = alone(options, one_call);
  one.route = to_string(route_of_last_call());
  report.add(one);
  for (std::string const scaling : {"weak", "strong"})
    steps.for_each([&](MPI_Comm comm) {
      Case c{operation, type, scaling, size_of(comm)};
      std::int64_t const mine  = part_of(scaling, n, c.ranks);
      std::int64_t const first = mine * rank_in(comm);
      fill(first);
      c.elements   = double(mine);
      c.bytes      = double(mine) * element_bytes;
      c.times      = measure(comm, options, over(comm, mine));
      c.route      = to_string(route_of_last_call());
      c.efficiency = efficiency_of(c, one.times.median);
      report.check(comm, right(first, mine, c.ranks), c.name());
      report.add(c);
    });
}

template <class T>
Vector<T> vector_of(Options const& options) {
  return Vector<T>(Kokkos::view_alloc(Kokkos::WithoutInitializing, "perf::mpi"),
                   options.n / 8 * 8);
}
template <class T>
auto filler(Exec const& exec, Vector<T> const& x) {
  return [=](std::int64_t first) {
    Kokkos::parallel_for("perf::fill",
                         Range(exec, 0, std::int64_t(x.extent(0))),
                         FillVector<T>{x, first});
  };
}

template <class T, class Value>
void reduce_cases(Report& report, Options const& options, Steps const& steps,
                  char const* type) {
  if (!report.wants(std::string("mpi_reduce/") + type)) return;
  Exec const exec;
  Vector<T> const all = vector_of<T>(options);
  Value sum{};
  scaling_cases(
      report, options, steps, "reduce", type, sizeof(T), filler(exec, all),
      [&] { KokkosMMA::reduce(exec, all, sum); },
      [&](MPI_Comm comm, std::int64_t n) {
        return
            [&, comm, x = Kokkos::subview(all, std::pair(std::int64_t(0), n))] {
              KokkosMMA::mpi::reduce(comm, exec, x, sum);
            };
      },
      [&](std::int64_t, std::int64_t n, int ranks) {
        return std::abs(double(sum) / sum_before(n * ranks) - 1) < 1e-6;
      });
}

template <class T, class Y>
void scan_cases(Report& report, Options const& options, Steps const& steps,
                char const* type) {
  if (!report.wants(std::string("mpi_scan/") + type)) return;
  Exec const exec;
  Vector<T> const all_x = vector_of<T>(options);
  Vector<Y> const all_y = vector_of<Y>(options);
  scaling_cases(
      report, options, steps, "scan", type, sizeof(T) + sizeof(Y),
      filler(exec, all_x),
      [&] { KokkosMMA::exclusive_scan(exec, all_x, all_y); },
      [&](MPI_Comm comm, std::int64_t n) {
        auto const part = std::pair(std::int64_t(0), n);
        return [&, comm, x = Kokkos::subview(all_x, part),
                y = Kokkos::subview(all_y, part)] {
          KokkosMMA::mpi::exclusive_scan(comm, exec, x, y);
        };
      },
      [&](std::int64_t first, std::int64_t n, int) {
        bool good = true;
        for (std::int64_t const i :
             {std::int64_t(0), n / 3, n / 2 + 1, n - 1}) {
          Y value{};
          Kokkos::deep_copy(value, Kokkos::subview(all_y, i));
          double const expected = sum_before(first + i);
          if constexpr (std::is_integral_v<Y>) {
            // From 2^32 elements on the sums are more than Y holds, and wrap.
            good = good &&
                   value == static_cast<Y>(static_cast<std::int64_t>(expected));
          } else {
            good =
                good && std::abs(double(value) - expected) <= 1e-6 * expected;
          }
        }
        return good;
      });
}

/// The first and the last rows of the block, at every 97th column.
template <class T>
bool right_rows(Matrix<T> const& out, std::int64_t first, std::int64_t all_rows,
                int radius) {
  std::int64_t const rows    = std::int64_t(out.extent(0));
  std::int64_t const columns = std::int64_t(out.extent(1));
  for (std::int64_t const i :
       {std::int64_t(0), std::int64_t(radius), rows / 2, rows - 1}) {
    if (i >= rows) continue;
    auto const row = Kokkos::create_mirror_view_and_copy(
        Kokkos::HostSpace(), Kokkos::subview(out, i, Kokkos::ALL()));
    for (std::int64_t j = 0; j < columns; j += 97) {
      int sum = 0;
      for (int a = -radius; a <= radius; ++a)
        for (int b = -radius; b <= radius; ++b)
          sum += grid_value((first + i + a + all_rows) % all_rows,
                            (j + b + columns) % columns);
      // half_type holds integers up to 2048, and (2 * 16 + 1)^2 * 5 is more.
      if (std::abs(double(row(j)) - sum) > (sizeof(T) == 2 ? 4 : 0))
        return false;
    }
  }
  return true;
}

template <class T>
void stencil_cases(Report& report, Options const& options, Steps const& steps,
                   char const* type) {
  if (!report.wants(std::string("mpi_stencil/") + type)) return;
  Exec const exec;
  std::int64_t const side = options.side;
  int const r             = static_cast<int>(options.radius);
  auto const weights      = KokkosMMA::StencilWeights<2>::box(r);
  auto const periodic =
      KokkosMMA::Boundaries<2>::all(KokkosMMA::Boundary::periodic);
  std::string const radius = "/r:" + std::to_string(options.radius);
  double one_time          = 0;
  for (std::string const scaling : {"one", "weak", "strong"}) {
    auto const run = [&](MPI_Comm comm) {
      Case c{"stencil", type, scaling, scaling == "one" ? 1 : size_of(comm)};
      std::int64_t const rows  = scaling == "strong"
                                     ? std::max<std::int64_t>(side / c.ranks, r)
                                     : side;
      std::int64_t const first = scaling == "one" ? 0 : rows * rank_in(comm);
      Matrix<T> const in(
          Kokkos::view_alloc(exec, Kokkos::WithoutInitializing, "in"), rows,
          side);
      Matrix<T> const out(
          Kokkos::view_alloc(exec, Kokkos::WithoutInitializing, "out"), rows,
          side);
      Kokkos::parallel_for("perf::fill", Range(exec, 0, rows * side),
                           FillMatrix<T>{in, first});
      c.elements = double(rows) * double(side);
      c.bytes    = 2 * c.elements * sizeof(T);
      c.extra    = radius;
      if (scaling == "one")
        c.times = measure(comm, options, [&] {
          KokkosMMA::stencil(exec, in, out, weights, periodic);
        });
      else
        c.times = measure(comm, options, [&] {
          KokkosMMA::mpi::stencil(comm, exec, in, out, weights, periodic);
        });
      c.route = to_string(route_of_last_call());
      if (scaling == "one")
        one_time = c.times.median;
      else
        c.efficiency = efficiency_of(c, one_time);
      report.check(comm, right_rows(out, first, rows * c.ranks, r), c.name());
      report.add(c);
      if (scaling != "weak") return;
      // The time of only the exchange, of a View with ghost rows.
      auto const local = KokkosMMA::mpi::block_boundaries(comm, periodic);
      Matrix<T> const ghosts(
          "ghosts", rows + local.ghosts_low(0, r) + local.ghosts_high(0, r),
          side);
      Case halo{"halo", type, "weak", c.ranks};
      halo.elements = c.ranks > 1 ? 2. * r * double(side) : 0;
      halo.bytes    = halo.elements * sizeof(T);
      halo.extra    = radius;
      halo.times    = measure(comm, options, [&] {
        KokkosMMA::mpi::exchange_halos(comm, exec, ghosts, {r, r}, periodic);
      });
      report.add(halo);
    };
    if (scaling != "one") {
      steps.for_each(run);
    } else {
      if (rank_in(MPI_COMM_WORLD) == 0) run(MPI_COMM_SELF);
      MPI_Bcast(&one_time, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    }
  }
}

/// The copy ceiling of rank 0's GPU: bytes read plus written.
void copy_ceiling(Report& report, Options const& options) {
  if (!report.wants("mpi_copy")) return;
  Exec const exec;
  std::int64_t const n = options.n;
  Vector<float> const from("from", n), to("to", n);
  Case c{"copy", "float", "one", 1, double(n), 8. * double(n)};
  c.times = alone(options, [&] { Kokkos::deep_copy(exec, to, from); });
  report.add(c);
}

/// What the model is made of: the collective of every call, and messages
/// between rank 0 and each other rank in the memory that halos travel in.
void links(Report& report, Options const& options, Steps const& steps) {
  if (!report.wants("mpi_link")) return;
  steps.for_each([&](MPI_Comm comm) {
    std::vector<char> from(64), to(64 * std::size_t(size_of(comm)));
    Case c{"link", "allgather64", "weak", size_of(comm)};
    c.bytes = 64;
    c.times = measure(comm, options, [&] {
      MPI_Allgather(from.data(), 64, MPI_BYTE, to.data(), 64, MPI_BYTE, comm);
    });
    report.add(c);
  });
  std::size_t const most = std::size_t(16) << 20;
  char* const memory =
      KokkosMMA::Impl::halo_memory(Exec()).messages(Exec(), most);
  for (int other = 1; other < size_of(MPI_COMM_WORLD); other *= 2) {
    MPI_Comm pair   = MPI_COMM_NULL;
    int const world = rank_in(MPI_COMM_WORLD);
    MPI_Comm_split(MPI_COMM_WORLD,
                   world == 0 || world == other ? 0 : MPI_UNDEFINED, 0, &pair);
    for (std::size_t bytes : {std::size_t(8), std::size_t(64) << 10, most}) {
      Case c{"link", "message", "pair", 2};
      c.bytes = double(bytes);
      c.extra =
          "/with:" + std::to_string(other) + "/bytes:" + std::to_string(bytes);
      if (pair != MPI_COMM_NULL) {
        int const me = rank_in(pair);
        // There and back is two messages.
        c.times = measure(pair, options, [&] {
          if (me == 0) MPI_Send(memory, int(bytes), MPI_BYTE, 1, 1, pair);
          MPI_Recv(memory, int(bytes), MPI_BYTE, 1 - me, 1, pair,
                   MPI_STATUS_IGNORE);
          if (me == 1) MPI_Send(memory, int(bytes), MPI_BYTE, 0, 1, pair);
        });
        c.times.median /= 2;
        c.times.minimum /= 2;
        report.add(c);
      }
    }
    if (pair != MPI_COMM_NULL) MPI_Comm_free(&pair);
    MPI_Barrier(MPI_COMM_WORLD);
  }
}

/// Host and device of every rank; `shared` says what ranks share, if anything.
std::string places(std::string& shared) {
  char host[MPI_MAX_PROCESSOR_NAME + 32] = "";
  int length                             = 0;
  MPI_Get_processor_name(host, &length);
  std::string mine(host, std::size_t(length));
#ifdef KOKKOS_ENABLE_CUDA
  mine += ":" + std::to_string(Exec().cuda_device());
  long const most = 1;
#else
  long const most = std::max<long>(
      long(std::thread::hardware_concurrency()) / Exec().concurrency(), 1);
#endif
  std::size_t const width = sizeof(host);
  std::snprintf(host, width, "%s", mine.c_str());
  std::vector<char> all(width * std::size_t(size_of(MPI_COMM_WORLD)));
  MPI_Allgather(host, int(width), MPI_CHAR, all.data(), int(width), MPI_CHAR,
                MPI_COMM_WORLD);
  std::vector<std::string> names;
  std::string text;
  for (int rank = 0; rank < size_of(MPI_COMM_WORLD); ++rank) {
    names.emplace_back(all.data() + width * std::size_t(rank));
    text += (rank ? ", \"" : "\"") + names.back() + "\"";
  }
  shared = "nothing";
  for (std::string const& name : names)
    if (std::count(names.begin(), names.end(), name) > most)
      shared = on_cuda ? "GPUs" : "cores";
  return text;
}

std::string version(int number) {
  return std::to_string(number / 10000) + "." +
         std::to_string(number / 100 % 100) + "." +
         std::to_string(number % 100);
}

int run(Options const& options) {
  Report report(options);
  std::string shared;
  std::string const where = places(shared);
  std::vector<std::pair<std::string, std::string>> context;
  char library[MPI_MAX_LIBRARY_VERSION_STRING] = "";
  int length                                   = 0;
  MPI_Get_library_version(library, &length);
  context.emplace_back("execution_space", Exec::name());
#ifdef KOKKOS_ENABLE_CUDA
  context.emplace_back("device", Exec().cuda_device_prop().name);
#else
  context.emplace_back("device", "host");
#endif
  context.emplace_back("kokkos_version", version(KOKKOS_VERSION));
  context.emplace_back("kokkosmma_version", version(KOKKOSMMA_VERSION));
  context.emplace_back("git_revision", KOKKOSMMA_PERF_GIT_REVISION);
  context.emplace_back("mpi_library", library);
  context.emplace_back("gpu_aware_mpi",
                       KokkosMMA::mpi::gpu_aware() ? "yes" : "no");
  context.emplace_back("samples", std::to_string(options.samples));
  context.emplace_back("calls_per_sample", std::to_string(options.calls));
  context.emplace_back("ranks_share", shared);
  if (rank_in(MPI_COMM_WORLD) == 0) {
    std::printf("%d ranks, %s, GPU-aware MPI: %s\n%s\n",
                size_of(MPI_COMM_WORLD), Exec::name(),
                KokkosMMA::mpi::gpu_aware() ? "yes" : "no", library);
    if (shared != "nothing")
      std::printf(
          "WARNING: ranks share %s; no scaling can be read from this run\n",
          shared.c_str());
  }
  Steps const steps;
  copy_ceiling(report, options);
  links(report, options, steps);
  reduce_cases<float, float>(report, options, steps, "float");
  if constexpr (has_half) {
    reduce_cases<half_type, float>(report, options, steps, "half");
  }
  scan_cases<float, float>(report, options, steps, "float");
  scan_cases<std::int8_t, std::int32_t>(report, options, steps, "int8");
  stencil_cases<float>(report, options, steps, "float");
  if (rank_in(MPI_COMM_WORLD) == 0) report.write(context, where);
  int failures = report.failures();
  MPI_Allreduce(MPI_IN_PLACE, &failures, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
  return failures ? 1 : 0;
}

}  // namespace perf

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int status = 1;
  // A rank that fails ends the job: the others would wait for it.
  try {
    Kokkos::ScopeGuard kokkos(argc, argv);
    status = perf::run(perf::Options::parse(argc, argv));
  } catch (std::exception const& error) {
    std::fprintf(stderr, "rank %d: %s\n", perf::rank_in(MPI_COMM_WORLD),
                 error.what());
    std::fflush(stderr);
    MPI_Abort(MPI_COMM_WORLD, 2);
  }
  MPI_Finalize();
  return status;
}
