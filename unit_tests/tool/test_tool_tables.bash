# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Columns, groups, missing values and decimal numbers: what is printed, and what is refused.
source "$(dirname "$0")/expect.bash"

# tell OUTPUT MESSAGE ARGUMENT...: as expect, with this one line on standard error.
tell() {
  local expected=$1 message="exakt: $2" output code
  shift 2
  output=$("$exakt" "$@" 2>stderr)
  code=$?
  [[ $output == "$expected" ]] || fail "exakt $*" "$expected" "$output"
  [[ $(<stderr) == "$message" ]] || fail "exakt $*" "$message" "$(<stderr)"
  [[ $code == 0 ]] || fail "exakt $*" "exit code 0" "$code"
}

npy '<f8' '(2,)' 000000000000f03f0000000000000040 >array.npy # 1 2
bytes 000000000000f03f0000000000000040 >raw.f64
printf '1 2\n' >plain.txt
printf 'shop,price,qty\nb,0.1,1\na,0.2,2\nb,0.2,3\n"a, b",5,4\n' >t.csv

# a result per column
expect $'price\t5.5\nqty\t10' sum --column price,qty t.csv
expect $'qty\t10\nprice\t5.5\nqty\t10' sum --column 3,price,qty t.csv
expect $'1\t3\n2\t7' sum --column 1,2 --header no - <<<$'1,2\n2,5'
expect $'price\t0x1.6p+2\nqty\t0x1.4p+3' sum --column price,qty --hex t.csv
expect '{"command":"mean","column":"price","value":1.375,"decimal":"1.375","hex":"0x1.6p+0","type":"f64","rounding":"to_nearest","count":4}
{"command":"mean","column":"qty","value":2.5,"decimal":"2.5","hex":"0x1.4p+1","type":"f64","rounding":"to_nearest","count":4}' \
  mean --column price,qty --json t.csv
expect $'price\t11\nqty\t20' sum --column price,qty t.csv t.csv
printf 'qty,price\n7,1\n' >other.csv
expect $'price\t6.5\nqty\t17' sum --column price,qty t.csv other.csv # by name, wherever it stands
printf '"a,b",c\n1,2\n' >comma.csv
expect 1 sum --column a,b comma.csv # one name with a comma in it
expect $'a,b\t1\nc\t2' sum --column '"a,b",c' comma.csv
printf 'c,"a,b"\n0,1\n0,2\n0,3\n' >comma_x.csv
printf '"a,b",c\n4,0\n5,0\n6,0\n' >comma_y.csv
expect 32 dot --column a,b comma_x.csv comma_y.csv
expect 32 dot --column '"a,b"' comma_x.csv comma_y.csv
: >empty.csv
expect $'1\t0\n2\t0' sum --column 1,2 empty.csv
refuse '--column price,: the name of a column is empty' sum --column price, t.csv
refuse '--column ,price: the name of a column is empty' sum --column ,price t.csv
refuse '--column "price,qty: a quote is never closed' sum --column '"price,qty' t.csv
# Only a comma stands between names.
for column in $'price\nqty' $'price\n'; do
  refuse "--column ${column//$'\n'/ }: a name with a line end in it must be quoted, as in CSV" sum --column "$column" t.csv
done
refuse '--column price? qty: a name with a line end in it must be quoted, as in CSV' sum --column $'price\r\nqty' t.csv
printf '"two\nlines",c\n1,2\n' >lines.csv
expect 1 sum --column $'two\nlines' lines.csv
expect $'"two\nlines"\t1\nc\t2' sum --column $'"two\nlines",c' lines.csv
refuse "t.csv: no column is named 'tax'; the table has 3 columns: 'shop', 'price', 'qty'" sum --column price,tax t.csv
refuse "t.csv: line 2, column 1: field 1 (shop), 'b', is not a number" sum --column price,shop t.csv
refuse 't.csv: --state saves one sum, and --column names 2 columns' sum --column price,qty t.csv --state s
printf 'a,b\n1,2\n' >ab.csv
refuse 'comma.csv: --column names 1 column here, and 2 in another input' sum --column a,b ab.csv comma.csv
printf 'a,b,c\n1,2\n' >short.csv
refuse 'short.csv: line 2, column 1: the record has 2 fields, field 3 (c) is missing' sum --column a,c short.csv

# Comments before the first record, more of them than are read at once.
{ seq -f '# %060.0f' 6000; printf '\na,b\n1,2\n3,x\n'; } >comments.csv
expect 4 sum --column a comments.csv
expect 4 sum --column a --threads 3 < <(cat comments.csv)
refuse "comments.csv: line 6004, column 3: field 2 (b), 'x', is not a number" sum --column b comments.csv
{ printf '#'; head -c 300000 /dev/zero | tr '\0' '"'; printf '\na,b\n1,2\n'; } >comment.csv
refuse 'comment.csv: a comment before the first record does not end within 256 KiB' sum --column a comment.csv

