// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef RANDOM_CALLS_RUNNERS_HPP
#define RANDOM_CALLS_RUNNERS_HPP

#include "RandomCall.hpp"

#include <cstdint>
#include <new>
#include <type_traits>
#include <utility>

/// \file
/// What runs a call: Kokkos, or plain loops on the host. A kind is written once
/// for both. RANDOM_CALLS_TWIN is a namespace for each compilation of a source,
/// so that no two of them share an instance of a template.

namespace random_calls::RANDOM_CALLS_TWIN {

struct NoExtra {};
/// One dimension by an MDRangePolicy (Kokkos 5.2).
struct MDRangeOfOne {};

/// An index space, and what its policy says. `Extra` is one more argument of
/// the policy's template.
template <class IndexType, int RankOf = 1, bool LeftFastest = false,
          class TagType = void, class ExtraType = NoExtra>
struct Box {
  using Index                = IndexType;
  using Tag                  = TagType;
  using Extra                = ExtraType;
  static constexpr int rank  = RankOf;
  static constexpr bool left = LeftFastest;
  std::int64_t begin[RankOf], extent[RankOf], tile[RankOf], chunk;

  explicit Box(Call const& c) : chunk(c[Parameters::chunk]) {
    for (int d = 0; d < rank; ++d) {
      begin[d]  = c[Parameters::begin + d];
      extent[d] = c[Parameters::extent + d];
      tile[d]   = c[Parameters::tile + d];
    }
  }
  /// Not the type of the begin and the end: Kokkos checks conversions.
  Index first() const { return static_cast<Index>(begin[0]); }
  Index last() const { return static_cast<Index>(begin[0] + extent[0]); }
};

template <class Tag, class F, class... Arguments>
KOKKOS_FORCEINLINE_FUNCTION void call_with_tag(F const& f,
                                               Arguments&... arguments) {
  if constexpr (std::is_void_v<Tag>) {
    f(arguments...);
  } else {
    f(Tag(), arguments...);
  }
}

/// visit(i...) for each index of a box on the host, as lvalues that are const.
template <class BoxType, class Visit, class... I>
void for_each_index(BoxType const& box, Visit const& visit, I const&... index) {
  constexpr int d = int(sizeof...(I));
  if constexpr (d == BoxType::rank) {
    visit(index...);
  } else {
    for (std::int64_t i = 0; i < box.extent[d]; ++i) {
      auto const at = static_cast<typename BoxType::Index>(box.begin[d] + i);
      for_each_index(box, visit, index..., at);
    }
  }
}

template <class F>
concept HasInit = requires(F const& f, typename F::value_type& value) {
  f.init(value);
};
template <class F>
concept HasJoin = requires(F const& f, typename F::value_type& value) {
  f.join(value, value);
};
template <class F>
concept HasFinal = requires(F const& f, typename F::value_type& value) {
  f.final(value);
};

/// How values are joined, by a functor or by a reducer, or by addition.
template <class F>
struct Fold {
  using Value = typename F::value_type;
  F const& f;
  void init(Value& value) const {
    if constexpr (HasInit<F>) {
      f.init(value);
    } else {
      new (&value) Value();
    }
  }
  void join(Value& into, Value const& from) const {
    if constexpr (HasJoin<F>) {
      f.join(into, from);
    } else {
      into += from;
    }
  }
  void final(Value& value) const {
    if constexpr (HasFinal<F>) {
      f.final(value);
    }
  }
};

/// Loops on the host. A functor is copied for each invocation, as if each had a
/// thread.
struct HostRunner {
  static constexpr bool on_kokkos = false;
  /// Whether the total of an empty scan is the identity: it is in Kokkos'
  /// backends for hosts, while Cuda and the kernels leave it as it is.
  static constexpr bool writes_empty_totals =
#if defined(RANDOM_CALLS_EMULATED)
      false;
#else
      std::is_same_v<Exec, Kokkos::DefaultHostExecutionSpace>;
#endif
  Call const& c;

