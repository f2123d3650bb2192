# bash completion for weft (bash 3.2 and newer, without bash-completion)

_weft() {
  local cur=${COMP_WORDS[COMP_CWORD]} prefix='' kind='' words=() word quoted i last
  COMPREPLY=()
  for ((i = 1; i <= COMP_CWORD; i++)); do
    word=${COMP_WORDS[i]} last=$((${#words[@]} - 1))
    # bash splits --flag=value into three words
    if [[ $last -ge 0 && ($word == '=' || ${COMP_WORDS[i - 1]} == '=') && ${words[last]} == -* ]]; then
      words[last]+=$word
    else
      words+=("$word")
    fi
  done
  last=${words[${#words[@]} - 1]}
  if [[ $cur == '=' ]]; then cur=''; fi
  # What of the last word bash takes for other words.
  prefix=${last%"$cur"}
  while IFS=$'\t' read -r word _; do
    if [[ -z $kind ]]; then
      kind=$word
      continue
    fi
    word=${word#"$prefix"}
    printf -v quoted %q "$word"
    if [[ $word == "$cur"* || $quoted == "$cur"* ]]; then COMPREPLY+=("$quoted"); fi
  done < <(weft __complete -- "${words[@]}" 2>/dev/null)
  if [[ $kind == file || $kind == directory ]]; then
    prefix=''
    if [[ $cur == -*=* ]]; then prefix=${cur%%=*}= cur=${cur#*=}; fi
    compopt -o filenames 2>/dev/null
    while IFS= read -r word; do COMPREPLY+=("$prefix$word"); done < <(
      if [[ $kind == file ]]; then compgen -f -- "$cur"; else compgen -d -- "$cur"; fi
    )
  fi
}

complete -F _weft weft
