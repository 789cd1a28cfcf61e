# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Helpers of the tests of the program exakt. Each test script is called as: bash test_tool_<what>.bash PATH_OF_EXAKT.

exakt=$(realpath "$1")
tests=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
workspace=$(mktemp -d) || exit 1
trap 'rm -rf "$workspace" "$workspace.failed"' EXIT
cd "$workspace" || exit 1

# A file keeps the verdict: behind a pipe, a function runs in a shell of its own, whose variables are lost.
fail() {
  printf 'FAILED: %s\n' "$1"
  printf '  expected: %s\n  got:      %s\n' "$2" "$3"
  : >"$workspace.failed"
}

# expect OUTPUT ARGUMENT...: exakt prints exactly this on standard output, nothing on standard error, and succeeds.
expect() {
  local expected=$1 output code
  shift
  output=$("$exakt" "$@" 2>stderr)
  code=$?
  [[ $output == "$expected" ]] || fail "exakt $*" "$expected" "$output$(<stderr)"
  [[ $code == 0 ]] || fail "exakt $*" "exit code 0" "$code"
  [[ -s stderr ]] && fail "exakt $*" "an empty standard error" "$(<stderr)"
}

# refuse MESSAGE ARGUMENT...: exakt prints this one line on standard error, nothing on standard output; exit code 2.
refuse() {
  local expected="exakt: $1" output code
  shift
  output=$("$exakt" "$@" 2>stderr)
  code=$?
  [[ $(<stderr) == "$expected" ]] || fail "exakt $*" "$expected" "$(<stderr)"
  [[ $code == 2 ]] || fail "exakt $*" "exit code 2" "$code"
  [[ -z $output ]] || fail "exakt $*" "an empty standard output" "$output"
}

# bytes HEX: these bytes.
bytes() {
  local text=
  for ((i = 0; i < ${#1}; i += 2)); do text+="\\x${1:i:2}"; done
  printf "$text"
}

# npy DESCR SHAPE HEX [VERSION [FORTRAN]]: an .npy file.
npy() {
  local version=${4:-1} header type="'$1'"
  [[ $1 == \[* ]] && type=$1  # fields
  header="{'descr': $type, 'fortran_order': ${5:-False}, 'shape': $2, }"
  while (((${#header} + 11) % 16 != 0)); do header+=' '; done
  local length
  length=$(printf '%04x' $((${#header} + 1)))
  bytes "934e554d5059"
  bytes "0${version}00${length:2:2}${length:0:2}"
  ((version > 1)) && bytes 0000
  printf '%s\n' "$header"
  bytes "$3"
}

finish() {
  [[ -e $workspace.failed ]] && exit 1
  echo "all as expected"
  exit 0
}