  template <class Body>
  void each_repeat(Body const& body) const {
    for (std::int64_t r = 0; r < c[Parameters::repeats]; ++r) body(r);
  }
  template <class BoxType, class F>
  void loop(BoxType const& box, F const& functor) const {
    each_repeat([&](std::int64_t) {
      for_each_index(box, [&](auto const&... i) {
        F const f(functor);
        call_with_tag<typename BoxType::Tag>(f, i...);
      });
    });
  }
  template <class BoxType, class F, class Folded>
  auto folded(BoxType const& box, F const& functor, Folded const& fold) const {
    typename Folded::Value value;
    fold.init(value);
    for_each_index(box, [&](auto const&... i) {
      F const f(functor);
      call_with_tag<typename BoxType::Tag>(f, i..., value);
    });
    fold.final(value);
    return value;
  }
  template <class Value>
  void deliver(std::int64_t r, Value const& value, bool on_device) const {
    *(on_device ? c.device_result<Value>(r) : c.host_result<Value>(r)) = value;
  }
  template <class BoxType, class F>
  void reduce(BoxType const& box, F const& functor) const {
    each_repeat([&](std::int64_t r) {
      deliver(r, folded(box, functor, Fold<F>{functor}),
              c[Parameters::where] == 2);
    });
  }
  /// The functor's final() is all that sees the value.
  template <class BoxType, class F>
  void reduce_without_result(BoxType const& box, F const& functor) const {
    each_repeat([&](std::int64_t) { folded(box, functor, Fold<F>{functor}); });
  }
  template <class Reducer, class BoxType, class F>
  void reduce_by(BoxType const& box, F const& functor) const {
    using R = typename Reducer::template Of<Kokkos::HostSpace>;
    each_repeat([&](std::int64_t r) {
      typename R::value_type unused;
      R const reducer(unused);
      deliver(r, folded(box, functor, Fold<R>{reducer}), Reducer::on_device);
    });
  }
  /// An array whose length is known at run time.
  template <class BoxType, class F>
  void reduce_array(BoxType const& box, F const& functor) const {
    using Value = std::remove_extent_t<typename F::value_type>;
    each_repeat([&](std::int64_t r) {
      Value* const result = c[Parameters::where] == 2
                                ? c.device_result<Value>(r)
                                : c.host_result<Value>(r);
      for (unsigned e = 0; e < functor.value_count; ++e) result[e] = Value();
      for_each_index(box, [&](auto const&... i) {
        F const f(functor);
        f(i..., result);
      });
      if constexpr (requires { functor.final(result); }) functor.final(result);
    });
  }
  template <bool WithTotal, class BoxType, class F>
  void scan(BoxType const& box, F const& functor) const {
    using Value = typename F::value_type;
    Fold<F> const fold{functor};
    each_repeat([&](std::int64_t r) {
      Value value;
      fold.init(value);
      bool const final = true;
      for_each_index(box, [&](auto const&... i) {
        F const f(functor);
        call_with_tag<typename BoxType::Tag>(f, i..., value, final);
      });
      if (WithTotal && (box.extent[0] > 0 || writes_empty_totals))
        deliver(r, value, c[Parameters::where] == 2);
    });
  }
};

/// Kokkos, with the drop-in or without.
struct KokkosRunner {
  static constexpr bool on_kokkos = true;
  Call const& c;

  template <class Body>
  void each_repeat(Body const& body) const {
    for (std::int64_t r = 0; r < c[Parameters::repeats]; ++r) body(r);
  }

  template <class BoxType>
  auto policy(BoxType const& box) const {
    return policy_on(*c.space, box);
  }
  /// Of a node: Kokkos 5.2 takes the default instance only.
  template <class BoxType>
  auto node_policy(BoxType const& box) const {
    return policy_on(Exec(), box);
  }
  template <class BoxType>
  static auto policy_on(Exec const& space, BoxType const& box) {
    using Index = Kokkos::IndexType<typename BoxType::Index>;
    using Tag   = typename BoxType::Tag;
    using Extra = typename BoxType::Extra;
    if constexpr (BoxType::rank == 1 && !std::is_same_v<Extra, MDRangeOfOne>) {
      return with_arguments<Tag, Extra>([&]<class... More>() {
        Kokkos::RangePolicy<Exec, Index, More...> policy(space, box.first(),
                                                         box.last());
        if (box.chunk > 0) policy.set_chunk_size(int(box.chunk));
        return policy;
      });
    } else {
      return with_arguments<Tag, Extra>([&]<class... More>() {
        constexpr auto order =
            BoxType::left ? Kokkos::Iterate::Left : Kokkos::Iterate::Right;
        using Policy = Kokkos::MDRangePolicy<
            Exec, Kokkos::Rank<BoxType::rank, order, order>, Index, More...>;
        typename Policy::point_type lower, upper;
        typename Policy::tile_type tile;
        bool tiled = true;
        for (int d = 0; d < BoxType::rank; ++d) {
          lower[d] = box.begin[d];
          upper[d] = box.begin[d] + box.extent[d];
          tile[d]  = box.tile[d];
          tiled    = tiled && box.tile[d] > 0;
        }
        return tiled ? Policy(space, lower, upper, tile)
                     : Policy(space, lower, upper);
      });
    }
  }

