// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_TUNING_HPP
#define KOKKOSMMA_TUNING_HPP

#include <cstddef>

/// \file
/// Constants of the kernels with the measurement each comes from. All figures:
/// one NVIDIA H200, CUDA 13.0, driver 580.159, 2026-11-21, sums of 2^30
/// elements (double 2^28), GB/s of the input; read ceiling of the same runs
/// 4640.

namespace KokkosMMA {

/// How the `streamed` route lays a range over the device.
struct StreamedTuning {
  int threads;       ///< per block
  int min_blocks;    ///< per multiprocessor; caps the registers of a thread
  int calls;         ///< of the functor, in flight per thread
  int consecutive;   ///< of these, neighbours in the index; divides `calls`
  int accumulators;  ///< independent running values per thread

  friend constexpr bool operator==(StreamedTuning const&,
                                   StreamedTuning const&) = default;
};

/// The register cap of 32 (1024 threads, twice) is what lets small types
/// through: without it the compiler hoists all loads in front of the first
/// addition, 34 registers cost a resident block, and the loads come in bursts.
///
/// half, 16 calls           | 1024 x 2: 4315 | 512, no cap: 4004 | 256, no cap:
/// 3910 int8, 16 calls           | 1024 x 2: 3389 | 512, no cap: 2850 float |
/// 1024 x 2: 4604 | 512, no cap: 4594 | 8 calls 4569 double, 16 calls         |
/// 512 x 2: 4641 | 1024 x 2 (spilling loads): 4572
///
/// Neighbouring indices in one thread make the first load of a line fetch what
/// the next ones hit; with one index per thread a warp asks for 32 or 64 bytes
/// at a time and the requests run out first: half: 1: 3480, 2: 3900, 4: 4315,
/// 8: 4067 | int8: 1: 2440, 4: 3389, 8: 3333 float: 1: 4593, 2: 4627, 4: 4604,
/// 8: 4120 | double: 1: 4641, 2: 4615, 4: 4604
///
/// A functor that reads many arrays needs all their lines in L1 at once, so the
/// count falls with the size of the functor: every captured View is at least 24
/// bytes. The contributions of `value_bytes` bound the registers.
constexpr StreamedTuning streamed_tuning(std::size_t value_bytes,
                                         std::size_t functor_bytes,
                                         int indices = 1) {
  int const lines = functor_bytes <= 64 ? 4 : functor_bytes <= 128 ? 2 : 1;
  StreamedTuning tuning{256, 1, 2, 1, 1};
  if (value_bytes <= 4)
    tuning = {1024, 2, 16, lines, 4};
  else if (value_bytes <= 8)
    tuning = {512, 2, 16, lines, 4};
  else if (value_bytes <= 16)
    tuning = {512, 2, 8, lines < 2 ? 1 : 2, 2};
  else if (value_bytes <= 32)
    tuning = {256, 2, 4, 1, 1};
  // 16 tuples of 4 and more indices do not fit in the registers.
  if (indices > 3 && tuning.calls > 4) tuning.calls = 4;
  return tuning;
}

/// Up to this many indices per multiprocessor a range is spread one index per
/// thread in blocks of 256, as Kokkos does: an expensive functor then meets as
/// many threads as before. n = 131072 floats: 3.5 us so, 3.3 us with 16 calls
/// per thread, 3.2 us for an empty range.
inline constexpr int spread_indices_per_multiprocessor = 2048;
inline constexpr int spread_threads                    = 256;

/// The `mma` route: 16-byte vectors in flight per thread, products per flush,
/// threads per block, resident blocks.
///
/// half:  8 x 512 x 2: 4640 | 4 x 512 x 4: 4640 | 8 x 256 x 5: 4641
/// int8:  8 x 512 x 2: 4640 | 4 x 512 x 4: 4641
/// float (three exact pieces): 8 x 512 x 2: 4620 | 4 x 512 x 3: 4603; scalar
/// additions on the same loads: 4645
/// double (DMMA): 8 x 512 x 2: 4634; scalar additions: 4643
/// int32, int64 (byte columns): 4642, 4635
/// Cache hints lost: a 256-byte L2 prefetch 4219, evict-first and no-allocate
/// even.
struct MmaTuning {
  static constexpr int vectors      = 8;
  static constexpr int chain_length = 8;
  static constexpr int threads      = 512;
  static constexpr int min_blocks   = 2;
};

/// Longest chain that `Settings::chain_length` may ask for: the truncation of
/// the tensor cores grows with it (core/KokkosMMA_ErrorBound.hpp).
inline constexpr int max_chain_length = 32;

}  // namespace KokkosMMA

#endif
