// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ExaktTool_BinaryReader.hpp"
#include "ExaktTool_CsvReader.hpp"
#include "ExaktTool_Npy.hpp"
#include "ExaktTool_TextReader.hpp"
#include "ExaktTool_Zip.hpp"

#include <algorithm>
#include <cctype>
#include <span>
#include <string_view>

namespace Exakt::Tool {

std::string extension(std::string const& path) {
  auto const name = path.substr(path.rfind('/') + 1);
  auto const dot = name.rfind('.');
  std::string text = dot == std::string::npos ? "" : name.substr(dot + 1);
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return text;
}

namespace {

bool is_one_of(std::string const& text, std::initializer_list<std::string_view> choices) {
  return std::find(choices.begin(), choices.end(), text) != choices.end();
}

constexpr std::string_view gzip_begins = "\x1f\x8b\x08";

/// Files that hold numbers only after some other program has worked on them.
void refuse_containers(Input const& input, std::string_view head) {
  using namespace std::string_view_literals;
  if (head.starts_with(gzip_begins)) input.fail("is compressed; try: gzip -dc FILE | exakt ... -");
  if (head.starts_with("\x28\xb5\x2f\xfd"sv)) input.fail("is compressed; try: zstd -dc FILE | exakt ... -");
  if (head.starts_with("\xfd"
                       "7zXZ\0"sv))
    input.fail("is compressed; try: xz -dc FILE | exakt ... -");
  if (head.starts_with("BZh"sv) && head.substr(4).starts_with("1AY&SY"sv))
    input.fail("is compressed; try: bzip2 -dc FILE | exakt ... -");
  if (looks_like_zip(head)) input.fail("is a zip archive (.npz?); try: unzip -p FILE NAME.npy | exakt ... -");
  // Debian has no library for them, Python has.
  auto const refuse = [&](char const* what, std::string const& read) {
    input.fail(std::string("is ") + what + ", which exakt does not read; try: python3 -c '" + read +
               R"(.to_csv("FILE.csv", index=False)')");
  };
  if (head.starts_with("PAR1"sv)) refuse("a Parquet file", R"(import pandas; pandas.read_parquet("FILE"))");
  if (head.starts_with("ARROW1"sv) || head.starts_with("FEA1"sv))
    refuse("an Arrow file", R"(import pandas; pandas.read_feather("FILE"))");
  if (head.starts_with("\xff\xff\xff\xff"sv) && is_one_of(extension(input.name()), {"arrow", "arrows"}))
    refuse("an Arrow stream", R"(import pyarrow; pyarrow.ipc.open_stream("FILE").read_pandas())");
  if (head.starts_with("\x89HDF\r\n"sv))
    input.fail("is an HDF5 file, which exakt does not read; save the array as .npy");
}

/// Spreadsheets, some of which are archives, too; tables in text are often named like them.
void refuse_spreadsheets(Input const& input, std::string const& path, std::string_view head) {
  bool const is_container = looks_like_zip(head) || head.starts_with("\xd0\xcf\x11\xe0");
  if (is_container && is_one_of(extension(path), {"xlsx", "xlsm", "xls", "ods"}))
    input.fail("is a spreadsheet, which exakt does not read; save it as CSV");
}

bool looks_binary(std::string_view head) {
  return std::any_of(head.begin(), head.end(), [](char c) {
    auto const byte = static_cast<unsigned char>(c);
    return byte == 0x7f || (byte < ' ' && !(byte >= '\t' && byte <= '\r'));
  });
}

/// \brief Lines of printable characters with digits in them: hardly the bytes of binary numbers.
bool looks_like_text(std::string_view head) {
  auto const is_of_text = [](char c) { return (c >= ' ' && c <= '~') || c == '\t' || c == '\n' || c == '\r'; };
  return std::all_of(head.begin(), head.end(), is_of_text) && head.find('\n') != std::string_view::npos &&
         head.find_first_of("0123456789") != std::string_view::npos;
}

/// The first line with anything but a comment on it, if the head holds all of it or much of it.
std::string_view first_line(std::string_view head) {
  if (head.starts_with("\xef\xbb\xbf")) head.remove_prefix(3);  // the byte order mark of UTF-8
  while (!head.empty()) {
    std::string_view const line = head.substr(0, head.find('\n'));
    auto const first = line.find_first_not_of(" \t\r");
    if (first != std::string_view::npos && line[first] != '#') return line;
    head.remove_prefix(std::min(line.size() + 1, head.size()));
  }
  return {};
}

std::string_view head_of(Input& input) {
  constexpr std::size_t enough = 4096;
  auto const bytes = input.peek(enough);
  return {reinterpret_cast<char const*>(bytes.data()), bytes.size()};
}

/// \brief Whether the first line of text, or of what that alone makes a table, begins an array or an object of JSON.
bool looks_like_json(std::string_view head) {
  std::string_view const line = first_line(head);
  auto const first = line.find_first_not_of(" \t");
  return first != std::string_view::npos && (line[first] == '[' || line[first] == '{');
}

struct Recognized {
  Format format;
  std::string why;  ///< what tells it, for messages
};

/// \brief What the input is: .npy files say it themselves; of others --format says it, or the name, or an option, or
/// the first line.
Recognized recognize(std::string const& path, std::string_view head, Options const& options) {
  if (looks_like_npy(std::as_bytes(std::span(head)))) return {Format::npy, "is an .npy file"};
  if (options.format != Format::automatic) return {options.format, "is read as --format says"};
  std::string const ending = extension(path);
  if (ending == "npy") return {Format::npy, "is an .npy file by its name"};
  if (element_type_from_name(ending)) return {Format::raw, "is raw binary by its name"};
  if (is_one_of(ending, {"csv", "tsv"})) return {Format::csv, "is a CSV table by its name"};
  if (options.type) return {Format::raw, "is raw binary by --type"};
  if (!options.column.empty()) return {Format::csv, "is a CSV table by --column"};
  if (!options.by.empty()) return {Format::csv, "is a CSV table by --by"};
  if (options.delimiter) return {Format::csv, "is a CSV table by --delimiter"};
  if (looks_like_json(head)) return {Format::text, "is JSON"};
  if (first_line(head).find_first_of(",;") != std::string_view::npos)
    return {Format::csv, "is a CSV table by its first line"};
  return {Format::text, "is text"};
}

/// Refuses content that cannot be what it was recognized as, and options that are for other formats.
void check(Input const& input, std::string const& path, Recognized const& recognized, std::string_view head,
           bool is_of_archive, Options const& options) {
  auto const& [format, why] = recognized;
  bool const is_explicit = options.format != Format::automatic;
  if (is_explicit && options.format != format) input.fail(why + ", though --format says otherwise");
  // Numbers may have any bytes: whoever means those of an archive or of a text says --format raw.
  if (format != Format::npy && !(is_explicit && format == Format::raw)) refuse_containers(input, head);
  if (format == Format::raw && !is_explicit && options.type && options.type->bytes > 1 && looks_like_text(head))
    input.fail("is text; --type is for raw binary (and --format raw, if that is what it is)");
  if (format == Format::text && !is_explicit && looks_like_json(head))
    input.fail("is JSON, which exakt does not read; try: jq '.[]' FILE | exakt ... -");
  if (format == Format::text || format == Format::csv) {
    if (head.starts_with("\xff\xfe") || head.starts_with("\xfe\xff"))
      input.fail("is UTF-16 text; try: iconv -f utf-16 -t utf-8 FILE | exakt ... -");
    if (is_explicit && looks_binary(head)) input.fail("is binary, though --format says otherwise");
    if (!is_explicit && (is_one_of(extension(path), {"bin", "raw"}) || looks_binary(head)))
      input.fail("is binary; say which numbers it holds: --type f64 or --type f32");
  }
  bool const is_table = format == Format::csv, is_text = is_table || format == Format::text;
  if (!is_table && format != Format::npy && !options.column.empty()) input.fail(why + "; --column is for CSV tables");
  if (!is_table && !options.by.empty()) input.fail(why + "; --by is for CSV tables");
  if (!is_table && options.header) input.fail(why + "; --header is for CSV tables");
  if (!is_table && options.delimiter) input.fail(why + "; --delimiter is for CSV tables");
  if (!is_text && options.missing != Missing::as_read) input.fail(why + "; --missing is for text and CSV");
  if (!is_text && options.decimal) input.fail(why + "; --decimal is for text and CSV");
  if (format != Format::raw && options.type) input.fail(why + "; --type is for raw binary");
  if (!is_of_archive && !options.member.empty()) input.fail(why + "; --member is for .npz archives");
}

}  // namespace

std::unique_ptr<Reader> open_reader(std::string const& file, Options const& options) {
  auto input = std::make_unique<Input>(file);
  std::string path = file;
  // Whoever means the bytes of a compressed file says --format raw.
  if (can_inflate && options.format != Format::raw && head_of(*input).starts_with(gzip_begins)) {
    input->decompress();
    if (extension(path) == "gz") path.resize(path.size() - 3);
  }
  // What an interrupted download leaves.
  if (options.format != Format::raw && is_one_of(extension(path), {"gz", "npz"}) && head_of(*input).empty())
    input->fail("is empty, which no ." + extension(path) + " file is");
  // Where the directory of an archive is, its end says: a pipe does not show it in time.
  if (options.format == Format::automatic) refuse_spreadsheets(*input, path, head_of(*input));
  bool const is_archive =
      can_inflate && options.format != Format::raw && input->size() && looks_like_zip(head_of(*input));
  if (is_archive) {
    enter_zip_member(*input, options.member);
    if (!looks_like_npy(input->peek(1 << 12)))
      input->fail("is not an .npy array; try: unzip -p FILE NAME | exakt ... -");
  }
  std::string_view const head = head_of(*input);
  Recognized const recognized = recognize(path, head, options);
  check(*input, path, recognized, head, is_archive, options);
  switch (recognized.format) {
    case Format::npy:
      return open_npy(std::move(input), options);
    case Format::raw: {
      auto const type = options.type ? options.type : element_type_from_name(extension(path));
      if (!type) input->fail("is raw binary; say which numbers it holds: --type f64 or --type f32");
      return std::make_unique<BinaryReader>(std::move(input), RecordLayout(*type));
    }
    case Format::csv:
      return std::make_unique<CsvReader>(std::move(input), options);
    default:
      return std::make_unique<TextReader>(std::move(input), options.missing);
  }
}

}  // namespace Exakt::Tool
