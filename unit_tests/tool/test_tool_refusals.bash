# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
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
{ bytes 934e554d50590105; tail -c +9 whole.npy; } >minor.npy
refuse 'minor.npy: byte 6: .npy version 1.5 is unknown; 1, 2 and 3 are known' sum minor.npy
printf 'not at all' >text.npy
refuse 'text.npy: byte 0: an .npy file begins with \x93NUMPY, this one does not' sum text.npy
: >empty.npy
refuse 'empty.npy: byte 0: an .npy file begins with \x93NUMPY, this one does not' sum empty.npy
npy '<f8' '(3,)' $f8 9 >version.npy
refuse 'version.npy: byte 6: .npy version 9 is unknown; 1, 2 and 3 are known' sum version.npy
npy '<c16' '(1,)' ${f8} >complex.npy
refuse 'complex.npy: byte 20: the array is of complex numbers; take a part of them: --column real or --column imag, or both: --column real,imag' sum complex.npy
refuse 'complex.npy: byte 20: the array is of complex numbers; take a part of them: --column real or --column imag, or both: --column real,imag' sum --column 1 complex.npy
refuse 'complex.npy: byte 96: the file goes on after the 16 bytes of data that its header announces' sum --column real complex.npy
npy "[('a', '<f8'), ('b', '<c16'), ('c', '<f4', (2,))]" '(1,)' ${f8}00 >fields.npy
refuse 'fields.npy: byte 20: the array has fields; take one of them, as --column NAME: a, b, c' sum fields.npy
refuse "fields.npy: byte 20: the array has no field 'd'; it has a, b, c" sum --column d fields.npy
for column in b a,b; do
  refuse "fields.npy: byte 35: the field 'b' is of complex numbers; take a part of them: --column b.real or --column b.imag, or both: --column b.real,b.imag" \
    sum --column $column fields.npy
done
for column in c b.real,c,a; do
  refuse "fields.npy: byte 50: the field 'c' is not a number, but several; save it as an array of its own, without fields" \
    sum --column $column fields.npy
done
refuse "fields.npy: byte 20: the array has no field 'a.real'; it has a, b, c" sum --column a.real fields.npy
refuse '--column a,: the name of a column is empty' sum --column a, fields.npy
npy "[('a', '<f8'), ('b', '<i4'), ('w', '<U1'), ('l', '<f16'), ('z', '<c8', (2,))]" '(1,)' "" >fields.npy
refuse 'fields.npy: --state saves one sum, and --column names 2 columns' sum --column a,b --state s fields.npy
refuse 'fields.npy: dot of one table takes two columns, as in --column A,B, not 3' dot --column a,b,a fields.npy
refuse 'fields.npy: dot of one table takes two columns, as in --column A,B, not 1' dot --column a fields.npy
refuse 'fields.npy: dot of two files takes one column of each, not 2' dot --column a,b fields.npy fields.npy
refuse 'fields.npy: is an .npy file; --by is for CSV tables' sum --column a --by b fields.npy
refuse 'fields.npy: report is of one column, not 2' report --column a,b fields.npy
for field in "w|49|<U1" "l|63|<f16"; do
  IFS='|' read -r name at type <<<"$field"
  refuse "fields.npy: byte $at: the type '$type' is not one of f2, f4, f8, i1 ... i8, u1 ... u8, b1; if doubles hold its values, save what .astype('f8') makes of them" \
    sum --column a,$name fields.npy
done
refuse "fields.npy: byte 78: the field 'z' is not a number, but several; save it as an array of its own, without fields" sum --column z.real fields.npy
npy "[('a', [('b', '<f8')])]" '(1,)' 00 >nested.npy
refuse "nested.npy: byte 21: a field of the array's type has a title, or fields of its own, or no name; save the numbers in it, as an array of its own" sum --column a nested.npy
npy "[('a', '|O')]" '(1,)' 00 >object.npy
refuse "object.npy: byte 21: the size of a field of type '|O' is not known; save the other fields, each as an array of its own" sum --column b object.npy
npy '<f8' '(3, x)' $f8 >shape.npy
refuse 'shape.npy: byte 64: the shape holds something that is not a size' sum shape.npy
npy '<f8' '(9999999999, 9999999999)' $f8 >vast.npy
refuse 'vast.npy: byte 10: the shape has more elements than any file' sum vast.npy
npy '<f8' '(3,)' $f8 1 Maybe >order.npy
refuse 'order.npy: byte 44: fortran_order is neither True nor False' sum order.npy
sed 's/shape/shade/' whole.npy >shade.npy
refuse "shade.npy: byte 10: the .npy header has no 'shape'" sum shade.npy
# A header is read as Python reads it; what is no tuple, no bool or no dictionary there is none here.
size='the shape holds something that is not a size'
tuple='the shape is not a tuple: its comma is missing'
while IFS='|' read -r shape at message; do
  npy '<f8' "$shape" $f8 >damaged.npy
  refuse "damaged.npy: byte $((60 + at)): $message" sum damaged.npy
