// SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The file in KOKKOSMMA_CHOICES.

#include <backends/cuda/runtime/KokkosMMA_KeptChoices.hpp>

#include <KokkosMMA_ErrorOf.hpp>

#include <gtest/gtest.h>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

namespace {

using namespace KokkosMMA;
using Impl::KeptChoices;
using Impl::KeptLoop;
using Testing::has_parts;

std::string const title = KeptChoices::title("5.0.2");
std::vector<std::string> const names{"Kokkos", "LoopShape{width = 64}"};

KeptLoop const loop{"parallel_for",      "a card",       1885, 24,
                    "Policy<Cuda, int>", "f()::{lambda}"};

class KeptChoicesTest : public testing::Test {
 protected:
  KeptChoicesTest()
      : m_folder(
            std::filesystem::current_path() /
            (std::string("kept_choices_") +
             testing::UnitTest::GetInstance()->current_test_info()->name())) {
    std::filesystem::remove_all(m_folder);
    std::filesystem::create_directory(m_folder);
    file = m_folder / "choices.txt";
    for (char const* const rank :
         {"OMPI_COMM_WORLD_RANK", "PMI_RANK", "PMIX_RANK", "SLURM_PROCID"})
      unsetenv(rank);
  }
  ~KeptChoicesTest() override { std::filesystem::remove_all(m_folder); }

  std::string text() const {
    std::ifstream stream(file);
    return {std::istreambuf_iterator<char>(stream), {}};
  }
  void set_text(std::string const& text) const { std::ofstream(file) << text; }
  /// The line of `loop` with this choice.
  static std::string line(std::string const& choice) {
    return "parallel_for | a card | 1885 | 24 | " + choice +
           " | Policy<Cuda, int> | f()::{lambda}\n";
  }

  /// What opening the file prints.
  std::string warning(std::string const& text) {
    set_text(text);
    testing::internal::CaptureStderr();
    KeptChoices choices(file, title);
    EXPECT_EQ(choices.recall(loop, names), -1);
    std::string const printed = testing::internal::GetCapturedStderr();
    // One line.
    EXPECT_EQ(printed.find('\n'), printed.size() - 1) << printed;
    // What the end of the process does with the file.
    choices.keep(loop, names[0]);
    choices.write();
    return printed;
  }
  /// Number of files in the folder.
  auto files() const {
    return std::distance(std::filesystem::directory_iterator(m_folder), {});
  }

  std::filesystem::path file;

