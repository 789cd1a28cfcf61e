# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# --state and merge: the parts answer as the whole would have, and damage is found.
source "$(dirname "$0")/expect.bash"

seq 1 100000 | sed 's/$/e-5/' >whole.txt
split -n l/3 whole.txt part. # aa, ab, ac
# The products of one half of the pairs with the other: the same data for dot.
for verb in sum mean nrm2; do
  for part in aa ab ac; do "$exakt" $verb --state $verb.$part part.$part >/dev/null; done
  for options in "" "--rounding up" "--result f32" "--hex --rounding zero"; do
    expect "$("$exakt" $verb $options whole.txt)" merge $options $verb.ab $verb.ac $verb.aa
  done
  expect "$("$exakt" $verb --json whole.txt)" merge --json $verb.aa $verb.ab $verb.ac
  "$exakt" merge $verb.aa $verb.ab --state $verb.two >/dev/null
  expect "$("$exakt" $verb whole.txt)" merge $verb.two $verb.ac
done
for part in aa ab ac; do "$exakt" dot --state dot.$part part.$part part.$part >/dev/null; done
expect "$("$exakt" dot --json whole.txt whole.txt)" merge --json dot.aa dot.ab dot.ac

# The state is the exact value: it does not depend on the order or on the number of threads.
"$exakt" sum --threads 1 --state one whole.txt >/dev/null
"$exakt" sum --threads 4 --state four part.ac part.aa part.ab >/dev/null
cmp -s one four || fail "two states of the same numbers" "the same bytes" "$(cmp one four)"

printf 'nan\n' | "$exakt" sum - --state nan >/dev/null
expect nan merge nan one
printf '' | "$exakt" mean - --state nothing >/dev/null
expect nan merge nothing
expect "$("$exakt" mean whole.txt)" merge nothing mean.aa mean.ab mean.ac

refuse 'mean.aa: is a state of exakt mean, but sum.aa is one of exakt sum' merge sum.aa mean.aa
refuse 'missing: No such file or directory' merge sum.aa missing
refuse 'whole.txt: is not a usable state of exakt: it does not look like one' merge whole.txt
: >empty
refuse 'empty: is not a usable state of exakt: it does not look like one' merge empty
damaged='is not a usable state of exakt: it is damaged: its checksum does not fit its content'
sed 's/"count": ./"count": 9/' sum.aa >count
sed 's/"sum": "\(.*\)."/"sum": "\10"/' sum.aa >digit
sed 's/: "sum"/: "mean"/' sum.aa >verb
sed '/checksum/d; s/\(5[0-9a-f]*"\),$/\1/; s/\([0-9a-f]\{8\}"\),$/\1/' sum.aa >checksum
for file in count digit verb checksum; do
  cmp -s $file sum.aa && fail "the test of a damaged $file" "a damaged file" "the whole one"
  refuse "$file: $damaged" merge $file
done
sed 's/"exakt_state": 1/"exakt_state": 2/' sum.aa >version
refuse 'version: is not a usable state of exakt: its version is 2, this program knows version 1' merge version
head -c 100 sum.aa >cut
refuse 'cut: is not a usable state of exakt: it does not look like one' merge cut