done <<END
(3)|0|$tuple
( 3 )|0|$tuple
3|0|the shape is not a tuple
[3]|0|the shape is not a tuple
(3,,)|3|$size
(,)|1|$size
(,3)|1|$size
(1 3)|3|a comma is missing in the shape
(LL3L,)|1|$size
(3LL,)|3|a comma is missing in the shape
(-3,)|1|$size
(+3,)|1|$size
(03,)|1|$size
(3.0,)|2|a comma is missing in the shape
(99999999999999999999,)|1|$size
(3,|3|$size
(3|4|$size
(3,), }x{|7|something follows the } of the .npy header
(3,), 'shape': (3,)|6|the .npy header has 'shape' twice
(3,), 'order': 1|6|'order' is not a key of an .npy header
(3,) 1|5|a comma or the } of the .npy header is missing here
(3,), 1|6|a key of the .npy header, in quotes, is missing here
(3,), 'descr' 1|14|a colon is missing here
END
for order in Falsehood Truely true 0 "'True'"; do
  npy '<f8' '(3,)' $f8 1 $order >order.npy
  refuse 'order.npy: byte 44: fortran_order is neither True nor False' sum order.npy
done
sed 's/{/ /' whole.npy >open.npy
refuse 'open.npy: byte 11: the .npy header does not begin with {' sum open.npy
sed 's/}/ /' whole.npy >close.npy
refuse "close.npy: byte $begin: a key of the .npy header, in quotes, is missing here" sum close.npy
sed "s/'shape': (3,)/'descr': '<f8'/; s/fortran_order/fortran_shape/" whole.npy >keys.npy
refuse "keys.npy: byte 10: the .npy header has no 'fortran_order'" sum keys.npy
sed "s/'<f8'/[('x'/" whole.npy >fields.npy
refuse "fields.npy: byte 42: the ) of a field of the array's type is missing here" sum fields.npy

# text
printf '1 2\n3 four 5\n' >word.txt
refuse "word.txt: line 2, column 3: 'four' is not a number" sum word.txt
refuse "standard input: line 2, column 3: 'four' is not a number" sum - <word.txt
printf '1\n1.5x\n' >tail.txt
refuse "tail.txt: line 2, column 1: '1.5x' is not a number" sum tail.txt
# Long words whose bytes are next to the digits.
for word in 1234567:12345678 12345678/1234567 12345678901234:67; do
  echo $word >long.txt
  refuse "long.txt: line 1, column 1: '$word' is not a number" sum long.txt
done
printf '1 1e400\n' >large.txt
refuse "large.txt: line 1, column 3: '1e400' is larger than any double" sum large.txt
printf -- '--1' | refuse "standard input: line 1, column 1: '--1' is not a number" sum -
printf -- '1,5 2,5' | refuse "standard input: line 1, column 1: '1,5' is not a number" sum --format text -
for word in 0xinf 0xnan -0xINF +0xNaN 0xinfinity 0x 0x. 0x-1 0x+1 0x0x1 +-1 -+1 ++1 1e--0 1e+-0 1.5e-+00 1d5 1_000 infinit nanx; do
  printf '1\n%s\n' "$word" | refuse "standard input: line 2, column 1: '$word' is not a number" sum -
