// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Wrong on purpose: headers.files_are_checked wants each of these found.
#define KOKKOSMMA_BODY \
  {                    \
    {
namespace KokkosMMA {
/// Long enough, and allowed to be; a type is no function. core/gone.hpp
template <int N>
struct Long
    : public Base<decltype(KokkosMMA::a_long_name_for_a_function_that_is(N))> {
 public:
  int short_one(char c) const { return c == ';'; }

  template <class F>
  requires(sizeof(F) >
           0) static constexpr int long_one(F const& f,
                                            int const (&table)[2]) noexcept {
    for (int i = 0; i < 2; ++i) {
      f(table[i]);
    }
    return 0;
  }
};

[[nodiscard]] inline bool operator==(Long<1> const& a, Long<1> const& b) {
  auto const same = [&](int i) { return a[i] == b[i]; };
  if (same(0)) {
    return same(1);
  }
  return same(0);
}

inline int allowed(int a) {
  a = a + 1;
  a = a + 2;
  a = a + 3;
  return a;
}
}  // namespace KokkosMMA
