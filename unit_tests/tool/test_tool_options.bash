# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Every option on every kind of input: it is obeyed, or refused; it is never passed over.
source "$(dirname "$0")/expect.bash"

npy '<f8' '(2,)' 000000000000f03f0000000000000040 >array.npy # 1 2
bytes 000000000000f03f0000000000000040 >raw.f64
cp raw.f64 raw.bin
printf '1 2\n' >plain.txt
printf 'v\n1\n2\n' >table.csv
printf 'v,w\n1,5\n2,6\n' >unnamed

# A name in brackets, or with a comma, is a name.
printf '40 2\n' >'[plain.txt]'
printf '7\n' >'[a,b]'
expect 42 sum '[plain.txt]'
expect 49 sum '[plain.txt]' '[a,b]'
expect 3 sum plain.txt
refuse '[table.csv]: No such file or directory' sum '[table.csv]'
printf 'a,[b]\n1,2\n' >brackets.csv
expect 2 sum --column '[b]' brackets.csv
refuse 'The following argument was not expected: [a] (see exakt --help)' selftest '[a]'
refuse '[]: No such file or directory' sum '[]' </dev/null

# A file of /proc says that it is empty, and is not.
if [[ -r /proc/self/auxv ]]; then
  "$exakt" sum --json --type f64 /proc/self/auxv | grep -q '"count":[1-9]' || fail '/proc/self/auxv' 'more than no numbers' 'none'
fi

declare -A answers=([sum]=3 [mean]=1.5 [nrm2]=2.23606797749979 [dot]=5)

# row OPTION NPY RAW BIN TEXT CSV UNNAMED: what the option does with each input, for every verb. A + is for the answer;
# any other text is the refusal, behind the name of the file.
row() {
  local option=$1 verb i files=(array.npy raw.f64 raw.bin plain.txt table.csv unnamed)
  shift
  for verb in "${!answers[@]}"; do
    for i in "${!files[@]}"; do
      local file=${files[i]} cell=${*:i+1:1}
      local inputs=("$file")
      [[ $verb == dot ]] && inputs=("$file" "$file")
      if [[ $cell == + ]]; then
        expect "${answers[$verb]}" "$verb" $option "${inputs[@]}"
      else
        refuse "$file: $cell" "$verb" $option "${inputs[@]}"
      fi
    done
  done
}

bin='is binary; say which numbers it holds: --type f64 or --type f32'
choose="the table has 2 columns: 'v', 'w'; choose one with --column"
is_npy='is an .npy file'
no_fields='byte 20: the array has no fields; --column is for these, and for CSV tables'
is_raw='is raw binary by its name'
is_csv='is a CSV table by its name'
no_npy='byte 0: an .npy file begins with \x93NUMPY, this one does not'
raw_type='is raw binary; say which numbers it holds: --type f64 or --type f32'
text_type='is text; --type is for raw binary (and --format raw, if that is what it is)'
other="$is_npy, though --format says otherwise"
binary='is binary, though --format says otherwise'
#   option             array.npy  raw.f64  raw.bin  plain.txt  table.csv  unnamed
row ''                 + + "$bin" + + "$choose"
row '--type f64'       "$is_npy; --type is for raw binary" + + "$text_type" "$is_csv; --type is for raw binary" "$text_type"
row '--column v'       "$no_fields" "$is_raw; --column is for CSV tables" "$bin" \
  "no column is named 'v'; the table has no header, and 1 column" + +
row '--column 1'       "$no_fields" "$is_raw; --column is for CSV tables" "$bin" \
  "the first record may hold names or values: '1 2'; say --header yes or --header no" + +
row '--header yes'     "$is_npy; --header is for CSV tables" "$is_raw; --header is for CSV tables" "$bin" \
  'is text; --header is for CSV tables' + "$choose"
row '--header no'      "$is_npy; --header is for CSV tables" "$is_raw; --header is for CSV tables" "$bin" \
  'is text; --header is for CSV tables' "line 1, column 1: field 1, 'v', is not a number" \
  'the table has 2 columns; choose one with --column'
row '--format npy'     + "$no_npy" "$no_npy" "$no_npy" "$no_npy" "$no_npy"
row '--format text'    "$other" "$binary" "$binary" + \
  "line 1, column 1: 'v' is not a number" "line 1, column 1: 'v,w' is not a number"
row '--format csv'     "$other" "$binary" "$binary" \
  "the first record may hold names or values: '1 2'; say --header yes or --header no" + "$choose"
row '--format raw'     "$other" + "$raw_type" "$raw_type" "$raw_type" "$raw_type"
row '--threads 3'      + + "$bin" + + "$choose"
for options in '--type f64 --column v' '--type f64 --header yes'; do
  for verb in sum mean nrm2 dot; do
    refuse "${options:11:8} is for CSV tables, --type for raw binary: not both" $verb $options plain.txt plain.txt
  done
done
for format in npy text csv; do
  refuse "--type is for raw binary, not for --format $format" sum --type f64 --format $format array.npy
done
for format in npy text raw; do
  [[ $format == npy ]] || refuse "--column is for CSV tables, not for --format $format" sum --column 1 --format $format array.npy
  refuse "--header is for CSV tables, not for --format $format" sum --header no --format $format array.npy
done

# An option for one of several inputs does not apply to the others.
refuse "array.npy: $no_fields" sum --column v table.csv array.npy
refuse 'array.npy: is an .npy file; --type is for raw binary' dot --type f64 raw.bin array.npy

finish
