# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Members of .npz archives: which one is read, and one line for each way in which an archive can be bad.

Called as: python3 test_tool_npz.py PATH_OF_EXAKT
"""
import io
import os
import random
import struct
import subprocess
import sys
import tempfile
import zipfile
import zlib

EXAKT = os.path.realpath(sys.argv[1])
NEVER = 0xffffffff
failures = 0


def npy(*numbers, descr="'<f8'"):
    header = "{'descr': %s, 'fortran_order': False, 'shape': (%d,), }" % (descr, len(numbers))
    return (b"\x93NUMPY\1\0" + struct.pack("<H", 118) + header.ljust(117).encode() + b"\n" +
            struct.pack("<%dd" % len(numbers), *numbers))


def archive(members, method=zipfile.ZIP_STORED, comment=b""):
    """As np.savez (which has Zip64 in local headers) and np.savez_compressed make it."""
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", method) as whole:
        whole.comment = comment
        for name, data in members.items():
            with whole.open(name, "w", force_zip64=True) as member:
                member.write(data)
    return file.getvalue()


def zip64(members, fields=None, junk=3, small=False):
    """An archive whose numbers are where those of more than 4 GiB are: in extra fields, and in a record of their own.
    Of small members behind 4 GiB only their places are."""
    text = central = b""
    for name, data in members.items():
        raw, crc, begin = name.encode(), zlib.crc32(data), len(text)
        text += struct.pack("<4s5H3I2H", b"PK\3\4", 45, 0, 0, 0, 0, crc, NEVER, NEVER, len(raw), 20) + raw
        text += struct.pack("<2H2Q", 1, 16, len(data), len(data)) + data
        size, numbers = (len(data), [begin]) if small else (NEVER, [len(data), len(data), begin])
        extra = struct.pack("<2H", 0x7075, junk) + b"abc" + struct.pack("<2H", 1, fields or 8 * len(numbers))
        extra += struct.pack("<%dQ" % len(numbers), *numbers)
        central += struct.pack("<4s6H3I5H2I", b"PK\1\2", 45, 45, 0, 0, 0, 0, crc, size, size, len(raw), len(extra), 2,
                               0, 0, 0, NEVER) + raw + extra + b"so"
    end = struct.pack("<4sQ2H2I4Q", b"PK\6\6", 44, 45, 45, 0, 0, len(members), len(members), len(central), len(text))
    locator = struct.pack("<4sIQI", b"PK\6\7", 0, len(text) + len(central), 1)
    last = struct.pack("<4s4H2IH", b"PK\5\6", 0, 0, 0xffff, 0xffff, NEVER, NEVER, 0)
    return text + central + end + locator + last


def replaced(data, at, what):
    return data[:at] + what + data[at + len(what):]


def run(arguments, stdin=None):
    done = subprocess.run([EXAKT, *arguments], input=stdin, capture_output=True, timeout=60)
    return done.stdout.decode(), done.stderr.decode(), done.returncode


def check(got, expected, what):
    global failures
    if got != expected:
        failures += 1
        print(f"FAILED: {what}\n  expected: {expected}\n  got:      {got}")


def expect(answer, *arguments, stdin=None):
    check(run(arguments, stdin), (answer + "\n", "", 0), arguments)


def refuse(line, *arguments, stdin=None):
    check(run(arguments, stdin), ("", "exakt: " + line + "\n", 2), arguments)


def write(name, data):
    with open(name, "wb") as file:
        file.write(data)
    return name


def test_members():
    two = {"x.npy": npy(0.1, 0.2, 0.3), "y.npy": npy(1.0, 2.0, 4.0)}
    for method in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        write("one.npz", archive({"arr_0.npy": npy(0.1, 0.2, 0.3)}, method))
        expect("0.6", "sum", "one.npz")
        expect("0.6", "sum", "one.npz", "--format", "npy")
        expect("0.2", "mean", "--member", "arr_0", "one.npz")
        write("two.npz", archive(two, method))
        expect("7", "sum", "--member", "y", "two.npz")
        expect("7", "sum", "--member", "y.npy", "two.npz")
        expect("0.3741657386773941", "nrm2", "--member", "x", "two.npz")
        refuse("two.npz: is an archive of 2 members; take one of them, as --member NAME: x, y", "sum", "two.npz")
        refuse("two.npz: has no member 'z'; it has x, y", "sum", "--member", "z", "two.npz")
    write("folder.npz", archive({"a/": b"", "a/b.npy": npy(5.0)}, comment=b"a comment with PK\5\6 in it" + bytes(30)))
    expect("5", "sum", "folder.npz")
    expect("5", "sum", "--member", "a/b", "folder.npz")
    write("both.npz", archive({"x.npy": npy(1.0), "x": npy(2.0)}))
    expect("2", "sum", "--member", "x", "both.npz")
    expect("1", "sum", "--member", "x.npy", "both.npz")
    fields = "[('a', '<f8'), ('b', '<f8')]"
    write("fields.npz", archive({"r.npy": npy(1.0, 2.0, descr=fields).replace(b"(2,)", b"(1,)")}, zipfile.ZIP_DEFLATED))
    expect("2", "sum", "--column", "b", "--member", "r", "fields.npz")
    expect("0", "sum", write("empty.npz", archive({"e.npy": npy()})))
    many = {f"m{i}.npy": npy(float(i)) for i in range(23)}
    write("many.npz", archive(many))
    refuse("many.npz: is an archive of 23 members; take one of them, as --member NAME: " +
           ", ".join(f"m{i}" for i in range(20)) + " and 3 more", "sum", "many.npz")
    expect("22", "sum", "--member", "m22", "many.npz")


def test_many_pieces():
    """More than is read at once, that deflates well in part."""
    random.seed(20)
    numbers = [random.getrandbits(50) * 2.0**-20 for _ in range(70000)] + [1.0] * 200000
    expected = sum(int(x * 2**20) for x in numbers) / 2**20
    for method in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        write("large.npz", archive({"a.npy": npy(-1.0), "b.npy": npy(*numbers)}, method))
        for threads in ("1", "3"):
            out, err, code = run(["sum", "--member", "b", "--threads", threads, "large.npz"])
            check((float(out or "nan"), err, code), (expected, "", 0), ("large.npz", method, threads))


def test_zip64():
    members = {"x.npy": npy(1.0, 2.0), "y.npy": npy(3.0)}
    for small in (False, True):
        write("large.npz", zip64(members, small=small))
        expect("3", "sum", "--member", "x", "large.npz")
        expect("3", "sum", "--member", "y", "large.npz")
    begin = sum(30 + 5 + 20 + len(data) for data in members.values())
    for damage in ({"fields": 16}, {"junk": 99}):
        refuse(f"bad.npz: byte {begin}: the directory of the archive is damaged", "sum", write("bad.npz", zip64(members, **damage)))
    cut = replaced(zip64(members), len(zip64(members)) - 22 - 20 + 8, struct.pack("<Q", 2**63))
    refuse(f"bad.npz: byte {2**63}: the directory of the archive is damaged", "sum", write("bad.npz", cut))
    cut = replaced(zip64(members), len(zip64(members)) - 22 - 20 - 8, struct.pack("<Q", 7))
    refuse("bad.npz: byte 7: the directory of the archive is damaged", "sum", write("bad.npz", cut))


def test_bad_archives():
    data = npy(0.1, 0.2, 0.3)
    good = archive({"x.npy": data})
    central = good.rfind(b"PK\1\2")
    deflated = archive({"x.npy": data}, zipfile.ZIP_DEFLATED)
    for size in (4, 60, central, len(good) - 1):
        refuse(f"cut.npz: byte {size}: the file ends before the directory of its archive", "sum", write("cut.npz", good[:size]))
    refuse("bad.npz: x.npy: is encrypted, which exakt does not read", "sum", write("bad.npz", replaced(good, central + 8, b"\1")))
    refuse("bad.npz: x.npy: is compressed by zip's method 12; stored and deflated members are read",
           "sum", write("bad.npz", replaced(good, central + 10, b"\14")))
    for at, what in ((0, b"?"), (28, b"\xff"), (46 - 4, struct.pack("<I", 1 << 20))):
        refuse(f"bad.npz: byte {1 << 20 if at == 42 else central}: the directory of the archive is damaged",
               "sum", write("bad.npz", replaced(good, central + at, what)))
    refuse("bad.npz: byte 0: the directory of the archive is damaged", "sum",
           write("bad.npz", replaced(good, central + 20, struct.pack("<I", 1 << 20))))
    refuse(f"bad.npz: byte {central + 1}: the directory of the archive is damaged", "sum",
           write("bad.npz", replaced(good, len(good) - 6, struct.pack("<I", central + 1))))
    checksum = "bad.npz: x.npy: its length or its checksum is not as the archive says: the archive is damaged"
    for whole in (good, deflated):
        at = whole.rfind(b"PK\1\2") + 16
        refuse(checksum, "sum", write("bad.npz", replaced(whole, at, bytes([whole[at] ^ 1]))))
    last = good.find(data) + len(data) - 1
    refuse(checksum, "sum", write("bad.npz", replaced(good, last, bytes([good[last] ^ 1]))))
    refuse(checksum, "sum", write("bad.npz", replaced(good, central + 24, struct.pack("<I", len(data) + 1))))
    entry = deflated.rfind(b"PK\1\2")
    size = struct.unpack_from("<I", deflated, entry + 20)[0]
    refuse(f"bad.npz: x.npy: byte {size - 1}: the file ends within its compressed data", "sum",
           write("bad.npz", replaced(deflated, entry + 20, struct.pack("<I", size - 1))))
    begin = deflated.find(b"x.npy") + 5 + 20
    out, err, code = run(["sum", write("bad.npz", replaced(deflated, begin, b"\xff\xff"))])
    check("the compressed data is damaged" in err and code == 2 and out == "", True, "deflated data that is damaged: " + err)
    refuse("text.npz: notes.txt: is not an .npy array; try: unzip -p FILE NAME | exakt ... -",
           "sum", write("text.npz", archive({"notes.txt": b"1 2 3\n"})))
    refuse("none.npz: is an archive without members", "sum", write("none.npz", archive({})))
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as twice:
        twice.writestr("x.npy", data)
        twice.writestr("y.npy", data)
    named = file.getvalue().replace(b"y.npy", b"x.npy")
    refuse("twice.npz: has two members 'x.npy'", "sum", "--member", "x", write("twice.npz", named))
    short = archive({"x.npy": data[:-8]})
    refuse("short.npz: x.npy: byte 144: the file ends here, after 16 of the 24 bytes of data that its header announces",
           "sum", write("short.npz", short))


def test_options():
    write("x.npz", archive({"x.npy": npy(1.0)}))
    write("x.npy", npy(1.0))
    write("x.txt", b"1 2\n")
    pipe = "standard input: is a zip archive (.npz?); try: unzip -p FILE NAME.npy | exakt ... -"
    with open("x.npz", "rb") as file:
        refuse(pipe, "sum", "-", stdin=file.read())
    refuse("x.npy: is an .npy file; --member is for .npz archives", "sum", "--member", "x", "x.npy")
    refuse("x.txt: is text; --member is for .npz archives", "sum", "--member", "x", "x.txt")
    for format in ("csv", "text", "raw"):
        refuse(f"--member is for .npz archives, not for --format {format}", "sum", "--member", "x", "--format", format, "x.npz")
    refuse("--member is for .npz archives, --type for raw binary: not both", "sum", "--member", "x", "--type", "f64", "x.npz")
    refuse("x.npz: x.npy: is an .npy file, though --format says otherwise", "sum", "--format", "csv", "x.npz")
    refuse("--member: its NAME is empty (see exakt --help)", "sum", "--member", "", "x.npz")
    for text in (["--man"], ["--completion", "bash"], ["--completion", "fish"], ["sum", "--help"], ["report", "--help"]):
        out, _, _ = run(text)
        check("member" in out, True, f"{text} names --member")


with tempfile.TemporaryDirectory() as workspace:
    os.chdir(workspace)
    write("probe.npz", archive({"x.npy": npy(1.0)}))
    if "is a zip archive" in run(["sum", "probe.npz"])[1]:
        print("built without zlib: nothing to test")
        sys.exit(77)
    for test in [value for name, value in sorted(globals().items()) if name.startswith("test_")]:
        test()
    os.chdir("/")
print(f"{failures} failures" if failures else "all as expected")
sys.exit(failures != 0)
