# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# On any number of ranks exakt says what it says alone: the same answer, or the same one complaint.
# Called as: bash test_tool_ranks.bash PATH_OF_EXAKT PATH_OF_MPIEXEC OPTION_FOR_THE_NUMBER_OF_RANKS
source "$(dirname "$0")/expect.bash"
mpiexec=$2
option=$3

# on_ranks N ARGUMENT...: exakt on so many ranks, waited for in vain no longer than a minute.
on_ranks() {
  local ranks=$1
  shift
  timeout 60 "$mpiexec" "$option" "$ranks" "$exakt" "$@"
}

# piped_to_ranks FILE N ARGUMENT...: on_ranks with the file as standard input. Open MPI 4.1.4's mpiexec itself sometimes
# crashes (139) while it forwards that to ranks that have ended: then once more.
piped_to_ranks() {
  local file=$1 attempt output code
  shift
  for attempt in 1 2 3; do
    output=$(on_ranks "$@" <"$file")
    code=$?
    [[ $code == 139 ]] || break
  done
  printf '%s' "$output"
  return $code
}

# same ARGUMENT...: the same standard output, and what else exakt says (launchers add lines of their own), on 3 ranks, or on
# as many as `counts` says.
counts=3
same() {
  local expected output code ranks
  expected=$("$exakt" "$@" 2>said)
  for ranks in $counts; do
    output=$(on_ranks $ranks "$@" 2>stderr)
    code=$?
    [[ $output == "$expected" ]] || fail "exakt $* on $ranks ranks" "$expected" "$output$(<stderr)"
    [[ $code == 0 ]] || fail "exakt $* on $ranks ranks" "exit code 0" "$code"
    [[ $(grep exakt: stderr) == "$(cat said)" ]] || fail "exakt $* on $ranks ranks" "$(cat said)" "$(<stderr)"
  done
}

# same_complaint ARGUMENT...: one line from exakt, the same (launchers add lines of their own), and no answer.
same_complaint() {
  local expected output code
  expected=$("$exakt" "$@" 2>&1)
  [[ $expected == exakt:* ]] || fail "exakt $*" "a complaint" "$expected"
  output=$(on_ranks 3 "$@" 2>stderr)
  code=$?
  [[ $(grep exakt: stderr) == "$expected" ]] || fail "exakt $* on 3 ranks" "$expected" "$(<stderr)"
  [[ $code != 0 && $code != 124 ]] || fail "exakt $* on 3 ranks" "an exit code other than 0 and a timeout" "$code"
  [[ -z $output ]] || fail "exakt $* on 3 ranks" "an empty standard output" "$output"
}

# Several pieces each, of all kinds; the sums cancel in part.
awk 'BEGIN { srand(1); for (i = 0; i < 60000; ++i) print (rand() - 0.5) * 10 ^ int(40 * rand() - 20) }' >a.txt
awk 'BEGIN { srand(2); for (i = 0; i < 60000; ++i) print i "," rand() - 0.5 }' >b.csv
head -c 800000 /dev/zero | tr '\0' '?' >c.f64
head -c 480000 c.f64 >d.f64
head -c 480000 /dev/zero | tr '\0' ';' >e.f64
awk 'BEGIN { srand(3); print "k,v,w"; for (i = 0; i < 60000; ++i) print int(5000 * rand()) "," (i % 7 ? rand() - 0.5 : "NA") "," rand() * 10 ^ int(40 * rand() - 20) }' >t.csv
: >empty.txt
{ npy "[('x', '<f8'), ('n', '<i8'), ('z', '<c8')]" '(33333,)' ''; head -c 799992 t.csv; } >records.npy # any bits: NaN too

