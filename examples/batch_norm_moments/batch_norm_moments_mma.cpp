// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// batch_norm_moments.cpp with the segmented reductions of kokkos-mma in place
// of its nested loops.

#include <KokkosMMA.hpp>
#include <Kokkos_Core.hpp>

#include "program.hpp"

#include <cstdint>
#include <cstdio>

template <class Element>
class SegmentKernels {
 public:
  using Table = Kokkos::View<double**, Kokkos::LayoutRight, Memory>;

  explicit SegmentKernels(Shape const& shape)
      : m_shape(shape),
        m_plane_sums(
            allocated<Table>("plane_sums", shape.samples, shape.channels)),
        m_plane_squares(
            allocated<Table>("plane_squares", shape.samples, shape.channels)),
        m_sums(uninitialized<double>("sums", shape.channels)),
        m_squares(uninitialized<double>("squares", shape.channels)),
        m_places(
            uninitialized<float>("places", shape.plane() * shape.channels)),
        m_centred(allocated<Rows<float>>("centred", shape.per_channel(),
                                         shape.channels)) {}

  // One pass over the tensor: a plane is a segment, and both its sums are in
  // fp64, in which the square of an fp32 number is exact. Their difference
  // loses (mean / width)^2 units of 2^-53: nothing that fp32 elements could
  // show.
  void nchw(Array<Element> const& x, Moments const& moments) const {
    auto const planes = m_shape.samples * m_shape.channels;
    Array<double> const sums(m_plane_sums.data(), planes);
    Array<double> const squares(m_plane_squares.data(), planes);
    KokkosMMA::segmented_moments(m_exec, x, plane(), sums, squares);
    KokkosMMA::segmented_reduce(m_exec, m_plane_sums, KokkosMMA::Along{0},
                                m_sums);
    KokkosMMA::segmented_reduce(m_exec, m_plane_squares, KokkosMMA::Along{0},
                                m_squares);
    auto const sum      = m_sums;
    auto const square   = m_squares;
    auto const mean     = moments.mean;
    auto const variance = moments.variance;
    auto const elements = static_cast<double>(m_shape.per_channel());
    Kokkos::parallel_for(
        "batch_norm_moments::moments", Range(0, m_shape.channels),
        KOKKOS_LAMBDA(std::int64_t c) {
          mean(c) = sum(c) / elements;
          variance(c) =
              Kokkos::max(0., (square(c) - sum(c) * mean(c)) / elements);
        });
  }

  // Two passes: the sums of the samples at every place are in fp32, where the
  // difference of two sums would cancel. They are short; what adds them up is
  // in fp64.
  void nhwc(Rows<Element> const& x, Moments const& moments) const {
    add_rows(x, moments.mean);
    square_differences(x, moments.mean);
    add_rows(m_centred, moments.variance);
  }

  void print_routes(Array<Element> const& x, Rows<Element> const& rows) const {
    Array<double> const sums(m_plane_sums.data(),
                             m_shape.samples * m_shape.channels);
    std::printf(
        "nchw_route %s\n",
        KokkosMMA::explain_segmented_reduce(m_exec, x, plane(), sums).c_str());
    std::printf("nhwc_route %s\n",
                KokkosMMA::explain_segmented_reduce(
                    m_exec, by_sample(rows), KokkosMMA::Along{0}, m_places)
                    .c_str());
  }

  // The mean of every column.
  template <class Value>
  void add_rows(Rows<Value> const& x, Array<double> const& result) const {
    Rows<float> const places(m_places.data(), m_shape.plane(),
                             m_shape.channels);
    KokkosMMA::segmented_reduce(m_exec, by_sample(x), KokkosMMA::Along{0},
                                m_places);
    KokkosMMA::segmented_reduce(m_exec, places, KokkosMMA::Along{0}, m_sums);
    auto const sums     = m_sums;
    auto const elements = static_cast<double>(m_shape.per_channel());
    Kokkos::parallel_for(
        "batch_norm_moments::average", Range(0, m_shape.channels),
        KOKKOS_LAMBDA(std::int64_t c) { result(c) = sums(c) / elements; });
  }

  void square_differences(Rows<Element> const& x,
                          Array<double> const& mean) const {
    auto const centred = m_centred;
    using Tiles        = Kokkos::MDRangePolicy<
        Space, Kokkos::Rank<2, Kokkos::Iterate::Right, Kokkos::Iterate::Right>,
        Kokkos::IndexType<std::int64_t>>;
    Kokkos::parallel_for(
        "batch_norm_moments::square_differences",
        Tiles({0, 0}, {m_shape.per_channel(), m_shape.channels}),
        KOKKOS_LAMBDA(std::int64_t r, std::int64_t c) {
          float const difference =
              static_cast<float>(x(r, c)) - static_cast<float>(mean(c));
          centred(r, c) = difference * difference;
        });
  }

 private:
  std::size_t plane() const {
    return static_cast<std::size_t>(m_shape.plane());
  }

  // A row for every sample.
  template <class Value>
  Rows<Value> by_sample(Rows<Value> const& x) const {
    return Rows<Value>(x.data(), m_shape.samples,
                       m_shape.plane() * m_shape.channels);
  }

  Space m_exec;
  Shape m_shape;
  Table m_plane_sums;
  Table m_plane_squares;
  Array<double> m_sums;
  Array<double> m_squares;
  Array<float> m_places;
  Rows<float> m_centred;
};

int main(int argc, char** argv) {
  return program<SegmentKernels>("batch_norm_moments_mma", argc, argv);
}
