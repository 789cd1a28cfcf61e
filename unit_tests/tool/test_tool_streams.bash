# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Pipes, many files, long inputs in little memory, and the progress bar.
source "$(dirname "$0")/expect.bash"

# A pipe that delivers its bytes a few at a time.
trickle() {
  local line
  while read -r line; do
    printf '%s' "${line:0:2}"
    sleep 0.01
    printf '%s\n' "${line:2}"
  done
}
seq 10001 10020 | trickle | expect 200210 sum -
expect 4950 sum <(seq 0 49) <(seq 50 99)
seq 5 | expect 30 sum - <(seq 5)
printf '1 2' >a.txt
printf '3 4' >b.txt
expect 10 sum a.txt b.txt # the end of a file ends a number
expect 20 dot a.txt - < <(printf '4\n8\n')

# Records that lie across the boundaries of pieces: quoted, with line ends inside.
printf '"text, with\nline ends and ""quotes"" here",%d\r\n' {0..19999} >records.csv
expect 199990000 sum --header no --column 2 records.csv
expect 199990000 sum --header no --column 2 --threads 3 - <records.csv

# One line of 2 MB.
seq -s ' ' 300000 >line.txt
expect 45000150000 sum line.txt
{ printf '1 # '; head -c 1000000 /dev/zero | tr '\0' 7; printf '\n2'; } >comment.txt
expect 3 sum comment.txt

# 100 MB and more may not fit into 64 MB. (Some sanitizers need more than that for themselves.)
printf '0.1 0.2 0.3 0.4\n%.0s' {1..65536} >block.txt
repeat() { for ((k = 0; k < $2; k++)); do cat "$1"; done; }
limited() (
  ulimit -v 65536
  MALLOC_ARENA_MAX=1 exec "$exakt" "$@"
)
if limited sum a.txt >/dev/null 2>&1; then
  bytes 9a9999999999b93f9a9999999999c93f333333333333d33f9a9999999999d93f >four.f64
  repeat four.f64 64 >small.f64
  repeat small.f64 512 >block.f64 # 131072 numbers, 32768 in the sum
  repeat block.f64 100 >long.f64
  check() { [[ $1 == "$2" ]] || fail "$3 in 64 MB" "$2" "$1"; }
  check "$(limited sum --threads 2 long.f64)" 3276800 "sum of a file of 105 MB"
  check "$(repeat block.f64 100 | limited sum --threads 2 --type f64 -)" 3276800 "sum of a pipe of 105 MB"
  check "$(limited dot long.f64 long.f64)" 983040 "dot of 105 MB"
  check "$(repeat block.txt 100 | limited sum -)" 6553600 "sum of 105 MB of text"
  # More threads than the system gives: fewer do the work.
  printf '1\n' >one.txt
  output=$(ulimit -v 300000 && "$exakt" sum --threads 4096 one.txt 2>stderr)
  code=$?
  [[ $output == 1 && $code == 0 ]] || [[ -z $output && $code == 2 && $(<stderr) == 'exakt: not enough memory' ]] ||
    fail "exakt sum --threads 4096 in 300 MB" "the answer, or a message and exit code 2" "$output$(<stderr), $code"
else
  echo "no test of memory: 64 MB are not enough for this program to start"
fi

# The progress bar: on a terminal only, on standard error only, gone at the end.
if script --version >/dev/null 2>&1; then
  slowly() { for k in 1 2 3 4 5; do seq 100000; sleep 0.2; done; }
  slowly >slow.txt
  export -f slowly
  export exakt
  # script starts the shell that SHELL names, by default sh, which knows no exported functions.
  TERM=xterm SHELL=$BASH script -qec 'slowly | "$exakt" sum - >answer' terminal </dev/null >/dev/null
  [[ $(cat answer) == 25000250000 ]] || fail "the sum beside a progress bar" 25000250000 "$(cat answer)"
  grep -q 'MB, .*B/s' terminal || fail "standard error on a terminal" "a progress bar" "$(cat terminal)"
  grep -q $'\r\e\\[K' terminal || fail "the progress bar" "gone at the end" "$(cat terminal)"
  TERM=dumb SHELL=$BASH script -qec 'slowly | "$exakt" sum - >answer' terminal </dev/null >/dev/null
  grep -q 'B/s' terminal && fail "standard error on a dumb terminal" "nothing" "$(cat terminal)"
fi

# A reader that goes away ends exakt as it ends other programs.
yes 1 | head -c 1000000 >ones.txt
(trap - PIPE; "$exakt" sum ones.txt | true)

finish
