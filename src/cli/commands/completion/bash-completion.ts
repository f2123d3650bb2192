import {
  allCommands,
  askedKinds,
  identifier,
  type CommandNode,
  type OptionNode,
  type ValueNode,
} from './command-tree.ts';

/**
 * A script for bash 3.2 and newer that needs no bash-completion package. Tables of the program's commands come first, then a
 * walk over the words before the cursor that finds out what the word at the cursor can be.
 */
export function bashCompletion(tree: CommandNode): string {
  const f = `_${identifier(tree)}`;
  const commands = allCommands(tree);
  return `# bash completion for ${tree.path}

${f}_enter() { # the command that a word names in a command
  case $1 in
${lines(commands.flatMap(command => command.commands.map(child => `${anyOf(child.names.map(name => `${command.path} ${name}`))}) next=${quote(child.path)} ;;`)))}
  esac
}

${f}_option() { # what an option of a command takes
  takes=none kind=any choices=()
  case $1 in
${lines(commands.flatMap(command => command.options.filter(option => option.takes !== 'none').map(option => optionCase(command, option))))}
  esac
}

${f}_position() { # what an argument of a command is
  kind=any choices=()
  case $1 in
${lines(
  commands.flatMap(command =>
    command.positions.map(({index, reach, value}) => {
      const place = reach === 'onwards' ? `${quote(`${command.path}|`)}*` : quote(`${command.path}|${String(index)}`);
      return `${place}) ${kindOf(value)} ;;`;
    }),
  ),
)}
  esac
}

${f}_names() { # what can follow in a command
  options=() commands=()
  case $1 in
${lines(
  commands.map(
    command =>
      `${quote(command.path)}) options=(${command.options
        .flatMap(option => option.flags)
        .map(quote)
        .join(' ')}) commands=(${command.commands
        .flatMap(child => child.names)
        .map(quote)
        .join(' ')}) ;;`,
  ),
)}
  esac
}

${f}_offer() { # those words that begin with what is typed
  local word quoted
  for word in "$@"; do
    printf -v quoted %q "$word"
    if [[ $word == "$cur"* || $quoted == "$cur"* ]]; then COMPREPLY+=("$prefix$quoted"); fi
  done
}

${f}_values() { # a value of the kind found
  local word
  case $kind in
    choices) ${f}_offer \${choices[@]+"\${choices[@]}"} ;;
    file | directory)
      compopt -o filenames 2>/dev/null
      while IFS= read -r word; do COMPREPLY+=("$prefix$word"); done < <(
        if [[ $kind == file ]]; then compgen -f -- "$cur"; else compgen -d -- "$cur"; fi
      )
      ;;
    ${askedKinds.join(' | ')})
      while IFS=$'\\t' read -r word _; do ${f}_offer "$word"; done < <(
        ${tree.path} __complete "$kind" "\${COMP_WORDS[COMP_CWORD-1]}" 2>/dev/null
      )
      ;;
  esac
}

${f}() {
  local state=${quote(tree.path)} reading=none cur=\${COMP_WORDS[COMP_CWORD]} prefix='' ended='' flag='' args=0 i
  local word next takes kind choices options commands
  COMPREPLY=()
  for ((i = 1; i < COMP_CWORD; i++)); do
    word=\${COMP_WORDS[i]}
    if [[ $word == '=' && $reading != none ]]; then
      reading=one # bash splits --flag=value into three words
    elif [[ $reading == one ]]; then
      reading=none
    elif [[ -z $ended && $word == -- ]]; then
      ended=yes reading=none
    elif [[ -z $ended && $word == -*=* ]]; then
      reading=none
    elif [[ -z $ended && $word == -?* ]]; then
      ${f}_option "$state $word"
      reading=$takes flag=$word
    elif [[ $reading == maybe ]]; then
      reading=none
    elif [[ $reading == none ]]; then
      next=''
      if [[ $args == 0 ]]; then ${f}_enter "$state $word"; fi
      if [[ -n $next ]]; then state=$next; else args=$((args + 1)); fi
    fi
  done

  if [[ $cur == '=' && $reading != none ]]; then
    cur='' reading=one
  elif [[ -z $ended && $reading != one && $cur == -*=* ]]; then
    flag=\${cur%%=*} prefix=\${cur%%=*}= cur=\${cur#*=} reading=one
  fi
  if [[ $reading != one && -z $ended && $cur == -* ]]; then
    ${f}_names "$state"
    ${f}_offer \${options[@]+"\${options[@]}"}
  elif [[ $reading != none ]]; then
    ${f}_option "$state $flag"
    ${f}_values
  else
    if [[ $args == 0 ]]; then
      ${f}_names "$state"
      ${f}_offer \${commands[@]+"\${commands[@]}"}
    fi
    ${f}_position "$state|$args"
    ${f}_values
  fi
}

complete -F ${f} ${quote(tree.path)}
`;
}

const optionCase = (command: CommandNode, option: OptionNode): string =>
  `${anyOf(option.flags.map(flag => `${command.path} ${flag}`))}) takes=${option.takes} ${kindOf(option.value)} ;;`;

const kindOf = (value: ValueNode): string =>
  value.kind === 'choices' ? `kind=choices choices=(${value.choices.map(quote).join(' ')})` : `kind=${value.kind}`;

const anyOf = (words: readonly string[]): string => words.map(quote).join(' | ');

/** A `case` with no branch at all would be a syntax error. */
const lines = (branches: readonly string[]): string => [...branches, '*) ;;'].map(line => `    ${line}`).join('\n');

const quote = (text: string): string => `'${text.replaceAll("'", String.raw`'\''`)}'`;
