// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Mean and variance per channel of a tensor of activations: an ordinary Kokkos
// program. batch_norm_moments_mma.cpp is the same with kokkos-mma.

#include <Kokkos_Core.hpp>

#include "program.hpp"

#include <algorithm>
#include <cstdint>

using Team   = Kokkos::TeamPolicy<Space>;
using Member = Team::member_type;

// More wait for each other longer: H200, planes of 4096 and 65536 floats, 128
// and 512 threads read 2380 and 1632, 2472 and 2444 GB/s.
constexpr int threads_of_plane = on_host ? 1 : 128;

// Two passes over the tensor: the means, then the squares of the differences
// from them, which cannot cancel. All squares and sums are in fp64.
template <class Element>
class PlainKernels {
 public:
  explicit PlainKernels(Shape const& shape)
      : m_shape(shape),
        m_blocks(std::clamp<std::int64_t>(
            shape.per_channel() / 64, 1,
            std::max<std::int64_t>(1, (1 << 18) / shape.channels))),
        m_planes(
            uninitialized<double>("planes", shape.samples * shape.channels)),
        m_partial(uninitialized<double>("partial", m_blocks * shape.channels)) {
  }

  void nchw(Array<Element> const& x, Moments const& moments) const {
    add_planes(x);
    average(m_planes, m_shape.samples, moments.mean);
    add_planes_of_squares(x, moments.mean);
    average(m_planes, m_shape.samples, moments.variance);
  }

  void nhwc(Rows<Element> const& x, Moments const& moments) const {
    add_rows(x);
    average(m_partial, m_blocks, moments.mean);
    add_rows_of_squares(x, moments.mean);
    average(m_partial, m_blocks, moments.variance);
  }

  void print_routes(Rows<Element> const&) const {}

  // A team for every plane of the tensor.
  void add_planes(Array<Element> const& x) const {
    auto const planes = m_planes;
    auto const plane  = m_shape.plane();
    Kokkos::parallel_for(
        "batch_norm_moments::planes",
        Team(static_cast<int>(planes.extent(0)), threads_of_plane),
        KOKKOS_LAMBDA(Member const& member) {
          std::int64_t const first = member.league_rank() * plane;
          double total             = 0;
          Kokkos::parallel_reduce(
              Kokkos::TeamVectorRange(member, plane),
              [&](std::int64_t i, double& sum) {
                sum += static_cast<float>(x(first + i));
              },
              total);
          Kokkos::single(Kokkos::PerTeam(member),
                         [&] { planes(member.league_rank()) = total; });
        });
  }

  void add_planes_of_squares(Array<Element> const& x,
                             Array<double> const& mean) const {
    auto const planes   = m_planes;
    auto const plane    = m_shape.plane();
    auto const channels = m_shape.channels;
    Kokkos::parallel_for(
        "batch_norm_moments::planes_of_squares",
        Team(static_cast<int>(planes.extent(0)), threads_of_plane),
        KOKKOS_LAMBDA(Member const& member) {
          std::int64_t const first = member.league_rank() * plane;
          auto const centre =
              static_cast<float>(mean(member.league_rank() % channels));
          double total = 0;
          Kokkos::parallel_reduce(
              Kokkos::TeamVectorRange(member, plane),
              [&](std::int64_t i, double& sum) {
                double const difference =
                    static_cast<float>(x(first + i)) - centre;
                sum += difference * difference;
              },
              total);
          Kokkos::single(Kokkos::PerTeam(member),
                         [&] { planes(member.league_rank()) = total; });
        });
  }

  // A thread for every channel of a block of rows: neighbouring threads read
  // neighbouring elements.
  void add_rows(Rows<Element> const& x) const {
    auto const partial  = m_partial;
    auto const blocks   = m_blocks;
    auto const channels = m_shape.channels;
    auto const rows     = m_shape.per_channel();
    Kokkos::parallel_for(
        "batch_norm_moments::rows", Range(0, blocks * channels),
        KOKKOS_LAMBDA(std::int64_t i) {
          std::int64_t const block = i / channels;
          std::int64_t const c     = i % channels;
          std::int64_t const first = rows * block / blocks;
          std::int64_t const end   = rows * (block + 1) / blocks;
          double sum               = 0;
          for (std::int64_t r = first; r < end; ++r) {
            sum += static_cast<float>(x(r, c));
          }
          partial(i) = sum;
        });
  }

  void add_rows_of_squares(Rows<Element> const& x,
                           Array<double> const& mean) const {
    auto const partial  = m_partial;
    auto const blocks   = m_blocks;
    auto const channels = m_shape.channels;
    auto const rows     = m_shape.per_channel();
    Kokkos::parallel_for(
        "batch_norm_moments::rows_of_squares", Range(0, blocks * channels),
        KOKKOS_LAMBDA(std::int64_t i) {
          std::int64_t const block = i / channels;
          std::int64_t const c     = i % channels;
          auto const centre        = static_cast<float>(mean(c));
          std::int64_t const first = rows * block / blocks;
          std::int64_t const end   = rows * (block + 1) / blocks;
          double sum               = 0;
          for (std::int64_t r = first; r < end; ++r) {
            double const difference = static_cast<float>(x(r, c)) - centre;
            sum += difference * difference;
          }
          partial(i) = sum;
        });
  }

  // result(c) = sum over k of parts(k * channels + c), per element.
  void average(Array<double> const& parts, std::int64_t count,
               Array<double> const& result) const {
    auto const channels = m_shape.channels;
    auto const elements = static_cast<double>(m_shape.per_channel());
    Kokkos::parallel_for(
        "batch_norm_moments::average",
        Team(static_cast<int>(channels), Kokkos::AUTO),
        KOKKOS_LAMBDA(Member const& member) {
          std::int64_t const c = member.league_rank();
          double total         = 0;
          Kokkos::parallel_reduce(
              Kokkos::TeamVectorRange(member, count),
              [&](std::int64_t k, double& sum) {
                sum += parts(k * channels + c);
              },
              total);
          Kokkos::single(Kokkos::PerTeam(member),
                         [&] { result(c) = total / elements; });
        });
  }

 private:
  Shape m_shape;
  std::int64_t m_blocks;
  Array<double> m_planes;
  Array<double> m_partial;
};

int main(int argc, char** argv) {
  return program<PlainKernels>("batch_norm_moments", argc, argv);
}