done
printf '# old line ends\r1\r2\r' >mac.txt
refuse 'mac.txt: line 1, column 16: a carriage return in a comment is no line end' sum mac.txt
# Also in a comment that goes on in the next 256 KiB, before and behind what is read at once, and where it begins there.
for comment in '#c' '#'; do
  { yes 1 | head -131071 | tr '\n' '\r'; printf "$comment\r"; yes 1 | head -1000 | tr '\n' '\r'; } >macs.txt
  refuse "macs.txt: line 1, column $((262143 + ${#comment})): a carriage return in a comment is no line end" sum macs.txt
done
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
refuse "large.csv: line 2, column 3: field 2, '1e999', is larger than any double" sum --column 2 --header no large.csv
refuse "large.csv: no column is named 'x'; the table has no header, and 2 columns" sum --column x large.csv
refuse 'large.csv: the table has 2 columns; choose one with --column' sum large.csv
printf 'id,price\na,1\n"b,2\n' >open.csv
refuse 'open.csv: line 3, column 1: a quote is opened here and never closed' sum --column price open.csv
printf 'id,price\na,1\n"b"c,2\n' >after.csv
refuse 'after.csv: line 3, column 1: something follows the quoted field that begins here' sum --column price after.csv
printf '"id,price\na,1\n' >header.csv
refuse 'header.csv: a quote in the first record is never closed, or something follows a quoted field' sum --column price header.csv

printf 'a,b,a\n1,2,3\n' >twice.csv
refuse "twice.csv: fields 1 and 3 are both named 'a'; choose one by its number" sum --column a twice.csv
printf '1,1\n2,3\n' >ones.csv
refuse "ones.csv: fields 1 and 2 are both named '1'; choose one by its number" sum --column 1 --header yes ones.csv
# A first record with numbers in it may be names or values. Only a name that is not a column's number can tell.
either='the first record may hold names or values'
say='say --header yes or --header no'
printf '2019,2020,2021\n1,2,3\n' >years.csv
refuse "years.csv: $either: '2019', '2020', '2021'; $say" sum --column 1 years.csv
printf 'country,2020\nFR,1\n' >country.csv
refuse "country.csv: $either: 'country', '2020'; $say" sum --column 2 country.csv
refuse "country.csv: $either: 'country', '2020'; $say" sum --column 1 country.csv
printf '3,1,2\n10,20,30\n' | refuse "standard input: $either: '3', '1', '2'; $say" sum --column 1 -
printf 'a,1\n2,3\n' | refuse "standard input: $either: 'a', '1'; $say" sum --column 1 -
printf '2021\n1\n' >one_year.csv
refuse "one_year.csv: $either: '2021'; $say" sum one_year.csv
printf '0.5,nan\n1,2\n' | refuse "standard input: $either: '0.5', 'nan'; $say" sum --column 1 -
printf '1,5;2,5\n' | refuse "standard input: $either: '1,5', '2,5'; $say" sum --column 1 -
printf 'NA\n1\n2\n' | refuse "standard input: $either: 'NA'; $say" sum --column 1 -
for first in €5 −5 $'1\xc2\xa0234'; do # a sign of a currency, a minus and a space that are not in ASCII
  printf '%s\n6\n7\n' "$first" >first.csv
  refuse "first.csv: $either: '$first'; $say" sum first.csv
done
printf ',\n1,2\n' | refuse "standard input: $either: '', ''; $say" sum --column 1 -
refuse "years.csv: no column is named '2021x'; the table has no header, and 3 columns" sum --column 2021x years.csv
printf '#c\r1\r2\r' >mac_comment.csv
refuse 'mac_comment.csv: a carriage return in a comment is no line end' sum mac_comment.csv
printf 'x\n1\n#c\r2\n3\n' >mac_comment.csv
refuse 'mac_comment.csv: line 3, column 3: a carriage return in a comment is no line end' sum mac_comment.csv
# Where fields are missing or too many, those that are there may stand in other columns.
printf 'id,price\na,1\nb,2,3\n' >more.csv
refuse 'more.csv: line 3, column 1: the record has 3 fields, the first one has 2' sum --column price more.csv
printf 'id,price,unit\r\na,1,kg\r\nb,2\r\n' >fewer.csv
refuse 'fewer.csv: line 3, column 1: the record has 2 fields, the first one has 3' sum --column price fewer.csv
printf 'id,price\na,1,234\n' | refuse 'standard input: line 2, column 1: the record has 3 fields, the first one has 2' sum --column price -
printf 'price\r1\r2\r' >mac.csv
refuse "mac.csv: a carriage return in the first record is no line end; try: tr '\\r' '\\n' <FILE | exakt ... -" sum mac.csv
: >empty.csv
refuse 'empty.csv: is empty: there are no names of columns' sum --column price empty.csv
refuse 'empty.csv: is empty: there are no names of columns' sum --header yes --column 1 empty.csv
{ head -c 300000 /dev/zero | tr '\0' a; printf ',b\n1,2\n'; } >long.csv
refuse 'long.csv: the first record does not end within 256 KiB' sum --column b long.csv

