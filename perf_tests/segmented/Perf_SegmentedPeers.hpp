// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef KOKKOSMMA_PERF_SEGMENTED_PEERS_HPP
#define KOKKOSMMA_PERF_SEGMENTED_PEERS_HPP

#include <bit>
#include <memory>

#include "support/Perf_Program.hpp"
#include "support/Perf_Libraries.hpp"
#include "segmented/Perf_SegmentedCheck.hpp"

#ifdef KOKKOS_ENABLE_CUDA
#include <cub/device/device_scan.cuh>
#include <cub/device/device_segmented_reduce.cuh>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>
#endif

/// What an application writes or calls for segments: teams and single threads
/// of Kokkos, the same with the library's collectives, CUB, cuBLAS.
namespace perf {

using Team = Kokkos::TeamPolicy<Exec>;

/// Segments of one length. \c Index counts the elements of a segment, of which
/// element i is begin(s) + i * step().
struct EqualRows {
  using Index = int;
  std::size_t length;
  KOKKOS_INLINE_FUNCTION std::size_t begin(std::size_t s) const {
    return s * length;
  }
  KOKKOS_INLINE_FUNCTION Index size(std::size_t) const {
    return static_cast<Index>(length);
  }
  KOKKOS_INLINE_FUNCTION static constexpr std::size_t step() { return 1; }
};
/// Segments between offsets.
template <class Offset>
struct OffsetRows {
  using Index = Offset;
  Offset const* offsets;
  KOKKOS_INLINE_FUNCTION std::size_t begin(std::size_t s) const {
    return static_cast<std::size_t>(offsets[s]);
  }
  KOKKOS_INLINE_FUNCTION Index size(std::size_t s) const {
    return offsets[s + 1] - offsets[s];
  }
  KOKKOS_INLINE_FUNCTION static constexpr std::size_t step() { return 1; }
};
/// The columns of a row-major matrix.
struct ColumnRows {
  using Index = std::size_t;
  std::size_t rows, columns;
  KOKKOS_INLINE_FUNCTION std::size_t begin(std::size_t s) const { return s; }
  KOKKOS_INLINE_FUNCTION Index size(std::size_t) const { return rows; }
  KOKKOS_INLINE_FUNCTION std::size_t step() const { return columns; }
};

/// The shape of a team: a thread with its lanes for each segment, 256 in all,
/// or 128 where the segments are long. Hosts have neither.
struct TeamShape {
  int segments, threads, lanes;

