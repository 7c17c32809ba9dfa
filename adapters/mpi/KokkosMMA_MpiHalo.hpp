// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_MPI_HALO_HPP
#define KOKKOSMMA_MPI_HALO_HPP

#include <adapters/algorithms/stencil/KokkosMMA_Stencil.hpp>
#include <adapters/algorithms/stencil/KokkosMMA_StencilChecks.hpp>
#include <adapters/algorithms/stencil/KokkosMMA_StencilPolicy.hpp>
#include <adapters/kokkos/KokkosMMA_Explain.hpp>
#include <adapters/kokkos/KokkosMMA_TemporaryMemory.hpp>
#include <adapters/mpi/KokkosMMA_MpiAgreement.hpp>
#include <adapters/mpi/KokkosMMA_MpiExchange.hpp>
#include <adapters/mpi/KokkosMMA_MpiTopology.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <type_traits>
#include <vector>

namespace KokkosMMA {
namespace Impl {

/// Part of a block, computed as a grid with its own boundaries.
template <int R>
struct HaloRegion {
  IndexBox<R> box;           ///< elements written
  IndexBox<R> source;        ///< elements read, with ghost cells
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

/// Parts of a block: an interior, which needs no ghost cell of another rank,
/// and strips along the boundaries to other blocks, which do. A block that is
/// too thin for an interior is one strip.
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

/// One step of a block: the interior is computed while halos are exchanged.
template <class A, class Exec, int R, class From, class T, class Exchange>
void halo_step(Exec const& exec, HaloRegions<R> const& regions,
               BoxData<From, R> const& from, BoxData<T, R> const& to,
               StencilWeights<R> const& weights, Settings const& settings,
               Exchange& exchange) {
  using Element       = std::remove_const_t<From>;
  using Device        = typename Exec::device_type;
  Route route         = Route::automatic;
  auto const interior = [&] {
    for (HaloRegion<R> const& region : regions.interior) {
      auto const source = from.template view<Device>(region.source);
      auto const target = to.template view<Device>(region.box);
      PlannedStencil<Exec, A, std::remove_const_t<decltype(source)>,
                     std::remove_const_t<decltype(target)>> const
          planned("KokkosMMA::stencil", exec, source, target, weights,
                  region.boundaries, 1, settings);
      planned.run(std::string(settings.label), exec, source, target);
      route = planned.route();
    }
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
  char* memory = halo_memory(exec).strips(exec, bytes);
  // A forced route must run on the interior; strips use it if they can.
  Settings requested;
  requested.route = settings.route;
  ScopedSettings const scope(requested);
  Settings named;
  named.label = settings.label;
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
                          weights, strip.boundaries, 1, named);
  }
  if (!regions.interior.empty()) observed(route);
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

template <class A, class Exec, class X, class Y, int R>
void check_forced_stencil(char const* who, Exec const& exec, X const& in,
                          Y const& out, StencilWeights<R> const& weights,
                          Boundaries<R> const& boundaries,
                          Settings const& settings) {
  auto const factored = factored_weights(in, weights);
  auto const grid     = stencil_grid(in, boundaries, extents_of(out),
                                     weights.radius(), factored->is_reversed);
  decide_call(
      who, settings,
      stencil_route(exec,
                    stencil_problem<Exec, A, typename X::non_const_value_type,
                                    typename Y::non_const_value_type>(
                        *factored, row_layout(grid),
                        row_layout(out, factored->is_reversed))),
      level_of_stencil(scalar_v<A>));
}

/// Throws if a forced route cannot run a step on the interior of a block, or on
/// the whole block if it has no interior.
/// \param given boundaries of `from`
template <class A, class Exec, class From, class To, int R>
void check_forced_step(char const* who, Exec const& exec,
                       BoxData<From, R> const& from, BoxData<To, R> const& to,
                       HaloRegions<R> const& regions,
                       StencilWeights<R> const& weights,
                       Boundaries<R> const& given, Settings const& settings) {
  using Device     = typename Exec::device_type;
  auto const check = [&](IndexBox<R> const& source, IndexBox<R> const& target,
                         Boundaries<R> const& boundaries) {
    check_forced_stencil<A>(who, exec, from.template view<Device>(source),
                            to.template view<Device>(target), weights,
                            boundaries, settings);
  };
  for (HaloRegion<R> const& region : regions.interior)
    check(region.source, region.box, region.boundaries);
  if (regions.interior.empty()) check(from.box, to.box, given);
}

/// Call on the blocks of a grid. Its ranks must agree on radii, boundaries and
/// what is in `checksum`.
template <class Element, int R>
MpiCall call_on_blocks(MpiOperation operation, MpiBlock<R> const& block,
                       MpiChecksum checksum) {
  MpiCall call;
  call.operation = operation;
  call.input     = scalar_v<Element>;
  call.bytes     = sizeof(Element);
  call.rank      = R;
  for (int d = 0; d < R; ++d) {
    call.extent[d] = block.extent[d];
    checksum.add(block.radius[d]);
    for (BoundaryCondition const& condition :
         {block.global.low[d], block.global.high[d]}) {
      checksum.add(condition.kind);
      checksum.add(condition.value);
    }
  }
  call.same = checksum.value();
  return call;
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

  refuse_explain(who, "explain KokkosMMA::stencil on the Views of one rank");
  MpiBlock<R> const block(who, comm, extents_of(out), weights.radius(),
                          boundaries);
  MpiChecksum checksum;
  for (double const weight : weights.values()) checksum.add(weight);
  checksum.add(steps);
  MpiCall call =
      call_on_blocks<Element>(MpiOperation::stencil, block, checksum);
  call.output      = scalar_v<Result>;
  call.accumulator = scalar_v<A>;
  std::optional<MemoryLike<Exec, Y>> memory;
  // The last step writes to `out`.
  auto const to = [&](std::int64_t step) {
    return memory && (steps - step) % 2 == 0
               ? box_data(memory->view(), block.own())
               : box_data(out, block.own());
  };
  std::vector<MpiCall> const calls = agree(who, comm, call, [&](MpiCall&) {
    // An invalid KOKKOSMMA_MPI_GPU_AWARE throws on all ranks.
    if constexpr (!HaloMemory<Exec>::on_host) {
      mpi::gpu_aware();
    }
    // `in` has ghost cells beyond boundaries of the whole grid only.
    Boundaries<R> given = boundaries;
    for (int d = 0; d < R; ++d) {
      if (block.inner_low(d)) given.low[d] = {Boundary::nearest, 0};
      if (block.inner_high(d)) given.high[d] = {Boundary::nearest, 0};
    }
    check_stencil_call<A>(who, in, out, weights, boundaries, given, steps);
    check_message_sizes(who, block);
    // Here, because only ranks with an interior would throw later.
    settle_level(who, settings, level_of_stencil(scalar_v<A>));
    if (!has_elements(out)) return;
    // Here, so that a lack of memory on one rank is an error on all.
    if (steps > 1 && block.has_neighbours())
      memory.emplace(exec, "KokkosMMA::between_steps", out);
    if (settings.route == Route::automatic) return;
    HaloRegions<R> const regions(block);
    auto const check = [&](auto const& from, auto const& target) {
      check_forced_step<A>(who, exec, from, target, regions, weights, given,
                           settings);
    };
    check(box_data(in, block.given()), to(0));
    if constexpr (accumulator_holds<Result, A>()) {
      for (std::int64_t step = 1; step < std::min<std::int64_t>(steps, 3);
           ++step)
        check(to(step - 1), to(step));
    }
  });
  block.check(who, calls);
  if (!has_elements(out)) return;
  if (!block.has_neighbours()) {
    KokkosMMA::stencil<A>(exec, in, out, weights, boundaries, steps, settings);
    return;
  }

  HaloRegions<R> const regions(block);
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

/// Weighted sums of neighbours over a grid that is distributed in blocks. The
/// result is that of KokkosMMA::stencil for the whole grid.
///
/// \code
/// mpi::stencil(comm, exec, in, out, weights, torus, 2);
/// \endcode
///
/// \tparam Accumulator type of the sums, as for KokkosMMA::stencil
/// \param comm an intracommunicator. With a Cartesian topology
///        (MPI_Cart_create, as many dimensions as the grid) the blocks are
///        arranged as the ranks are; without one they follow each other along
///        dimension 0 in rank order. Only `boundaries` decides on periodicity,
///        not the topology
/// \param in View of this rank's block. It has ghost cells only beyond sides of
///        the whole grid that are halos. Blocks with the same coordinate in a
///        dimension have the same extent in it; other extents may differ. In a
///        dimension that is split each block has at least as many elements as
///        the radius, one more if a boundary is a mirror
/// \param out View of this rank's block that shares no memory with `in`
/// \param boundaries boundary conditions of the whole grid
/// \param steps 1 or more; one exchange for each
/// \param settings route of the interior of the block; strips along inner sides
///        use it if they can
///
/// Each step packs the elements that neighbours need and computes the interior
/// during the exchange. Then it computes strips of the width of the radius
/// along the inner sides from copies with their ghost cells. Every element is
/// the sum that one GPU computes, in the order of its route. Integers do not
/// depend on the number of ranks; floating-point results do only where strips
/// use another route than the interior.
///
/// The last strips run in order on `exec` after the call has returned. Tags
/// 27500 to 27526 of `comm` are reserved for the call while it runs.
///
/// \throws std::invalid_argument on every rank if arguments of a rank are
/// rejected, if they differ, or if blocks do not fit together; nothing is
/// written then
template <class Accumulator = void, class Exec, Impl::StencilView X,
          Impl::StencilView Y>
void stencil(MPI_Comm comm, Exec const& exec, X const& in, Y const& out,
             StencilWeights<Impl::rank_of<X>> const& weights,
             Boundaries<Impl::rank_of<X>> const& boundaries,
             std::int64_t steps = 1, Settings const& settings = {}) {
  using Element = typename X::non_const_value_type;
  using Result  = typename Y::non_const_value_type;
  using A       = Impl::stencil_accumulator_t<Accumulator, Element, Result>;
  KOKKOSMMA_IMPL_CHECK_STENCIL_VIEWS("KokkosMMA::mpi::stencil", Exec, X, Y, A);
  Impl::run_mpi_stencil<A>("KokkosMMA::mpi::stencil", comm, exec, in, out,
                           weights, boundaries, steps, settings);
}

/// Weighted sums over a distributed grid, with weights, boundaries and sum type
/// from a policy. The View of the policy is not read.
template <class Exec, Impl::StencilView X, Impl::StencilView Y,
          class PolicyExec, class PolicyView, class Accumulator>
void stencil(MPI_Comm comm, Exec const& exec, X const& in, Y const& out,
             StencilPolicy<PolicyExec, PolicyView, Accumulator> const& policy,
             std::int64_t steps = 1, Settings const& settings = {}) {
  using Policy = StencilPolicy<PolicyExec, PolicyView, Accumulator>;
  static_assert(Impl::rank_of<X> == Policy::rank,
                "KokkosMMA::mpi::stencil: the rank of the Views must be that "
                "of the policy");
  mpi::stencil<typename Policy::value_type>(
      comm, exec, in, out, policy.weights(), policy.boundaries(), steps,
      settings);
}

/// Fills the ghost cells of a block with the elements of the neighbouring
/// ranks' blocks. Ghost cells at corners are included. Use it with
/// block_boundaries() before a StencilPolicy.
///
/// \code
/// mpi::exchange_halos(comm, exec, x, {1, 1}, torus);
/// auto const boundaries = mpi::block_boundaries(comm, torus);
/// \endcode
///
/// \param x View of this rank's block and its ghost cells, as many as the
///        radius beyond each side that is a halo in block_boundaries(). The
///        caller fills those beyond sides of the whole grid
/// \param radius ghost cells per dimension, 0 or more
/// \param boundaries boundaries of the whole grid
///
/// The call waits for `exec`, then for the neighbours; the ghost cells are
/// written in order on `exec`.
///
/// \throws std::invalid_argument on every rank, as in stencil()
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
  for (int d = 0; d < R; ++d)
    block.extent[d] -= block.local.ghosts_low(d, radius[d]) +
                       block.local.ghosts_high(d, radius[d]);
  std::vector<Impl::MpiCall> const calls = Impl::agree(
      who, comm,
      Impl::call_on_blocks<Element>(Impl::MpiOperation::exchange_halos, block,
                                    {}),
      [&](Impl::MpiCall&) {
        if constexpr (!Impl::HaloMemory<Exec>::on_host) {
          gpu_aware();
        }
        boundaries.check(who);
        for (int d = 0; d < R; ++d) {
          if (radius[d] < 0)
            Impl::invalid_argument(who, "the radius of dimension ", d, " is ",
                                   radius[d], "; it must be 0 or more");
          if (block.extent[d] < 0)
            Impl::invalid_argument(
                who, "x \"", x.label(), "\" of ", Impl::describe_extents(x),
                " has fewer elements in dimension ", d, " than ghost cells, ",
                block.local.ghosts_low(d, radius[d]), " and ",
                block.local.ghosts_high(d, radius[d]));
        }
        Impl::check_memory(who, "x", x);
        Impl::check_distinct(who, "x", x);
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
