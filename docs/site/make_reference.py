# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The reference: a page for each public header, from the docstrings that Doxygen reads."""
import pathlib
import re
import subprocess
import textwrap
import xml.etree.ElementTree as xml

PACKAGES = [
    # folder, title, header, files
    ("core", "core", "Exakt.hpp", ["core"]),
    ("blas", "blas", "ExaktBlas.hpp", ["packages/blas"]),
    ("sparse", "sparse", "ExaktSparse.hpp", ["packages/sparse"]),
    ("scatter", "scatter", "ExaktScatter.hpp", ["packages/scatter"]),
    ("mpi", "mpi", "ExaktMpi.hpp", ["packages/mpi"]),
    ("c", "c", "exakt.h", ["packages/c/exakt.h"]),
]

DOXYFILE = """
GENERATE_HTML = NO
GENERATE_LATEX = NO
GENERATE_XML = YES
XML_PROGRAMLISTING = NO
QUIET = YES
FILE_PATTERNS = Exakt*.hpp
EXCLUDE_SYMBOLS = Exakt::Impl* Exakt::Compiled* *::Impl::*
MACRO_EXPANSION = YES
EXPAND_ONLY_PREDEF = YES
PREDEFINED = EXAKT_ABI_TAG= EXAKT_FUNCTION= EXAKT_C_API= KOKKOS_FUNCTION= KOKKOS_INLINE_FUNCTION= \\
             KOKKOS_FORCEINLINE_FUNCTION= EXAKT_TAGGED_COPIES(x)= EXAKT_ABI=abi
WARN_IF_UNDOCUMENTED = NO
WARN_IF_INCOMPLETE_DOC = NO
MARKDOWN_SUPPORT = YES
HIDE_UNDOC_CLASSES = YES
HIDE_UNDOC_MEMBERS = NO
"""


def run_doxygen(source, build):
    """Doxygen's XML; its warnings are errors but for two kinds."""
    folder = build / "doxygen"
    folder.mkdir(parents=True, exist_ok=True)
    inputs = " ".join(str(source / path) for package in PACKAGES for path in package[3])
    settings = DOXYFILE + "INPUT = %s\nOUTPUT_DIRECTORY = %s\nSTRIP_FROM_PATH = %s\n" % (inputs, folder, source)
    done = subprocess.run(["doxygen", "-"], input=settings, capture_output=True, text=True, cwd=source, check=False)
    errors = []
    for line in (done.stdout + done.stderr).splitlines():
        unknown = re.search(r"argument '(\w+)' of command @param is not found in the argument list of (.*)", line)
        # Matrices are A where the template's parameter is A and the function's a; indices come as a pack.
        if unknown and (re.search(r"\b%s\b" % unknown[1].lower(), unknown[2]) or "..." in unknown[2]):
            continue
        if "scope for class Kokkos::" in line or not line.strip():
            continue
        if re.search(r"warning|error", line):
            errors.append(line)
    if done.returncode != 0 or errors:
        raise SystemExit("doxygen:\n" + "\n".join(errors or [done.stderr]))
    return folder / "xml"


# ---- from Doxygen's XML to Markdown


def escaped(text):
    return re.sub(r"([*_<\[\]|`])", r"\\\1", text or "")


def inline(node):
    """The text of a node with what is in it."""
    out = escaped(node.text)
    for child in node:
        tag = child.tag
        if tag == "computeroutput":
            out += "`" + "".join(child.itertext()) + "`"
        elif tag in ("bold", "emphasis"):
            mark = "**" if tag == "bold" else "*"
            out += mark + inline(child) + mark
        elif tag == "ulink":
            out += "[%s](%s)" % (inline(child), child.get("url"))
        elif tag == "linebreak":
            out += "\\\n"
        elif tag == "nonbreakablespace":
            out += " "
        elif tag == "ndash":
            out += "--"
        else:
            out += inline(child)
        out += escaped(child.tail)
    return out


PARAGRAPHS = ("Cost", "Special values")
BLOCKS = {"verbatim", "preformatted", "programlisting", "itemizedlist", "orderedlist", "parameterlist", "simplesect",
          "table", "blockquote", "para"}