 private:
  std::filesystem::path m_folder;
};

TEST_F(KeptChoicesTest, AreReadByTheNextProcess) {
  KeptLoop other   = loop;
  other.size_class = 7;
  {
    KeptChoices choices(file, title);
    EXPECT_EQ(choices.recall(loop, names), -1);
    choices.keep(loop, names[1]);
    choices.write();
  }
  EXPECT_TRUE(has_parts(text(), {line(names[1])}));
  {
    KeptChoices choices(file, title);
    EXPECT_EQ(choices.recall(loop, names), 1);
    EXPECT_EQ(choices.recall(other, names), -1);
    choices.keep(other, names[0]);
    choices.write();
  }
  KeptChoices choices(file, title);
  EXPECT_EQ(choices.recall(loop, names), 1);
  EXPECT_EQ(choices.recall(other, names), 0);
  EXPECT_EQ(files(), 1);
}

TEST_F(KeptChoicesTest, EveryFieldIdentifiesALoop) {
  KeptChoices choices(file, title);
  choices.keep(loop, names[1]);
  std::vector<KeptLoop> others(6, loop);
  others[0].pattern += "x";
  others[1].device += "x";
  others[2].size_class += 1;
  others[3].functor_bytes += 1;
  others[4].policy += "x";
  others[5].functor += "x";
  for (KeptLoop const& other : others)
    EXPECT_EQ(choices.recall(other, names), -1);
}

/// A list of candidates may grow or change its order.
TEST_F(KeptChoicesTest, AreLookedUpByTheNameOfTheCandidate) {
  set_text(title + "\n# a note\n\n" + line(names[1]));
  KeptChoices choices(file, title);
  EXPECT_EQ(choices.recall(loop, names), 1);
  EXPECT_EQ(
      choices.recall(loop, std::vector<std::string>{names[1], "new", names[0]}),
      0);
  EXPECT_EQ(choices.recall(loop, std::vector<std::string>{names[0]}), -1);
}

/// Editing by hand survives runs that choose nothing new.
TEST_F(KeptChoicesTest, AFileWithAllChoicesIsNotWritten) {
  std::string const edited = title + "\n# a note\n" + line(names[0]);
  set_text(edited);
  KeptChoices choices(file, title);
  EXPECT_EQ(choices.recall(loop, names), 0);
  choices.write();
  EXPECT_EQ(text(), edited);
}

TEST_F(KeptChoicesTest, OnlyTheFirstRankWrites) {
  for (char const* const rank :
       {"OMPI_COMM_WORLD_RANK", "PMI_RANK", "PMIX_RANK", "SLURM_PROCID"})
    for (char const* const number : {"3", "0"}) {
      std::filesystem::remove(file);
      KeptChoices choices(file, title);
      choices.keep(loop, names[1]);
      setenv(rank, number, 1);
      choices.write();
      unsetenv(rank);
      EXPECT_EQ(std::filesystem::exists(file), *number == '0') << rank;
    }
}

TEST_F(KeptChoicesTest, OtherVersionsAreReplaced) {
  std::string const other = KeptChoices::title("4.6.1");
  std::string const said  = warning(other + "\n" + line(names[1]));
  EXPECT_TRUE(has_parts(
      said, {"choices.txt: line 1 is \"kokkos-mma choices, ", "Kokkos 4.6.1",
             "Kokkos 5.0.2", "measured again", "replaces the file"}));
  EXPECT_EQ(text().substr(0, title.size()), title);
  EXPECT_TRUE(has_parts(text(), {line(names[0])}));
}

/// As some editors save it.
TEST_F(KeptChoicesTest, LinesMayEndWithACarriageReturn) {
  std::string lines;
  for (char const c : title + "\n# a note\n\n" + line(names[1]))
    lines += c == '\n' ? "\r\n" : std::string(1, c);
  set_text(lines);
  testing::internal::CaptureStderr();
  KeptChoices choices(file, title);
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
  EXPECT_EQ(choices.recall(loop, names), 1);
}

/// A zero byte in a name does not end the file that is written.
TEST_F(KeptChoicesTest, AZeroByteCutsNothingOff) {
  std::string damaged = line(names[1]);
  damaged.replace(damaged.find("f()"), 1, 1, '\0');
  set_text(title + "\n" + damaged + line(names[1]));
  KeptLoop last = loop;
  last.pattern  = "parallel_reduce";
  {
    KeptChoices choices(file, title);
    choices.keep(last, names[0]);
    choices.write();
  }
  KeptChoices choices(file, title);
  EXPECT_EQ(choices.recall(loop, names), 1);
  EXPECT_EQ(choices.recall(last, names), 0);
}

TEST_F(KeptChoicesTest, ADamagedFileIsIgnoredAndStays) {
  for (char const* const bad :
       {"parallel_for | a card | 1885 | 24 | Kokkos | Policy", "x",
        "parallel_for | a card | many | 24 | Kokkos | Policy | f",
        "parallel_for | a card | 1885 | 24x | Kokkos | Policy | f",
        "parallel_for | a card | 1885 | 24 |  | Policy | f",
        "parallel_for | a card | 1885 | -4 | Kokkos | Policy | f"}) {
    std::string const damaged =
        title + "\n" + line(names[1]) + bad + "\n" + line(names[1]);
    EXPECT_TRUE(
        has_parts(warning(damaged),
                  {std::string("choices.txt: line 3 is \"") + bad + "\"",
                   "pattern | card", "correct or delete", "ignored"}));
    EXPECT_EQ(text(), damaged);
  }
}

TEST_F(KeptChoicesTest, OtherFilesStay) {
  EXPECT_TRUE(has_parts(warning("a thesis\n"), {"another kind of file"}));
  EXPECT_EQ(text(), "a thesis\n");
  EXPECT_TRUE(has_parts(warning("\na thesis\n"), {"another kind of file"}));
  EXPECT_EQ(text(), "\na thesis\n");
  std::filesystem::remove(file);
  std::filesystem::create_directory(file);
  testing::internal::CaptureStderr();
  KeptChoices choices(file, title);
  choices.keep(loop, names[0]);
  choices.write();
  EXPECT_TRUE(
      has_parts(testing::internal::GetCapturedStderr(), {"cannot be read"}));
  EXPECT_EQ(files(), 1);
}

TEST_F(KeptChoicesTest, AFileOfBlanksIsEmpty) {
  for (char const* const blanks : {"", "\n", "\n \n"}) {
    set_text(blanks);
    KeptChoices choices(file, title);
    choices.keep(loop, names[1]);
    choices.write();
    EXPECT_TRUE(has_parts(text(), {line(names[1])}));
  }
}

/// As root, a program could replace /dev/null.
TEST_F(KeptChoicesTest, PipesAndDevicesStay) {
  ASSERT_EQ(mkfifo(file.c_str(), 0600), 0);
  // If it is opened, it has a line and does not wait.
  int const pipe = open(file.c_str(), O_RDWR);
  ASSERT_EQ(write(pipe, "\n", 1), 1);
  testing::internal::CaptureStderr();
  KeptChoices choices(file, title);
  EXPECT_TRUE(
      has_parts(testing::internal::GetCapturedStderr(), {"cannot be read"}));
  choices.keep(loop, names[0]);
  choices.write();
  EXPECT_TRUE(std::filesystem::is_fifo(file));
  close(pipe);
}

/// The file of a symbolic link is written, not the link.
TEST_F(KeptChoicesTest, LinksStay) {
  std::filesystem::path const link = file.string() + ".link";
  std::filesystem::create_symlink(file.filename(), file.string() + ".next");
  std::filesystem::create_symlink(file.string() + ".next", link);
  for (bool const exists : {false, true}) {
    std::filesystem::remove(file);
    if (exists) set_text("");
    KeptChoices choices(link, title);
    choices.keep(loop, names[1]);
    choices.write();
    EXPECT_TRUE(std::filesystem::is_symlink(link)) << exists;
    EXPECT_TRUE(has_parts(text(), {line(names[1])})) << exists;
  }
}

/// Processes of several machines or containers may have the same number.
TEST_F(KeptChoicesTest, AnotherProcessMayHaveTheSameNumber) {
  std::filesystem::path const other =
      file.string() + "." + std::to_string(getpid());
  std::ofstream stream(other);
  KeptChoices choices(file, title);
  choices.keep(loop, names[1]);
  choices.write();
  EXPECT_TRUE(has_parts(text(), {line(names[1])}));
  EXPECT_TRUE(std::filesystem::exists(other));
}

TEST_F(KeptChoicesTest, AFolderThatDoesNotExist) {
  testing::internal::CaptureStderr();
  KeptChoices choices(file / "choices.txt", title);
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
  choices.keep(loop, names[0]);
  testing::internal::CaptureStderr();
  choices.write();
  EXPECT_TRUE(
      has_parts(testing::internal::GetCapturedStderr(), {"cannot be written"}));
}

}  // namespace
