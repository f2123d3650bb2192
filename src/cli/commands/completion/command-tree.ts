import type {Argument, Command, Option} from 'commander';

/** A command as completion sees it. */
export interface CommandNode {
  /** Its names from the program down, joined by spaces: `weft sessions list`. */
  readonly path: string;
  /** Its name and its aliases. */
  readonly names: readonly string[];
  readonly description: string;
  readonly options: readonly OptionNode[];
  readonly positions: readonly PositionNode[];
  readonly commands: readonly CommandNode[];
}

export interface OptionNode {
  /** `-p`, `--prompt`. */
  readonly flags: readonly string[];
  readonly description: string;
  /** How many words after it are its value: none, exactly one, at most one, or all up to the next option. */
  readonly takes: 'none' | 'one' | 'maybe' | 'many';
  readonly value: ValueNode;
}

export interface PositionNode {
  readonly index: number;
  /** `onwards`: this and all positions after it. */
  readonly reach: 'one' | 'onwards';
  readonly value: ValueNode;
}

export interface ValueNode {
  readonly name: string;
  readonly kind: 'choices' | 'file' | 'directory' | 'any' | AskedKind;
  readonly choices: readonly string[];
}

/** Values that only the program knows: TAB asks `weft __complete KIND`, with the word before where it decides. */
export const askedKinds = ['session', 'model', 'setting', 'value', 'server'] as const;
export type AskedKind = (typeof askedKinds)[number];

/** The visible part of a commander program. */
export function commandTree(program: Command): CommandNode {
  return nodeOf(program, program.name());
}

/** All commands, parents first. */
export const allCommands = (node: CommandNode): readonly CommandNode[] => [node, ...node.commands.flatMap(allCommands)];

/** The program's name as part of a function's name in any shell. */
export const identifier = (tree: CommandNode): string => tree.path.replaceAll(/\W/gu, '_');

function nodeOf(command: Command, path: string): CommandNode {
  const help = command.createHelp();
  const children = help.visibleCommands(command);
  return {
    path,
    names: [command.name(), ...command.aliases()],
    description: oneLine(command.summary() || command.description()),
    options: help.visibleOptions(command).map(optionNode),
    positions: command.registeredArguments.map(positionNode),
    commands: children.map(child => {
      const node = nodeOf(child, `${path} ${child.name()}`);
      const isHelp = !command.commands.includes(child);
      return isHelp
        ? withNamesOf(
            node,
            command.commands.filter(each => children.includes(each)),
          )
        : node;
    }),
  };
}

/** The argument of the built-in `help` command is one of its siblings. */
function withNamesOf(help: CommandNode, siblings: readonly Command[]): CommandNode {
  const choices = siblings.map(sibling => sibling.name());
  return {...help, positions: [{index: 0, reach: 'one', value: {name: 'command', kind: 'choices', choices}}]};
}

function optionNode(option: Option): OptionNode {
  const takesValue = option.required || option.optional;
  const single = option.required ? 'one' : 'maybe';
  const name = /[<[]([^\]>]+)[\]>]/u.exec(option.flags)?.[1] ?? '';
  return {
    flags: [option.short, option.long].filter(flag => flag !== undefined && flag !== null),
    description: oneLine(option.description),
    takes: takesValue ? (option.variadic ? 'many' : single) : 'none',
    value: valueNode(name, option.argChoices),
  };
}

const positionNode = (argument: Argument, index: number): PositionNode => ({
  index,
  reach: argument.variadic ? 'onwards' : 'one',
  value: valueNode(argument.name(), argument.argChoices),
});

/** What a value is, by its choices or else by what it is called: `<file>`, `<dir>`, `<session>`. */
function valueNode(named: string, choices: readonly string[] | undefined): ValueNode {
  const name = named.replace(/\.{3}$/u, '');
  if (choices !== undefined) return {name, kind: 'choices', choices: choices.map(String)};
  const words = name.toLowerCase().split(/[^a-z]+/u);
  const isOneOf = (wanted: readonly string[]): boolean => words.some(word => wanted.includes(word));
  if (isOneOf(['dir', 'dirs', 'directory', 'folder'])) return {name, kind: 'directory', choices: []};
  if (isOneOf(['file', 'files', 'path', 'paths'])) return {name, kind: 'file', choices: []};
  return {name, kind: askedKinds.find(kind => kind === name) ?? 'any', choices: []};
}

const oneLine = (text: string): string => text.replaceAll(/\s+/gu, ' ').trim();