  TeamShape(std::size_t typical, int wanted_lanes) {
    lanes    = on_cuda ? wanted_lanes : 1;
    segments = (typical >= 1024 ? 128 : 256) / wanted_lanes;
    threads  = on_cuda ? segments : 1;
  }
  /// The widest vector that is no wider than a segment.
  explicit TeamShape(std::size_t typical)
      : TeamShape(typical, static_cast<int>(std::bit_floor(
                               std::clamp<std::size_t>(typical, 1, 32)))) {}
  /// With narrower vectors as well.
  static std::vector<TeamShape> all(std::size_t typical) {
    std::vector<TeamShape> shapes{TeamShape(typical)};
    if (on_cuda && typical < 1024)
      for (int lanes = shapes[0].lanes / 2; lanes >= 4; lanes /= 2)
        shapes.emplace_back(typical, lanes);
    return shapes;
  }
  Team policy(Exec const& exec, std::size_t all) const {
    std::size_t const each = static_cast<std::size_t>(segments);
    return Team(exec, static_cast<int>((all + each - 1) / each), threads,
                lanes);
  }
};

/// The fastest of several calls.
inline Call fastest_of(Exec const& exec, std::vector<Call> const& calls) {
  if (calls.size() == 1) return calls[0];
  DeviceTimer timer(exec);
  std::size_t best = 0, k = 0;
  double fastest = std::numeric_limits<double>::infinity();
  for (std::size_t c = 0; c < calls.size(); ++c) {
    auto const one = [&](std::size_t) { calls[c](); };
    timer.seconds(1, k, one);
    double const seconds = timer.seconds(4, k, one);
    if (seconds < fastest) {
      fastest = seconds;
      best    = c;
    }
  }
  return calls[best];
}

/// body(member, s) for each segment, by a thread of a team with its lanes.
template <class Body>
void for_each_by_lanes(Exec const& exec, std::size_t segments,
                       TeamShape const& shape, Body const& body) {
  int const each = shape.segments;
  Kokkos::parallel_for(
      "perf_segmented", shape.policy(exec, segments),
      KOKKOS_LAMBDA(Team::member_type const& member) {
        Kokkos::parallel_for(Kokkos::TeamThreadRange(member, each), [&](int t) {
          std::size_t const s =
              static_cast<std::size_t>(member.league_rank()) * each + t;
          if (s < segments) body(member, s);
        });
      });
}

/// The sum of segment s by those who share a range.
template <class T, class Rows, class Range>
KOKKOS_INLINE_FUNCTION sum_type<T> shared_sum(Range const& range,
                                              Rows const& rows, std::size_t s,
                                              Vector<T> const& x) {
  using Sum               = sum_type<T>;
  std::size_t const begin = rows.begin(s);
  std::size_t const step  = rows.step();
  Sum sum                 = 0;
  Kokkos::parallel_reduce(
      range,
      [&](typename Rows::Index i, Sum& update) {
        update += static_cast<Sum>(x(begin + i * step));
      },
      sum);
  return sum;
}

/// One vector of lanes for each segment.
template <class T, class Rows>
void kokkos_team_reduce(Exec const& exec, Rows const& rows,
                        std::size_t segments, TeamShape const& shape,
                        Vector<T> const& x, Vector<sum_type<T>> const& result) {
  for_each_by_lanes(
      exec, segments, shape,
      KOKKOS_LAMBDA(Team::member_type const& member, std::size_t s) {
        auto const sum = shared_sum<T>(
            Kokkos::ThreadVectorRange(member, rows.size(s)), rows, s, x);
        Kokkos::single(Kokkos::PerThread(member), [&] { result(s) = sum; });
      });
}

/// A whole team for each segment, for few and long segments.
template <class T, class Rows>
void kokkos_block_reduce(Exec const& exec, Rows const& rows,
                         std::size_t segments, int threads, Vector<T> const& x,
                         Vector<sum_type<T>> const& result) {
  Kokkos::parallel_for(
      "perf_segmented",
      Team(exec, static_cast<int>(segments), on_cuda ? threads : 1),
      KOKKOS_LAMBDA(Team::member_type const& member) {
        std::size_t const s = member.league_rank();
        auto const sum      = shared_sum<T>(
            Kokkos::TeamThreadRange(member, rows.size(s)), rows, s, x);
        Kokkos::single(Kokkos::PerTeam(member), [&] { result(s) = sum; });
      });
}

/// The kernels of kokkos_team_reduce and kokkos_block_reduce with the library's
/// collectives in them: a team of four warps for a long segment.
template <class T>
void collective_reduce(Exec const& exec, EqualRows const& rows,
                       std::size_t segments, Vector<T> const& x,
                       Vector<sum_type<T>> const& result) {
  using Sum           = sum_type<T>;
  using Segment       = Kokkos::View<T const*, Exec, Kokkos::MemoryUnmanaged>;
  T const* const data = x.data();
  if (rows.length >= 1024) {
    Kokkos::parallel_for(
        "perf_segmented",
        Team(exec, static_cast<int>(segments), on_cuda ? 128 : 1),
        KOKKOS_LAMBDA(Team::member_type const& member) {
          std::size_t const s = member.league_rank();
          Sum sum             = 0;
          KokkosMMA::team_reduce(
              member, Segment(data + rows.begin(s), rows.length), sum);
          Kokkos::single(Kokkos::PerTeam(member), [&] { result(s) = sum; });
        });
    return;
  }
  for_each_by_lanes(
      exec, segments, TeamShape(rows.length),
      KOKKOS_LAMBDA(Team::member_type const& member, std::size_t s) {
        Sum sum = 0;
        KokkosMMA::vector_reduce(
            member, Segment(data + rows.begin(s), rows.length), sum);
        Kokkos::single(Kokkos::PerThread(member), [&] { result(s) = sum; });
      });
}

/// One thread for each segment: y is its sum, or its prefixes.
template <class T, class Rows, bool scans>
struct FlatRows {
  Rows rows;
  Vector<T> x;
  Vector<sum_type<T>> y;
  KOKKOS_FUNCTION void operator()(std::size_t s) const {
    using Sum                       = sum_type<T>;
    std::size_t const begin         = rows.begin(s);
    std::size_t const step          = rows.step();
    typename Rows::Index const size = rows.size(s);
    Sum sum                         = 0;
    for (typename Rows::Index i = 0; i < size; ++i) {
      sum += static_cast<Sum>(x(begin + i * step));
      if constexpr (scans) {
        y(begin + i * step) = sum;
      }
    }
    if constexpr (!scans) {
      y(s) = sum;
    }
  }
};
template <bool scans, class T, class Rows>
void kokkos_flat(Exec const& exec, Rows const& rows, std::size_t segments,
                 Vector<T> const& x, Vector<sum_type<T>> const& y) {
  Kokkos::parallel_for("perf_segmented", IndexRange(exec, 0, segments),
                       FlatRows<T, Rows, scans>{rows, x, y});
}

/// Columns in parts: neighbouring threads have neighbouring columns and the
/// same rows.
template <class T>
struct PartsOfColumns {
  using Sum = sum_type<T>;
  enum class Does { adds, sums, scans };

