import {readdirSync, readFileSync} from 'node:fs';
import type {Command} from 'commander';
import {nearestName} from '../../base/nearest-name.ts';
import {tryOr} from '../../base/outcome.ts';
import {exitCode, exiting, UsageError} from '../../app/exit-code.ts';
import {print, stdoutWidth} from '../../app/output.ts';

/** The folder of the pages that come with weft, relative to the built program in `dist/chunks`. */
const docs = new URL('../../docs/', import.meta.url);

/** The topics of `weft help`, which are the pages of `docs/`, with their files. */
const topics = (): ReadonlyMap<string, URL> =>
  new Map(
    [docs, new URL('reference/', docs)].flatMap(folder =>
      tryOr(() => readdirSync(folder), [])
        .filter(name => name.endsWith('.md'))
        .toSorted()
        .map(name => [name.slice(0, -3), new URL(name, folder)] as const),
    ),
  );

/** The page of a topic. A page with the name of a command needs `.md`: `sandbox.md`. */
function pageOf(word: string, commands: readonly string[]): URL | undefined {
  if (word === 'commands') return topics().get('slash-commands');
  return commands.includes(word) ? undefined : topics().get(word.replace(/\.md$/u, ''));
}

/** True if `weft help` has a page with this name. */
export const isTopic = (word: string): boolean => pageOf(word, []) !== undefined;

/** The topics as `weft help` lists them under the commands; empty if the pages are not there. */
export function topicsText(commands: readonly string[]): string {
  const pages = [...topics()].map(([name, file]) => [nameOf(name, commands), titleOf(file)] as const);
  const width = Math.max(...pages.map(([name]) => name.length));
  const lines = pages.map(([name, title]) => `  ${name.padEnd(width)}  ${title}\n`);
  return pages.length === 0 ? '' : `\nTopics (weft help <topic>):\n${lines.join('').trimEnd()}`;
}

const nameOf = (topic: string, commands: readonly string[]): string =>
  commands.includes(topic) ? `${topic}.md` : topic;

const titleOf = (file: URL): string => /^# (.*)$/mu.exec(readFileSync(file, 'utf8'))?.[1] ?? '';

/** `weft help`. `open` gives a command its flags and subcommands. */
export function add(command: Command, program: Command, open: (name: string) => Promise<Command | undefined>): void {
  const words = command.createArgument('[command...]', 'command or topic; without one, weft lists both');
  const commands = program.commands.map(each => each.name());
  // Only for completion: weft searches for any other word, or reads it as a prompt.
  words.argChoices = [
    ...commands.filter(name => name !== command.name()),
    'commands',
    ...[...topics().keys()].map(topic => nameOf(topic, commands)),
  ];
  command.addArgument(words).action(
    exiting(async (named: readonly string[]) => {
      const [first = '', ...rest] = named;
      const page = rest.length === 0 ? pageOf(first, commands) : undefined;
      if (page !== undefined) {
        await printPage(page);
        return exitCode.done;
      }
      const target = rest.reduce<Command | undefined>(
        (found, word) => found?.commands.find(each => each.name() === word),
        first === '' ? program : await open(first),
      );
      if (target === undefined) {
        const meant = nearestName(first, words.argChoices ?? []);
        const hint = meant === undefined ? '' : ` Did you mean "weft help ${meant}"?`;
        throw new UsageError(`No help on "${named.join(' ')}".${hint} List the commands: weft help`);
      }
      target.outputHelp();
      if (topics().has(named.join(' '))) print(`\nMore on this: weft help ${first}.md\n`);
      return exitCode.done;
    }),
  );
}

/** Prints a page: laid out for a terminal, as Markdown elsewhere. */
async function printPage(file: URL): Promise<void> {
  const source = readFileSync(file, 'utf8').replaceAll(/<!--.*?-->\n*/gsu, '');
  const width = stdoutWidth();
  if (width === undefined) return print(source);
  const [{loadMarkdownLexer, renderMarkdown}, {themeOf}] = await Promise.all([
    import('../../tui/scrollback/render-markdown.ts'),
    import('../../tui/theme/theme.ts'),
  ]);
  const lines = renderMarkdown(source, await loadMarkdownLexer(), {
    theme: themeOf('plain'),
    width: Math.min(width, 120),
  });
  print(lines.map(line => `${line}\n`).join(''));
}
