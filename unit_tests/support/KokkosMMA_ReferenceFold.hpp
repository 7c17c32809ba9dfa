// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef KOKKOSMMA_REFERENCE_FOLD_HPP
#define KOKKOSMMA_REFERENCE_FOLD_HPP

#include <core/routing/KokkosMMA_LaunchShape.hpp>

#include <algorithm>
#include <cstdint>
#include <vector>

/// \file
/// A reduction by an opaque functor with every operation in the place that
/// level device_independent promises, in plain loops.

namespace KokkosMMA::Testing {

/// A value for each lane of 32, joined by halves.
template <class T, class Join>
T fold_of_lanes(std::vector<T> lane, Join const& join) {
  for (std::size_t offset = 16; offset > 0; offset /= 2)
    for (std::size_t l = 0; l < offset; ++l)
      lane[l] = join(lane[l], lane[l + offset]);
  return lane[0];
}

template <class T, class Join>
T fold_of_block(std::vector<T> const& thread, T identity, Join const& join) {
  std::vector<T> warps;
  for (auto at = thread.begin(); at != thread.end(); at += 32)
    warps.push_back(fold_of_lanes(std::vector<T>(at, at + 32), join));
  if (warps.size() == 1) return warps[0];
  warps.resize(32, identity);
  return fold_of_lanes(warps, join);
}

/// join(value, element(i)) over [0, size) by a launch of this shape, whose
/// blocks have so many subranges each.
template <class T, class Element, class Join>
T reference_fold(Impl::StreamedTuning const& tuning,
                 Impl::LaunchShape const& shape, std::uint64_t size, T identity,
                 Element const& element, Join const& join,
                 unsigned subranges = 1) {
  auto const threads         = std::uint64_t(shape.threads);
  auto const accumulators    = std::uint64_t(tuning.accumulators);
  std::uint64_t const shares = std::uint64_t(shape.blocks) * subranges;
  std::uint64_t const share  = ((size + shares - 1) / shares + 127) / 128 * 128;
  std::uint64_t const tile   = threads * std::uint64_t(tuning.calls);
  std::vector<T> partials;
  for (std::uint64_t s = 0; s < shares; ++s) {
    std::uint64_t const begin = s * share;
    std::uint64_t const end   = std::min(begin + share, size);
    std::uint64_t rest        = begin;
    if (threads == std::uint64_t(tuning.threads) && begin < end)
      rest = begin + (end - begin) / tile * tile;
    std::vector<T> of_thread;
    for (std::uint64_t t = 0; t < threads; ++t) {
      std::vector<T> value(accumulators, identity);
      std::uint64_t call = 0;
      auto const add     = [&](std::uint64_t i, std::uint64_t in_round) {
        T& into = value[call % in_round % accumulators];
        into    = join(into, element(i));
        ++call;
      };
      for (std::uint64_t i = begin + t; i < rest; i += threads)
        add(i, std::uint64_t(tuning.calls));
      call = 0;
      for (std::uint64_t i = rest + t; i < end; i += threads) add(i, 4);
      for (std::uint64_t step = accumulators / 2; step > 0; step /= 2)
        for (std::uint64_t k = 0; k < step; ++k)
          value[k] = join(value[k], value[k + step]);
      of_thread.push_back(value[0]);
    }
    T const value = fold_of_block(of_thread, identity, join);
    if (s % subranges == 0)
      partials.push_back(value);
    else
      partials.back() = join(partials.back(), value);
  }
  if (partials.size() == 1) return partials[0];
  std::vector<T> of_thread(threads, identity);
  for (std::size_t b = 0; b < partials.size(); ++b)
    of_thread[b % threads] = join(of_thread[b % threads], partials[b]);
  return fold_of_block(of_thread, identity, join);
}

/// The same by the launch that all devices have.
template <class T, class Element, class Join>
T reference_fold(Impl::StreamedTuning const& tuning, std::uint64_t size,
                 T identity, Element const& element, Join const& join) {
  constexpr unsigned most_blocks = 4096;
  return reference_fold<T>(tuning,
                           Impl::fixed_reduce_shape(tuning, size, most_blocks),
                           size, identity, element, join);
}

}  // namespace KokkosMMA::Testing

#endif
