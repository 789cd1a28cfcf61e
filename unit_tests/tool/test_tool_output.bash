# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# How the answer is rounded and printed.
source "$(dirname "$0")/expect.bash"

printf '1 1e-30\n' >above_one.txt
expect 1 sum above_one.txt
expect 1 sum --rounding to_nearest above_one.txt
expect 1 sum --rounding nearest above_one.txt
expect 1 sum --rounding toward_zero above_one.txt
expect 1 sum --rounding zero above_one.txt
expect 1 sum --rounding downward above_one.txt
expect 1 sum --rounding down above_one.txt
expect 1.0000000000000002 sum --rounding upward above_one.txt
expect 1.0000000000000002 sum --rounding up above_one.txt
expect 1.0000001 sum --rounding up --result f32 above_one.txt
expect 0x1.000002p+0 sum --rounding up --result f32 --hex above_one.txt

printf '1 -1\n' >nothing.txt
expect 0 sum nothing.txt
expect -0 sum --rounding down nothing.txt
expect -0x0p+0 sum --rounding down --hex nothing.txt

printf '0x1.fffffffffffffp+1023 0x1.fffffffffffffp+1023\n' >huge.txt
expect inf sum huge.txt
expect 1.7976931348623157e+308 sum --rounding zero huge.txt
expect 1.7976931348623157e+308 mean huge.txt
expect inf nrm2 huge.txt
expect inf sum --hex huge.txt
expect '{"command":"sum","value":"inf","decimal":"inf","hex":"inf","type":"f64","rounding":"to_nearest","count":2}' \
  sum --json huge.txt

# Rounded once: by way of a double, the tie would be broken the wrong way.
printf '1 0x1p-24 0x1p-80\n' >double_rounding.txt
expect 1.0000001 sum --result f32 double_rounding.txt

printf '3e200 4e200\n' | expect 4.9999999999999995e+200 nrm2 -
printf '3e-200 4e-200\n' | expect 5e-200 nrm2 -
printf '2 3 5\n' | expect 3.3333333333333335 mean -
printf '1e16\n' | expect 1e+16 sum -
printf '9999999999999998\n' | expect 9999999999999998 sum -
printf '0.00001 0\n' | expect 0.00001 sum -
printf '0.000001\n' | expect 1e-06 sum -
printf -- '-1.5\n' | expect -1.5 sum -
printf -- '-1.5\n' | expect -0x1.8p+0 sum --hex -
printf '5e-324\n' | expect 5e-324 sum -

printf '0.1 0.2 0.3\n' >three.txt
expect '{"command":"mean","value":0.2,"decimal":"0.2","hex":"0x1.999999999999ap-3","type":"f64","rounding":"upward","count":3}' \
  mean --json --rounding up three.txt

# The same bits on any number of threads.
seq 1 200000 | sed 's/$/e-5/' >many.txt
for threads in 1 2 4 7; do
  expect 200001 sum --threads $threads many.txt
  expect 1.000005 mean --threads $threads many.txt
  expect 516.3997159855919 nrm2 --threads $threads many.txt
  expect 266668.66667 dot --threads $threads many.txt many.txt
done

# What runs, and the kernels of another instruction set on demand.
version='exakt [0-9]+\.[0-9]+\.[0-9]+
Exakt [0-9.]+; instruction set ([a-z0-9]+) \(of ([a-z0-9 ]+)\); Kokkos [0-9.]+ \([A-Za-z ]+\)(; gemm with [A-Z]+ [^;]+)?'
[[ $("$exakt" --version) =~ ^$version$ ]] || fail "exakt --version" "$version" "$("$exakt" --version)"
best=${BASH_REMATCH[1]} sets=${BASH_REMATCH[2]}
for set in $sets; do
  got=$(EXAKT_ISA=$set "$exakt" --version 2>&1)
  [[ $got == *"instruction set $set (of $sets)"* && $got != *EXAKT_ISA* ]] || fail "EXAKT_ISA=$set" "that set" "$got"
done
# The digest of the golden results, in the README as well: the same from every instruction set.
for set in $sets; do
  export EXAKT_ISA=$set
  expect 'digest 49eb6cc489dab5ef of 1626 golden results: this build gives the promised bits' selftest
