# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Every verb on every format. The expected values are exact sums of the stored numbers, made with rational arithmetic.
source "$(dirname "$0")/expect.bash"

f8=9a9999999999b93f9a9999999999c93f333333333333d33f   # 0.1 0.2 0.3
f4=cdcccc3dcdcc4c3e9a99993e
f8_big=3fb999999999999a3fc999999999999a3fd3333333333333

# npy
npy '<f8' '(3,)' $f8 >v1.npy
npy '<f8' '(3, 1)' $f8 2 >v2.npy
npy '<f8' '(3,)' $f8 3 >v3.npy
npy '>f8' '(3,)' $f8_big >big.npy
npy '<f8' '(1, 3)' $f8 1 True >fortran.npy
for file in v1 v2 v3 big fortran; do expect 0.6 sum $file.npy; done
npy '<f8' '()' 000000000000f03f >scalar.npy
expect 1 sum scalar.npy
npy '<f8' '(0, 5)' '' >empty.npy
expect 0 sum empty.npy
expect nan mean empty.npy
for shape in '(3L,)' '(3,1)' '( 3 , )' '(1,3,)' '(3, 1L)'; do
  npy '<f8' "$shape" $f8 >shape.npy
  expect 0.6 sum shape.npy
done
printf '%s' "{'shape':(3,),'fortran_order':False,\"descr\":'<f8'}" >header
{ bytes 934e554d50590100; printf "\\x$(printf '%02x' $(wc -c <header))\\x00"; cat header; bytes $f8; } >no_blanks.npy
expect 0.6 sum no_blanks.npy
# A field of records, packed or not; parts of complex numbers.
ones=000000000000f03f twos=0000000000000040
npy "[('a', '<f8'), ('n', '<i4'), ('name', '<U1')]" '(2,)' ${ones}0300000041000000${twos}feffffff42000000 >fields.npy
expect 3 sum --column a fields.npy
expect 1 sum --column n fields.npy
expect 5 dot --column a fields.npy fields.npy
expect 3 sum --column a --format npy fields.npy
expect 3 sum --column a - <fields.npy
# Names beyond ASCII are in Latin-1 before version 3, in UTF-8 from then on; the command line is in UTF-8.
LC_ALL=C npy "[('"$'\xe4'"', '<f8')]" '(2,)' $ones$twos >latin.npy
expect 3 sum --column ä latin.npy
refuse "latin.npy: byte 20: the array has no field 'b'; it has ä" sum --column b latin.npy
LC_ALL=C npy "[('ä', '<f8')]" '(2,)' $ones$twos 3 >utf.npy
expect 3 sum --column ä utf.npy
# As Python's repr() writes names.
npy "[('a\\\\b', '<f8'), ('it\\'s \"so\"', '<f8'), (\"it's\", '<f8')]" '(1,)' $ones$twos$ones >quotes.npy
expect 1 sum --column 'a\b' quotes.npy
expect 2 sum --column 'it'"'"'s "so"' quotes.npy
expect 1 sum --column "it's" quotes.npy
npy "[('t\\t', '<f8'), ('\\xa0\\u2009\\U0001f600', '<f8'), ('\\n\\r', '<f8')]" '(1,)' $ones$twos$ones 3 >escapes.npy
expect 1 sum --column $'t\t' escapes.npy
expect 2 sum --column $'\xc2\xa0\xe2\x80\x89\xf0\x9f\x98\x80' escapes.npy
expect 1 sum --column $'\n\r' escapes.npy
for unknown in '\q' '\xag' '\ud800' '\U00110000'; do
  npy "[('a$unknown', '<f8')]" '(1,)' $ones >unknown.npy
  refuse "unknown.npy: byte 24: '$unknown' in the .npy header stands for no character" sum --column a unknown.npy
