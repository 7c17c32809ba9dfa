// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_MPI_HALO_HPP
#define KOKKOSMMA_MPI_HALO_HPP

#include <adapters/algorithms/stencil/KokkosMMA_Stencil.hpp>
#include <adapters/drop_in/KokkosMMA_Finalize.hpp>
#include <adapters/algorithms/stencil/KokkosMMA_StencilChecks.hpp>
#include <backends/generic/KokkosMMA_StencilGeneric.hpp>
#include <adapters/algorithms/stencil/KokkosMMA_StencilPolicy.hpp>
#include <adapters/mpi/KokkosMMA_MpiAgreement.hpp>
#include <adapters/mpi/KokkosMMA_MpiTopology.hpp>

#include <Kokkos_Core.hpp>

#ifdef KOKKOS_ENABLE_CUDA
#include <backends/cuda/runtime/KokkosMMA_StreamMark.hpp>
#endif

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <string>
#include <thread>
#include <type_traits>
#include <utility>
#include <vector>

namespace KokkosMMA {
namespace Impl {

/// Any View as data and strides: one kernel for whole blocks and parts of them.
template <class T, int R, class Device>
using BoxView = GridView<T, R, Kokkos::LayoutStride, Device>;

template <int R>
Kokkos::LayoutStride box_layout(
    std::array<std::int64_t, std::size_t(R)> const& extent,
    std::array<std::int64_t, std::size_t(R)> const& stride) {
  auto const n = [&](int d) { return std::size_t(extent[d]); };
  auto const s = [&](int d) { return std::size_t(stride[d]); };
  if constexpr (R == 1) {
    return Kokkos::LayoutStride(n(0), s(0));
  } else if constexpr (R == 2) {
    return Kokkos::LayoutStride(n(0), s(0), n(1), s(1));
  } else {
    return Kokkos::LayoutStride(n(0), s(0), n(1), s(1), n(2), s(2));
  }
}

/// The memory of a box: where its first element is, and the strides.
template <class T, int R>
struct BoxData {
  T* data;
  IndexBox<R> box;
  std::array<std::int64_t, std::size_t(R)> stride;

  T* at(IndexBox<R> const& part) const {
    T* pointer = data;
    for (int d = 0; d < R; ++d)
      pointer += (part.begin[d] - box.begin[d]) * stride[d];
    return pointer;
  }
  template <class Device>
  BoxView<T, R, Device> view(IndexBox<R> const& part) const {
    std::array<std::int64_t, std::size_t(R)> extent;
    for (int d = 0; d < R; ++d) extent[d] = part.extent(d);
    return BoxView<T, R, Device>(at(part), box_layout<R>(extent, stride));
  }
};

template <class V>
auto box_data(V const& view, IndexBox<rank_of<V>> const& box) {
  constexpr int R = rank_of<V>;
  BoxData<typename V::value_type, R> result{view.data(), box, {}};
  for (int d = 0; d < R; ++d) result.stride[d] = std::int64_t(view.stride(d));
  return result;
}
/// A box that lies in memory without gaps, the last dimension fastest.
template <class T, int R>
BoxData<T, R> packed_box(T* data, IndexBox<R> const& box) {
  BoxData<T, R> result{data, box, {}};
  std::int64_t stride = 1;
  for (int d = R - 1; d >= 0; --d) {
    result.stride[d] = stride;
    stride *= box.extent(d);
  }
  return result;
}

template <class T, int R>
struct CopyBox {
  T const* from;
  T* to;
  std::int64_t extent[R], from_stride[R], to_stride[R];

