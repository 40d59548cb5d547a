#!/usr/bin/env bash
# completion.sh RESTANTECTL SOURCE_DIR: the completion for bash offers every command and every
# option that --help names; the one for zsh at least reads like zsh, where there is one.
set -euo pipefail
restantectl=$1
completion=$2/resources/completion
fail() { echo "completion.sh: $*" >&2; exit 1; }
# shellcheck source=/dev/null
source "$completion/restantectl.bash"

offered() { COMP_WORDS=("$restantectl" "$@"); COMP_CWORD=$#; _restante; printf '%s\n' "${COMPREPLY[@]}"; }

has() { grep -qxF -- "$1" <<<"$2"; }

commands=$("$restantectl" --help | sed -n '/^Subcommands:/,/^$/s/^  \([a-z-]*\) .*/\1/p')
[ "$(wc -w <<<"$commands")" -ge 10 ] || fail "no commands in --help"
offered_commands=$(offered "")
for command in $commands; do
    has "$command" "$offered_commands" || fail "$command is not offered"
    offered_options=$(offered "$command" --)
    for option in $("$restantectl" "$command" --help | grep -oE '(^ +|,)--[a-z][a-z-]*' | tr -d ' ,'); do
        has "$option" "$offered_options" || fail "$command $option is not offered"
    done
done
has monday "$(offered remind --every mon)" || fail "--every offers no words"
if command -v zsh >/dev/null; then zsh -n "$completion/_restantectl"; fi