done
npy "[('', '|V4'), ('a', '>f4'), ('s', '|S3', (2, 1)), ('n', '<u8')]" '(1, 1)' 000000003fc00000${ones:0:12}ffffffffffffffff >padded.npy
expect 1.5 sum --column a padded.npy
expect 1.8446744073709552e+19 sum --column n padded.npy
npy "[('s', '|S12'), ('a', '<f8')]" '(1,)' 000102030405060708090a0b$ones >long.npy
expect 1 sum --column a long.npy
npy '<c16' '(2,)' ${ones}${twos}${twos}${twos} >complex.npy
refuse 'complex.npy: byte 20: the array is of complex numbers; take a part of them: --column real or --column imag, or both: --column real,imag' \
  sum --column real,size complex.npy
expect 3 sum --column real complex.npy
expect 4 sum --column imag complex.npy
npy '>c8' '(1,)' 3f80000040000000 >single_complex.npy
expect 2 sum --column imag single_complex.npy
# Several fields at once, a result each; parts of complex fields; 64-bit integers, which no double can hold.
npy "[('a', '<f8'), ('z', '>c8'), ('n', '<i8'), ('u', '>u8'), ('z.re', '|i1')]" '(2,)' \
  ${ones}3f80000040000000ffffffffffffff7fffffffffffffffff05${twos}40400000c00000000000000000000080000000000000000107 >record.npy
expect $'a\t3\nn\t-1\nu\t1.8446744073709552e+19' sum --column a,n,u record.npy
expect $'n\t-0.5\nu\t9.223372036854776e+18' mean --column n,u record.npy
expect $'u\t1.8446744073709552e+19\nz.imag\t2.8284271247461903' nrm2 --column u,z.imag record.npy
expect $'n\t1.7014118346046923e+38\nz.real\t2' var --column n,z.real record.npy
expect 0x1p+127 dot --hex --column n,u record.npy # 2^127 - 2^65 + 1
expect 5 dot --column a,a record.npy
expect 7 dot --column a,z.real record.npy
expect $'a\t3\nz.real\t4\nz.imag\t0' sum --column a,z.real,z.imag record.npy
expect $'a\t3\nz.real\t4\nz.imag\t0' sum --column a,z.real,z.imag <record.npy
expect $'a\t6\nz.re\t24' sum --column a,z.re record.npy record.npy
expect 12 sum --column z.re record.npy # the field of that name
expect 4 sum --column z.real record.npy
expect $'imag\t4\nreal\t3' sum --column imag,real complex.npy
expect 2 dot --column imag,real single_complex.npy
npy "[('a,b', '<f8'), ('c', '<f8')]" '(1,)' $ones$twos >comma.npy
expect 1 sum --column a,b comma.npy
expect $'a,b\t1\nc\t2' sum --column '"a,b",c' comma.npy
printf 'c,d,"a,b"\n5,6,7\n' >fields.csv
expect $'a,b\t8\nc\t7' sum --column '"a,b",c' comma.npy fields.csv
expect '{"command":"sum","column":"n","value":-1.0,"decimal":"-1","hex":"-0x1p+0","type":"f64","rounding":"to_nearest","count":2}
{"command":"sum","column":"a","value":3.0,"decimal":"3","hex":"0x1.8p+1","type":"f64","rounding":"to_nearest","count":2}' \
  sum --json --column n,a record.npy