# dot of two columns
expect 21.5 dot --column price,qty - <<<$'price,qty\n0.5,1\n1,21'
expect 5 dot --column 1,1 --header no - <<<$'1,2\n2,5'
expect 5 dot --column 1,1 --header no <<<$'1,2\n2,5'
refuse 't.csv: dot of one table takes two columns, as in --column A,B, not 1' dot --column price t.csv
refuse 't.csv: dot of one table takes two columns, as in --column A,B, not 3' dot --column price,qty,price t.csv
refuse 't.csv: dot of two files takes one column of each, not 2' dot --column price,qty t.csv t.csv
refuse 'array.npy: byte 20: the array has no fields; --column is for these, and for CSV tables' dot --column 1,2 array.npy
refuse 'dot takes two files, not 1' dot t.csv
refuse 'dot --by takes one table with both factors, as --column A,B' dot --column price --by shop t.csv t.csv

# groups, in the order of their bytes
expect $'a\t2\na, b\t4\nb\t4' sum --column qty --by shop t.csv
expect $'a\t0.2\t2\na, b\t5\t4\nb\t0.15000000000000002\t2' mean --column price,qty --by shop t.csv
expect $'a\t0.4\na, b\t20\nb\t0.7000000000000001' dot --column price,qty --by 1 --header yes t.csv
# Each object has the name of its column, of one column as of several.
expect '{"command":"sum","column":"qty","value":10.0,"decimal":"10","hex":"0x1.4p+3","type":"f64","rounding":"to_nearest","count":4}' \
  sum --column qty --json t.csv
expect '{"command":"sum","column":"price","value":5.5,"decimal":"5.5","hex":"0x1.6p+2","type":"f64","rounding":"to_nearest","count":4}' \
  sum --decimal --column 2 --header yes --json t.csv
expect '{"command":"mean","group":"a","column":"1","value":2.0,"decimal":"2","hex":"0x1p+1","type":"f64","rounding":"to_nearest","count":1}' \
  mean --by 2 --header no --json - <<<'2,a'
expect '{"command":"dot","group":"a","value":2.0,"decimal":"2","hex":"0x1p+1","type":"f64","rounding":"to_nearest","count":1}' \
  dot --column 1,3 --by 2 --header no --json - <<<'1,a,2'
expect '{"command":"sum","group":"a","column":"qty","value":2.0,"decimal":"2","hex":"0x1p+1","type":"f64","rounding":"to_nearest","count":1}' \
  sum --column qty --by shop --json - <<<$'shop,qty\na,2'
expect $'10\t1\n9\t2' sum --by k - <<<$'k,v\n9,2\n10,1'
expect $'x\t3' sum --by 2 - <<<$'v,k\n1,x\n2,x' # the other column of two
expect $'\t1\nx\t2' sum --by k - <<<$'k,v\n,1\n"  x ",2'
expect $'"say ""x"""\t1' sum --by k - <<<$'k,v\n"say ""x""",1'
expect $'"two\nlines"\t1' sum --by k - <<<$'k,v\n"two\nlines",1'
expect '' sum --by k - <<<$'k,v'
refuse "t.csv: the table has 3 columns: 'shop', 'price', 'qty'; choose one with --column" sum --by shop t.csv
refuse "standard input: the table has 1 column: 'k'; there is none besides that of --by" sum --by k - <<<$'k\n1'
refuse "t.csv: no column is named 'x'; the table has 3 columns: 'shop', 'price', 'qty'" sum --column qty --by x t.csv
refuse '--state saves one sum, --by makes many: not both' sum --column qty --by shop t.csv --state s
refuse "standard input: the first record may hold names or values: 'a', '1'; say --header yes or --header no" \
  sum --by 1 --column 2 - <<<$'a,1\nb,2'
refuse 'standard input: is empty: there are no names of columns' sum --by k - <<<''

