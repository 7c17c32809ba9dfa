// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KOKKOSMMA_SCAN_VALUE_TYPE_HPP
#define KOKKOSMMA_SCAN_VALUE_TYPE_HPP

namespace KokkosMMA::Impl {

template <class Call>
struct ScannedValue;
template <class Functor, class Result, class Index, class Value, class Final>
struct ScannedValue<Result (Functor::*)(Index, Value&, Final)> {
  using type = Value;
};
template <class Functor, class Result, class Index, class Value, class Final>
struct ScannedValue<Result (Functor::*)(Index, Value&, Final) const> {
  using type = Value;
};
template <class Functor, class Result, class Index, class Value, class Final>
struct ScannedValue<Result (Functor::*)(Index, Value&, Final) noexcept> {
  using type = Value;
};
template <class Functor, class Result, class Index, class Value, class Final>
struct ScannedValue<Result (Functor::*)(Index, Value&, Final) const noexcept> {
  using type = Value;
};

template <class Functor>
struct ScannedValueOf : ScannedValue<decltype(&Functor::operator())> {};
template <class Functor>
requires requires { typename Functor::value_type; }
struct ScannedValueOf<Functor> {
  using type = typename Functor::value_type;
};

/// Type of the running value of a scan's functor, as Kokkos finds it:
/// value_type, or the type of the second parameter of operator().
template <class Functor>
using scanned_value_t = typename ScannedValueOf<Functor>::type;

}  // namespace KokkosMMA::Impl

#endif