# An infinity times an integer, the halves of which have both signs, or are zero.
infinity=000000000000f07f
npy "[('x', '<f8'), ('n', '<i8'), ('o', '<u8')]" '(1,)' ${infinity}ffffffffffffffff0100000000000000 >infinite.npy
expect -inf dot --column x,n infinite.npy
expect inf dot --column o,x infinite.npy
npy '<f8' '(2,)' $infinity$ones >infinity.npy
npy '<i8' '(2,)' ffffffffffffffff0100000000000000 >minus.npy
expect -inf dot infinity.npy minus.npy
npy '<i8' '(2,)' 00000000000000000100000000000000 >zero.npy
expect nan dot zero.npy infinity.npy
# No NaN of an array is a missing value, whatever its bits.
npy "[('x', '<f8'), ('y', '<f8')]" '(1,)' 414e00000000f87f$ones >nan.npy
expect $'x\tnan\ny\t1' sum --column x,y nan.npy
expect nan dot --column x,y nan.npy
# Records whose size does not divide what is read at once.
bytes "414243${twos}0000" >records
for i in {1..16}; do cat records records >more && mv more records; done
{ npy "[('s', '|S3'), ('a', '<f8'), ('', '|V2')]" '(65536,)' ''; cat records; } >many.npy
for threads in 1 3; do expect 131072 sum --column a --threads $threads many.npy; done
expect 131072 sum --column a <many.npy
expect 262144 dot --column a many.npy many.npy
npy '<f4' '(3,)' $f4 >single.npy
expect 0.6000000163912773 sum single.npy
expect 0.6 sum --result f32 single.npy
npy '<f2' '(4,)' 662e6632cd340180 >half.npy # 0.0999755859375 0.199951171875 0.300048828125 and the smallest negative number
expect 0.5999755263328552 sum half.npy
npy '<f2' '(2,)' 007cff7b >half_infinity.npy
expect inf sum half_infinity.npy
npy '>f2' '(2,)' 7e013c00 >half_nan.npy
expect nan sum half_nan.npy
npy '|b1' '(4,)' 01000201 >bool.npy
expect 3 sum bool.npy
npy '|i1' '(3,)' 80ff7f >i1.npy
expect -2 sum i1.npy
npy '|u1' '(3,)' 80ff7f >u1.npy
expect 510 sum u1.npy
npy '>i2' '(2,)' 8000ffff >i2.npy
expect -32769 sum i2.npy
npy '<u2' '(2,)' ffff0080 >u2.npy
expect 98303 sum u2.npy
npy '>i4' '(2,)' 80000000ffffffff >i4.npy
expect -2147483649 sum i4.npy
npy '<u4' '(2,)' ffffffff01000000 >u4.npy
expect 4294967296 sum u4.npy
# 64-bit integers lose nothing, though a double cannot hold them. The first: 2^63 - 1, -2^63, 2^63 - 3.
npy '<i8' '(3,)' ffffffffffffff7f0000000000000080fdffffffffffff7f >i8.npy
expect 0x1.fffffffffffffp+62 sum --hex --rounding zero i8.npy
npy '<i8' '(3,)' ffffffffffffff7f01000000000000800200000000000000 >small.npy
expect 2 sum small.npy
npy '<u8' '(2,)' ffffffffffffffffffffffffffffffff >u8.npy
expect 0x1.fffffffffffffp+64 sum u8.npy --hex --rounding down
npy '<i8' '(2,)' 01000000000020000100000000002000 >odd.npy # 2^53 + 1, twice
npy '<i8' '(2,)' 0100000000002000ffffffffffffdfff >odd2.npy # 2^53 + 1, -(2^53 + 1)
expect 0 dot odd.npy odd2.npy
expect 1.2738103345051546e+16 nrm2 odd.npy

# raw
bytes $f8 >three.f64
bytes $f8 >three.bin
bytes $f4 >three.f32
bytes $f8_big >three.be
expect 0.6 sum three.f64
expect 0.6 sum --type f64 three.bin
expect 0.6 sum --type f64 --format raw three.bin
expect 0.6000000163912773 sum three.f32
expect 0.6 sum --type f64be three.be
expect 0.6 sum --type f64 - <three.bin
expect 0.6 sum --type f64 - < <(cat three.bin)
: >nothing.f64
expect 0 sum nothing.f64

# text
printf '# three numbers\n0.1 0.2 # not 99\n\t0.3\r\n#4' >three.txt
expect 0.6 sum three.txt
expect 0.6 sum - <three.txt
printf '\xef\xbb\xbf1e3 +1 -0x1.8p+1 0X10 1e-400\n' >forms.txt
expect 1014 sum forms.txt
printf '1 inf\n' | expect inf sum -
printf '1 infinity -inf\n' | expect nan sum -
printf 'nan 1\n' | expect nan sum -
printf '' | expect 0 sum -
printf '.5 5. 0x.8 0X1P0 INF' | expect inf sum -
expect 0 sum /dev/null
printf '9007199254740993\n' | expect 9007199254740992 sum -

