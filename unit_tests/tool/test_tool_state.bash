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

refuse 'nowhere/state: cannot save the state: No such file or directory' sum part.aa --state nowhere/state
mkdir directory
refuse 'directory: cannot save the state: Is a directory' sum part.aa --state directory
[[ -z $(ls ./*.part 2>/dev/null) ]] || fail "after a failure" "no unfinished files" "$(ls ./*.part)"

finish
