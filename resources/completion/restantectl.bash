# Completion of restantectl, restanted and restante-phone for bash. The programs' own --help says
# what there is, so that nothing here can be out of date.

_restante_options() {
    "$@" --help 2>/dev/null | grep -oE '(^|[ ,])--[a-z][a-z-]*' | tr -d ' ,' | sort -u
}

_restante_commands() {
    "$1" --help 2>/dev/null | sed -n '/^Subcommands:/,/^$/s/^  \([a-z][a-z-]*\).*/\1/p'
}

_restante() {
    local program=${COMP_WORDS[0]} current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD - 1]}
    local command= word words i commands
    COMPREPLY=()
    commands=$(_restante_commands "$program")
    for ((i = 1; i < COMP_CWORD; i++)); do
        word=${COMP_WORDS[i]}
        if grep -qxF -- "$word" <<<"$commands"; then command=$word; break; fi
    done
    case $previous in
        --config | --body-file) mapfile -t COMPREPLY < <(compgen -f -- "$current"); return ;;
        --channel) mapfile -t COMPREPLY < <(compgen -W "pull sip sms webhook" -- "$current"); return ;;
        --state) mapfile -t COMPREPLY < <(compgen -W "scheduled ready leased held dead trashed done" -- "$current"); return ;;
        --every)
            words="hourly daily weekly monthly yearly weekdays weekends monday tuesday wednesday thursday friday saturday sunday"
            if [[ $command == top ]]; then words="1s 2s 5s 10s"; fi
            mapfile -t COMPREPLY < <(compgen -W "$words" -- "$current"); return ;;
        --zone) mapfile -t COMPREPLY < <(cd /usr/share/zoneinfo 2>/dev/null && compgen -f -- "$current"); return ;;
    esac
    if [[ $current == -* ]]; then
        mapfile -t COMPREPLY < <(compgen -W "$(_restante_options "$program" $command)" -- "$current")
    elif [[ -z $command ]]; then
        mapfile -t COMPREPLY < <(compgen -W "$commands" -- "$current")
    fi
}

complete -F _restante restantectl restanted restante-phone
