// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef STENCILSUPPORT_HPP
#define STENCILSUPPORT_HPP

#include "AlgorithmSupport.hpp"

#include <array>
#include <cmath>
#include <cstdint>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace KokkosMMA::Testing {

template <int R>
using Place = std::array<std::int64_t, std::size_t(R)>;

/// Values of a grid on the host, the last dimension fastest.
template <int R>
struct HostGrid {
  Place<R> extent;
  std::vector<double> values;

  explicit HostGrid(Place<R> const& extent_) : extent(extent_) {
    std::int64_t size = 1;
    for (std::int64_t const n : extent) size *= n;
    values.resize(std::size_t(size));
  }
  Place<R> place(std::size_t index) const {
    Place<R> result;
    auto rest = std::int64_t(index);
    for (int d = R - 1; d >= 0; --d) {
      result[d] = rest % extent[d];
      rest /= extent[d];
    }
    return result;
  }
  std::size_t index(Place<R> const& place) const {
    std::int64_t index = 0;
    for (int d = 0; d < R; ++d) index = index * extent[d] + place[d];
    return std::size_t(index);
  }
  double& at(Place<R> const& place) { return values[index(place)]; }
  double at(Place<R> const& place) const { return values[index(place)]; }
};

/// Small integers, whose sums are exact in every type.
template <class T, int R>
HostGrid<R> small_integers(Place<R> const& extent, Random& random) {
  HostGrid<R> grid(extent);
  for (double& value : grid.values)
    value = std::is_same_v<T, bool> ? double(random.integer(0, 1))
            : std::is_unsigned_v<T> ? double(random.integer(0, 7))
                                    : double(random.integer(-4, 4));
  return grid;
}

/// What stands for element i of n, one step at a time.
inline std::int64_t stands_for(Boundary kind, std::int64_t i, std::int64_t n) {
  while (i < 0 || i >= n) {
    bool const below = i < 0;
    switch (kind) {
      case Boundary::periodic: i += below ? n : -n; break;
      case Boundary::reflect: i = below ? -1 - i : 2 * n - 1 - i; break;
      case Boundary::mirror:
        i = n == 1 ? 0 : below ? -i : 2 * (n - 1) - i;
        break;
      default: i = below ? 0 : n - 1;
    }
  }
  return i;
}

template <int R, class F>
void for_each_offset(Place<R> const& radius, F const& f) {
  Place<R> offset;
  for (int d = 0; d < R; ++d) offset[d] = -radius[d];
  for (;;) {
    f(offset);
    int d = R - 1;
    while (d >= 0 && offset[d] == radius[d]) {
      offset[d] = -radius[d];
      --d;
    }
    if (d < 0) return;
    ++offset[d];
  }
}

template <int R>
Place<R> radius_of(StencilWeights<R> const& weights) {
  Place<R> radius;
  for (int d = 0; d < R; ++d) radius[d] = weights.radius(d);
  return radius;
}

/// What a stencil adds up: the weights but those of zero, and elements of a
/// grid or, beyond boundaries, the values that replace these. Where constants
/// meet, that of the caller's first dimension is used.
template <class T, int R>
class StencilTerms {
 public:
  /// \param data element 0; ghost cells lie before and after it
  /// \param reversed the last dimension is the caller's first one
  StencilTerms(T const* data, Place<R> const& extent, Place<R> const& stride,
               StencilWeights<R> const& weights,
               Boundaries<R> const& boundaries, bool reversed = false)
      : m_data(data),
        m_extent(extent),
        m_stride(stride),
        m_radius(radius_of(weights)),
        m_boundaries(boundaries),
        m_reversed(reversed) {
    for_each_offset<R>(m_radius, [&](Place<R> const& offset) {
      typename StencilWeights<R>::Offsets o;
      for (int d = 0; d < R; ++d) o[d] = int(offset[d]);
      double const weight = weights.weight(o);
      if (weight != 0) m_terms.push_back({offset, distance_of(offset), weight});
    });
  }

  template <class F>
  void for_each(Place<R> const& element, F const& f) const {
    // Where no boundary is near, what a test takes its time for is short.
    bool is_inside      = true;
    T const* const here = m_data + distance_of(element);
    for (int d = 0; d < R; ++d)
      is_inside = is_inside && element[d] >= m_radius[d] &&
                  element[d] + m_radius[d] < m_extent[d];
    for (Term const& term : m_terms)
      f(term.weight,
        is_inside ? here[term.distance] : at(element, term.offset));
  }

