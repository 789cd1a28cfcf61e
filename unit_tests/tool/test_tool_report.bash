# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# The page: the exact sum, plain sums that differ from it by what can be told beforehand, and nothing else on any stream.
source "$(dirname "$0")/expect.bash"

# page ARGUMENT...: the page of these arguments, in the file page.
page() {
  "$exakt" report "$@" >page 2>stderr
  local code=$?
  [[ $code == 0 ]] || fail "exakt report $*" "exit code 0" "$code $(<stderr)"
  [[ -s stderr ]] && fail "exakt report $*" "an empty standard error" "$(<stderr)"
}
# shows TEXT [COUNT]: so many lines of the page hold this text.
shows() {
  local count
  count=$(grep -c -F -- "$1" page)
  [[ $count == "${2:-1}" ]] || fail "the page" "'$1' in ${2:-1} lines" "$count lines: $(cat page)"
}

# 1e16 + 1 is 1e16 in double, and in float: the 1 is lost unless it comes last.
printf '1e16 1 -1e16\n' >cancels.txt
page cancels.txt
shows '<p>3 numbers; the exact sum, rounded once, is <code>1</code>'
shows '>as they are in the file: -1<' 2
shows '>backwards: -1<' 2
shows '>smallest magnitude first: -1<' 2
shows '>largest magnitude first: exact<' 2
shows '<p>1067 sums in double: 2 different values.</p>'
shows '<p>1067 sums in float: 2 different values.</p>'
shows '<svg ' 2
shows '</html>'
# Read on a telephone: the page as wide as the screen, pictures no narrower than their letters can be read.
shows '<meta name="viewport" content="width=device-width">'
shows '.picture{overflow-x:auto'
shows '<div class="picture">' 2
# The middle of the drawing is the exact sum: a sum that is -1 off is drawn at its left end, 20.
shows '<line x1="20.0" y1="184.0" x2="20.0" y2="198.0" class="thread"/>' 126
cp page before
page - <cancels.txt
sed 's/standard input/cancels.txt/g' page | cmp -s - before || fail "exakt report" "the same page each time" "another one"

# Integers and halves of them are exact in every order; a million numbers of a pipe as well as a file.
seq 0.5 1000 | "$exakt" report >page 2>stderr || fail "exakt report" "exit code 0" "$?"
shows 'is <code>500000</code>'
shows ': 1 value.</p>' 2
shows ': exact<' 8

printf 'a,b\n1,2\n3,4\n' >'<t&>.csv'
page --column b '<t&>.csv'
shows '<title>Sums of &lt;t&amp;&gt;.csv</title>'
shows '<p>2 numbers; the exact sum, rounded once, is <code>6</code>'

printf '3e38 3e38 -3e38\n' >large.txt
page large.txt
shows 'sums in double: '
grep -q 'of them infinite or NaN, and not drawn' page || fail "exakt report" "floats that overflow, counted" "$(cat page)"
# 0 if signs alternate, an infinity if two of one sign come first, NaN if two threads have one each.
printf '1.7e308 1.7e308 -1.7e308 -1.7e308\n' >overflow.txt
page overflow.txt
shows 'sums in double: 4 different values, '
shows 'sums in float: 1 value, '

# Missing values are left out, and their number is told.
printf '1e16 NA 1 nan -1e16\n' >missing.txt
"$exakt" report --missing skip missing.txt >page 2>stderr || fail "exakt report --missing skip" "exit code 0" "$?"
[[ $(<stderr) == 'exakt: skipped 2 missing values' ]] || fail "exakt report --missing skip" "their number" "$(<stderr)"
sed 's/missing.txt/cancels.txt/g' page | cmp -s - before || fail "exakt report --missing skip" "the page of the others" "another one"

printf '"p, n",q\n1,2\n' >comma.csv
page --column 'p, n' comma.csv
shows '<p>1 number; the exact sum, rounded once, is <code>1</code>'

: >empty.txt
refuse 'report: there are no numbers in empty.txt' report empty.txt
printf '1 inf\n' >infinite.txt
refuse 'report: the exact sum is inf, from which nothing has a distance' report infinite.txt
truncate -s 33554433 many.u8
refuse 'report: there are more than 33554432 numbers; all of them are kept in memory, in up to 24 bytes each' report many.u8
rm many.u8
for text in "report --help" --man; do
  "$exakt" $text | grep -q 'may be 33554432 of them' || fail "exakt $text" "how many numbers a report may have" "something else"
done
refuse 'report: there are no numbers in standard input' report - </dev/null
refuse '<t&>.csv: report is of one column, not 2' report --column a,b '<t&>.csv'
refuse '--by is not for report, which is of one column' report --column a --by b '<t&>.csv'
refuse '--threads is not for report' report --threads 2 cancels.txt
refuse '--decimal is for sum, mean and merge, not for report' report --decimal cancels.txt

finish