# missing values
printf 'k,v,w\na,1,1\na,NA,2\nb,,3\nb,nan,4\nb,2,""\n' >m.csv
tell 3 'skipped 3 missing values' sum --column v --missing skip m.csv
tell 1.5 'skipped 3 missing values' mean --column v --missing skip m.csv
tell 10 'skipped 1 missing value' sum --column w --missing skip m.csv
tell 10 'skipped 0 missing values' sum --column w --missing skip - <<<$'v,w\n,10'
tell $'v\t3\nw\t10' 'skipped 4 missing values: 3 in v, 1 in w' sum --column v,w --missing skip m.csv
tell 1 'skipped 4 records with missing values' dot --column v,w --missing skip m.csv
tell $'a\t1\nb\t2' 'skipped 3 missing values' sum --by k --column v --missing skip m.csv
tell $'a\tnan\nb\t1' 'skipped 1 missing value' mean --by k --missing skip - <<<$'k,v\na,NA\nb,1'
tell 3 'skipped 4 missing values' sum --missing skip - <<<'1 NA nan 2 -NaN NAN'
tell 0.3 'skipped 2 missing values' sum --decimal --missing skip - <<<'0.1 NA nan 0.2'
refuse "standard input: the first record may hold names or values: 'NA'; say --header yes or --header no" \
  sum --format csv --missing skip - <<<$'NA\n1'
tell 1 'skipped 1 missing value' sum --format csv --missing skip --header no - <<<$'NA\n1'
expect nan sum --column v - <<<$'v\n1\nnan'
expect 1 sum --missing error - <<<'1'
refuse "m.csv: line 3, column 3: field 2 (v), 'NA', is not a number" sum --column v m.csv
refuse "m.csv: line 3, column 3: field 2 (v), 'NA', is a missing value" sum --column v --missing error m.csv
refuse 'm.csv: line 6, column 6: field 3 (w) is empty' sum --column w --missing error m.csv
refuse "standard input: line 1, column 3: 'nan' is a missing value" sum --missing error - <<<'1 nan'
refuse "standard input: line 1, column 3: 'NA' is not a number" sum - <<<'1 NA'
for other in N/A - + -NA +NA --nan; do
  refuse "standard input: line 1, column 3: '$other' is not a number" sum --missing skip - <<<"1 $other"
  refuse "standard input: line 2, column 3: field 2 (b), '$other', is not a number" \
    sum --column b --missing skip - <<<$'a,b\n1,'"$other"
done
refuse '--missing skip is not for dot of two files, whose numbers would lose their partners' \
  dot --missing skip plain.txt plain.txt
refuse '--missing warn: must be one of error, skip' sum --missing warn plain.txt

# delimiters
expect 3 sum --column 2 --delimiter '|' --header yes - <<<$'a|b\n1|3'
expect 6 sum --column b --delimiter space - <<<$'a b\n1 6'
expect 6 sum --column b --delimiter tab - <<<$'a\tb\n1,5\t6'
expect 6 sum --column b --delimiter ';' - <<<$'a,c;b\n1,5;6'
for delimiter in xy 1 a . - + '"' '#' é; do
  refuse "--delimiter $delimiter: must be one character, not of names, numbers, quotes or comments, or comma, semicolon, tab, space" \
    sum "--delimiter=$delimiter" t.csv
done

# decimal numbers
expect 0.3 sum --decimal - <<<'0.1 0.2'
expect 0.30000000000000004 sum - <<<'0.1 0.2'
expect 0.1 mean --decimal - <<<'0.1 0.1 0.1'
expect 1 sum --decimal - <<<'1e400 1 -1e400'
expect inf sum --decimal - <<<'1e400'
expect 1.7976931348623157e+308 sum --decimal --rounding zero - <<<'1e400'
expect 5e-324 sum --decimal --rounding up - <<<'1e-10000'
expect 0 sum --decimal - <<<'1e-10000'
expect -0 sum --decimal --rounding down - <<<'1 -1'
expect nan mean --decimal - <<<''
expect -inf sum --decimal - <<<'1 -inf'
expect nan sum --decimal - <<<'inf -inf'
expect $'price\t5.5\nqty\t10' sum --decimal --column price,qty t.csv
expect $'a\t0.2\na, b\t5\nb\t0.3' sum --decimal --column price --by shop t.csv
refuse "standard input: line 1, column 3: '1e10001' has an exponent beyond 10000" sum --decimal - <<<'1 1e10001'
refuse "standard input: line 1, column 1: '1e-10001' has an exponent beyond 10000" sum --decimal - <<<'1e-10001'
refuse "standard input: line 1, column 1: '0e9999999999999999999999...' has an exponent beyond 10000" \
  sum --decimal - <<<'0e99999999999999999999999'
expect 1 sum --decimal - <<<"1$(printf '%010000d' 0 | tr 0 . | head -c 1)$(printf '%010000d' 0)"
refuse "standard input: line 1, column 1: '000000000000000000000000...' has more than 10000 digits before or after its point" \
  sum --decimal - <<<"$(printf '%010001d' 0)"