  KOKKOS_FUNCTION void operator()(std::int64_t index) const {
    std::int64_t source = 0, target = 0;
    for (int d = R - 1; d >= 0; --d) {
      std::int64_t const at = d > 0 ? index % extent[d] : index;
      if (d > 0) index /= extent[d];
      source += at * from_stride[d];
      target += at * to_stride[d];
    }
    to[target] = from[source];
  }
};

/// The elements that both boxes have, in order on `exec`.
template <class Exec, class From, class T, int R>
void copy_box(Exec const& exec, BoxData<From, R> const& from,
              BoxData<T, R> const& to) {
  IndexBox<R> const part = from.box.meet(to.box);
  if (part.size() == 0) return;
  CopyBox<T, R> copy;
  copy.from = from.at(part);
  copy.to   = to.at(part);
  for (int d = 0; d < R; ++d) {
    copy.extent[d]      = part.extent(d);
    copy.from_stride[d] = from.stride[d];
    copy.to_stride[d]   = to.stride[d];
  }
  Kokkos::parallel_for(
      "KokkosMMA::mpi::copy_box",
      Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>>(exec, 0,
                                                                 part.size()),
      copy);
}

/// The host waits for what an instance was given before set(), while what came
/// after it runs. Where calls return when their work is done there is nothing
/// to wait for, and elsewhere the fence waits for all.
template <class Exec>
class HaloMark {
 public:
  static constexpr bool overtakes = false;
  explicit HaloMark(Exec const& exec) : m_exec(exec) {}
  void set() {}
  void wait() { m_exec.fence("KokkosMMA::mpi: fence before halos are sent"); }

 private:
  Exec m_exec;
};
#ifdef KOKKOS_ENABLE_CUDA
template <>
class HaloMark<Kokkos::Cuda> {
 public:
  static constexpr bool overtakes = true;
  explicit HaloMark(Kokkos::Cuda const& exec) : m_exec(exec) {}
  void set() { m_mark.set(m_exec); }
  void wait() { m_mark.wait(); }

 private:
  Kokkos::Cuda m_exec;
  Cuda::StreamMark m_mark;
};
#endif

/// What exchanges keep between calls: pinned memory takes longer to allocate
/// than a halo takes to travel.
template <class Exec>
class HaloMemory {
 public:
  static constexpr bool on_host =
      Kokkos::SpaceAccessibility<Exec, Kokkos::HostSpace>::accessible;
  using DeviceSpace = typename Exec::memory_space;
  using HostSpace   = std::conditional_t<on_host, Kokkos::HostSpace,
                                       Kokkos::SharedHostPinnedSpace>;

  /// For messages: memory that MPI and kernels reach.
  char* messages(Exec const& exec, std::size_t bytes) {
    if constexpr (!on_host) {
      if (mpi::gpu_aware()) return grown(exec, m_device_messages, bytes);
    }
    return grown(exec, m_host_messages, bytes);
  }
  /// For strips of the grid with their ghost cells.
  char* strips(Exec const& exec, std::size_t bytes) {
    return grown(exec, m_strips, bytes);
  }

 private:
  template <class View>
  static char* grown(Exec const& exec, View& view, std::size_t bytes) {
    if (view.extent(0) < bytes) {
      exec.fence("KokkosMMA::mpi: fence before memory of halos grows");
      view = View();
      view = View(Kokkos::view_alloc(Kokkos::WithoutInitializing,
                                     "KokkosMMA::mpi::halos"),
                  bytes);
    }
    return view.data();
  }
  Kokkos::View<char*, HostSpace> m_host_messages;
  Kokkos::View<char*, DeviceSpace> m_device_messages, m_strips;
};

/// One per host thread and instance: calls that run at the same time share
/// nothing.
template <class Exec>
HaloMemory<Exec>& halo_memory(Exec const& exec) {
  using Key = std::pair<std::thread::id, std::uint32_t>;
  static std::mutex mutex;
  static std::map<Key, std::unique_ptr<HaloMemory<Exec>>> all;
  std::lock_guard<std::mutex> const lock(mutex);
  static bool released = false;
  if (!released) {
    released = true;
    AtFinalize::add([] {
      std::lock_guard<std::mutex> const hook_lock(mutex);
      all.clear();
    });
  }
  auto& entry = all[{std::this_thread::get_id(), exec.impl_instance_id()}];
  if (!entry) entry = std::make_unique<HaloMemory<Exec>>();
  return *entry;
}

constexpr std::size_t halo_aligned(std::size_t bytes) {
  return (bytes + 255) / 256 * 256;
}

/// The ghost cells of one block, once around: pack(), start(), finish(), then
/// received() until the next start(). Where `overtakes`, work that the instance
/// is given between pack() and start() runs while the halos travel.
template <class Exec, class T, int R>
class HaloExchange {
 public:
  HaloExchange(char const* who, Exec const& exec, MpiBlock<R> const& block)
      : m_who(who),
        m_exec(exec),
        m_mark(exec),
        m_comm(block.topology.comm),
        m_messages(block.messages(who)) {
    std::size_t bytes = 0;
    for (MpiMessage<R> const& message : m_messages)
      bytes += halo_aligned(std::size_t(message.to.size()) * sizeof(T)) +
               halo_aligned(std::size_t(message.from.size()) * sizeof(T));
    char* memory = halo_memory(exec).messages(exec, bytes);
    for (MpiMessage<R> const& message : m_messages) {
      m_to.push_back(packed_box(reinterpret_cast<T*>(memory), message.to));
      memory += halo_aligned(std::size_t(message.to.size()) * sizeof(T));
      m_from.push_back(packed_box(reinterpret_cast<T*>(memory), message.from));
      memory += halo_aligned(std::size_t(message.from.size()) * sizeof(T));
    }
    check_mpi(who, "MPI_Type_contiguous",
              MPI_Type_contiguous(int(sizeof(T)), MPI_BYTE, &m_type));
    check_mpi(who, "MPI_Type_commit", MPI_Type_commit(&m_type));
  }
  HaloExchange(HaloExchange const&)            = delete;
  HaloExchange& operator=(HaloExchange const&) = delete;
  ~HaloExchange() {
    // After an exception: the neighbours have what they need, and the memory is
    // used again.
    MPI_Waitall(int(m_requests.size()), m_requests.data(), MPI_STATUSES_IGNORE);
    if (m_type != MPI_DATATYPE_NULL) MPI_Type_free(&m_type);
  }