# State as no run of exakt leaves it, though its checksum is right: forged BODY.
forged() {
  local hash=$((16#cbf29ce484222325)) code i
  for ((i = 0; i < ${#1}; i++)); do
    printf -v code %d "'${1:i:1}"
    hash=$(((hash ^ code) * 0x100000001b3))
  done
  printf '%s,"checksum":"%016x"}' "${1%\}}" $hash
}
printf '1 2 3' | "$exakt" sum - --state six >/dev/null
body=$(tr -d ' \n' <six | sed 's/,"checksum.*/}/')
forged "$body" >same
expect 6 merge same
unusable='is not a usable state of exakt:'
foreign="$unusable it is not what this program writes for its content"
while IFS='|' read -r change message; do
  forged "$(sed "$change" <<<"$body")" >changed
  cmp -s same changed && fail "the state changed by $change" "another one" "the same"
  refuse "changed: $message" merge changed
done <<END
s/"count":3/"count":-1/|$unusable its count, -1, is not a whole number from 0
s/"count":3/"count":1.5/|$unusable its count, 1.5, is not a whole number from 0
s/"count":3/"count":3.0/|$unusable its count, 3.0, is not a whole number from 0
s/"count":3/"count":"3"/|$unusable an entry is missing or of the wrong type
s/"count":3/"count":true/|$unusable an entry is missing or of the wrong type
s/"count":3/"count":null/|$unusable an entry is missing or of the wrong type
s/"count":3,//|$unusable an entry is missing or of the wrong type
s/"count":3/"count":0/|$unusable it has a sum of 0 numbers that is not 0
s/"count":3/"count":3,"extra":1/|$foreign
s/"exakt_state":1/"exakt_state":1.0/|$foreign
s/"exakt_state":1,\("command":"sum"\)/\1,"exakt_state":1/|$foreign
s/:"4558\([0-9a-f]*\)"/:"4558\1a"/|$unusable its sum has an odd number of hexadecimal digits
s/:"4558\([0-9a-f]*\)."/:"4558\1"/|$unusable its sum has an odd number of hexadecimal digits
s/:"45584b/:"45584B/|$foreign
s/:"45584b/:"4558 b/|$unusable its sum is not hexadecimal
s/:"45584b/:"4558+b/|$unusable its sum is not hexadecimal
s/"command":"sum"/"command":"merge"/|$unusable its command 'merge' leaves no state
END
sed 's/"count"/"count": 2, "count"/' six >twice
refuse "twice: $foreign" merge twice
forged "$(sed 's/"count":3/"count":18446744073709551615/' <<<"$body")" >most
expect 6 merge most
# No numbers have a negative sum of squares.
printf '1' >one.txt
printf -- '-1' >minus.txt
"$exakt" dot one.txt minus.txt --state negative >/dev/null
negative=$(tr -d ' \n' <negative | sed 's/,"checksum.*/}/')
forged "$negative" >same_dot
expect -1 merge same_dot
forged "$(sed 's/"command":"dot"/"command":"nrm2"/' <<<"$negative")" >squares
refuse "squares: $unusable no numbers have these squares" merge squares
# Nor have two numbers the sum 6 and the sum of squares 14.
printf '1 2 3' | "$exakt" var - --state three >/dev/null
forged "$(tr -d ' \n' <three | sed 's/,"checksum.*/}/; s/"count":3/"count":2/')" >two
refuse "two: $unusable no numbers have this sum and these squares" merge two
refuse 'six: the counts of the states are larger together than can be counted' merge most six

# Where the state goes is looked at before the work, and nothing but a state is replaced by it.
cp part.aa numbers
ln -s numbers link
for state in numbers ./numbers link; do
  refuse "$state: cannot save the state: it is a file with numbers to be read" sum part.ab numbers --state $state
done
refuse 'numbers: cannot save the state: it is a file with numbers to be read' sum --state numbers <numbers
refuse './numbers: cannot save the state: it is a file with numbers to be read' sum part.ab - --state ./numbers <numbers
cmp -s numbers part.aa || fail "--state with the name of an input" "the input as it was" "another one"
# Nor what is printed: a state takes the name of the file that the shell has opened.
for arguments in "sum part.aa" "merge six"; do
  printf kept >printed
  "$exakt" $arguments --state ./printed >>printed 2>stderr
  code=$?
  [[ $code == 2 && $(<printed) == kept && $(<stderr) == 'exakt: ./printed: cannot save the state: it is what standard output goes to' ]] ||
    fail "exakt $arguments --state, with the name of standard output" "a message, exit code 2" "$(<stderr)$(<printed), $code"
  output=$("$exakt" $arguments --state printed 2>printed)
  code=$?
  [[ $code == 2 && -z $output && $(<printed) == 'exakt: printed: cannot save the state: it is what standard error goes to' ]] ||
    fail "exakt $arguments --state, with the name of standard error" "a message, exit code 2" "$output$(<printed), $code"
done
mkfifo pipe
refuse 'pipe: cannot save the state: it is there, and not a regular file' sum part.aa --state pipe
[[ -p pipe ]] || fail "--state with the name of a pipe" "the pipe" "something else"
refuse '-: cannot save the state: standard output is for the answer; ./- is a file' sum part.aa --state -
printf 5 >five.part
expect 5 sum five.part --state five
[[ $(cat five.part) == 5 ]] || fail "--state five" "five.part as it was" "another one"
ln -s six to_six
expect 12 merge six same --state to_six # a running total may replace itself
expect 12 merge six
[[ -L to_six ]] || fail "--state with the name of a link" "the link" "a file"
ln -s to_nothing to_link
ln -s nothing_yet to_nothing
expect 5 sum five.part --state to_link
[[ -L to_link && -L to_nothing ]] || fail "--state with the name of a link to nothing" "the links" "a file"
expect 5 merge nothing_yet
# The name of the unfinished state fits where that of the state does, and no file that has it already is lost.
longest=$(printf "%0$(getconf NAME_MAX .)d" 0)
expect 5 sum five.part --state $longest
expect 5 merge $longest
(printf kept >exakt.part$BASHPID && exec "$exakt" sum five.part --state five) >/dev/null 2>stderr ||
  fail "a state whose unfinished name is taken" "exit code 0" "$(<stderr)"
[[ $(cat exakt.part*) == kept ]] || fail "a file with an unfinished state's name" "the file as it was" "$(cat exakt.part*)"
rm exakt.part*

refuse 'nowhere/state: cannot save the state: No such file or directory' sum missing --state nowhere/state
refuse 'numbers/state: cannot save the state: Not a directory' sum missing --state numbers/state
refuse "${longest}0: cannot save the state: File name too long" sum missing --state ${longest}0
ln -s loop loop
refuse 'loop: cannot save the state: Too many levels of symbolic links' sum missing --state loop
message=$(trap '' XFSZ; ulimit -f 0; "$exakt" sum part.aa --state full 2>&1)
code=$?
[[ $code == 2 && $message == 'exakt: full: cannot save the state: File too large' && ! -e full ]] ||
  fail "a state for which there is no room" "a message, exit code 2 and no file" "$message, $code"
# Whoever got no answer may try again: the old state is still there.
cp six total
cp six decimal_total
# kept ARGUMENT...: exakt, which cannot write to the file behind descriptor 4, fails, and the states are as they were.
kept() {
  local code
  (trap - PIPE; exec "$exakt" "$@" >&4 2>stderr)
  code=$?
  [[ $code == 2 && $(<stderr) == 'exakt: standard output: '* ]] || [[ $code == 141 && ! -s stderr ]] ||
    fail "exakt $*, which cannot print" "no answer" "$(<stderr), $code"
  cmp -s total six && cmp -s decimal_total six || fail "exakt $*, which cannot print" "the old state" "a new one"
}
try_without_answer() {
  kept merge total six --state total
  kept sum --decimal five.part --state decimal_total
}
[[ -w /dev/full ]] && try_without_answer 4>/dev/full
exec 3<>pipe 4>pipe 3>&- # nobody reads
try_without_answer
exec 4>&-
mkdir directory
refuse 'directory: cannot save the state: Is a directory' sum part.aa --state directory
[[ -z $(ls ./*.part[0-9]* 2>/dev/null) ]] || fail "after a failure" "no unfinished files" "$(ls ./*.part[0-9]*)"

finish