done
unset EXAKT_ISA
# The tests of a set that is not here are skipped: what this processor has must not be missing, unless this was built for it alone.
has() {
  local flag
  for flag; do grep -qw "$flag" flags || return 1; done
}
if [[ $(uname -m) == x86_64 && -r /proc/cpuinfo && $sets == *' '* ]]; then
  grep -m 1 '^flags' /proc/cpuinfo >flags
  wanted=${sets##* } # what all of it is compiled for
  has sse4_2 pclmulqdq aes && wanted="sse4 $wanted"
  has sse4_2 pclmulqdq aes avx2 bmi1 bmi2 fma && wanted="avx2 $wanted"
  has sse4_2 pclmulqdq aes avx2 bmi1 bmi2 fma avx512f avx512vl avx512dq avx512bw && wanted="avx512 $wanted"
  [[ $sets == "$wanted" ]] || fail "exakt --version" "the sets $wanted" "$sets"
fi
refusal="Exakt: EXAKT_ISA=sse9 is none of the instruction sets here ($sets); $best is used"
got=$(EXAKT_ISA=sse9 "$exakt" --version 2>&1 >/dev/null)
[[ $got == "$refusal" ]] || fail "EXAKT_ISA=sse9" "$refusal" "$got"
got=$(EXAKT_ISA=$'sse\n9\e[31m' "$exakt" --version 2>&1 >/dev/null)
[[ $got == "${refusal/sse9/sse?9?[31m}" ]] || fail "EXAKT_ISA with what moves cursors" "${refusal/sse9/sse?9?[31m}" "$got"
got=$(EXAKT_ISA=$(printf 'x%.0s' {1..5000}) "$exakt" --version 2>&1 >/dev/null)
[[ $got == "Exakt: EXAKT_ISA=xxx"*"x... is none of "* && ${#got} -lt 200 ]] || fail "a long EXAKT_ISA" "its beginning" "$got"
# Completion and the manual page are made from the options: each of them is there.
source <("$exakt" --completion bash)
complete_words() { # WORD...: what may stand in place of the last one
  COMP_WORDS=("$@") COMP_CWORD=$(($# - 1)) COMPREPLY=()
  _exakt
  [[ ${COMPREPLY[*]} == "$expected" ]] || fail "completion of $*" "$expected" "${COMPREPLY[*]}"
}
expected='stddev' complete_words exakt std
expected='sum mean nrm2 var stddev dot report merge demo selftest --help --version --completion --man' complete_words exakt ''
expected='--missing' complete_words exakt sum --mis
expected='' complete_words exakt demo --mis
expected='error skip' complete_words exakt sum --missing ''
expected='npy raw text csv' complete_words exakt mean --format ''
expected='to_nearest toward_zero upward downward' complete_words exakt merge --rounding ''
expected='--delimiter' complete_words exakt report --de
expected='' complete_words exakt report --by
expected='' complete_words exakt report --th
touch some_file
expected='some_file' complete_words exakt sum some
expected='some_file' complete_words exakt sum --state some
expected='' complete_words exakt sum --column some
expected='' complete_words exakt demo some
expected='bash zsh fish' complete_words exakt --completion ''
expected='skip' complete_words exakt sum --missing = s
expected='error skip' complete_words exakt sum --missing =
touch 'some file'
expected='some file some_file' complete_words exakt sum some
((${#COMPREPLY[@]} == 2)) || fail "completion of names with blanks" "two names" "${#COMPREPLY[@]}"
"$exakt" --man >manual
"$exakt" --completion zsh >zsh
"$exakt" --completion fish >fish
for verb in sum merge; do
  for option in $("$exakt" $verb --help | sed -n 's/^  \(-h,\)*--\([a-z]*\).*/\2/p'); do
    [[ $option == help ]] || grep -q -F -e "-$option\\fR" manual || fail "the manual page" "--$option" "not there"
    grep -q "from $verb' -l $option " fish || fail "completion for fish" "$verb --$option" "not there"
    grep -q -e "--$option" zsh || fail "completion for zsh" "--$option" "not there"
  done
done
for refused in "nrm2 --decimal" "var --decimal" "stddev --decimal" "dot --decimal" "report --decimal" "report --by" "report --threads"; do
  read -r verb option <<<"$refused"
  "$exakt" $verb --help | grep -q "^  $option" && fail "exakt $verb --help" "nothing of $option" "a line"
done
if command -v groff >/dev/null; then
  messages=$(groff -man -Tascii -ww manual 2>&1 >/dev/null)
  [[ -z $messages ]] || fail "groff -man" "no message" "$messages"
fi
# The shells themselves, where they are: LINE|what is offered at its end, in any order.
in_fish() { fish --no-config -c "source fish; complete -C'$1'" | cut -f 1; }
in_zsh() { zsh -f "$tests/complete_in_zsh.zsh" "$PWD/zsh" "$1" | sed 's/\\//g'; }
for shell in fish zsh; do
  command -v $shell >/dev/null || continue
  $shell -n $shell || fail "completion for $shell" "a script" "an error"
  while IFS='|' read -r line expected; do
    got=$(in_$shell "$line" | sort | tr '\n' ';')
    [[ $got == "$expected" ]] || fail "completion of '$line' in $shell" "$expected" "$got"
  done <<'LINES'
exakt s|selftest;stddev;sum;
exakt --m|--man;
exakt --completion |bash;fish;zsh;
exakt sum --mi|--missing;
exakt sum --missing |error;skip;
exakt sum --missing=|--missing=error;--missing=skip;
exakt sum some|some file;some_file;
exakt sum --state some|some file;some_file;
exakt sum --column some|
exakt demo some|
exakt report --by|
exakt sum data.npy --he|--header;--help;--hex;
LINES
done
for arguments in --help "sum --help" "dot --help" "report --help" "merge --help" "demo --help" \
  "selftest --help"; do
  "$exakt" $arguments >help 2>stderr || fail "exakt $arguments" "exit code 0" "$?"
  grep -q -i usage help || fail "exakt $arguments" "a usage line" "$(head -3 help)"
  [[ $arguments == --help ]] || grep -q '\b2 if' help || fail "exakt $arguments" "when the exit code is 2" "$(tail -3 help)"
  [[ -s stderr ]] && fail "exakt $arguments" "an empty standard error" "$(<stderr)"
done

finish