  static constexpr bool overtakes = HaloMark<Exec>::overtakes;

  template <class From>
  void pack(BoxData<From, R> const& block) {
    for (BoxData<T, R> const& box : m_to) copy_box(m_exec, block, box);
    m_mark.set();
  }
  /// Waits for pack(), and so for whatever still read the messages of the
  /// exchange before.
  void start() {
    m_mark.wait();
    m_requests.clear();
    m_requests.reserve(2 * m_messages.size());
    for (std::size_t i = 0; i < m_messages.size(); ++i)
      check_mpi(m_who, "MPI_Irecv",
                MPI_Irecv(m_from[i].data, int(m_from[i].box.size()), m_type,
                          m_messages[i].neighbour, m_messages[i].tag_from,
                          m_comm, next_request()));
    for (std::size_t i = 0; i < m_messages.size(); ++i)
      check_mpi(m_who, "MPI_Isend",
                MPI_Isend(m_to[i].data, int(m_to[i].box.size()), m_type,
                          m_messages[i].neighbour, m_messages[i].tag_to, m_comm,
                          next_request()));
  }
  void finish() {
    check_mpi(m_who, "MPI_Waitall",
              MPI_Waitall(int(m_requests.size()), m_requests.data(),
                          MPI_STATUSES_IGNORE));
    m_requests.clear();
  }
  std::vector<BoxData<T, R>> const& received() const { return m_from; }

 private:
  MPI_Request* next_request() {
    m_requests.push_back(MPI_REQUEST_NULL);
    return &m_requests.back();
  }
  char const* m_who;
  Exec m_exec;
  HaloMark<Exec> m_mark;
  MPI_Comm m_comm;
  std::vector<MpiMessage<R>> m_messages;
  std::vector<BoxData<T, R>> m_to, m_from;
  std::vector<MPI_Request> m_requests;
  MPI_Datatype m_type = MPI_DATATYPE_NULL;
};

/// A part of a block as a grid of its own.
template <int R>
struct HaloRegion {
  IndexBox<R> box;           ///< what is written
  IndexBox<R> source;        ///< what is read, ghost cells included
  Boundaries<R> boundaries;  ///< of the part

  HaloRegion(MpiBlock<R> const& block, IndexBox<R> const& box_)
      : box(box_), source(box_), boundaries(block.local) {
    for (int d = 0; d < R; ++d) {
      if (box.begin[d] > 0) boundaries.low[d] = {Boundary::halo, 0};
      if (box.end[d] < block.extent[d])
        boundaries.high[d] = {Boundary::halo, 0};
      source.begin[d] -= boundaries.ghosts_low(d, block.radius[d]);
      source.end[d] += boundaries.ghosts_high(d, block.radius[d]);
    }
  }
};

/// A block in parts: the interior needs no ghost cell of another rank, the
/// strips along inner boundaries do. A block that is too thin for an interior
/// is one strip.
template <int R>
struct HaloRegions {
  std::vector<HaloRegion<R>> interior, strips;

