import type {PromptPart} from '../../actions/commands-port.ts';

/** What stands in the body of a skill or command for something else. */
export interface BodyValues {
  /** All that the user or the model wrote behind the name, trimmed. */
  readonly argument: string;
  /** Which number the first argument has: `$1` in commands, `$0` in skills. */
  readonly firstNumber: 0 | 1;
  /** Where the file's own folder is, and the plugin's; empty for none. */
  readonly folder: string;
  readonly pluginFolder: string;
}

/**
 * Puts the arguments into a body: `$ARGUMENTS`, `$ARGUMENTS[0]`, `$1`; what refers to none of them gets them at its end. Numbers in a
 * skill are left alone where there is no argument, since its code may mean something else by them.
 */
export function filledBody(body: string, values: BodyValues): string {
  const filled = filledText(body, values);
  const isUsed = placeholders(values).test(body);
  return values.argument === '' || isUsed ? filled : `${filled}\n\nARGUMENTS: ${values.argument}`;
}

/**
 * The parts of a body: text, and each !`command` that stands at the start of a word as a command line. Arguments come in after the
 * lines were found, so that no argument makes one.
 */
export function bodyParts(body: string, values: BodyValues): readonly PromptPart[] {
  const parts: PromptPart[] = [];
  let from = 0;
  const addText = (text: string): void => {
    if (text !== '') parts.push({kind: 'text', text: filledText(text, values)});
  };
  for (const match of body.matchAll(/(?<=^|[\s(>*-])!`([^`\n]+)`/gu)) {
    const [whole, command = ''] = match;
    if (parts.filter(({kind}) => kind === 'shell').length >= maxLines) break;
    addText(body.slice(from, match.index));
    parts.push({kind: 'shell', command: filledText(command, values).trim()});
    from = match.index + whole.length;
  }
  addText(body.slice(from));
  const isUsed = values.argument === '' || placeholders(values).test(body);
  return isUsed ? parts : [...parts, {kind: 'text', text: `\n\nARGUMENTS: ${values.argument}`}];
}

const maxLines = 50;

const placeholders = ({firstNumber, argument}: BodyValues): RegExp =>
  firstNumber === 0 && argument === ''
    ? /\$ARGUMENTS(?:\[(\d{1,2})\])?/u
    : /\$ARGUMENTS(?:\[(\d{1,2})\])?|\$(\d)(?!\d)/u;

function filledText(text: string, values: BodyValues): string {
  const {argument, firstNumber, folder, pluginFolder} = values;
  const words = argumentWords(argument);
  return text
    .replaceAll(new RegExp(placeholders(values), 'gu'), (_, index?: string, number?: string) => {
      if (index !== undefined) return words[Number(index)] ?? '';
      return number === undefined ? argument : (words[Number(number) - firstNumber] ?? '');
    })
    .replaceAll(/\$\{CLAUDE_(SKILL_DIR|PLUGIN_ROOT)\}/gu, (whole, name: string) => {
      const value = name === 'SKILL_DIR' ? folder : pluginFolder;
      return value === '' ? whole : value;
    });
}

/** The arguments as words: blanks divide them, except inside quotes. */
export const argumentWords = (argument: string): readonly string[] =>
  [...argument.matchAll(/"([^"]*)"|'([^']*)'|(\S+)/gu)].map(
    ([, double, single, bare]) => double ?? single ?? bare ?? '',
  );