 private:
  struct Term {
    Place<R> offset;
    std::int64_t distance;  ///< in memory
    double weight;
  };
  T at(Place<R> const& place, Place<R> const& offset) const {
    T const* element = m_data;
    for (int n = 0; n < R; ++n) {
      int const d    = m_reversed ? R - 1 - n : n;
      std::int64_t i = place[d] + offset[d];
      BoundaryCondition const& beyond =
          i < 0 ? m_boundaries.low[d] : m_boundaries.high[d];
      if (i < 0 || i >= m_extent[d]) {
        if (beyond.kind == Boundary::constant)
          return static_cast<T>(beyond.value);
        if (beyond.kind != Boundary::halo)
          i = stands_for(beyond.kind, i, m_extent[d]);
      }
      element += i * m_stride[d];
    }
    return *element;
  }
  std::int64_t distance_of(Place<R> const& place) const {
    std::int64_t distance = 0;
    for (int d = 0; d < R; ++d) distance += place[d] * m_stride[d];
    return distance;
  }

  T const* m_data;
  Place<R> m_extent, m_stride, m_radius;
  Boundaries<R> m_boundaries;
  bool m_reversed;
  std::vector<Term> m_terms;
};

/// Sums of the neighbours, and of their magnitudes where these are asked for.
/// `view` begins with ghost cells where boundaries are halos.
template <int R>
HostGrid<R> neighbour_sums(HostGrid<R> const& view, Place<R> const& extent,
                           StencilWeights<R> const& weights,
                           Boundaries<R> const& boundaries,
                           HostGrid<R>* magnitudes = nullptr,
                           bool reversed           = false) {
  Place<R> first{}, stride;
  std::int64_t next = 1;
  for (int d = R - 1; d >= 0; --d) {
    if (boundaries.low[d].kind == Boundary::halo) first[d] = weights.radius(d);
    stride[d] = next;
    next *= view.extent[d];
  }
  StencilTerms<double, R> const terms(view.values.data() + view.index(first),
                                      extent, stride, weights, boundaries,
                                      reversed);
  HostGrid<R> sums(extent);
  for (std::size_t index = 0; index < sums.values.size(); ++index) {
    double magnitude = 0;
    terms.for_each(sums.place(index), [&](double weight, double value) {
      sums.values[index] += weight * value;
      magnitude += std::abs(weight * value);
    });
    if (magnitudes) magnitudes->values[index] = magnitude;
  }
  return sums;
}

/// Extents of the View of a grid with its ghost cells.
template <int R>
Place<R> with_ghosts(Place<R> extent, Place<R> const& radius,
                     Boundaries<R> const& boundaries) {
  for (int d = 0; d < R; ++d) {
    if (boundaries.low[d].kind == Boundary::halo) extent[d] += radius[d];
    if (boundaries.high[d].kind == Boundary::halo) extent[d] += radius[d];
  }
  return extent;
}

/// Boundaries of which every boundary is drawn on its own.
template <int R>
Boundaries<R> random_boundaries(Random& random, bool halos = true) {
  Boundaries<R> result;
  auto const condition = [&](int first) {
    return BoundaryCondition{Boundary(random.integer(first, halos ? 5 : 4)),
                             double(random.integer(0, 1))};
  };
  for (int d = 0; d < R; ++d) {
    result.low[d] = condition(0);
    do {
      result.high[d] = condition(0);
    } while ((result.low[d].kind == Boundary::periodic) !=
             (result.high[d].kind == Boundary::periodic));
  }
  return result;
}

template <int R>
std::string describe(Place<R> const& extent, Boundaries<R> const& boundaries) {
  std::string text;
  for (int d = 0; d < R; ++d)
    text += std::to_string(extent[d]) + " (" +
            to_string(boundaries.low[d].kind) + ", " +
            to_string(boundaries.high[d].kind) + ") ";
  return text;
}

/// Alone in its memory.
template <class Layout>
struct Plain {};
/// A part of a larger View: padded rows, gaps between planes.
template <class Layout, int Before = 2, int Behind = 3>
struct Framed {};
/// Every other element of its memory.
struct Strided {};

template <class T, int R>
using Pointer = typename Impl::PointerTo<T, R>::type;

template <class Layout, class Parent, std::size_t R>
auto view_of(Plain<Layout>, Parent const& parent,
             std::array<std::int64_t, R> const&) {
  return parent;
}
template <class Layout, int Before, int Behind, class Parent, std::size_t R>
auto view_of(Framed<Layout, Before, Behind>, Parent const& parent,
             std::array<std::int64_t, R> const& n) {
  auto const inner = [&](std::size_t d) {
    return std::pair<std::int64_t, std::int64_t>(Before, Before + n[d]);
  };
  if constexpr (R == 1) {
    return Kokkos::subview(parent, inner(0));
  } else if constexpr (R == 2) {
    return Kokkos::subview(parent, inner(0), inner(1));
  } else {
    return Kokkos::subview(parent, inner(0), inner(1), inner(2));
  }
}
template <class Parent, std::size_t R>
auto view_of(Strided, Parent const& parent,
             std::array<std::int64_t, R> const&) {
  using Kokkos::ALL;
  if constexpr (R == 1) {
    return Kokkos::subview(parent, ALL(), 1);
  } else if constexpr (R == 2) {
    return Kokkos::subview(parent, ALL(), ALL(), 1);
  } else {
    return Kokkos::subview(parent, ALL(), ALL(), ALL(), 1);
  }
}

