// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_CALL_ORDERS_HPP
#define KOKKOSMMA_CALL_ORDERS_HPP

#include <core/base/KokkosMMA_Designators.hpp>
#include <core/routing/KokkosMMA_StreamedTuning.hpp>

namespace KokkosMMA::Impl {

KOKKOSMMA_IMPL_DESIGNATORS_BEGIN

/// Schedules of a kernel. The first is used where no times are measured.
struct CallOrders {
  CallOrder all[4];
  int count;

  constexpr CallOrder operator[](int order) const { return all[order]; }
};

/// \param is_box several dimensions, processed in tiles
constexpr CallOrders call_orders(StreamedTuning const& tuning,
                                 bool is_box = false) {
  CallOrders orders{{}, 1};
  bool const most = tuning.most_calls > tuning.calls && !is_box;
  bool const near = has_neighbours(tuning) || is_box;
  auto const add  = [&](CallOrder const& order) {
    orders.all[orders.count++] = order;
  };
  if (most || near) add({.most_calls = most, .neighbours = near});
  add({.most_calls = most, .free_running = true});
  if (scatters_warps(tuning))
    add({.most_calls = most, .free_running = true, .scattered_warps = true});
  return orders;
}

KOKKOSMMA_IMPL_DESIGNATORS_END

}  // namespace KokkosMMA::Impl

#endif