# CSV
printf 'id,price,"unit price, net"\r\na,0.1,1\r\n\r\nb,"0.2", 2 \r\n"c ""x""\nd",0.3,3' >table.csv
expect 0.6 sum --column price table.csv
expect 0.6 sum --column 2 table.csv
expect 6 sum --column 'unit price, net' table.csv
expect 2 mean --column 3 table.csv
expect 6 sum --column 3 - <table.csv
printf '1;2\n3;4\n' >plain.csv
expect 6 sum --column 2 --header no plain.csv
expect 4 sum --column 2 --header yes plain.csv
printf 'x\ty\n1\t2\n' >tabs.tsv
expect 2 sum --column y tabs.tsv
printf 'x\n0.1\n0.2\n0.3\n' >one.csv
expect 0.6 sum one.csv
printf '2019,2020\n1,2\n' >years.csv
expect 2 sum --column 2020 --header yes years.csv
expect 2022 sum --column 2 --header no years.csv
printf '2019,2020,2021\n1,2,3\n4,5,6\n' >three_years.csv
expect 9 sum --column 2021 three_years.csv # no number of a column: a name
printf 'country,2020,2021\nFR,1,2\n"DE, all",3,4\n' >countries.csv
expect 6 sum --column 2021 countries.csv
expect 4 sum --column 2 --header yes countries.csv
printf '3,1,2\n10,20,30\n' >names.csv
expect 20 sum --column 1 --header yes names.csv # a name goes before a number
expect 13 sum --column 1 --header no names.csv
printf 'a,b,a\n1,2,3\n' >twice.csv
expect 3 sum --column 3 twice.csv
expect 2 sum --column b twice.csv
printf '"a;b",price\n"c;d",2\n' >quoted.csv
expect 2 sum --column price quoted.csv
# No comment begins within a record.
for word in one 'four words'; do # so that 256 KiB end within the second line
  { printf 'x,tag,note\n'; yes "1,#2,\"a note of $word
lines and some more lines, also text\"" | head -18000; } >tagged.csv
  expect 9000 sum --column x tagged.csv
done
printf '\xef\xbb\xbf# a, b\n1\n2\n' | expect 3 sum -
printf '#\r\n1\r\n' | expect 1 sum -
printf '# a comment\n1,2\n' | expect 2 sum --column 2 --header no -
printf '1\n2\n' | expect 3 sum --column 1 --header no -
: >nothing.csv
expect 0 sum nothing.csv
expect 0 sum --column 2 --header no nothing.csv
printf 'id,price\n' >names_only.csv
expect 0 sum --column price names_only.csv

# gzip, where there is zlib
gzip -c three.txt >three.gz
if "$exakt" sum three.gz >/dev/null 2>&1; then
  for file in v1.npy fortran.npy three.f64 three.f32 three.be three.bin three.txt one.csv tabs.tsv; do gzip -k $file; done
  for file in v1.npy.gz fortran.npy.gz three.f64.gz three.txt.gz three.gz one.csv.gz; do expect 0.6 sum $file; done
  cp one.csv.gz ONE.CSV.GZ
  cp three.f64.gz THREE.F64.GZ
  for file in ONE.CSV.GZ THREE.F64.GZ; do expect 0.6 sum $file; done
  expect 0.6000000163912773 sum three.f32.gz
  expect 0.6 sum --type f64be three.be.gz
  expect 0.6 sum --type f64 three.bin.gz
  expect 2 sum --column y tabs.tsv.gz
  expect 0.6 sum <three.txt.gz
  expect 0.6 sum < <(cat v1.npy.gz)
  expect 0.13999999999999999 dot v1.npy.gz v2.npy
  expect 1.2 sum <(cat three.gz three.gz) # two members
  seq 300000 >numbers
  gzip -k numbers
  for threads in 1 4; do expect 45000150000 sum --threads $threads numbers.gz; done
  refuse 'three.bin.gz: is binary; say which numbers it holds: --type f64 or --type f32' sum three.bin.gz
fi

# verbs
for file in v1.npy three.f64 three.txt; do
  expect 0.6 sum $file
  expect 0.2 mean $file
  expect 0.3741657386773941 nrm2 $file
  expect 0.13999999999999999 dot $file v2.npy
done
expect 1.2 sum v1.npy three.txt
expect 0.2 mean v1.npy three.txt three.f64

finish
