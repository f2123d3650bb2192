import {globSync, readFileSync} from 'node:fs';
import {fileURLToPath} from 'node:url';

/** A line of a block of commands in a page. */
export interface DocumentedLine {
  readonly page: string;
  /** `sh` blocks run in a test; `console` blocks are only checked. */
  readonly block: 'sh' | 'console';
  readonly text: string;
}

const root = fileURLToPath(new URL('../../', import.meta.url));

/** Every line with a command in README.md and the pages of docs/. In a block with `$` prompts, the other lines are output. */
export const documentedLines: readonly DocumentedLine[] = globSync(['README.md', 'docs/**/*.md'], {cwd: root})
  .toSorted()
  .flatMap(page => {
    const blocks = readFileSync(`${root}/${page}`, 'utf8').matchAll(/^```(sh|console)\n(.*?)^```$/gmsu);
    return [...blocks].flatMap(([, language, body = '']) => {
      const lines = body.split('\n').filter(line => line.trim() !== '' && !line.startsWith('#'));
      const prompts = lines.filter(line => line.startsWith('$ ')).map(line => line.slice(2));
      const block = language === 'sh' ? ('sh' as const) : ('console' as const);
      return (prompts.length > 0 ? prompts : lines).map(text => ({page, block, text}));
    });
  });

const token =
  /(?<comment>#.*$)|(?<operator>&&|\|\||[|;&])|\d?[<>]+&?\s*\S+|(?<word>(?:"(?:[^"\\]|\\.)*"|'[^']*'|[^\s|;&<>"'])+)/gu;

/** The arguments of each call of weft in a line of shell. */
export function weftCalls(line: string): readonly (readonly string[])[] {
  const commands: string[][] = [[]];
  for (const {groups = {}} of line.matchAll(token)) {
    if (groups['comment'] !== undefined) break;
    if (groups['operator'] !== undefined) commands.push([]);
    else if (groups['word'] !== undefined) commands.at(-1)?.push(unquoted(groups['word']));
  }
  return commands
    .map(words => words.slice(words.findIndex(word => !/^\w+=/u.test(word))))
    .flatMap(([program, ...args]) => (program === 'weft' ? [args] : []));
}

const unquoted = (word: string): string => word.replaceAll(/"((?:[^"\\]|\\.)*)"|'([^']*)'/gu, '$1$2');
