// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What is written is read back; everything else is refused by file, line, what
// was found and what is allowed.

#include <core/routing/KokkosMMA_TuningFile.hpp>

#include <gtest/gtest.h>

#include <KokkosMMA_ErrorOf.hpp>
#include <KokkosMMA_RandomTable.hpp>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

namespace {

using namespace KokkosMMA;
using namespace KokkosMMA::Impl;
using namespace KokkosMMA::Testing;

TuningFile const h200{{}, {"NVIDIA H200", 90, 132}, "2026-11-21"};

std::string refusal_of_text(std::string const& text) {
  return error_of([&] { parse_tuning(text, "a.table"); });
}

std::string replaced(std::string text, std::string const& from,
                     std::string const& to) {
  std::size_t const at = text.find(from);
  EXPECT_NE(text.npos, at) << from;
  if (at != text.npos) text.replace(at, from.size(), to);
  return text;
}
/// The table with another line.
std::string edited(std::string const& from, std::string const& to) {
  return replaced(write_tuning(h200), "\n" + from, "\n" + to);
}
int line_of(std::string const& text, std::string const& part) {
  std::size_t const at = text.find(part);
  if (at == text.npos) return -1;
  return 1 +
         int(std::count(text.begin(), text.begin() + std::ptrdiff_t(at), '\n'));
}
void expect_parts(std::string const& error,
                  std::vector<std::string> const& parts) {
  for (std::string const& part : parts)
    EXPECT_NE(error.npos, error.find(part))
        << "\"" << part << "\" is not in: " << error;
}

TEST(TuningFile, ReadsWhatItWrites) {
  Random random;
  SCOPED_TRACE(random.note());
  for (int i = 0; i < 50; ++i) {
    TuningFile file = h200;
    file.table      = random_table(random);
    TuningFile const read =
        parse_tuning(write_tuning(file, "a note\nof two lines"), "a.table");
    EXPECT_TRUE(file.table == read.table);
    EXPECT_EQ(file.device, read.device);
    EXPECT_EQ(file.date, read.date);
  }
}

TEST(TuningFile, IsTextForPeople) {
  std::string const text = write_tuning(h200, "measured here");
  expect_parts(text, {"kokkos-mma tuning table, format 2\nversion ",
                      "\ndevice NVIDIA H200\ncompute_capability 9.0\n"
                      "multiprocessors 132\ndate 2026-11-21\n",
                      "\n# measured here\n", "\nreduce.mma.half yes\n",
                      "\ncolumns.mma.int8 no\n", "\nreduce.block_size 512\n",
                      "\nend\n"});
}

TEST(TuningFile, MayBeEdited) {
  EXPECT_EQ("", refusal_of_text(edited("columns.mma.uint8 no",
                                       "# by hand\n\ncolumns.mma.uint8 yes")));
  TuningFile const file = parse_tuning(
      edited("columns.mma.uint8 no", "columns.mma.uint8 yes"), "a.table");
  EXPECT_EQ(1, file.table.columns_mma[Scalar::uint8]);
  EXPECT_EQ(0, file.table.columns_mma[Scalar::int8]);
}

TEST(TuningFile, EveryTruncationIsNoticed) {
  std::string const text = write_tuning(h200);
  // Without the last line feed, all is there.
  for (std::size_t size = 0; size + 1 < text.size(); ++size)
    EXPECT_NE("", refusal_of_text(text.substr(0, size))) << size;
  expect_parts(refusal_of_text(text.substr(0, text.find("reduce.blocks"))),
               {"a.table: ends without a line \"end\"", "truncated"});
}

TEST(TuningFile, RefusesOtherFiles) {
  for (std::string const& text :
       {std::string("\x7f"
                    "ELF and so on"),
        replaced(write_tuning(h200), "format 2", "format 1")})
    expect_parts(
        refusal_of_text(text),
        {"a.table: line 1: is not \"kokkos-mma tuning table, format 2\""});
}

TEST(TuningFile, RefusesWrongLines) {
  std::string const text = write_tuning(h200);
  auto const refuses     = [&](std::string const& from, std::string const& to,
                           std::vector<std::string> parts) {
    parts.push_back("a.table: line " + std::to_string(line_of(text, from)));
    expect_parts(refusal_of_text(edited(from, to)), parts);
  };
  refuses("version " + Impl::tuning_version(), "version 9.9.9",
          {"version is \"9.9.9\"; allowed: " + Impl::tuning_version()});
  refuses("compute_capability 9.0", "compute_capability 90",
          {"compute_capability is \"90\"", "as in 9.0"});
  refuses("multiprocessors 132", "multiprocessors many",
          {"multiprocessors is \"many\"", "whole numbers >= 1"});
  refuses("multiprocessors 132", "multiprocessors 0", {"is \"0\""});
  refuses("reduce.blocks 2", "reduce.blocks",
          {"\"reduce.blocks\"", "no entry of the tuning table"});
  refuses("reduce.blocks 2", "reduce.blocks 2 3",
          {"reduce.blocks is \"2 3\"", "1 to 8"});
  refuses("reduce.blocks 2", "reduce.block 2",
          {"\"reduce.block 2\"", "no entry of the tuning table"});
  refuses("reduce.blocks 2", "reduce.chain_length 2",
          {"\"reduce.chain_length 2\" is in an earlier line"});
  // A row of values has none for a type without such kernels.
  refuses("dot.mma.double yes", "dot.mma.float yes",
          {"\"dot.mma.float yes\"", "no entry"});
  for (std::string const value :
       {"0", "33", "-1", "8.0", "0x8", "99999999999999999999", "never", "yes"})
    refuses("reduce.chain_length 8", "reduce.chain_length " + value,
            {"reduce.chain_length is \"" + value + "\"", "1 to 32"});
  for (std::string const value : {"0", "16", "33", "544"})
    refuses("reduce.block_size 512", "reduce.block_size " + value,
            {"multiples of 32, 32 to 512"});
  for (std::string const value : {"1", "true", "YES", "never"})
    refuses("columns.mma.int8 no", "columns.mma.int8 " + value, {"yes or no"});
  refuses("stencil.box_radius.half 8", "stencil.box_radius.half 17",
          {"0 to 16, or never"});
}

TEST(TuningFile, RefusesMissingValues) {
  for (std::string const& name : tuning_lines())
    expect_parts(refusal_of_text(edited(name + " ", "# " + name + " ")),
                 {"a table must have a line " + name + ";"});
}

/// Damage is noticed, or leaves values that a table may have.
TEST(TuningFile, RandomDamageStaysWithinLimits) {
  Random random;
  SCOPED_TRACE(random.note());
  std::string const text = write_tuning(h200);
  for (int i = 0; i < 2000; ++i) {
    std::string damaged = text;
    for (std::int64_t changes = random.integer(1, 4); changes > 0; --changes) {
      auto const at = std::size_t(random.integer(0, text.size() - 1));
      damaged[at]   = char(random.integer(0, 255));
    }
    TuningFile read;
    if (!error_of([&] { read = parse_tuning(damaged, "a.table"); }).empty())
      continue;
    for_each_tuned_value(read.table, [&](std::string const& name,
                                         TuningEntry const& entry, int value) {
      EXPECT_TRUE(entry.allows(value)) << name;
    });
  }
}

class TuningFileOnDisk : public ::testing::Test {
 protected:
  std::filesystem::path path =
      std::filesystem::temp_directory_path() /
      ("kokkosmma_tuning_" + std::to_string(Random().bits()));
  ~TuningFileOnDisk() override { std::filesystem::remove_all(path); }

  void write(std::string const& text) {
    std::ofstream(path, std::ios::binary) << text;
  }
  std::string refusal() const {
    return error_of([&] { read_tuning(path.string()); });
  }
};

TEST_F(TuningFileOnDisk, IsRead) {
  TuningFile file              = h200;
  file.table.scan_spread_tiles = 65;
  write(write_tuning(file));
  EXPECT_TRUE(file.table == read_tuning(path.string()).table);
}

TEST_F(TuningFileOnDisk, Missing) {
  expect_parts(refusal(), {path.string() + ": cannot be read: ", "No such file",
                           "KOKKOSMMA_TUNING"});
}

TEST_F(TuningFileOnDisk, AFolder) {
  std::filesystem::create_directory(path);
  expect_parts(refusal(), {path.string() + ": cannot be read: "});
}

TEST_F(TuningFileOnDisk, Empty) {
  write("");
  expect_parts(refusal(), {path.string() + ": ends without"});
}

TEST_F(TuningFileOnDisk, OfAMegabyteAndMore) {
  std::string const comment(std::size_t(1) << 20, '#');
  write(replaced(write_tuning(h200), "\ndate", "\n" + comment + "\ndate"));
  expect_parts(refusal(), {path.string() + ": ends without"});
}

}  // namespace
