# Every kind of bad input and bad command line, with the one line that it must give.
source "$(dirname "$0")/expect.bash"

f8=9a9999999999b93f9a9999999999c93f333333333333d33f # 0.1 0.2 0.3
printf '1 2 3\n' >good.txt

# files
refuse 'missing.txt: No such file or directory' sum missing.txt
refuse 'missing.txt: No such file or directory' sum good.txt missing.txt
refuse 'missing.txt: No such file or directory' sum good.txt missing.txt <(echo 1)
mkdir directory.npy
refuse 'directory.npy: is a directory, not a file' sum directory.npy
if [[ $(id -u) != 0 ]]; then
  printf 1 >secret.txt && chmod 000 secret.txt
  refuse 'secret.txt: Permission denied' sum secret.txt
fi

# raw
bytes ${f8}0102 >cut.f64
refuse 'cut.f64: byte 24: the file ends within a number: 2 of the 8 bytes of an f64' sum cut.f64
refuse 'standard input: byte 24: the file ends within a number: 2 of the 8 bytes of an f64' sum --type f64 - <cut.f64
refuse 'cut.f64: byte 24: the file ends within a number: 2 of the 4 bytes of an f32' mean --type f32 cut.f64
bytes ${f8}000000000000f03f >numbers.bin
refuse 'numbers.bin: is binary; say which numbers it holds: --type f64 or --type f32' sum numbers.bin
refuse 'standard input: is binary; say which numbers it holds: --type f64 or --type f32' sum - <numbers.bin
refuse 'numbers.bin: is raw binary; say which numbers it holds: --type f64 or --type f32' sum --format raw numbers.bin

# npy
npy '<f8' '(3,)' $f8 >whole.npy
head -c 100 whole.npy >short.npy
length=$(wc -c <whole.npy)
begin=$((length - 24))
refuse "short.npy: byte 100: the file ends here, after $((100 - begin)) of the 24 bytes of data that its header announces" sum short.npy
refuse "standard input: byte 100: the file ends here, after $((100 - begin)) of the 24 bytes of data that its header announces" \
  sum - < <(cat short.npy)
head -c 30 whole.npy >header.npy
refuse 'header.npy: byte 30: the file ends within its .npy header' sum header.npy
head -c 7 whole.npy >seven.npy
refuse 'seven.npy: byte 7: the file ends within its .npy header' sum seven.npy
{ cat whole.npy; bytes 00; } >long.npy
refuse "long.npy: byte $length: the file goes on after the 24 bytes of data that its header announces" sum long.npy
refuse "standard input: byte $length: the file goes on after the 24 bytes of data that its header announces" \
  sum - < <(cat long.npy)
printf 'not at all' >text.npy
refuse 'text.npy: byte 0: an .npy file begins with \x93NUMPY, this one does not' sum text.npy
: >empty.npy
refuse 'empty.npy: byte 0: an .npy file begins with \x93NUMPY, this one does not' sum empty.npy
npy '<f8' '(3,)' $f8 9 >version.npy
refuse 'version.npy: byte 6: .npy version 9 is unknown; 1, 2 and 3 are known' sum version.npy
npy '<c16' '(1,)' ${f8} >complex.npy
refuse "complex.npy: byte 20: the array's type '<c16' is not one of f2, f4, f8, i1 ... i8, u1 ... u8, b1" sum complex.npy
npy '<f8' '(3, x)' $f8 >shape.npy
refuse 'shape.npy: byte 64: the shape holds something that is not a size' sum shape.npy
npy '<f8' '(9999999999, 9999999999)' $f8 >vast.npy
refuse 'vast.npy: byte 10: the shape has more elements than any file' sum vast.npy
npy '<f8' '(3,)' $f8 1 Maybe >order.npy
refuse 'order.npy: byte 44: fortran_order is neither True nor False' sum order.npy
sed 's/shape/shade/' whole.npy >shade.npy
refuse "shade.npy: byte 10: the .npy header has no 'shape'" sum shade.npy
sed "s/'<f8'/[('x'/" whole.npy >fields.npy
refuse 'fields.npy: byte 20: the array has a structured type; extract one field of it' sum fields.npy

# text
printf '1 2\n3 four 5\n' >word.txt
refuse "word.txt: line 2, column 3: 'four' is not a number" sum word.txt
refuse "standard input: line 2, column 3: 'four' is not a number" sum - <word.txt
printf '1\n1.5x\n' >tail.txt
refuse "tail.txt: line 2, column 1: '1.5x' is not a number" sum tail.txt
printf '1 1e400\n' >large.txt
refuse "large.txt: line 1, column 3: '1e400' is larger than any double" sum large.txt
printf -- '--1' | refuse "standard input: line 1, column 1: '--1' is not a number" sum -
printf -- '1,5 2,5' | refuse "standard input: line 1, column 1: '1,5' is not a number" sum --format text -
# Of several errors the first is told, on any number of threads.
{ seq 300000; echo first; seq 300000; echo second; seq 300000; } >late.txt
for threads in 1 4; do
  refuse "late.txt: line 300001, column 1: 'first' is not a number" sum --threads $threads late.txt
done
head -c 300000 /dev/zero | tr '\0' 7 >endless.txt
refuse 'endless.txt: line 1, column 1: more than 256 KiB without the end of a number or a record' sum endless.txt