  ColumnRows matrix;
  int columns, parts, rows;  // rows of a part
  Vector<T> x;
  Vector<Sum> y;
  Does does        = Does::adds;
  Vector<Sum> sums = {};  // of each part; then the prefix before it

  /// As many parts as fill a device twice or so.
  PartsOfColumns(ColumnRows const& m, Vector<T> const& in,
                 Vector<Sum> const& out)
      : matrix(m), columns(static_cast<int>(m.columns)), x(in), y(out) {
    std::size_t const threads = std::size_t(1) << (on_cuda ? 19 : 3);
    rows  = static_cast<int>((m.rows * m.columns + threads - 1) / threads);
    parts = static_cast<int>((m.rows + rows - 1) / rows);
  }
  KOKKOS_FUNCTION void operator()(int thread) const {
    std::size_t const first = std::size_t(thread / columns) * rows;
    std::size_t const begin = first * matrix.columns + thread % columns;
    int const size          = static_cast<int>(
        Kokkos::min(first + std::size_t(rows), matrix.rows) - first);
    if (does == Does::scans) {
      Sum sum = sums(thread);
      for (int i = 0; i < size; ++i) {
        std::size_t const at = begin + i * matrix.columns;
        sum += static_cast<Sum>(x(at));
        y(at) = sum;
      }
      return;
    }
    Sum sum = 0;
    for (int i = 0; i < size; ++i)
      sum += static_cast<Sum>(x(begin + i * matrix.columns));
    if (does == Does::sums)
      sums(thread) = sum;
    else
      Kokkos::atomic_add(&y(thread % columns), sum);
  }
  void run(Exec const& exec) const {
    Kokkos::parallel_for("perf_segmented",
                         RangeOf<int>(exec, 0, parts * columns), *this);
  }
};
template <class T>
Call kokkos_columns_reduce(Exec const& exec, ColumnRows const& matrix,
                           Vector<T> const& x, Vector<sum_type<T>> const& y) {
  PartsOfColumns<T> const parts(matrix, x, y);
  return [=] {
    Kokkos::deep_copy(exec, parts.y, sum_type<T>(0));
    parts.run(exec);
  };
}
/// Sums of parts become the prefixes before them, a team for each column.
template <class Sum>
struct ScanSums {
  int columns, parts;
  Vector<Sum> sums;
  KOKKOS_FUNCTION void operator()(Team::member_type const& member) const {
    int const column = member.league_rank();
    Kokkos::parallel_scan(Kokkos::TeamThreadRange(member, parts),
                          [&](int part, Sum& update, bool final) {
                            Sum& here       = sums(part * columns + column);
                            Sum const added = here;
                            if (final) here = update;
                            update += added;
                          });
  }
};
template <class T>
Call kokkos_columns_scan(Exec const& exec, ColumnRows const& matrix,
                         Vector<T> const& x, Vector<sum_type<T>> const& y) {
  using Parts = PartsOfColumns<T>;
  using Sum   = typename Parts::Sum;
  Parts scan(matrix, x, y);
  int const columns = scan.columns;
  scan.sums         = Vector<Sum>(
      Kokkos::view_alloc(exec, Kokkos::WithoutInitializing, "perf::parts"),
      std::size_t(scan.parts) * columns);
  Parts sum = scan;
  sum.does  = Parts::Does::sums;
  scan.does = Parts::Does::scans;
  return [=] {
    sum.run(exec);
    Kokkos::parallel_for("perf_segmented",
                         Team(exec, columns, on_cuda ? 256 : 1),
                         ScanSums<Sum>{columns, scan.parts, scan.sums});
    scan.run(exec);
  };
}

/// One vector of lanes scans a segment.
template <class T, class Rows>
void kokkos_team_scan(Exec const& exec, Rows const& rows, std::size_t segments,
                      TeamShape const& shape, Vector<T> const& x,
                      Vector<sum_type<T>> const& y) {
  using Sum   = sum_type<T>;
  using Index = typename Rows::Index;
  for_each_by_lanes(
      exec, segments, shape,
      KOKKOS_LAMBDA(Team::member_type const& member, std::size_t s) {
        std::size_t const begin = rows.begin(s);
        Kokkos::parallel_scan(Kokkos::ThreadVectorRange(member, rows.size(s)),
                              [&](Index i, Sum& update, bool final) {
                                update += static_cast<Sum>(x(begin + i));
                                if (final) y(begin + i) = update;
                              });
      });
}

#ifdef KOKKOS_ENABLE_CUDA

struct TimesLength {
  long long length;
  __host__ __device__ long long operator()(long long s) const {
    return s * length;
  }
};
/// The number of the segment, by a product instead of a division: exact for
/// element numbers below 2^31, and the data are not larger.
struct OverLength {
  unsigned length, shift, factor;
  explicit OverLength(std::size_t of)
      : length(static_cast<unsigned>(of)),
        shift(31 + static_cast<unsigned>(std::bit_width(length - 1))),
        factor(static_cast<unsigned>(
            ((std::uint64_t(1) << shift) + length - 1) / length)) {}
  __host__ __device__ int operator()(unsigned i) const {
    return static_cast<int>(std::uint64_t(factor) * i >> shift);
  }
};

template <class T, class Begin>
Call cub_segmented_reduce(Exec const& exec, T const* x, sum_type<T>* result,
                          std::size_t segments, Begin begin) {
  using Sum = sum_type<T>;
  return cub_call(exec, [=](void* scratch, std::size_t& bytes) {
    return cub::DeviceSegmentedReduce::Reduce(
        scratch, bytes, cub_items(x), result, static_cast<long long>(segments),
        begin, begin + 1, Plus<Sum>{}, Sum(0), exec.cuda_stream());
  });
}

// CUB has had segments of a fixed size since CCCL 3.1 or so; older ones take
// the same arguments for iterators, so the exact signature is asked for.
template <class T>
using CubFixed = cudaError_t (*)(void*, std::size_t&, cub_item<T> const*,
                                 sum_type<T>*, ::cuda::std::int64_t, int,
                                 Plus<sum_type<T>>, sum_type<T>, cudaStream_t);
template <class T>
concept HasCubFixed = requires {
  static_cast<CubFixed<T>>(&cub::DeviceSegmentedReduce::Reduce);
};
template <class T>
inline constexpr bool has_cub_fixed = HasCubFixed<T>;

template <class T>
Call cub_fixed_reduce(Exec const& exec, T const* x, sum_type<T>* result,
                      std::size_t segments, int length) {
  CubFixed<T> const code = &cub::DeviceSegmentedReduce::Reduce;
  return cub_call(exec, [=](void* scratch, std::size_t& bytes) {
    return code(scratch, bytes, cub_items(x), result,
                static_cast<::cuda::std::int64_t>(segments), length,
                Plus<sum_type<T>>{}, sum_type<T>(0), exec.cuda_stream());
  });
}

template <class T, class Keys>
Call cub_by_key_scan(Exec const& exec, Keys keys, T const* x, sum_type<T>* y,
                     std::size_t n) {
  return cub_call(exec, [=](void* scratch, std::size_t& bytes) {
    return cub::DeviceScan::InclusiveScanByKey(
        scratch, bytes, keys, cub_items(x), y, Plus<sum_type<T>>{},
        static_cast<std::uint32_t>(n), ::cuda::std::equal_to<>{},
        exec.cuda_stream());
  });
}

#else
template <class T>
inline constexpr bool has_cub_fixed = false;
#endif

template <class T>
struct FillOnes {
  T* data;
  KOKKOS_FUNCTION void operator()(std::size_t i) const {
    data[i] = static_cast<T>(1.f);
  }
};

/// Why there is no matrix-vector product of cuBLAS; empty when there is.
inline std::string cublas_missing() {
#ifdef KOKKOSMMA_PERF_HAS_CUBLAS_HEADER
  return Cublas::instance().missing();
#else
  return on_cuda ? "the toolkit has no cublas_v2.h" : "no Cuda execution space";
#endif
}

}  // namespace perf

#endif
