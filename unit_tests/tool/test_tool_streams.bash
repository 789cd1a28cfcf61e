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

  # Input from a terminal ends at the first Ctrl-D (octal 4). What is typed comes from a pipe that stays open.
  mkfifo keyboard
  exec 3<>keyboard
  printf 'a,b\n1,2\n\4' >&3
  SHELL=$BASH timeout 20 script -qec '"$exakt" sum --column b - >answer' /dev/null <&3 >/dev/null
  [[ $(<answer) == 2 ]] || fail "a table from a terminal" "2, at the first Ctrl-D" "$(<answer)"
  exec 3>&-
fi

# All threads are started, and no more: they can be counted while they wait for input.
if [[ -d /proc/self/task ]]; then
  mkfifo held
  # count_threads N [WANTED]: how many exakt has with --threads N, as soon as there are as many as wanted, and a while later.
  count_threads() {
    local pid tries
    "$exakt" sum --threads $1 held >answer &
    pid=$!
    for tries in {1..100}; do
      sleep 0.1
      [[ $(ls /proc/$pid/task | wc -l) == "${2:-0}" ]] && break
      [[ -z $2 && $tries == 5 ]] && break
    done
    sleep 0.2
    ls /proc/$pid/task | wc -l
    timeout 60 bash -c 'echo 7 >held'
    wait $pid
  }
  alone=$(count_threads 1) # and what a sanitizer adds
  for threads in 2 5; do
    count=$(count_threads $threads $((alone + threads - 1)))
    ((count == alone + threads - 1)) || fail "exakt sum --threads $threads" "$((threads - 1)) more than $alone threads" "$count"
    [[ $(<answer) == 7 ]] || fail "exakt sum --threads $threads held" 7 "$(<answer)"
  done
fi

# A reader that goes away ends exakt as it ends other programs, or in a message where that signal is ignored. The output is
# more than a pipe takes.
seq -f '%.0f,1' 100000 >groups.csv
code=$(trap - PIPE; "$exakt" sum --header no --by 1 --column 2 groups.csv 2>stderr | true; echo "${PIPESTATUS[0]}")
[[ $code == 141 && ! -s stderr ]] || [[ $code == 2 && $(<stderr) == 'exakt: standard output: Broken pipe' ]] ||
  fail "exakt sum, and nobody reads" "an end by SIGPIPE" "$code $(<stderr)"

finish