def blocks(node, skip=()):
    """Paragraphs, lists and code of a description, as Markdown."""
    result = []
    words = escaped(node.text)
    for child in node:
        if child.tag in skip:
            continue
        if child.tag not in BLOCKS:
            holder = xml.Element("x")
            holder.append(child)
            words += inline(holder)
            continue
        if words.strip():
            result.append(words.strip())
        words = escaped(child.tail)
        if child.tag in ("verbatim", "preformatted"):
            result.append("```text\n%s\n```" % "".join(child.itertext()).strip("\n"))
        elif child.tag == "programlisting":
            lines = []
            for line in child.iter("codeline"):
                for space in line.iter("sp"):
                    space.text = " "
                lines.append("".join(line.itertext()))
            result.append("```cpp\n%s\n```" % "\n".join(lines))
        elif child.tag in ("itemizedlist", "orderedlist"):
            mark = "- " if child.tag == "itemizedlist" else "1. "
            indented = "\n" + " " * len(mark)
            items = [mark + "\n\n".join(blocks(i)).replace("\n", indented) for i in child.findall("listitem")]
            result.append("\n".join(items))
        elif child.tag == "simplesect":
            kind, title = child.get("kind"), child.find("title")
            head = {"return": "Returns", "note": "Note", "see": "See"}.get(kind, kind)
            rest = blocks(child, ("title",))
            if title is not None:
                # `\\par Cost  One pass ...`: Doxygen takes the whole line for the title, and the next lines for a paragraph.
                text = inline(title)
                head = next((h for h in PARAGRAPHS if text.startswith(h)), text)
                rest[:1] = [" ".join([text[len(head):].strip()] + rest[:1]).strip()]
            result.append("**%s**: %s" % (head, "\n\n".join(part for part in rest if part)))
        elif child.tag == "parameterlist":
            names = {"param": "", "templateparam": "", "exception": "throws ", "retval": ""}
            items = []
            for item in child.findall("parameteritem"):
                name = ", ".join("".join(n.itertext()) for n in item.iter("parametername"))
                text = " ".join(blocks(item.find("parameterdescription"))).replace("\n", " ")
                items.append("- %s`%s`: %s" % (names.get(child.get("kind"), ""), name, text))
            result.append("\n".join(items))
        elif child.tag == "table":
            rows = [["".join(inline(p) for p in cell) for cell in row.findall("entry")] for row in child.findall("row")]
            lines = ["| " + " | ".join(row) + " |" for row in rows]
            lines.insert(1, "|" + "---|" * len(rows[0]))
            result.append("\n".join(lines))
        else:
            result += blocks(child, skip)
    if words.strip():
        result.append(words.strip())
    return [block for block in result if block.strip()]


def signature(member):
    text = "".join(member.find("definition").itertext()) + "".join(member.find("argsstring").itertext())
    text = re.sub(r"\babi::|\bImpl::abi::", "", text).replace("Exakt::Mpi::", "").replace("Exakt::", "")
    templates = member.find("templateparamlist")
    head = ""
    if templates is not None:
        shown = []
        for parameter in templates.findall("param"):
            kind, name = parameter.find("type"), parameter.find("declname")
            kind = "".join(kind.itertext())
            if kind.startswith("std::enable_if") or "requires" in kind:
                continue
            shown.append(kind if name is None else kind + " " + name.text)
        head = "template <%s>\n" % ", ".join(shown).replace("Impl::", "") if shown else ""
    name = member.find("name").text
    text = re.sub(r"\w+< [^()]*? >::(?=%s)" % re.escape(name), "", text).replace("Impl::", "")
    text = re.sub(r"\s*([*&]+)(?=\w)", r"\1 ", text).replace(" &", "&").replace("  ", " ")
    return head + textwrap.fill(text, 88, subsequent_indent="    ", break_long_words=False, break_on_hyphens=False)


def member_text(member):
    parts = ["```cpp\n%s\n```" % signature(member)]
    parts += blocks(member.find("briefdescription")) + blocks(member.find("detaileddescription"))
    return "\n\n".join(parts)


