import {unreachable} from '../../../base/unreachable.ts';
import {
  allCommands,
  identifier,
  type CommandNode,
  type OptionNode,
  type PositionNode,
  type ValueNode,
} from './command-tree.ts';

/** A script for zsh: one function of `_arguments` for each command. It works from the function path and when sourced. */
export function zshCompletion(tree: CommandNode): string {
  const f = `_${identifier(tree)}`;
  return `#compdef ${tree.path}
# zsh completion for ${tree.path}

${askFunction}() { # values that only the program knows
  local -a found
  local word about
  while IFS=$'\\t' read -r word about; do
    found+=("\${word//:/\\\\:}:$about")
  done < <(${tree.path} __complete $1 $words[CURRENT-1] 2>/dev/null)
  _describe -t values $1 found
}

${allCommands(tree)
  .map(command => functionOf(command))
  .join('\n')}
if [[ "\${funcstack[1]}" == ${f} ]]; then
  ${f} "$@"
else
  compdef ${f} ${quote(tree.path)}
fi
`;
}

const askFunction = '_complete_by_asking';

const functionName = (command: CommandNode): string => `_${command.path.replaceAll(/\W/gu, '_')}`;

function functionOf(command: CommandNode): string {
  const f = functionName(command);
  const options = command.options.flatMap(optionSpecs);
  if (command.commands.length === 0) {
    const specs = [...options, ...command.positions.map(positionSpec)];
    return `${f}() {
  _arguments -s -S${specs.map(spec => ` \\\n    ${quote(spec)}`).join('')}
}
`;
  }
  const names = command.commands.flatMap(child =>
    child.names.map(name => `${name.replaceAll(':', String.raw`\:`)}:${child.description}`),
  );
  return `${f}() {
  local curcontext="$curcontext" state line ret=1
  local -a names
  typeset -A opt_args
  _arguments -s -S -C${[...options, '1: :->command', '*:: :->rest'].map(spec => ` \\\n    ${quote(spec)}`).join('')} && ret=0
  case $state in
    command)
      names=(
${names.map(name => `        ${quote(name)}`).join('\n')}
      )
      _describe -t commands command names && ret=0
      ;;
    rest)
      case $words[1] in
${command.commands.map(child => `        ${child.names.map(quote).join(' | ')}) ${functionName(child)} && ret=0 ;;`).join('\n')}
      esac
      ;;
  esac
  return ret
}
`;
}

/** One spec for each spelling, which exclude each other; options of many values may come again. */
function optionSpecs(option: OptionNode): readonly string[] {
  const {flags, takes, value} = option;
  const before = takes === 'many' ? '*' : `(${flags.join(' ')})`;
  const description = `[${option.description.replaceAll(/[\\[\]]/gu, String.raw`\$&`)}]`;
  return flags.map(flag => {
    const glue = takes !== 'none' && takes !== 'many' && flag.startsWith('--') ? '=' : '';
    return `${before}${flag}${glue}${description}${optionValue(takes, value)}`;
  });
}

function optionValue(takes: OptionNode['takes'], value: ValueNode): string {
  const described = `${message(value)}:${action(value)}`;
  switch (takes) {
    case 'none':
      return '';
    case 'one':
      return `:${described}`;
    case 'maybe':
      return `::${described}`;
    case 'many':
      return `:*-*:${described}`;
    default:
      return unreachable(takes);
  }
}

const positionSpec = ({index, reach, value}: PositionNode): string =>
  `${reach === 'onwards' ? '*' : String(index + 1)}:${message(value)}:${action(value)}`;

const message = (value: ValueNode): string => value.name.replaceAll(/[\\:]/gu, String.raw`\$&`) || ' ';

function action(value: ValueNode): string {
  switch (value.kind) {
    case 'choices':
      return `(${value.choices.map(choice => choice.replaceAll(/[^\w.,/@%+-]/gu, String.raw`\$&`)).join(' ')})`;
    case 'file':
      return '_files';
    case 'directory':
      return '_files -/';
    case 'session':
    case 'model':
    case 'setting':
    case 'server':
    case 'value':
      // The space keeps zsh from adding arguments of its own.
      return ` ${askFunction} ${value.kind}`;
    case 'any':
      return ' ';
    default:
      return unreachable(value.kind);
  }
}

const quote = (text: string): string => `'${text.replaceAll("'", String.raw`'\''`)}'`;
