# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# The demo: its exact values are right, the plain ones are not all so, and it fits a narrow terminal.
source "$(dirname "$0")/expect.bash"

demo=("$exakt" demo --threads 2)
[[ $exakt == */exakt_demo ]] && demo=("$exakt") # a program of its own, without options
"${demo[@]}" >table 2>stderr
code=$?
[[ $code == 0 ]] || fail "exakt demo" "exit code 0" "$code"
[[ -s stderr ]] && fail "exakt demo" "an empty standard error" "$(<stderr)"
longest=$(awk '{ if (length > n) n = length } END { print n }' table)
((longest <= 80)) || fail "exakt demo" "lines of at most 80 characters" "$longest"
grep -q $'\e' table && fail "exakt demo into a file" "no colours" "escape sequences"

# Both tables: every row ends with the right exact values.
count() { grep -c -- "$1" table; }
rows=$(count '^  \(forward\|backward\|shuffled\|[0-9]* threads\?\)  .*[0-9]$')
right=$(count '  3\.141592653589793  .* 3\.1415927$')
mean=$(count '  10000000\.2  .* 10000000$')
((rows >= 8 && right + mean == rows && right == mean)) ||
  fail "exakt demo" "the right exact values in all $rows rows" "$right times pi, $mean times the mean"
(($(count '|') >= rows)) || fail "exakt demo" "plain values that differ" "$(cat table)"
grep -q '^All exact values have the same bits, the correct ones\.$' table || fail "exakt demo" "its own verdict" "$(tail -1 table)"

# Another program's choices about threads neither change it nor make Kokkos talk.
OMP_NUM_THREADS=1 OMP_PROC_BIND=false KOKKOS_NUM_THREADS=3 "${demo[@]}" >other 2>stderr || fail "exakt demo" "exit code 0" "$?"
[[ -s stderr ]] && fail "exakt demo" "an empty standard error" "$(<stderr)"

# Colours on a terminal, unless that or somebody does not want them.
if script --version >/dev/null 2>&1; then
  export demo_of_one_thread="${demo[*]/%2/1}"
  for terminal in 'TERM=xterm|coloured' 'TERM=xterm NO_COLOR=|coloured' 'TERM=xterm NO_COLOR=1|' 'TERM=dumb|' '-u TERM|'; do
    env ${terminal%|*} SHELL="$BASH" script -qec '$demo_of_one_thread' typescript </dev/null >/dev/null
    colours=$(grep -q $'\e\\[31m' typescript && echo coloured)
    [[ $colours == "${terminal#*|}" ]] || fail "exakt demo on a terminal with ${terminal%|*}" "'${terminal#*|}'" "'$colours'"
  done
fi

finish
