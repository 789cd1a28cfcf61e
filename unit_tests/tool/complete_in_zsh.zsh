# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# What zsh offers at the end of a line, one a line: zsh -f complete_in_zsh.zsh SCRIPT_OF_COMPLETION LINE
#
# Completion works in an interactive shell only: one in a terminal of its own, whose compadd tells what it is to add.
zmodload zsh/zpty || exit 1
export COMPLETION=$1 OFFERED=$(mktemp) INNER=$(mktemp)
cat >$INNER <<'END'
autoload -Uz compinit && compinit -u -D
source $COMPLETION
bindkey '^I' complete-word
compadd() {
  if [[ ${@[1,(i)(-|--)]} == *-(O|A|D)\ * ]]; then builtin compadd "$@"; return $?; fi
  local -a offered
  builtin compadd -O offered "$@"
  (( $#offered == 0 )) || print -r -l -- "$IPREFIX"${^offered} >>$OFFERED
}
finish() { print -r -- END >>$OFFERED; exit }
comppostfuncs=(finish)
END
zpty shell zsh -f -i
zpty -w shell "source $INNER"
zpty -n -w shell "$2"$'\t'
repeat 200; do
  [[ $(tail -n 1 $OFFERED) == END ]] && break
  sleep 0.05
done
grep -v -x END $OFFERED
zpty -d shell
rm -f $OFFERED $INNER