same sum a.txt
same sum a.txt c.f64 d.f64 empty.txt --hex
same mean b.csv --column 2 --header no --json
same nrm2 c.f64 a.txt
same dot a.txt d.f64
same dot d.f64 e.f64 --rounding up
counts="1 2 3"
same var a.txt c.f64
same var a.txt --hex
same stddev b.csv --column 2 --header no
same stddev t.csv --column w --by k --rounding down
same sum t.csv --column w,v --missing skip
same var t.csv t.csv --column w,v --missing skip
same mean t.csv --column v,w --by k --missing skip --rounding up
same sum t.csv --column v,w --by k --missing skip --decimal --json
same dot t.csv --column v,w --by k --missing skip
same dot t.csv --column v,w --missing skip
same sum records.npy --column n,z.imag,x --hex
same var records.npy --column n,z.real --json
same dot records.npy --column n,z.real --hex
same mean a.txt --decimal
counts=3
gzip -k t.csv c.f64
[[ $("$exakt" sum c.f64.gz 2>&1) == *compressed* ]] ||
  { same sum t.csv.gz --column w --by k; same dot c.f64.gz c.f64; same var c.f64.gz a.txt; }
same sum empty.txt
same mean empty.txt
same sum --help
same selftest

# Each rank does a share of the work. What a shell has waited for counts as read by it, where the system counts that.
truncate -s 48000000 zeros.f64
counted='"$0" "$@" && sed -n "s/rchar: //p" /proc/$$/io >read.$$'
"$BASH" -c "$counted" cat zeros.f64 >/dev/null 2>&1
if [[ $(cat read.* 2>/dev/null) -gt 48000000 ]]; then
  rm read.*
  timeout 60 "$mpiexec" "$option" 3 "$BASH" -c "$counted" "$exakt" sum zeros.f64 >answer 2>stderr
  [[ $(<answer) == 0 ]] || fail "exakt sum zeros.f64 below shells on 3 ranks" 0 "$(cat answer stderr)"
  read -r least most < <(cat read.* | sort -n | sed -n '1p;$p' | tr '\n' ' ')
  ((least > 16000000 && most < 24000000)) || fail "the bytes that 3 ranks read of 48 MB" "16 MB and little more each" "$(cat read.*)"
fi

# Pipes belong to rank 0. (The launcher of MPICH 4.0 breaks off inputs that are not read at once, whoever reads them.)
input=a.txt
if [[ $(timeout 60 "$mpiexec" "$option" 1 wc -c <a.txt 2>/dev/null) -ne $(wc -c <a.txt) ]]; then
  head -n 1000 a.txt >short.txt
  input=short.txt
fi
expected=$("$exakt" sum - c.f64 <$input)
for ranks in 1 3; do
  output=$(piped_to_ranks $input $ranks sum - c.f64)
  [[ $output == "$expected" ]] || fail "exakt sum - on $ranks ranks" "$expected" "$output"
done

for arguments in "--by k --column w" "--column k,w" "--decimal --column w"; do
  expected=$("$exakt" sum $arguments - <t.csv)
  output=$(piped_to_ranks t.csv 3 sum $arguments -)
  [[ $output == "$expected" ]] || fail "exakt sum $arguments - on 3 ranks" "$expected" "$output"
done

# States are those of a run without ranks.
"$exakt" sum a.txt c.f64 --state alone.exakt >/dev/null
on_ranks 3 sum a.txt c.f64 --state ranks.exakt >/dev/null
for arguments in "var a.txt c.f64" "sum --decimal a.txt"; do
  "$exakt" $arguments --state alone >/dev/null
  on_ranks 3 $arguments --state ranks >/dev/null
  cmp alone ranks || fail "the state of $arguments on 3 ranks" "the same bytes" "others"
done
cmp alone.exakt ranks.exakt || fail "the state of 3 ranks" "the same bytes" "others"
same merge alone.exakt ranks.exakt

same_complaint sum missing.txt
same_complaint sum a.txt missing.txt
same_complaint total
same_complaint dot a.txt c.f64
same_complaint sum a.txt --state missing/state.exakt
# Of several errors, on several ranks, the first is told.
{ cat a.txt; echo first; cat a.txt; echo second; cat a.txt; echo third; cat a.txt; } >late.txt
same_complaint sum late.txt
same_complaint sum a.txt late.txt
same_complaint sum --decimal a.txt late.txt
same_complaint sum --column k,v --by k t.csv
same_complaint dot late.txt c.f64

finish