# other programs' files
bytes 1f8b0800 >x.txt.gz
seq 100000 | gzip >whole.gz
head -c 5000 whole.gz >cut.gz
{ head -c 5000 whole.gz; bytes ffffffffffffffff; tail -c +5009 whole.gz; } >damaged.gz
{ cat whole.gz; echo 1; } >more.gz
: >empty.gz
: >empty.npy.gz
: >empty.NPZ
refuse 'empty.gz: is empty, which no .gz file is' sum empty.gz
refuse 'empty.npy.gz: is empty, which no .gz file is' sum empty.npy.gz
refuse 'empty.NPZ: is empty, which no .npz file is' sum --format text empty.NPZ
if "$exakt" sum whole.gz >/dev/null 2>&1; then
  refuse 'x.txt.gz: byte 4: the file ends within its compressed data' sum x.txt.gz
  refuse 'cut.gz: byte 5000: the file ends within its compressed data' sum cut.gz
  refuse 'standard input: byte 5000: the file ends within its compressed data' sum <cut.gz
  [[ $("$exakt" sum damaged.gz 2>&1) =~ ^exakt:\ damaged.gz:\ (byte\ [0-9]*:\ the\ compressed\ data\ is\ damaged|line\ .*)$ ]] ||
    fail "exakt sum damaged.gz" "a message" "$("$exakt" sum damaged.gz 2>&1)"
  head -c -8 whole.gz >sum.gz
  bytes 0000000000000000 >>sum.gz
  [[ $("$exakt" sum sum.gz 2>&1) =~ ^exakt:\ sum.gz:\ byte\ [0-9]*:\ the\ compressed\ data\ is\ damaged$ ]] ||
    fail "exakt sum sum.gz, with a wrong checksum" "a message" "$("$exakt" sum sum.gz 2>&1)"
  [[ $("$exakt" sum more.gz 2>&1) =~ ^exakt:\ more.gz:\ byte\ [0-9]*:\ the\ compressed\ data\ is\ damaged$ ]] ||
    fail "exakt sum more.gz, with text behind" "a message" "$("$exakt" sum more.gz 2>&1)"
else
  refuse 'x.txt.gz: is compressed; try: gzip -dc FILE | exakt ... -' sum x.txt.gz
  bytes 1f8b080000000000 >x.f64
  refuse 'x.f64: is compressed; try: gzip -dc FILE | exakt ... -' sum x.f64
  refuse 'x.f64: is compressed; try: gzip -dc FILE | exakt ... -' sum --type u8 x.f64
fi
bytes 28b52ffd >x.zst
refuse 'x.zst: is compressed; try: zstd -dc FILE | exakt ... -' sum x.zst
bytes 504b0304 >x.npz
refuse 'standard input: is a zip archive (.npz?); try: unzip -p FILE NAME.npy | exakt ... -' sum <x.npz
convert="which exakt does not read; try: python3 -c 'import"
printf 'PAR1\x15' >x.parquet
refuse "x.parquet: is a Parquet file, $convert pandas; pandas.read_parquet(\"FILE\").to_csv(\"FILE.csv\", index=False)'" \
  sum --column price x.parquet
printf 'ARROW1\0\0' >x.arrow
printf 'FEA1\0\0' >x.feather
for file in x.arrow x.feather; do
  refuse "$file: is an Arrow file, $convert pandas; pandas.read_feather(\"FILE\").to_csv(\"FILE.csv\", index=False)'" sum $file