# CSV
printf 'id,price\na,1\nb,two\n' >word.csv
refuse "word.csv: line 3, column 3: field 2 (price), 'two', is not a number" sum --column price word.csv
refuse "word.csv: the table has 2 columns: 'id', 'price'; choose one with --column" sum word.csv
refuse "word.csv: no column is named 'weight'; the table has 2 columns: 'id', 'price'" sum --column weight word.csv
refuse "word.csv: there is no column 3; the table has 2 columns: 'id', 'price'" sum --column 3 word.csv
refuse "word.csv: there is no column 0; the table has 2 columns: 'id', 'price'" sum --column 0 word.csv
printf 'id,price\na,1\n\nb\n' >missing.csv
refuse 'missing.csv: line 4, column 1: the record has 1 field, field 2 (price) is missing' sum --column price missing.csv
printf 'id,price\na,1\nb,\n' >empty.csv
refuse 'empty.csv: line 3, column 3: field 2 (price) is empty' sum --column price empty.csv
printf '1,2\n3,1e999\n' >large.csv
refuse "large.csv: line 2, column 3: field 2, '1e999', is larger than any double" sum --column 2 large.csv
refuse "large.csv: no column is named 'x'; the table has no header, and 2 columns" sum --column x large.csv
refuse 'large.csv: the table has 2 columns; choose one with --column' sum large.csv
printf 'id,price\na,1\n"b,2\n' >open.csv
refuse 'open.csv: line 3, column 1: a quote is opened here and never closed' sum --column price open.csv
printf 'id,price\na,1\n"b"c,2\n' >after.csv
refuse 'after.csv: line 3, column 1: something follows the quoted field that begins here' sum --column price after.csv
printf '"id,price\na,1\n' >header.csv
refuse 'header.csv: a quote in the first record is never closed, or something follows a quoted field' sum --column price header.csv

# other programs' files
bytes 1f8b0800 >x.txt.gz
refuse 'x.txt.gz: is compressed; try: gzip -dc FILE | exakt ... -' sum x.txt.gz
bytes 28b52ffd >x.zst
refuse 'x.zst: is compressed; try: zstd -dc FILE | exakt ... -' sum x.zst
bytes 504b0304 >x.npz
refuse 'x.npz: is a zip archive (.npz?); try: unzip -p FILE NAME.npy | exakt ... -' sum x.npz
bytes 894844460d0a1a0a >x.h5
refuse 'x.h5: is an HDF5 file, which exakt does not read; save the array as .npy' sum x.h5
bytes fffe3100 >utf16.csv
refuse 'utf16.csv: is UTF-16 text; try: iconv -f utf-16 -t utf-8 FILE | exakt ... -' sum utf16.csv

# dot
printf '1 2\n' >two.txt
refuse 'dot: two.txt ends after 2 numbers, good.txt has more' dot good.txt two.txt
refuse 'dot: two.txt ends after 2 numbers, good.txt has more' dot two.txt good.txt
npy '<f8' '(2, 2)' ${f8}000000000000f03f >c.npy
npy '<f8' '(2, 2)' ${f8}000000000000f03f 1 True >f.npy
refuse 'dot: c.npy is in C order, and f.npy is in Fortran order, 2 x 2; save both in the same order' dot c.npy f.npy
refuse 'dot takes two files, not 1' dot c.npy
refuse 'dot takes two files, not 3' dot c.npy c.npy c.npy
refuse 'standard input (-) can be read once, not 2 times' dot - -

# the command line
help=' (see exakt --help)'
refuse "name a command: sum, mean, nrm2, dot, merge, demo$help"
refuse "'total' is not a command; known are sum, mean, nrm2, dot, merge, demo$help" total
refuse "The following argument was not expected: --fast$help" --fast
refuse "The following argument was not expected: --fast$help" sum --fast good.txt
refuse 'sum: name a file, or - for standard input' sum
refuse 'merge: name the files that --state has written' merge
refuse 'the name of a file is empty' sum ''
refuse '--rounding sideways: must be one of to_nearest, toward_zero, upward, downward, nearest, zero, up, down' \
  sum --rounding sideways good.txt
refuse '--result f16: must be one of f64, f32' sum --result f16 good.txt
refuse '--format xls: must be one of npy, raw, text, csv' sum --format xls good.txt
refuse '--header maybe: must be one of yes, no' sum --header maybe good.txt
refuse '--type f128: must be one of f64, f32, f16, i8, i16, i32, i64, u8, u16, u32, u64 (with be or le: f64be)' \
  sum --type f128 good.txt
for threads in 0 -1 many 1e3 5000; do
  refuse "--threads $threads: must be a number from 1 to 4096" sum --threads=$threads good.txt
done

# standard output that takes nothing
if [[ -w /dev/full ]]; then
  for arguments in "sum good.txt" --help --version demo; do
    "$exakt" $arguments >/dev/full 2>stderr
    code=$?
    [[ $code == 2 && $(cat stderr) == 'exakt: standard output: No space left on device' ]] ||
      fail "exakt $arguments >/dev/full" "a message and exit code 2" "$(cat stderr), $code"
  done
fi
"$exakt" sum good.txt >&- 2>stderr
code=$?
[[ $code == 2 && $(cat stderr) == 'exakt: standard output: Bad file descriptor' ]] ||
  fail "exakt sum good.txt >&-" "a message and exit code 2" "$(cat stderr), $code"

finish
