#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The documentation site: make_site.py SOURCE BUILD

Puts the pages that the repository has into BUILD/pages with links that work there, adds the reference, runs Sphinx, and
looks for broken links in what it has made. Every warning is an error.
"""
import html.parser
import os
import pathlib
import re
import shutil
import subprocess
import sys
import urllib.parse

sys.path.insert(0, str(pathlib.Path(__file__).parent))
from make_reference import make_reference  # noqa: E402

# What the repository has, and the page that it becomes.
PAGES = {
    "README.md": "index.md",
    "CHANGELOG.md": "changelog.md",
    "CONTRIBUTING.md": "contributing.md",
    "SECURITY.md": "security.md",
    "CODE_OF_CONDUCT.md": "code_of_conduct.md",
    "core/README.md": "core.md",
    "examples/any_blas/README.md": "any_blas.md",
    "python/README.md": "python.md",
    "perf_tests/README.md": "perf_tests.md",
    "unit_tests/golden/README.md": "golden.md",
    "unit_tests/proof/README.md": "proof.md",
}


def pages_of(source):
    pages = dict(PAGES)
    for readme in sorted(source.glob("packages/*/README.md")):
        pages[readme.relative_to(source).as_posix()] = readme.parent.name + ".md"
    for page in sorted(source.glob("docs/*.md")):
        pages[page.relative_to(source).as_posix()] = page.name
    return pages


def examples_page(source, target):
    """All examples as they are compiled, but for the line with the licence."""
    out = ["# Examples", "", "Each is compiled and run as a test, at several numbers of threads or ranks.", ""]
    for example in sorted(source.glob("examples/*/*")):
        language = {".cpp": "cpp", ".c": "c", ".f90": "fortran"}.get(example.suffix)
        if language is not None:
            out += ["## %s" % example.parent.name, "", "```{literalinclude} %s" % os.path.relpath(example, target),
                    ":language: " + language, ":lines: 2-", "```", ""]
    (target / "examples.md").write_text("\n".join(out))


LINK = r"\[((?:[^\[\]]|\[[^\]]*\])*)\]\(([^()\s]+)\)"


class Stage:
    """Copies a page; what it links to is a page as well, or is copied beside it."""

    def __init__(self, source, target, pages):
        self.source, self.target, self.pages = source, target, pages

    def link(self, page, text, link):
        address, mark, place = link.partition("#")
        if not address or re.match(r"[a-z]+:", address):
            return "[%s](%s)" % (text, link)
        file = (self.source / page).parent / urllib.parse.unquote(address)
        if not file.exists():
            raise SystemExit("%s: there is no %s" % (page, link))
        name = file.resolve().relative_to(self.source).as_posix()
        if file.is_dir():
            if name == "examples":
                return "[%s](examples.md)" % text
            name = "README.md" if name == "docs" else name + "/README.md"
        if name in self.pages:
            return "[%s](%s%s%s)" % (text, self.pages[name], mark, place)
        if file.is_dir():
            return text
        copy = self.target / "files" / name
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(file, copy)
        return "[%s](files/%s)" % (text, name)

    def page(self, name):
        out = []
        for part in re.split(r"(^```.*?^```[ ]*$)", (self.source / name).read_text(), flags=re.M | re.S):
            if part.startswith("```"):
                out.append(part)
            else:
                out.append(re.sub(LINK, lambda m: self.link(name, m[1], m[2]), part))
        text = "".join(out)
        if name == "README.md":
            text += "\n" + (self.source / "docs/site/toc.md").read_text()
        (self.target / self.pages[name]).write_text(text)


class Links(html.parser.HTMLParser):
    def __init__(self, text):
        super().__init__()
        self.links, self.places = [], set()
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        for name, value in attributes:
            if name in ("href", "src") and value:
                self.links.append(value)
            if name in ("id", "name") and value:
                self.places.add(value)


def broken_links(site):
    pages = {path: Links(path.read_text()) for path in site.rglob("*.html")}
    broken = []
    for path, page in pages.items():
        for link in page.links:
            address = urllib.parse.urlsplit(link)
            if address.scheme or address.netloc:
                continue
            file = (path.parent / urllib.parse.unquote(address.path)).resolve() if address.path else path
            if not file.exists():
                broken.append("%s: %s" % (path.relative_to(site), link))
                continue
            place = urllib.parse.unquote(address.fragment)
            if place and file in pages and place not in pages[file].places:
                broken.append("%s: %s: there is no such place" % (path.relative_to(site), link))
    return len(pages), sum(len(page.links) for page in pages.values()), broken


def main(source, build):
    target, site = build / "pages", build / "html"
    shutil.rmtree(target, ignore_errors=True)
    target.mkdir(parents=True)
    pages = pages_of(source)
    stage = Stage(source, target, pages)
    for name in pages:
        stage.page(name)
    examples_page(source, target)
    count = make_reference(source, build, target)
    version = re.search(r"project\(Exakt VERSION (\S+)", (source / "CMakeLists.txt").read_text())[1]
    command = ["sphinx-build", "-W", "--keep-going", "-q", "-b", "html", "-c", source / "docs/site", "-D",
               "release=" + version, "-d", build / "doctrees", target, site]
    sphinx = subprocess.run([str(word) for word in command], check=False)
    if sphinx.returncode != 0:
        raise SystemExit("sphinx-build: see above")
    made, links, broken = broken_links(site)
    if broken:
        raise SystemExit("broken links:\n" + "\n".join(broken))
    print("%s: %d pages, %d of them reference, %d links, none broken" % (site / "index.html", made, count, links))


if __name__ == "__main__":
    main(pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]).resolve())