  explicit HaloRegions(MpiBlock<R> const& block) {
    IndexBox<R> rest = block.own();
    bool thin        = false;
    for (int d = 0; d < R; ++d) {
      int const low  = block.inner_low(d) ? block.radius[d] : 0;
      int const high = block.inner_high(d) ? block.radius[d] : 0;
      thin           = thin || ((low || high) &&
                      block.extent[d] - low - high < block.least_extent(d));
      if (low) {
        IndexBox<R> strip = rest;
        strip.end[d]      = low;
        strips.push_back({block, strip});
      }
      if (high) {
        IndexBox<R> strip = rest;
        strip.begin[d]    = block.extent[d] - high;
        strips.push_back({block, strip});
      }
      rest.begin[d] += low;
      rest.end[d] -= high;
    }
    if (thin) {
      strips.clear();
      strips.push_back({block, block.own()});
    } else {
      interior.push_back({block, rest});
    }
  }
};

/// One step: the interior runs while the ghost cells are on the way.
template <class A, class Exec, int R, class From, class T, class Exchange>
void halo_step(Exec const& exec, HaloRegions<R> const& regions,
               BoxData<From, R> const& from, BoxData<T, R> const& to,
               StencilWeights<R> const& weights, Settings const& settings,
               Exchange& exchange) {
  using Element       = std::remove_const_t<From>;
  using Device        = typename Exec::device_type;
  auto const interior = [&] {
    for (HaloRegion<R> const& region : regions.interior)
      KokkosMMA::stencil<A>(exec, from.template view<Device>(region.source),
                            to.template view<Device>(region.box), weights,
                            region.boundaries, 1, settings);
  };
  exchange.pack(from);
  if constexpr (Exchange::overtakes) {
    interior();
    exchange.start();
  } else {
    exchange.start();
    interior();
  }
  exchange.finish();

  std::size_t bytes = 0;
  for (HaloRegion<R> const& strip : regions.strips)
    bytes += halo_aligned(std::size_t(strip.source.size()) * sizeof(Element));
  char* memory      = halo_memory(exec).strips(exec, bytes);
  Route const route = last_route_of_this_thread();
  // A route that was asked for is the interior's; strips take it where it runs.
  Settings wish;
  wish.route = settings.route;
  ScopedSettings const scope(wish);
  for (HaloRegion<R> const& strip : regions.strips) {
    auto const with_ghosts =
        packed_box(reinterpret_cast<Element*>(memory), strip.source);
    memory += halo_aligned(std::size_t(strip.source.size()) * sizeof(Element));
    copy_box(exec, from, with_ghosts);
    for (auto const& box : exchange.received())
      copy_box(exec, box, with_ghosts);
    BoxView<Element const, R, Device> const source =
        with_ghosts.template view<Device>(strip.source);
    KokkosMMA::stencil<A>(exec, source, to.template view<Device>(strip.box),
                          weights, strip.boundaries, 1);
  }
  if (!regions.interior.empty()) last_route_of_this_thread() = route;
}

template <int R>
void check_message_sizes(char const* who, MpiBlock<R> const& block) {
  for (MpiMessage<R> const& message : block.messages(who))
    if (message.to.size() > std::numeric_limits<int>::max())
      invalid_argument(who, "a halo of ", message.to.size(),
                       " elements; MPI counts up to ",
                       std::numeric_limits<int>::max(),
                       ": cut the grid along more dimensions");
}

/// The policy of the same stencil refuses a route that cannot run.
template <class A, class Exec, class X, int R>
void check_forced_stencil(char const* who, Exec const& exec, X const& in,
                          GridExtents<R> const& extents,
                          StencilWeights<R> const& weights,
                          Boundaries<R> const& given,
                          Settings const& settings) {
  try {
    StencilPolicy<Exec, Kokkos::Rank<unsigned(R)>, A>(
        exec, StencilExtents<R>(extents), in, weights, given, settings);
  } catch (std::invalid_argument const& error) {
    std::string const text = error.what();
    invalid_argument(who, text.substr(text.find(": ") + 2));
  }
}

template <int R>
void add_boundaries(MpiChecksum& checksum, Boundaries<R> const& boundaries) {
  for (int d = 0; d < R; ++d)
    for (BoundaryCondition const& condition :
         {boundaries.low[d], boundaries.high[d]}) {
      checksum.add(condition.kind);
      checksum.add(condition.value);
    }
}

template <class A, class Exec, class X, class Y>
void run_mpi_stencil(char const* who, MPI_Comm comm, Exec const& exec,
                     X const& in, Y const& out,
                     StencilWeights<rank_of<X>> const& weights,
                     Boundaries<rank_of<X>> const& boundaries,
                     std::int64_t steps, Settings const& settings) {
  constexpr int R = rank_of<X>;
  using Element   = typename X::non_const_value_type;
  using Result    = typename Y::non_const_value_type;

  MpiBlock<R> const block(who, comm, extents_of(out), weights.radius(),
                          boundaries);
  MpiCall call;
  call.operation   = MpiOperation::stencil;
  call.input       = scalar_v<Element>;
  call.output      = scalar_v<Result>;
  call.accumulator = scalar_v<A>;
  call.bytes       = sizeof(Element);
  call.rank        = R;
  call.steps       = steps;
  MpiChecksum checksum;
  for (int d = 0; d < R; ++d) {
    call.extent[d] = block.extent[d];
    checksum.add(weights.radius(d));
  }
  for (double const weight : weights.values()) checksum.add(weight);
  add_boundaries(checksum, boundaries);
  checksum.add(steps);
  call.same                        = checksum.value();
  std::vector<MpiCall> const calls = agree(who, comm, call, [&](MpiCall&) {
    check_settings(who, settings);
    if (steps < 1)
      invalid_argument(who, "steps is ", steps, "; it must be 1 or more");
    boundaries.check(who);
    // `in` has ghost cells beyond boundaries of the whole grid only.
    Boundaries<R> given = boundaries;
    for (int d = 0; d < R; ++d) {
      if (block.inner_low(d)) given.low[d] = {Boundary::nearest, 0};
      if (block.inner_high(d)) given.high[d] = {Boundary::nearest, 0};
    }
    check_stencil_extents(who, "in", in, block.extent, weights.radius(), given);
    if (steps > 1)
      refuse_halo(who, boundaries,
                  "its ghost cells are filled by the caller before each step; "
                  "make steps 1");
    if (steps > 1 && !accumulator_holds<Result, A>())
      invalid_argument(who, "steps is ", steps, ", and sums in ",
                       to_string(scalar_v<A>), " cannot hold the ",
                       to_string(scalar_v<Result>),
                       " that a step writes and the next one reads; choose "
                       "another accumulator or make steps 1");
    check_weights<A>(who, weights);
    as_elements<Element>(who, boundaries);
    if (steps > 1) as_elements<Result>(who, boundaries);
    check_grid_memory(who, "out", out);
    check_grid_distinct(who, "out", out);
    check_grids_apart(who, "in", in, "out", out);
    check_message_sizes(who, block);
    if (settings.route != Route::automatic)
      check_forced_stencil<A>(who, exec, in, block.extent, weights, given,
                              settings);
  });
  block.check(who, calls);
  if (is_empty_grid(out)) return;
  if (!block.has_neighbours()) {
    KokkosMMA::stencil<A>(exec, in, out, weights, boundaries, steps, settings);
    return;
  }

  HaloRegions<R> const regions(block);
  auto const target = box_data(out, block.own());
  using Memory      = MemoryLike<Exec, Y>;
  Memory const own =
      steps > 1 ? Memory(exec, "KokkosMMA::between_steps", out) : Memory();
  auto const other = box_data(own.view(), block.own());
  // The last step writes to `out`.
  auto const to = [&](std::int64_t step) {
    return (steps - step) % 2 == 1 ? target : other;
  };
  {
    auto const source = box_data(in, block.given());
    HaloExchange<Exec, Element, R> exchange(who, exec, block);
    halo_step<A>(
        exec, regions,
        BoxData<Element const, R>{source.data, source.box, source.stride},
        to(0), weights, settings, exchange);
  }
  if (steps == 1) return;
  if constexpr (accumulator_holds<Result, A>()) {
    HaloExchange<Exec, Result, R> exchange(who, exec, block);
    for (std::int64_t step = 1; step < steps; ++step) {
      auto const from = to(step - 1);
      halo_step<A>(exec, regions,
                   BoxData<Result const, R>{from.data, from.box, from.stride},
                   to(step), weights, settings, exchange);
    }
  }
}

}  // namespace Impl

namespace mpi {

/// out = weighted sums of the neighbours in `in`, `steps` times, over a grid
/// that lies in blocks on the ranks of `comm`: what KokkosMMA::stencil gives
/// for the whole grid.
///
/// \tparam Accumulator type of the sums, as for KokkosMMA::stencil
/// \param comm  communicator of one group. With a Cartesian topology
///              (MPI_Cart_create, as many dimensions as the grid) the blocks
///              lie as the ranks do; without one they follow each other along
///              dimension 0 in rank order. Whether the topology is periodic
///              does not matter: `boundaries` say so
/// \param in    View of this rank's block, without ghost cells but beyond those
///              boundaries of the whole grid that are halos. Blocks at the same
///              place along a dimension have the same extent in it; others may
///              differ. In a dimension that is split each has at least as many
///              elements as the radius, one more where a boundary is a mirror
/// \param out   View of this rank's block that shares no memory with `in`
/// \param boundaries what lies beyond the boundaries of the whole grid
/// \param steps 1 or more; one exchange each
/// \param settings route of the interior of the block; strips along inner
/// boundaries
///              take it where they can
///
/// Each step packs the elements that neighbours need, computes the interior
/// while they travel, and then strips of the width of the radius
/// along the inner boundaries, whose elements are copied together with the
/// ghost cells. Every element is the sum that one GPU computes, in the order of
/// the route that it takes: integers do not depend on the number of ranks,
/// floating point only where strips take another route than the interior.
///
/// The last strips run in order on `exec` after the call has returned. Tags
/// 27500 to 27526 of `comm` belong to the call while it runs.
///
/// \throws std::invalid_argument on every rank when one rank's arguments are
/// refused, differ, or blocks do not fit together; nothing is written then.
template <class Accumulator = void, class Exec, Impl::StencilView X,
          Impl::StencilView Y>
void stencil(MPI_Comm comm, Exec const& exec, X const& in, Y const& out,
             StencilWeights<Impl::rank_of<X>> const& weights,
             Boundaries<Impl::rank_of<X>> const& boundaries,
             std::int64_t steps = 1, Settings const& settings = {}) {
  using Element = typename X::non_const_value_type;
  using Result  = typename Y::non_const_value_type;
  using A       = Impl::stencil_accumulator_t<Accumulator, Element, Result>;
  static_assert(Impl::rank_of<X> == Impl::rank_of<Y>,
                "KokkosMMA::mpi::stencil: in and out must have one rank");
  static_assert(!std::is_const_v<typename Y::value_type>,
                "KokkosMMA::mpi::stencil: out is written, its elements must "
                "not be const");
  KOKKOSMMA_IMPL_CHECK_STENCIL("KokkosMMA::mpi::stencil", Exec, X, A);
  static_assert(
      Kokkos::SpaceAccessibility<Exec, typename Y::memory_space>::accessible &&
          Impl::is_plain_memory<Y>,
      "KokkosMMA::mpi::stencil: out must be accessible from the execution "
      "space and refer to its elements");
  static_assert(Impl::may_write<X, Y, A>(),
                "KokkosMMA::mpi::stencil: out must be a View of half_t, "
                "bhalf_t, float, double or, for integer sums, integers other "
                "than bool that are no narrower than those of in");
  Impl::run_mpi_stencil<A>("KokkosMMA::mpi::stencil", comm, exec, in, out,
                           weights, boundaries, steps, settings);
}

/// The same with the weights, the boundaries and the type of the sums of a
/// policy; the View of the policy is not read.
template <class Exec, Impl::StencilView X, Impl::StencilView Y,
          Impl::StencilPolicyType Policy>
void stencil(MPI_Comm comm, Exec const& exec, X const& in, Y const& out,
             Policy const& policy, std::int64_t steps = 1,
             Settings const& settings = {}) {
  static_assert(Impl::rank_of<X> == Policy::rank,
                "KokkosMMA::mpi::stencil: the rank of the Views must be that "
                "of the policy");
  mpi::stencil<typename Policy::value_type>(
      comm, exec, in, out, policy.weights(), policy.boundaries(), steps,
      settings);
}

/// Fills the ghost cells of a View beyond those boundaries behind which another
/// rank's block lies, corners too, with that block's elements: for
/// StencilPolicy with a functor of one's own and block_boundaries().
///
/// \param x      View of this rank's block and its ghost cells, as many as the
///               radius beyond each boundary that block_boundaries() calls a
///               halo. Those beyond boundaries of the whole grid stay the
///               caller's
/// \param radius ghost cells per dimension, 0 or more
/// \param boundaries of the whole grid
///
/// Waits for `exec`, then for the neighbours; the ghost cells are written in
/// order on `exec`.
///
/// \throws std::invalid_argument on every rank, as stencil()
template <class Exec, Impl::StencilView X>
void exchange_halos(
    MPI_Comm comm, Exec const& exec, X const& x,
    std::array<int, std::size_t(Impl::rank_of<X>)> const& radius,
    Boundaries<Impl::rank_of<X>> const& boundaries) {
  constexpr char const* who = "KokkosMMA::mpi::exchange_halos";
  constexpr int R           = Impl::rank_of<X>;
  using Element             = typename X::non_const_value_type;
  static_assert(!std::is_const_v<typename X::value_type>,
                "KokkosMMA::mpi::exchange_halos: ghost cells are written, the "
                "elements must not be const");
  static_assert(std::is_trivially_copyable_v<Element>,
                "KokkosMMA::mpi::exchange_halos: the elements travel as bytes "
                "and must be trivially copyable");
  static_assert(
      Kokkos::SpaceAccessibility<Exec, typename X::memory_space>::accessible &&
          Impl::is_plain_memory<X>,
      "KokkosMMA::mpi::exchange_halos: x must be accessible from the execution "
      "space and refer to its elements");
  Impl::MpiBlock<R> block(who, comm, Impl::extents_of(x), radius, boundaries);
  Impl::MpiCall call;
  call.operation = Impl::MpiOperation::exchange_halos;
  call.input     = scalar_v<Element>;
  call.bytes     = std::uint8_t(sizeof(Element));
  call.rank      = R;
  Impl::MpiChecksum checksum;
  for (int d = 0; d < R; ++d) {
    block.extent[d] -= block.local.ghosts_low(d, radius[d]) +
                       block.local.ghosts_high(d, radius[d]);
    call.extent[d] = block.extent[d];
    checksum.add(radius[d]);
  }
  checksum.add(sizeof(Element));
  Impl::add_boundaries(checksum, boundaries);
  call.same = checksum.value();
  std::vector<Impl::MpiCall> const calls =
      Impl::agree(who, comm, call, [&](Impl::MpiCall&) {
        boundaries.check(who);
        for (int d = 0; d < R; ++d) {
          if (radius[d] < 0)
            Impl::invalid_argument(who, "the radius of dimension ", d, " is ",
                                   radius[d], "; it is 0 or more");
          if (block.extent[d] < 0)
            Impl::invalid_argument(
                who, "x \"", x.label(), "\" of ", Impl::shape_of(x),
                " has fewer elements in dimension ", d, " than ghost cells, ",
                block.local.ghosts_low(d, radius[d]), " and ",
                block.local.ghosts_high(d, radius[d]));
        }
        Impl::check_grid_memory(who, "x", x);
        Impl::check_grid_distinct(who, "x", x);
        Impl::check_message_sizes(who, block);
      });
  block.check(who, calls);
  if (block.own().size() == 0 || !block.has_neighbours()) return;
  auto const memory = Impl::box_data(x, block.padded());
  Impl::HaloExchange<Exec, Element, R> exchange(who, exec, block);
  exchange.pack(memory);
  exchange.start();
  exchange.finish();
  for (auto const& box : exchange.received()) Impl::copy_box(exec, box, memory);
}

}  // namespace mpi
}  // namespace KokkosMMA

#endif