refuse "standard input: line 1, column 1: '0x10' is not a decimal number" sum --decimal - <<<'0x10'
refuse "standard input: line 1, column 1: '1e' is not a decimal number" sum --decimal - <<<'1e'
refuse "standard input: line 1, column 1: '1.2.3' is not a decimal number" sum --decimal - <<<'1.2.3'
refuse "t.csv: line 2, column 1: field 1 (shop), 'b', is not a decimal number" sum --decimal --column shop t.csv
for verb in nrm2 var stddev; do
  refuse "--decimal is for sum, mean and merge, not for $verb" $verb --decimal plain.txt
done
refuse '--decimal is for sum, mean and merge, not for dot' dot --decimal plain.txt plain.txt

# states of decimal sums
"$exakt" sum --decimal --state one - <<<'0.1 1e-5000' >/dev/null
"$exakt" sum --decimal --state two - <<<'0.2 -1e-5000' >/dev/null
"$exakt" sum --decimal --state other - <<<'-1e-5000 0.20' >/dev/null
"$exakt" sum --state binary - <<<'0.1' >/dev/null
"$exakt" mean --decimal --column price --state mean t.csv >/dev/null
cmp -s two other || fail "two states of the same decimal numbers" "the same bytes" "$(cmp two other)"
expect 0.3 merge one two
expect 0.3 merge --decimal one two
expect 1.375 merge mean
expect 0.3 merge one two --state both
expect '{"command":"sum","value":0.3,"decimal":"0.3","hex":"0x1.3333333333333p-2","type":"f64","rounding":"to_nearest","count":4}' \
  merge --json both
refuse 'binary: is a state of binary numbers, but one is one of decimal ones' merge one binary
refuse 'one: is a state of decimal numbers, but binary is one of binary ones' merge binary one
refuse 'binary: is a state of binary numbers; --decimal is for those that --decimal has saved' merge --decimal one binary
sed 's/"decimal": "\(.*\)e/"decimal": "\10e/' one >damaged
refuse 'damaged: is not a usable state of exakt: it is damaged: its checksum does not fit its content' merge damaged

# options and the formats they are not for
for option in '--by k' '--delimiter ;'; do
  word=${option%% *}
  refuse "array.npy: is an .npy file; $word is for CSV tables" sum $option array.npy
  refuse "raw.f64: is raw binary by its name; $word is for CSV tables" sum $option raw.f64
  for format in npy raw text; do
    refuse "$word is for CSV tables, not for --format $format" sum $option --format $format plain.txt
  done
  refuse "$word is for CSV tables, --type for raw binary: not both" sum $option --type f64 plain.txt
done
for option in '--missing skip' '--missing error' --decimal; do
  word=${option%% *}
  refuse "array.npy: is an .npy file; $word is for text and CSV" sum $option array.npy
  refuse "raw.f64: is raw binary by its name; $word is for text and CSV" sum $option raw.f64
  refuse "$word is for text and CSV, not for --format raw" sum $option --format raw plain.txt
  refuse "$word is for text and CSV, --type for raw binary: not both" sum $option --type f64 plain.txt
done

# variances
expect 2.5 var - <<<'1 2 3 4 5'
expect 1.5811388300841898 stddev - <<<'1 2 3 4 5'
expect nan var - <<<'1'
expect 0 var - <<<'1e300 1e300'
expect $'price\t5.8425\nqty\t1.6666666666666667' var --column price,qty t.csv
"$exakt" var --state var - <<<'1 2 3' >/dev/null
"$exakt" var --state var2 - <<<'4 5' >/dev/null
"$exakt" stddev --state stddev - <<<'4 5' >/dev/null
expect 2.5 merge var var2
refuse 'stddev: is a state of exakt stddev, but var is one of exakt var' merge var stddev

# Many groups in little memory: each has a few dozen bytes beside its name.
seq 1000000 | awk '{ print $1 % 250000 "," $1 }' >many.csv
if (ulimit -v 65536; MALLOC_ARENA_MAX=1 exec "$exakt" sum plain.txt) >/dev/null 2>&1; then
  (ulimit -v 200000; MALLOC_ARENA_MAX=1 exec "$exakt" sum --threads 2 --header no --by 1 --column 2 many.csv) >groups 2>stderr
  [[ $(wc -l <groups) == 250000 && $(head -1 groups) == $'0\t2500000' ]] ||
    fail "250000 groups in 200 MB" "250000 lines" "$(wc -l <groups) $(head -1 groups) $(<stderr)"
fi
awk -F, '{ s[$1] += $2 } END { for (k in s) printf "%s\t%.0f\n", k, s[k] }' many.csv | LC_ALL=C sort >expected
for threads in 1 2 4; do
  "$exakt" sum --threads $threads --header no --by 1 --column 2 many.csv | cmp - expected ||
    fail "250000 groups, $threads threads" "those of awk" "others"
done

finish