template <class Layout>
Layout layout_of(Plain<Layout>);
template <class Layout, int Before, int Behind>
Layout layout_of(Framed<Layout, Before, Behind>);
Kokkos::LayoutRight layout_of(Strided);

template <class Kind>
inline constexpr int padding_of = 0;
template <class Layout, int Before, int Behind>
inline constexpr int padding_of<Framed<Layout, Before, Behind>> =
    Before + Behind;

template <class V, std::size_t R>
auto& view_at(V const& view, std::array<std::int64_t, R> const& place) {
  if constexpr (R == 1) {
    return view(place[0]);
  } else if constexpr (R == 2) {
    return view(place[0], place[1]);
  } else {
    return view(place[0], place[1], place[2]);
  }
}

/// A View of some kind with poison around it and, at first, in it.
template <class T, int R, class Kind, class Exec>
class TestGrid {
 public:
  using Layout                  = decltype(layout_of(Kind()));
  static constexpr bool strided = std::is_same_v<Kind, Strided>;
  using Parent = Kokkos::View<Pointer<T, R + strided>, Layout, Exec>;
  using View   = decltype(view_of(Kind(), std::declval<Parent>(), Place<R>()));

  explicit TestGrid(Place<R> const& extent)
      : m_extent(extent), m_parent("grid", parent_layout(extent)) {
    auto const host = Kokkos::create_mirror_view(m_parent);
    Kokkos::deep_copy(host, surrounding<T>());
    Kokkos::deep_copy(m_parent, host);
  }
  explicit TestGrid(HostGrid<R> const& values) : TestGrid(values.extent) {
    auto const host  = host_copy(m_parent);
    auto const inner = view_of(Kind(), host, m_extent);
    for (std::size_t i = 0; i < values.values.size(); ++i)
      view_at(inner, values.place(i)) = static_cast<T>(values.values[i]);
    Kokkos::deep_copy(m_parent, host);
  }

  View view() const { return view_of(Kind(), m_parent, m_extent); }

  /// The elements are these, converted by `Convert`, and nothing around them
  /// was written.
  template <class Convert>
  ::testing::AssertionResult holds(HostGrid<R> const& expected,
                                   Convert const& convert) const {
    Kokkos::fence();
    auto const host = Kokkos::create_mirror(Kokkos::HostSpace(), m_parent);
    Kokkos::deep_copy(host, m_parent);
    auto const inner = view_of(Kind(), host, m_extent);
    for (std::size_t i = 0; i < expected.values.size(); ++i) {
      T& found       = view_at(inner, expected.place(i));
      T const wanted = convert(expected.values[i]);
      if (!same_bits(found, wanted)) {
        std::string place;
        for (std::int64_t const k : expected.place(i))
          place += " " + std::to_string(k);
        return ::testing::AssertionFailure()
               << "element" << place << " is " << double(found)
               << " instead of " << double(wanted);
      }
      found = surrounding<T>();
    }
    for (std::size_t i = 0; i < host.span(); ++i)
      if (host.span_is_contiguous() &&
          !same_bits(host.data()[i], surrounding<T>()))
        return ::testing::AssertionFailure()
               << "what lies around the grid was written";
    return ::testing::AssertionSuccess();
  }
  ::testing::AssertionResult is_untouched() const {
    return holds(HostGrid<R>(m_extent),
                 [](double) { return surrounding<T>(); });
  }
  std::vector<double> values() const {
    Kokkos::fence();
    auto const host  = host_copy(m_parent);
    auto const inner = view_of(Kind(), host, m_extent);
    HostGrid<R> grid(m_extent);
    for (std::size_t i = 0; i < grid.values.size(); ++i)
      grid.values[i] = double(view_at(inner, grid.place(i)));
    return grid.values;
  }

 private:
  static Layout parent_layout(Place<R> const& extent) {
    Layout layout;
    for (int d = 0; d < R; ++d)
      layout.dimension[d] = std::size_t(extent[d] + padding_of<Kind>);
    if (strided) layout.dimension[R] = 2;
    return layout;
  }

  Place<R> m_extent;
  Parent m_parent;
};

/// By rows, in memory of its own.
template <class T, int R, class Exec>
using Grid = TestGrid<T, R, Plain<Kokkos::LayoutRight>, Exec>;

/// A sum that is exact in the accumulator, as T: integers wrap.
template <class T>
T as_result(double sum) {
  if constexpr (std::is_integral_v<T>) {
    return static_cast<T>(static_cast<std::int64_t>(sum));
  } else {
    return static_cast<T>(sum);
  }
}

}  // namespace KokkosMMA::Testing

#endif
