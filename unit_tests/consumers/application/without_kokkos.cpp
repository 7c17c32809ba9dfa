// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

int main() {
#ifdef KOKKOSMMA_VERSION
  return 1;
#else
  return 0;
#endif
}