done
bytes ffffffffb8000000 >stream.arrow
refuse "stream.arrow: is an Arrow stream, $convert pyarrow; pyarrow.ipc.open_stream(\"FILE\").read_pandas().to_csv(\"FILE.csv\", index=False)'" \
  sum stream.arrow
bytes 894844460d0a1a0a >x.h5
refuse 'x.h5: is an HDF5 file, which exakt does not read; save the array as .npy' sum x.h5
for text in '[1, 2, 3]' '{"x": 1}' '[' '  [1.5]'; do
  printf '%s\n' "$text" >x.json
  refuse "x.json: is JSON, which exakt does not read; try: jq '.[]' FILE | exakt ... -" sum x.json
done
printf '[kg],{x}\n1,2\n' >units.csv # names of columns may look like that
expect 2 sum --column '{x}' units.csv
for ending in xlsx xls ods; do
  printf 'PK\x03\x04' >x.$ending
  refuse "x.$ending: is a spreadsheet, which exakt does not read; save it as CSV" sum x.$ending
  refuse "x.$ending: is a spreadsheet, which exakt does not read; save it as CSV" sum --column price x.$ending
done
bytes d0cf11e0a1b11ae1 >x.xls
refuse 'x.xls: is a spreadsheet, which exakt does not read; save it as CSV' sum x.xls
printf 'price\tweight\n1\t2\n' >table.xls # as some programs call tables in text
expect 2 sum --delimiter tab --column weight table.xls
printf '\xfd7zXZ\0' >x.xz
refuse 'x.xz: is compressed; try: xz -dc FILE | exakt ... -' sum x.xz
printf 'BZh91AY&SY' >x.bz2
refuse 'x.bz2: is compressed; try: bzip2 -dc FILE | exakt ... -' sum x.bz2
bytes 1f8b080000000000 >x.f64
expect 178 sum --type u8 --format raw x.f64
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

# The same pipe under two names, of which each would get a part.
printf '1 2' | refuse '/dev/stdin: is the same pipe as -, and can be read once' dot - /dev/stdin
mkfifo pipe
refuse 'pipe: is the same pipe as pipe, and can be read once' sum pipe pipe

# closed standard input: nothing else may take its number
for arguments in "sum good.txt -" sum; do
  output=$("$exakt" $arguments <&- 2>stderr)
  code=$?
  [[ $code == 2 && -z $output && $(<stderr) == 'exakt: standard input: Bad file descriptor' ]] ||
    fail "exakt $arguments <&-" "a message and exit code 2" "$output$(<stderr), $code"
done

# names of files do not reach the terminal as commands
refuse 'a?[31m b: No such file or directory' sum $'a\e[31m\nb'
refuse 'a?31m Ü: No such file or directory' sum $'a\x9b31m Ü'
# Nor do words: a control character from 0x80 on is made visible, also where it is the second byte of one of UTF-8.
for byte in 80 9b 9f; do
  for before in '' $'\xc2'; do
    printf "%s\x$byte[31m" "$before" | refuse "standard input: line 1, column 1: '$before\x$byte[31m' is not a number" sum -
  done
done
for word in Ü é '€' 😀; do
  printf '%s' "$word" | refuse "standard input: line 1, column 1: '$word' is not a number" sum -
done

# one of several processes that know nothing of each other: without MPI, or with another MPI than the launcher's
for variable in OMPI_COMM_WORLD_SIZE PMI_SIZE MV2_COMM_WORLD_SIZE; do
  for arguments in "sum good.txt" demo --version; do
    output=$(env $variable=3 "$exakt" $arguments 2>stderr)
    code=$?
    [[ $code == 2 && -z $output && $(<stderr) == "exakt: started as one of 3 ranks ($variable), but "* ]] ||
      fail "$variable=3 exakt $arguments" "a message and exit code 2" "$output$(<stderr), $code"
  done
done

# the command line
help=' (see exakt --help)'
commands='sum, mean, nrm2, var, stddev, dot, merge, report, demo, selftest'
refuse "name a command: $commands$help"
refuse "'total' is not a command; known are $commands$help" total
refuse "The following argument was not expected: --fast$help" --fast
refuse "The following argument was not expected: --fast$help" sum --fast good.txt
# Without the name of a file, standard input is read unless it is a terminal.
expect 6 sum <good.txt
expect 6 sum < <(cat good.txt)
expect 0 sum </dev/null
refuse 'dot takes two files, not 0' dot <good.txt
if script --version >/dev/null 2>&1; then
  export exakt
  message=$(SHELL=$BASH script -qec '"$exakt" sum' /dev/null </dev/null)
  [[ $message == 'exakt: sum: name a file, or - for standard input'* ]] ||
    fail "exakt sum on a terminal" "a message" "$message"
