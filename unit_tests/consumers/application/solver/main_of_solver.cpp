// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

int main_of_solver(int argc, char** argv);

int main(int argc, char** argv) { return main_of_solver(argc, argv); }
