// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <stdexcept>

#include "ExaktTest_Golden.hpp"

using namespace ExaktTest::Golden;

namespace {

std::string refusal_of(std::string const& text) {
  try {
    parsed_file("mean", text);
  } catch (std::runtime_error const& error) {
    return error.what();
  }
  return "accepted";
}

}  // namespace

TEST_CASE("every verb of the golden set has some hundred lines") {
  for (Verb const& verb : verbs()) {
    INFO(verb.name);
    CHECK(read_cases(EXAKT_GOLDEN_CASES, verb.name).size() >= 100);
  }
}

TEST_CASE("a line of the golden set is read as it is written") {
  for (Verb const& verb : verbs())
    for (Case const& c : read_cases(EXAKT_GOLDEN_CASES, verb.name)) EXAKT_CHECK(parsed(c.line()).line() == c.line());
}

TEST_CASE("words of the golden set: any quiet NaN is nan, many words are a hash") {
  CHECK(result_text({}, f64) == "none");
  CHECK(result_text({0xfff8000000000001u, 1, 0x7ff0000000000001u}, f64) == "nan 0000000000000001 7ff0000000000001");
  CHECK(result_text({0xffc00001u, 0x80000000u}, f32) == "nan 80000000");
  // FNV-1a of 36 zero bytes, and of those of nine canonical NaN.
  CHECK(result_text(Words(9, 0), f32) == "#9:943cf28841434e75");
  CHECK(result_text(Words(9, 0xffc00001u), f32) == result_text(Words(9, 0x7fc00000u), f32));
}

TEST_CASE("a golden file that is damaged is refused, and the message says where") {
  std::string const header = "exakt-golden 1 mean 1\n", case_text = "mean f32 full 1 2 -> ",
                    words = "3f800000 nan 00000000 80000000";
  CHECK(refusal_of(header + case_text + words + '\n') == "accepted");
  CHECK(refusal_of(header + case_text + words) == "2: the last line does not end");
  CHECK(refusal_of("") == "1: the header must begin with 'exakt-golden 1 mean '");
  CHECK(refusal_of("exakt-golden 1 mean 0\n") == "1: there are no cases");
  CHECK(refusal_of("exakt-golden 1 mean 2\n" + case_text + words + '\n') == "1: the header says 2 cases, there are 1");
  CHECK(refusal_of("exakt-golden 1 mean x\n" + case_text + words + '\n') == "1: 'x' is not a decimal number");
  CHECK(refusal_of(header + "sum f32 full 1 2 -> " + words + '\n') == "2: a case of sum");
  CHECK(refusal_of(header + "max f32 full 1 2 -> " + words + '\n') == "2: there is no verb 'max'");
  CHECK(refusal_of(header + "mean f16 full 1 2 -> " + words + '\n') == "2: there is no type 'f16'");
  CHECK(refusal_of(header + "mean f32 fool 1 2 -> " + words + '\n') == "2: mean has no family 'fool'");
  CHECK(refusal_of(header + "mean f32 full -1 2 -> " + words + '\n') == "2: '-1' is not a decimal number");
  CHECK(refusal_of(header + "mean f32 full 1 2x2 -> " + words + '\n') == "2: mean has 1 sizes");
  CHECK(refusal_of(header + "mean f32 full 1  2 -> " + words + '\n') ==
        "2: there are 6 words before the arrow; mean has 5");
  CHECK(refusal_of(header + case_text + "3f800000\n") == "2: the result has 1 words; there must be 4");
  CHECK(refusal_of(header + case_text + words + " \n") == "2: the result has 5 words; there must be 4");
  CHECK(refusal_of(header + case_text + "3f80000 nan 00000000 80000000\n") ==
        "2: '3f80000' is not a number of 8 hexadecimal digits");
  CHECK(refusal_of(header + "mean f32 full 1 2 3f800000\n") == "2: there is no ' -> '");
}
