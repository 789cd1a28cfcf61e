// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ExaktTool_BinaryReader.hpp"
#include "ExaktTool_CsvReader.hpp"
#include "ExaktTool_Npy.hpp"
#include "ExaktTool_TextReader.hpp"

#include <algorithm>
#include <cctype>
#include <string_view>

namespace Exakt::Tool {
namespace {

std::string extension(std::string const& path) {
  auto const name = path.substr(path.rfind('/') + 1);
  auto const dot = name.rfind('.');
  std::string text = dot == std::string::npos ? "" : name.substr(dot + 1);
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return text;
}

bool is_one_of(std::string const& text, std::initializer_list<std::string_view> choices) {
  return std::find(choices.begin(), choices.end(), text) != choices.end();
}

/// Files that hold numbers only after some other program has worked on them.
void refuse_containers(Input const& input, std::string_view head) {
  if (head.starts_with("\x1f\x8b")) input.fail("is compressed; try: gzip -dc FILE | exakt ... -");
  if (head.starts_with("\x28\xb5\x2f\xfd")) input.fail("is compressed; try: zstd -dc FILE | exakt ... -");
  if (head.starts_with("PK\x03\x04")) input.fail("is a zip archive (.npz?); try: unzip -p FILE NAME.npy | exakt ... -");
  if (head.starts_with("\x89HDF\r\n")) input.fail("is an HDF5 file, which exakt does not read; save the array as .npy");
  if (head.starts_with("\xff\xfe") || head.starts_with("\xfe\xff"))
    input.fail("is UTF-16 text; try: iconv -f utf-16 -t utf-8 FILE | exakt ... -");
}

bool looks_binary(std::string_view head) {
  return std::any_of(head.begin(), head.end(), [](char c) {
    auto const byte = static_cast<unsigned char>(c);
    return byte == 0x7f || (byte < ' ' && !(byte >= '\t' && byte <= '\r'));
  });
}

/// The first line with anything but a comment on it, if the head holds all of it or much of it.
std::string_view first_line(std::string_view head) {
  while (!head.empty()) {
    std::string_view const line = head.substr(0, head.find('\n'));
    auto const first = line.find_first_not_of(" \t\r");
    if (first != std::string_view::npos && line[first] != '#') return line;
    head.remove_prefix(std::min(line.size() + 1, head.size()));
  }
  return {};
}

Format recognize(std::string const& path, Input& input, Options const& options) {
  constexpr std::size_t enough = 4096;
  auto const bytes = input.peek(enough);
  std::string_view const head(reinterpret_cast<char const*>(bytes.data()), bytes.size());
  if (looks_like_npy(bytes)) return Format::npy;
  std::string const ending = extension(path);
  if (ending == "npy") return Format::npy;
  if (options.type || element_type_from_name(ending)) return Format::raw;
  refuse_containers(input, head);
  if (is_one_of(ending, {"bin", "raw"}) || looks_binary(head))
    input.fail("is binary; say which numbers it holds: --type f64 or --type f32");
  if (!options.column.empty() || is_one_of(ending, {"csv", "tsv"})) return Format::csv;
  return first_line(head).find_first_of(",;") != std::string_view::npos ? Format::csv : Format::text;
}

}  // namespace

std::unique_ptr<Reader> open_reader(std::string const& path, Options const& options) {
  auto input = std::make_unique<Input>(path);
  Format const format = options.format != Format::automatic ? options.format : recognize(path, *input, options);
  switch (format) {
    case Format::npy:
      return open_npy(std::move(input));
    case Format::raw: {
      auto const type = options.type ? options.type : element_type_from_name(extension(path));
      if (!type) input->fail("is raw binary; say which numbers it holds: --type f64 or --type f32");
      return std::make_unique<BinaryReader>(std::move(input), *type);
    }
    case Format::csv:
      return std::make_unique<CsvReader>(std::move(input), options.column, options.header);
    default:
      return std::make_unique<TextReader>(std::move(input));
  }
}

}  // namespace Exakt::Tool
