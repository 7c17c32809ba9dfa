// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef EMULATEDDEVICE_SUMREDUCER_HPP
#define EMULATEDDEVICE_SUMREDUCER_HPP

namespace KokkosMMA::Testing {

/// A reducer of sums as Kokkos makes it.
template <class T>
struct SumReducer {
  void init(T* value) const { *value = T(0); }
  void join(T* into, T const* from) const { *into += *from; }
  void final(T*) const {}
};

}  // namespace KokkosMMA::Testing

#endif