def is_public(member):
    text = "".join(member.find("briefdescription").itertext()) + "".join(member.find("detaileddescription").itertext())
    return member.get("prot") == "public" and text.strip() and "Impl" not in (member.find("name").text or "")


def page_of_c(compound):
    """In C a comment is for the functions that follow it, up to the next comment."""
    members = [m for m in compound.iter("memberdef") if m.get("kind") in ("function", "typedef")]
    entries = []
    for member in sorted(members, key=lambda m: int(m.find("location").get("line"))):
        if is_public(member):
            entries.append([member])
        elif member.get("kind") == "function" and entries:
            entries[-1].append(member)
    out = []
    for entry in entries:
        out.append("## `%s`" % entry[0].find("name").text)
        functions = [signature(member) for member in entry if member.get("kind") == "function"]
        if functions:
            out.append("```c\n%s\n```" % "\n".join(functions))
        out += blocks(entry[0].find("briefdescription")) + blocks(entry[0].find("detaileddescription"))
    return "\n\n".join(out)


def name_of(compound):
    return compound.find("compoundname").text


def page_of(header, compounds, namespaces):
    """Everything that is documented in one header."""
    out = []
    for compound in compounds:
        if not compound.find("location").get("file").endswith(header):
            continue
        text = blocks(compound.find("briefdescription")) + blocks(compound.find("detaileddescription"))
        if not text or "Impl" in name_of(compound):
            continue
        out.append("## `%s`\n\n%s" % (name_of(compound), "\n\n".join(text)))
        for member in compound.iter("memberdef"):
            if member.get("kind") == "function" and is_public(member):
                out.append("### `%s`\n\n%s" % (member.find("name").text, member_text(member)))
    seen = set()
    for compound in namespaces:
        for member in compound.iter("memberdef"):
            if not member.find("location").get("file").endswith(header) or not is_public(member):
                continue
            kind, name = member.get("kind"), member.find("name").text
            if kind not in ("function", "enum", "typedef", "variable") or name.startswith("EXAKT_") or "@" in name:
                continue
            title = "" if name in seen else "## `%s`\n\n" % name
            seen.add(name)
            if kind == "function":
                out.append(title + member_text(member))
            else:
                text = blocks(member.find("briefdescription")) + blocks(member.find("detaileddescription"))
                values = ["- `%s` %s" % (v.find("name").text, " ".join(blocks(v.find("briefdescription"))))
                          for v in member.findall("enumvalue")]
                out.append(title + "\n\n".join(text + (["\n".join(values)] if values else [])))
    return "\n\n".join(out)


def make_reference(source, build, pages):
    """Writes reference/*.md below `pages`; returns the number of pages."""
    folder = run_doxygen(source, build)
    every = [c for path in sorted(folder.glob("*.xml")) for c in xml.parse(path).iter("compounddef")]
    classes = [c for c in every if c.get("kind") in ("class", "struct") and c.get("prot") == "public"]
    spaces = [c for c in every if c.get("kind") == "namespace" and "Impl" not in name_of(c)]
    c_files = [c for c in every if c.get("kind") == "file" and name_of(c) == "exakt.h"]
    reference = pages / "reference"
    reference.mkdir(parents=True, exist_ok=True)
    index, count = ["# Reference", "", "From the comments in the public headers.", ""], 0
    for name, title, umbrella, paths in PACKAGES:
        made = []
        root = source / paths[0]
        headers = sorted(root.glob("*.hpp")) if root.is_dir() else [root]
        for header in headers:
            text = page_of_c(c_files[0]) if name == "c" else page_of(header.name, classes, spaces)
            if not text:
                continue
            made.append(header.stem)
            (reference / (header.stem + ".md")).write_text("# `<%s>`\n\n%s\n" % (header.name, text))
        index += ["```{toctree}", ":caption: %s, <%s>" % (title, umbrella), ":maxdepth: 1"] + made + ["```", ""]
        count += len(made)
    (reference / "index.md").write_text("\n".join(index))
    return count


if __name__ == "__main__":
    import sys
    print(make_reference(pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]), pathlib.Path(sys.argv[2])))