  template <class BoxType, class F>
  void loop(BoxType const& box, F const& functor) const {
    auto const over = policy(box);
    each_repeat([&](std::int64_t) {
      Kokkos::parallel_for("random_calls", over, functor);
    });
  }
  template <class Value, class Space>
  using Result = Kokkos::View<Value, Space, Kokkos::MemoryUnmanaged>;

  /// Invokes call(result) with the scalar or View that receives the result.
  template <class Value, class CallIt>
  void with_result(std::int64_t r, CallIt const& call) const {
    if (c[Parameters::where] == 0)
      call(*c.host_result<Value>(r));
    else if (c[Parameters::where] == 1)
      call(Result<Value, Kokkos::HostSpace>(c.host_result<Value>(r)));
    else
      call(Result<Value, DeviceSpace>(c.device_result<Value>(r)));
  }
  /// Kokkos' own code writes the identity of an empty box on the host, also
  /// where the result lies on the device (4.6 to 5.2).
  template <class BoxType>
  static bool is_written_on_host(BoxType const& box) {
    bool empty = false;
    for (int d = 0; d < BoxType::rank; ++d) empty = empty || box.extent[d] == 0;
    return empty && (BoxType::rank > 1 ||
                     std::is_same_v<typename BoxType::Extra, MDRangeOfOne>);
  }
  template <class BoxType, class F>
  void reduce(BoxType const& box, F const& functor) const {
    if (c[Parameters::where] == 2 && is_written_on_host(box)) return;
    auto const over = policy(box);
    each_repeat([&](std::int64_t r) {
      with_result<typename F::value_type>(r, [&](auto&& result) {
        Kokkos::parallel_reduce("random_calls", over, functor, result);
      });
    });
  }
  template <class BoxType, class F>
  void reduce_without_result(BoxType const& box, F const& functor) const {
    auto const over = policy(box);
    each_repeat([&](std::int64_t) {
      Kokkos::parallel_reduce("random_calls", over, functor);
    });
  }
  template <class Reducer, class BoxType, class F>
  void reduce_by(BoxType const& box, F const& functor) const {
    using Space =
        std::conditional_t<Reducer::on_device, DeviceSpace, Kokkos::HostSpace>;
    using R     = typename Reducer::template Of<Space>;
    using Value = typename R::value_type;
    if (Reducer::on_device && is_written_on_host(box)) return;
    auto const over = policy(box);
    each_repeat([&](std::int64_t r) {
      Value* const to = Reducer::on_device ? c.device_result<Value>(r)
                                           : c.host_result<Value>(r);
      Kokkos::parallel_reduce("random_calls", over, functor,
                              R(Result<Value, Space>(to)));
    });
  }
  template <class BoxType, class F>
  void reduce_array(BoxType const& box, F const& functor) const {
    using Value       = std::remove_extent_t<typename F::value_type>;
    auto const over   = policy(box);
    auto const number = std::size_t(functor.value_count);
    each_repeat([&](std::int64_t r) {
      if (c[Parameters::where] == 2)
        Kokkos::parallel_reduce(
            "random_calls", over, functor,
            Result<Value*, DeviceSpace>(c.device_result<Value>(r), number));
      else
        Kokkos::parallel_reduce(
            "random_calls", over, functor,
            Result<Value*, Kokkos::HostSpace>(c.host_result<Value>(r), number));
    });
  }
  template <bool WithTotal, class BoxType, class F>
  void scan(BoxType const& box, F const& functor) const {
    auto const over = policy(box);
    each_repeat([&](std::int64_t r) {
      if constexpr (WithTotal) {
        with_result<typename F::value_type>(r, [&](auto&& total) {
          Kokkos::parallel_scan("random_calls", over, functor, total);
        });
      } else {
        Kokkos::parallel_scan("random_calls", over, functor);
      }
    });
  }

 private:
  /// make.operator()<those of Tag and Extra that say something>()
  template <class Tag, class Extra, class Make>
  static auto with_arguments(Make const& make) {
    constexpr bool extra =
        !std::is_same_v<Extra, NoExtra> && !std::is_same_v<Extra, MDRangeOfOne>;
    if constexpr (std::is_void_v<Tag> && !extra) {
      return make.template operator()<>();
    } else if constexpr (!extra) {
      return make.template operator()<Tag>();
    } else if constexpr (std::is_void_v<Tag>) {
      return make.template operator()<Extra>();
    } else {
      return make.template operator()<Tag, Extra>();
    }
  }
};

}  // namespace random_calls::RANDOM_CALLS_TWIN

#endif
