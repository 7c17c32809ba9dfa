// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Wrong on purpose: headers.files_are_checked wants each of these found.
inline int short_by_now(int a) {
  ++a;
  return a;
}
inline int cut_off(int a) {
