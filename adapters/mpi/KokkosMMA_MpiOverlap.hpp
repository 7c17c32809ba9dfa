// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_MPI_OVERLAP_HPP
#define KOKKOSMMA_MPI_OVERLAP_HPP

#include <adapters/algorithms/stencil/KokkosMMA_Stencil.hpp>
#include <adapters/mpi/KokkosMMA_MpiExchange.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <type_traits>
#include <vector>

/// \file
/// A step of a block that overlaps its interior with the exchange of halos.

namespace KokkosMMA::Impl {

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
  if (!regions.interior.empty()) last_route_of_this_thread() = route;
}

}  // namespace KokkosMMA::Impl

#endif
