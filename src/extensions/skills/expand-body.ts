import type {PromptPart} from '../../actions/commands-port.ts';

/** The values that replace placeholders in the body of a skill or command. */
export interface BodyValues {
  /** The text after the command's name, trimmed. */
  readonly argument: string;
  /** The number of the first argument: `$1` in commands, `$0` in skills. */
  readonly firstNumber: 0 | 1;
  /** The file's own folder, and the plugin's; empty if there is none. */
  readonly folder: string;
  readonly pluginFolder: string;
}

/**
 * Fills `$ARGUMENTS`, `$ARGUMENTS[0]` and `$1` in a body. A body without placeholders gets the arguments at its end.
 * Numbers in a skill stay as they are if there is no argument, because its code may use them for something else.
 */
export function fillBody(body: string, values: BodyValues): string {
  const filled = fillText(body, values);
  const isUsed = placeholderPattern(values).test(body);
  return values.argument === '' || isUsed ? filled : `${filled}\n\nARGUMENTS: ${values.argument}`;
}

/**
 * Splits a body into text and commands. A command is written as !`command` at the start of a word. Arguments are
 * filled in after the commands are found, so an argument can't add a command.
 */
export function parseBodyParts(body: string, values: BodyValues): readonly PromptPart[] {
  const parts: PromptPart[] = [];
  let from = 0;
  const addText = (text: string): void => {
    if (text !== '') parts.push({kind: 'text', text: fillText(text, values)});
  };
  for (const match of body.matchAll(/(?<=^|[\s(>*-])!`([^`\n]+)`/gu)) {
    const [whole, command = ''] = match;
    if (parts.filter(({kind}) => kind === 'shell').length >= maxShellParts) break;
    addText(body.slice(from, match.index));
    parts.push({kind: 'shell', command: fillText(command, values).trim()});
    from = match.index + whole.length;
  }
  addText(body.slice(from));
  const isUsed = values.argument === '' || placeholderPattern(values).test(body);
  return isUsed ? parts : [...parts, {kind: 'text', text: `\n\nARGUMENTS: ${values.argument}`}];
}

const maxShellParts = 50;

const placeholderPattern = ({firstNumber, argument}: BodyValues): RegExp =>
  firstNumber === 0 && argument === ''
    ? /\$ARGUMENTS(?:\[(\d{1,2})\])?/u
    : /\$ARGUMENTS(?:\[(\d{1,2})\])?|\$(\d)(?!\d)/u;

function fillText(text: string, values: BodyValues): string {
  const {argument, firstNumber, folder, pluginFolder} = values;
  const words = splitArguments(argument);
  return text
    .replaceAll(new RegExp(placeholderPattern(values), 'gu'), (_, index?: string, number?: string) => {
      if (index !== undefined) return words[Number(index)] ?? '';
      return number === undefined ? argument : (words[Number(number) - firstNumber] ?? '');
    })
    .replaceAll(/\$\{CLAUDE_(SKILL_DIR|PLUGIN_ROOT)\}/gu, (whole, name: string) => {
      const value = name === 'SKILL_DIR' ? folder : pluginFolder;
      return value === '' ? whole : value;
    });
}

/** Splits the arguments at blanks, except inside quotes. */
export const splitArguments = (argument: string): readonly string[] =>
  [...argument.matchAll(/"([^"]*)"|'([^']*)'|(\S+)/gu)].map(
    ([, double, single, bare]) => double ?? single ?? bare ?? '',
  );
