// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// batch_norm_moments.cpp with kokkos-mma: its segmented reductions in place of
// nested loops, and its team_reduce in a nested loop.

#include <KokkosMMA.hpp>
#include <Kokkos_Core.hpp>

#include "program.hpp"

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <string>

using Team   = Kokkos::TeamPolicy<Space>;
using Member = Team::member_type;

// More wait for each other longer: H200, planes of 4096 and 65536 floats, 128
// and 512 threads read 4047 and 1725, 3991 and 4049 GB/s by team_reduce.
constexpr int threads_of_plane = on_host ? 1 : 128;

struct PlaneSums {
  double sum     = 0;
  double squares = 0;

  KOKKOS_FUNCTION PlaneSums& operator+=(PlaneSums const& other) {
    sum += other.sum;
    squares += other.squares;
    return *this;
  }
};

template <class Element>
class SegmentKernels {
 public:
  using Table = Kokkos::View<double**, Kokkos::LayoutRight, Memory>;

  static constexpr std::int64_t rows_of_part = 32;

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
        m_parts(allocated<Table>("parts",
                                 (shape.per_channel() - 1) / rows_of_part + 1,
                                 shape.channels)) {}

  // One pass over the tensor: a team for every plane, whose lanes add up a
  // value of two numbers in fp64, in which the square of an fp32 number is
  // exact. Their difference loses (mean / width)^2 units of 2^-53: nothing that
  // fp32 elements could show.
  void nchw(Array<Element> const& x, Moments const& moments) const {
    auto const sums     = m_plane_sums;
    auto const squares  = m_plane_squares;
    auto const plane    = m_shape.plane();
    auto const channels = static_cast<int>(m_shape.channels);
    Kokkos::parallel_for(
        "batch_norm_moments::planes",
        Team(m_exec, static_cast<int>(m_shape.samples * m_shape.channels),
             threads_of_plane),
        KOKKOS_LAMBDA(Member const& member) {
          std::int64_t const first = member.league_rank() * plane;
          PlaneSums total;
          KokkosMMA::team_reduce(
              member, plane,
              [&](std::int64_t i, PlaneSums& running) {
                double const value = static_cast<float>(x(first + i));
                running.sum += value;
                running.squares += value * value;
              },
              total);
          Kokkos::single(Kokkos::PerTeam(member), [&] {
            int const n   = member.league_rank() / channels;
            int const c   = member.league_rank() % channels;
            sums(n, c)    = total.sum;
            squares(n, c) = total.squares;
          });
        });
    add_planes(moments);
  }

  // Two passes, because the sums of the samples at every place are in fp32,
  // where the difference of two sums would cancel. They are short; what adds
  // them up is in fp64.
  void nhwc(Rows<Element> const& x, Moments const& moments) const {
    // A row for every sample, then one for every place.
    Rows<Element> const samples(x.data(), m_shape.samples,
                                m_shape.plane() * m_shape.channels);
    Rows<float> const places(m_places.data(), m_shape.plane(),
                             m_shape.channels);
    KokkosMMA::segmented_reduce(m_exec, samples, KokkosMMA::Axis{0}, m_places);
    KokkosMMA::segmented_reduce(m_exec, places, KokkosMMA::Axis{0}, m_sums);
    average(m_sums, moments.mean);
    add_squares(x, moments.mean);
    KokkosMMA::segmented_reduce(m_exec, m_parts, KokkosMMA::Axis{0}, m_squares);
    average(m_squares, moments.variance);
  }

  void print_routes(Rows<Element> const& rows) const {
    Rows<Element> const samples(rows.data(), m_shape.samples,
                                m_shape.plane() * m_shape.channels);
    std::printf("nhwc_route %s\n", KokkosMMA::explain([&] {
                                     KokkosMMA::segmented_reduce(
                                         m_exec, samples, KokkosMMA::Axis{0},
                                         m_places);
                                   }).c_str());
  }

  // Both moments from those of the planes.
  void add_planes(Moments const& moments) const {
    KokkosMMA::segmented_reduce(m_exec, m_plane_sums, KokkosMMA::Axis{0},
                                m_sums);
    KokkosMMA::segmented_reduce(m_exec, m_plane_squares, KokkosMMA::Axis{0},
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

  void average(Array<double> const& sums, Array<double> const& result) const {
    auto const elements = static_cast<double>(m_shape.per_channel());
    Kokkos::parallel_for(
        "batch_norm_moments::average", Range(0, m_shape.channels),
        KOKKOS_LAMBDA(std::int64_t c) { result(c) = sums(c) / elements; });
  }

  // The squares of the differences from the mean, of which one thread adds up
  // as many as make their View small beside the tensor.
  void add_squares(Rows<Element> const& x, Array<double> const& mean) const {
    auto const parts    = m_parts;
    auto const channels = m_shape.channels;
    auto const rows     = m_shape.per_channel();
    Kokkos::parallel_for(
        "batch_norm_moments::add_squares", Range(0, parts.size()),
        KOKKOS_LAMBDA(std::int64_t i) {
          std::int64_t const part  = i / channels;
          std::int64_t const c     = i % channels;
          std::int64_t const first = part * rows_of_part;
          std::int64_t const end =
              rows - first < rows_of_part ? rows : first + rows_of_part;
          double const centre = mean(c);
          double sum          = 0;
          for (std::int64_t r = first; r < end; ++r) {
            double const difference = static_cast<float>(x(r, c)) - centre;
            sum += difference * difference;
          }
          parts(part, c) = sum;
        });
  }

 private:
  Space m_exec;
  Shape m_shape;
  Table m_plane_sums;
  Table m_plane_squares;
  Array<double> m_sums;
  Array<double> m_squares;
  Array<float> m_places;
  Table m_parts;
};

int main(int argc, char** argv) {
  return program<SegmentKernels>("batch_norm_moments_mma", argc, argv);
}
