// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "papers/Perf_PaperSums.hpp"

#ifdef KOKKOS_ENABLE_CUDA

#include <algorithm>
#include <stdexcept>
#include <string>
#include <utility>

#include "papers/Perf_PaperWmma.hpp"
#include "papers/Perf_PaperWmmaSegments.hpp"
#include "support/Perf_Check.hpp"

namespace perf {
namespace {

__half const* halves(half_type const* x) {
  return reinterpret_cast<__half const*>(x);
}

unsigned blocks_for(std::size_t items, std::size_t per_block) {
  return static_cast<unsigned>((items + per_block - 1) / per_block);
}

std::size_t room_bytes(int block) {
  return static_cast<std::size_t>(block / 32) * sizeof(paper::Room);
}

void check_launch() {
  check_cuda(cudaGetLastError(), "a kernel of perf_paper");
}

Call recurrence(Exec const& exec, int chain, int block, half_type const* x,
                std::size_t n, float* result) {
  std::size_t const group = static_cast<std::size_t>(chain) * paper::tile;
  std::size_t const warps = static_cast<std::size_t>(block / 32);
  std::size_t const most  = (n + group - 1) / group;
  // Levels read one and write the other.
  Scratch<__half> const even(exec, most), odd(exec, most);
  exec.fence("perf::paper");
  return [=] {
    cudaStream_t const stream = exec.cuda_stream();
    __half const* from        = halves(x);
    __half* to                = even.data();
    for (std::size_t count = n;;) {
      std::size_t const totals = (count + group - 1) / group;
      paper::recurrence_level<<<blocks_for(totals, warps), block,
                                room_bytes(block), stream>>>(from, count, chain,
                                                             to);
      from  = to;
      to    = to == even.data() ? odd.data() : even.data();
      count = totals;
      if (count == 1) break;
    }
    paper::recurrence_result<<<1, 1, 0, stream>>>(from, result);
    check_launch();
  };
}

}  // namespace

Call wmma_sum(Exec const& exec, Formulation form, int chain, int block,
              half_type const* x, std::size_t n, float* result) {
  if (form == Formulation::recurrence)
    return recurrence(exec, chain, block, x, n, result);
  bool const split = form == Formulation::split;
  if (form == Formulation::chained || (split && block < 64))
    throw std::logic_error("perf: no wmma sum of form " +
                           std::string(to_string(form)) + " in blocks of " +
                           std::to_string(block));
  unsigned const blocks =
      blocks_for(n, static_cast<std::size_t>(chain) * paper::tile *
                        static_cast<std::size_t>(block / 32));
  return [=] {
    cudaStream_t const stream = exec.cuda_stream();
    check_cuda(cudaMemsetAsync(result, 0, sizeof(float), stream),
               "cudaMemsetAsync");
    if (split)
      paper::single_pass<true><<<blocks, block, room_bytes(block), stream>>>(
          halves(x), n, chain, result);
    else
      paper::single_pass<false><<<blocks, block, room_bytes(block), stream>>>(
          halves(x), n, chain, result);
    check_launch();
  };
}

Call shuffle_sum(Exec const& exec, int block, half_type const* x, std::size_t n,
                 float* result) {
  return [=] {
    cudaStream_t const stream = exec.cuda_stream();
    check_cuda(cudaMemsetAsync(result, 0, sizeof(float), stream),
               "cudaMemsetAsync");
    paper::shuffle_reduction<<<blocks_for(n, static_cast<std::size_t>(block)),
                               block, 0, stream>>>(halves(x), n, result);
    check_launch();
  };
}

Call wmma_segments(Exec const& exec, bool scan, half_type const* x, float* y,
                   std::size_t segments, std::size_t length) {
  if (!wmma_takes(length, segments * length))
    throw std::logic_error("perf: no wmma kernel for " +
                           std::to_string(segments) + " segments of length " +
                           std::to_string(length));
  constexpr int block     = 256;
  constexpr unsigned each = block / 32;
  return [=] {
    cudaStream_t const stream = exec.cuda_stream();
    std::size_t const room    = room_bytes(block);
    if (length < paper::tile) {
      unsigned const blocks = blocks_for(segments / paper::side, each);
      if (scan)
        paper::short_segment_scans<<<blocks, block, room, stream>>>(
            halves(x), y, segments, static_cast<int>(length));
      else
        paper::short_segment_sums<<<blocks, block, room, stream>>>(
            halves(x), y, segments, static_cast<int>(length));
    } else if (scan) {
      paper::long_segment_scans<<<blocks_for(segments, each), block, room,
                                  stream>>>(halves(x), y, segments, length);
    } else {
      paper::long_segment_sums<<<blocks_for(segments, each), block, room,
                                 stream>>>(halves(x), y, segments, length);
    }
    check_launch();
  };
}

}  // namespace perf

#endif
