import {unreachable} from '../../../base/unreachable.ts';
import {allCommands, identifier, type CommandNode, type OptionNode, type ValueNode} from './command-tree.ts';

/** A script for fish 3: one line for each thing that can follow, on conditions that a walk over the words before decides. */
export function fishCompletion(tree: CommandNode): string {
  const f = `__${identifier(tree)}`;
  const commands = allCommands(tree);
  const complete = `complete -c ${quote(tree.path)}`;
  const at = (command: CommandNode, place: string): string => `-n ${quote(`${f}_at ${quote(command.path)} ${place}`)}`;

  const rules = commands.flatMap(command => [
    ...command.commands.flatMap(child =>
      child.names.map(
        name => `${complete} ${at(command, '0')} -a ${quote(quote(name))}${described(child.description)}`,
      ),
    ),
    ...command.positions
      .filter(({value}) => value.kind !== 'any')
      .map(
        ({index, reach, value}) =>
          `${complete} ${at(command, `${String(index)}${reach === 'onwards' ? '+' : ''}`)} ${offers(value, tree.path)}`,
      ),
    ...command.options.map(option => `${complete} ${at(command, 'option')} ${optionRule(option, tree.path)}`),
    ...command.options
      .filter(option => (option.takes === 'many' || option.takes === 'maybe') && option.value.kind !== 'any')
      .map(
        option =>
          `${complete} -n ${quote(`${f}_reading ${option.flags.map(flag => quote(`${command.path} ${flag}`)).join(' ')}`)} ${offers(option.value, tree.path)}`,
      ),
  ]);

  return `# fish completion for ${tree.path}

function ${f}_enter # the command that a word names in a command
    switch "$argv[1]"
${cases(commands.flatMap(command => command.commands.map(child => [child.names.map(name => `${command.path} ${name}`), child.path])))}
    end
end

function ${f}_takes # how many words an option of a command takes
    switch "$argv[1]"
${cases(
  commands.flatMap(command =>
    command.options
      .filter(option => option.takes !== 'none')
      .map((option): Case => [option.flags.map(flag => `${command.path} ${flag}`), option.takes]),
  ),
)}
    end
end

function ${f}_walk # the command, the number of its arguments, and the option that goes on, before the cursor
    set -l state ${quote(tree.path)}
    set -l args 0
    set -l reading none
    set -l flag ''
    set -l ended no
    set -l words (commandline -opc)
    for word in $words[2..-1]
        if test $reading = one
            set reading none
        else if test $ended = no -a "x$word" = x--
            set ended yes
            set reading none
        else if test $ended = no; and string match -qr -- '^-.*=' "$word"
            set reading none
        else if test $ended = no; and string match -qr -- '^-.' "$word"
            set flag "$state $word"
            set reading (${f}_takes "$flag")
            test -n "$reading"; or set reading none
        else if test $reading = maybe
            set reading none
        else if test $reading = none
            set -l next
            test $args -eq 0; and set next (${f}_enter "$state $word")
            if test -n "$next"
                set state "$next"
            else
                set args (math $args + 1)
            end
        end
    end
    test $reading = none; and set flag ''
    printf '%s\\n' "$state" $args "$flag" $ended
end

function ${f}_at # whether the cursor is in this command, at this argument ("2+": from there on)
    set -l found (${f}_walk)
    test "$found[1]" = "$argv[1]"; or return 1
    switch $argv[2]
        case option
            test $found[4] = no
        case '*+'
            test -z "$found[3]" -a $found[2] -ge (string sub -e -1 -- $argv[2])
        case '*'
            test -z "$found[3]" -a $found[2] -eq $argv[2]
    end
end

function ${f}_reading # whether the cursor is in the values of this option
    set -l found (${f}_walk)
    contains -- "$found[3]" $argv
end

${complete} -f
${rules.join('\n')}
`;
}

function optionRule(option: OptionNode, program: string): string {
  const flags = option.flags.map(flag =>
    flag.startsWith('--') ? `-l ${quote(flag.slice(2))}` : `-s ${quote(flag.slice(1))}`,
  );
  const value = option.takes === 'none' || option.takes === 'maybe' ? '' : ` -r ${offers(option.value, program)}`;
  return `${flags.join(' ')}${value}${described(option.description)}`;
}

function offers(value: ValueNode, program: string): string {
  switch (value.kind) {
    case 'choices':
      return `-f -a ${quote(value.choices.map(quote).join(' '))}`;
    case 'file':
      return '-F';
    case 'directory':
      return "-f -a '(__fish_complete_directories)'";
    case 'session':
    case 'model':
    case 'setting':
    case 'server':
    case 'value':
      return `-f -a '(${program} __complete ${value.kind} (commandline -opc)[-1] 2>/dev/null)'`;
    case 'any':
      return '-f';
    default:
      return unreachable(value.kind);
  }
}

const described = (text: string): string => (text === '' ? '' : ` -d ${quote(text)}`);

type Case = readonly [words: readonly string[], output: string];

const cases = (branches: readonly Case[]): string =>
  branches
    .map(([words, output]) => `        case ${words.map(quote).join(' ')}\n            echo ${quote(output)}`)
    .join('\n');

const quote = (text: string): string => `'${text.replaceAll(/[\\']/gu, String.raw`\$&`)}'`;