fi
refuse '--completion tcsh: must be one of bash, zsh, fish' --completion tcsh
refuse "--completion: its bash|zsh|fish is missing$help" --completion
refuse "--man takes no value$help" --man=yes
refuse "--man stands alone$help" --man sum good.txt
refuse "--man stands alone$help" --man --completion bash
refuse "--completion stands alone$help" --completion bash sum good.txt
refuse 'merge: name the files that --state has written' merge
refuse 'the name of a file is empty' sum ''
refuse '--rounding sideways: must be one of to_nearest, toward_zero, upward, downward, nearest, zero, up, down' \
  sum --rounding sideways good.txt
refuse '--result f16: must be one of f64, f32' sum --result f16 good.txt
refuse '--format xls: must be one of npy, raw, text, csv' sum --format xls good.txt
refuse '--header maybe: must be one of yes, no' sum --header maybe good.txt
refuse '--type f128: must be one of f64, f32, f16, i8, i16, i32, i64, u8, u16, u32, u64 (with be or le: f64be)' \
  sum --type f128 good.txt
for threads in 0 -1 many 1e3 5000 010x 0x2 +2 1.0 ' 2' 99999999999999999999; do
  refuse "--threads $threads: must be a number from 1 to 4096" sum "--threads=$threads" good.txt
done

refuse '--type i8be: must be one of f64, f32, f16, i8, i16, i32, i64, u8, u16, u32, u64 (with be or le: f64be)' \
  sum --type i8be good.txt
# values that are missing or empty, and options that are given twice
for option in format type column by header delimiter missing threads rounding result state; do
  kind=$("$exakt" sum --help | sed -n "s/^  --$option \([^ ]*\).*/\1/p")
  refuse "--$option: its $kind is missing$help" sum good.txt --$option
  refuse "--$option: its $kind is empty$help" sum good.txt --$option ''
  refuse "--$option=: the value is empty$help" sum --$option= good.txt
  refuse "--$option: its $kind is missing; --hex looks like an option$help" sum good.txt --$option --hex
  refuse "--$option is given more than once$help" sum good.txt --$option 1 --$option 1
done
for option in hex json decimal; do
  refuse "--$option is given more than once$help" sum good.txt --$option --$option
  refuse "--$option takes no value$help" sum good.txt --$option=false
done
# options of other commands, and names of commands among the files
for option in --format --type --column --by --header --delimiter --missing --threads; do
  refuse "The following argument was not expected: $option$help" merge $option x
done
for option in --format --type --column --header --rounding --result --state; do
  refuse "The following arguments were not expected: x $option$help" demo $option x
done
for option in --hex --threads good.txt; do
  refuse "The following argument was not expected: $option$help" selftest $option
done
for option in --hex --json good.txt; do refuse "The following argument was not expected: $option$help" demo $option; done
refuse "The following argument was not expected: --hex$help" --hex sum good.txt
refuse 'mean: No such file or directory' sum good.txt mean good.txt
cp good.txt dot
expect 6 sum dot
cp good.txt ./--hex
expect 6 sum -- --hex
expect 12 sum -- good.txt --hex

# standard output that takes nothing
if [[ -w /dev/full ]]; then
  for arguments in "sum good.txt" --help --version demo selftest; do
    "$exakt" $arguments >/dev/full 2>stderr
    code=$?
    [[ $code == 2 && $(<stderr) == 'exakt: standard output: No space left on device' ]] ||
      fail "exakt $arguments >/dev/full" "a message and exit code 2" "$(<stderr), $code"
  done
fi
"$exakt" sum good.txt >&- 2>stderr
code=$?
[[ $code == 2 && $(<stderr) == 'exakt: standard output: Bad file descriptor' ]] ||
  fail "exakt sum good.txt >&-" "a message and exit code 2" "$(<stderr), $code"

finish
