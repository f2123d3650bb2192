import type {Command} from 'commander';
import {exitCode, type ExitCode} from '../../src/app/exit-code.ts';
import {sdkFlags} from '../../src/app/main-options.ts';
import {commandTable} from '../../src/cli/command-table.ts';
import {makeProgram, openCommand} from '../../src/cli/program.ts';
import {mergeSettings} from '../../src/config/merge-settings.ts';
import {settingDescriptions} from '../../src/config/settings-schema.ts';
import {builtInPromptCommands} from '../../src/extensions/skills/built-in-commands.ts';
import {commandsFor} from '../../src/tui/commands/command-list.ts';
import {promptCommandInfo} from '../../src/tui/commands/command-line.ts';
import {commandGroups, keyGroups} from '../../src/tui/commands/help.ts';
import {otherKeys} from '../../src/tui/terminal/keymap.ts';
import {settingsJsonSchema} from '../../.config/settings-json-schema.ts';
import {environmentVariables} from './environment-variables.ts';

/** The meaning of each exit code, as the reference has it. */
const exitCodeMeanings: Readonly<Record<ExitCode, string>> = {
  [exitCode.done]: 'Done.',
  [exitCode.failed]: 'Failed: the run or command ended with an error.',
  [exitCode.usage]: 'Usage: weft cannot carry out the command line, a setting or the input as given.',
  [exitCode.needsApproval]: 'An action needed your approval, and weft could not ask you.',
  [exitCode.limitReached]: 'The run reached `--max-turns` or `--max-cost`.',
  [exitCode.timeLimit]: 'The run reached `--timeout`.',
  [exitCode.interrupted]: 'Interrupted by Ctrl+C (SIGINT).',
  [exitCode.terminated]: 'Terminated by SIGTERM or SIGHUP.',
};

/** Keys of lists and the transcript, and vim keys, which `/help keys` leaves out. */
const panelKeyGroups: ReturnType<typeof keyGroups> = [
  {
    title: 'In a list',
    rows: [
      {keys: 'Enter', does: 'choose the selected row'},
      {keys: 'Up, Down, Tab', does: 'select a row'},
      {keys: 'PgUp, PgDn', does: 'go a page up or down'},
      {keys: 'Home, End', does: 'go to the first or last row'},
      {keys: 'Esc', does: 'close the list'},
      {keys: 'letters', does: 'search, if the list supports it'},
    ],
  },
  {
    title: 'In the transcript (/transcript)',
    rows: [
      {keys: 'Up, Down, k, j', does: 'scroll by a line'},
      {keys: 'PgUp, PgDn, b, Space', does: 'scroll by a page'},
      {keys: 'u, d', does: 'scroll by half a page'},
      {keys: 'g, G, Home, End', does: 'go to the start or the end'},
      {keys: '/', does: 'search'},
      {keys: 'n, N', does: 'go to the next or the previous match'},
      {keys: 'q, Esc', does: 'close the transcript'},
    ],
  },
  {
    title: 'Vim keys (/vim), in normal mode',
    rows: [
      {keys: 'i, a, I, A, o, O', does: 'insert; Esc ends insert mode'},
      {keys: 'h, j, k, l, w, b, e, ge', does: 'move by characters, lines, and words; capitals: words between spaces'},
      {keys: '0, ^, $, g_, gg, G, {, }, %', does: 'move to the ends of lines, text, paragraphs, and brackets'},
      {keys: 'f, F, t, T, ;', does: 'find a character in the line; repeat the search'},
      {keys: 'd, c, y, >, <', does: 'delete, change, copy, or indent, with a motion or an object such as iw, a", ip'},
      {keys: 'x, X, D, C, s, S, Y', does: 'shortcuts to delete, change, and copy'},
      {keys: 'p, P', does: 'paste after or before'},
      {keys: 'r, ~, J', does: 'replace a character, change case, join lines'},
      {keys: 'u, Ctrl+R, .', does: 'undo, redo, repeat'},
      {keys: 'v, V', does: 'select characters or lines'},
    ],
  },
];

/** A command with the words that name it: `weft sessions list`. */
interface NamedCommand {
  readonly name: string;
  readonly command: Command;
}

/** weft itself, then every command and subcommand with its flags, in the order of `weft --help`. */
async function allCommands(): Promise<readonly NamedCommand[]> {
  const program = makeProgram('commands');
  for (const [term] of commandTable) await openCommand(program, /^[\w-]+/u.exec(term)?.[0] ?? '');
  const under = (command: Command, before: string): readonly NamedCommand[] => {
    const name = `${before}${command.name()}`;
    return [{name, command}, ...command.commands.flatMap(each => under(each, `${name} `))];
  };
  return under(program, '');
}

type Term = readonly [term: string, about: string];

/** The arguments and flags of a command. `-h, --help` stands once, in the flags of weft itself. */
function wordsOf({name, command}: NamedCommand): Readonly<Record<'usage' | 'about', string>> & {
  readonly args: readonly Term[];
  readonly options: readonly Term[];
} {
  const help = command.createHelp();
  return {
    usage: help.commandUsage(command),
    about: sentence(command.description()),
    args: help.visibleArguments(command).map(arg => [help.argumentTerm(arg), sentence(help.argumentDescription(arg))]),
    options: help
      .visibleOptions(command)
      .filter(({long}) => name === 'weft' || long !== '--help')
      .map(option => [help.optionTerm(option), sentence(help.optionDescription(option))]),
  };
}

/** The pages of `docs/reference/`, by the names of their files. */
export async function referencePages(): Promise<Readonly<Record<string, string>>> {
  return {
    'cli.md': cliPage(await allCommands()),
    'settings.md': settingsPage(),
    'environment.md': page(
      'Environment variables',
      'weft reads these variables. An empty variable counts as not set. Commands that weft runs get your environment without keys and tokens; see the setting [`passEnv`](settings.md#passenv).',
      ...environmentVariables.map(({title, rows}) => section(title, table(['Variable', 'Meaning'], rows))),
    ),
    'keys.md': keysPage(),
    'slash-commands.md': slashCommandsPage(),
    'exit-codes.md': page(
      'Exit codes',
      'A closed stdout (`weft … | head -1`) is not a failure.',
      table(['Code', 'Meaning'], Object.entries(exitCodeMeanings)),
    ),
  };
}

function cliPage(commands: readonly NamedCommand[]): string {
  const [main, ...others] = commands.map(named => ({name: named.name, ...wordsOf(named)}));
  const tables = ({args, options}: Pick<ReturnType<typeof wordsOf>, 'args' | 'options'>) => [
    ...(args.length === 0 ? [] : [table(['Argument', 'Meaning'], args)]),
    ...(options.length === 0 ? [] : [table(['Flag', 'Meaning'], options)]),
  ];
  return page(
    'Commands and flags',
    `${main?.about ?? ''} Every flag takes its value as \`--flag value\` or \`--flag=value\`.`,
    section('weft', console(main?.usage ?? ''), ...(main === undefined ? [] : tables(main))),
    section(
      'Flags for programs',
      'The Agent SDK starts weft with these flags. `weft --help` does not show them.',
      table(
        ['Flag', 'Meaning'],
        sdkFlags.works.map(([flag, about]) => [flag, sentence(about)]),
      ),
      'weft accepts these flags and ignores them:',
      table(
        ['Flag', 'Why'],
        sdkFlags.ignored.map(([flag, why]) => [flag, sentence(why)]),
      ),
      'weft refuses these flags:',
      table(
        ['Flag', 'Why'],
        sdkFlags.refused.map(([flag, why]) => [flag, sentence(why)]),
      ),
    ),
    ...others.map(each =>
      [
        `${each.name.split(' ').length > 2 ? '###' : '##'} ${each.name}`,
        prose(each.about),
        console(each.usage),
        ...tables(each),
      ].join('\n\n'),
    ),
  );
}

function settingsPage(): string {
  const merged = mergeSettings([], {trust: 'never', userRules: []});
  const defaults = new Map<string, unknown>(merged.tag === 'ok' ? Object.entries(merged.value.settings) : []);
  const types = settingsJsonSchema().properties;
  return page(
    'Settings',
    [
      'weft reads settings from three JSON files: your own `settings.json`, then `.weft/settings.json` and `.weft/settings.local.json` of the project.',
      '`weft config path` prints where your own file is. A later file overrides an earlier one; lists of rules and names add up.',
      'Environment variables override files, and flags override both. `weft config explain SETTING` shows which one counts.',
      'Some settings of a project count only after you trust its folder: `weft permissions trust`.',
    ].join('\n'),
    'Editors check and complete a settings file that names the JSON Schema of the settings, `dist/settings.schema.json` of the installed weft. `weft config set` names it in new files of your own:',
    fence('json', '{"$schema": "file:///path/to/weft/dist/settings.schema.json"}'),
    ...settingDescriptions().map(({key, about, example, project, exception}) =>
      section(
        `\`${key}\``,
        prose(about),
        [
          `- Type: ${typeText(types[key])}`,
          `- Default: ${defaultText(defaults.get(key))}`,
          `- Files: ${settingFiles[project]}.${exception === '' ? '' : ` ${prose(exception)}`}`,
        ].join('\n'),
        fence('json', `{"${key}": ${example}}`),
      ),
    ),
  );
}

const settingFiles = {
  always: "your own and the project's",
  'after-trust': "your own; the project's after trust",
  never: "your own. A project's files can't set it",
} as const;

/** A type as people read it; the members of objects are in the JSON Schema. */
function typeText(schema: unknown): string {
  if (typeof schema !== 'object' || schema === null) return 'any value';
  if ('enum' in schema && Array.isArray(schema.enum)) return schema.enum.map(each => `\`${each}\``).join(', ');
  if ('anyOf' in schema && Array.isArray(schema.anyOf)) return schema.anyOf.map(typeText).join(', or ');
  const type = 'type' in schema ? String(schema.type) : 'object';
  if (type !== 'array' || !('items' in schema)) return type;
  const items = typeText(schema.items);
  return `list of ${items.startsWith('`') ? items : `${items}s`}`;
}

function defaultText(merged: unknown): string {
  const value = typeof merged === 'object' && merged !== null && 'value' in merged ? merged.value : merged;
  const isEmpty = typeof value === 'object' && value !== null && Object.keys(value).length === 0;
  return value === undefined || isEmpty ? 'none' : isRules(value) ? 'none' : `\`${JSON.stringify(value)}\``;
}

const isRules = (value: unknown): boolean => typeof value === 'object' && value !== null && 'deny' in value;

function keysPage(): string {
  const groups = [...keyGroups(), ...panelKeyGroups];
  const more = new Map<string, string>();
  for (const {name, keys} of otherKeys) more.set(name, keys);
  return page(
    'Keys',
    'The keys of the terminal UI. A card or panel also names its keys on its lower edge, and they count only there. [Your own keys](../make-it-yours.md#keys) replace them.',
    ...groups.map(({title, rows}) =>
      section(
        title,
        table(
          ['Key', 'Meaning'],
          rows.map(({keys, does, ...row}) => {
            const other = 'name' in row ? more.get(String(row.name)) : undefined;
            return [other === undefined ? keys : `${keys}, ${other}`, sentence(does)];
          }),
          ', ',
        ),
      ),
    ),
  );
}

function slashCommandsPage(): string {
  const commands = commandsFor('offered');
  const rows = (names: readonly string[]): readonly Term[] =>
    names.flatMap(name =>
      commands
        .filter(command => command.name === name)
        .map(({usage, aliases, summary}): Term => {
          const also = aliases.map(alias => `\`/${alias}\``).join(', ');
          return [usage, `${sentence(summary)}${also === '' ? '' : ` Also ${also}.`}`];
        }),
    );
  const prompts = builtInPromptCommands.list().map(promptCommandInfo);
  return page(
    'Slash commands',
    'Type a slash command into the prompt of the terminal UI. Commands and skills from files become slash commands, too; `/help commands` lists them.',
    ...commandGroups.map(({title, names}) => section(title, table(['Command', 'Meaning'], rows(names)))),
    section(
      'Prompts',
      'weft sends these to the model, also with `weft --prompt`.',
      table(
        ['Command', 'Meaning'],
        prompts.map(({usage, summary}) => [usage, sentence(summary)]),
      ),
    ),
  );
}

/** The manual page, in the macros of man(7). */
export async function manPage(): Promise<string> {
  const [main, ...others] = (await allCommands()).map(named => ({name: named.name, ...wordsOf(named)}));
  if (main === undefined) return '';
  const terms = (rows: readonly Term[]): readonly string[] =>
    rows.flatMap(([term, about]) => ['.TP', `.B ${roff(term)}`, roff(about)]);
  const lines = [
    '.\\" Written by npm run docs',
    '.TH WEFT 1 "" weft "User Commands"',
    '.SH NAME',
    `weft \\- ${roff(main.about.charAt(0).toLowerCase() + main.about.slice(1).replace(/\.$/u, ''))}`,
    '.SH SYNOPSIS',
    roff(main.usage),
    '.SH OPTIONS',
    ...terms([...main.args, ...main.options]),
    '.SH COMMANDS',
    ...others.flatMap(({name, usage, about, args, options}) => [
      `.SS ${roff(name)}`,
      roff(about),
      '.PP',
      `.B ${roff(usage)}`,
      ...terms([...args, ...options]),
    ]),
    '.SH EXIT STATUS',
    ...terms(Object.entries(exitCodeMeanings)),
    '.SH ENVIRONMENT',
    ...terms(environmentVariables.flatMap(({rows}) => rows)),
    '.SH SEE ALSO',
    roff('weft help lists topics. weft help settings prints every setting, weft keys every key.'),
  ];
  return `${lines.join('\n')}\n`;
}

/** Text for roff: as it is read, without Markdown's backquotes. */
const roff = (text: string): string =>
  text
    .replaceAll('`', '')
    .replaceAll('\\', '\\e')
    .replaceAll('-', '\\-')
    .replaceAll('…', '...')
    .replaceAll('’', "'")
    .replace(/^[.']/u, '\\&$&');

const note = '<!-- Written by `npm run docs`. Edit the tables in src/ and test/support/ instead. -->';

const page = (title: string, ...parts: readonly string[]): string => `${[`# ${title}`, note, ...parts].join('\n\n')}\n`;

const section = (title: string, ...parts: readonly string[]): string => [`## ${title}`, ...parts].join('\n\n');

const fence = (language: string, text: string): string => `\`\`\`${language}\n${text}\n\`\`\``;

const console = (usage: string): string => fence('text', usage);

/** A table of terms in code and what they mean. `between`: a term is several, each code of its own. */
function table(heads: readonly [string, string], rows: readonly Term[], between = '\n'): string {
  const code = (term: string): string => term.split(between).map(inCode).join(between);
  const lines = rows.map(([term, about]) => `| ${cell(code(term))} | ${cell(prose(about))} |`);
  return [`| ${heads.join(' | ')} |`, '|---|---|', ...lines].join('\n');
}

const cell = (text: string): string => text.replaceAll('|', String.raw`\|`);

const inCode = (text: string): string => (text.includes('`') ? `\`\` ${text} \`\`` : `\`${text}\``);

/** Text in which Markdown finds nothing but the code that is marked in it. */
const prose = (text: string): string =>
  text
    .split(/(`[^`]+`)/u)
    .map((part, at) => (at % 2 === 1 ? part : part.replaceAll(/[*<[\]\\]/gu, String.raw`\$&`)))
    .join('');

const sentence = (text: string): string => {
  const trimmed = text.trim();
  const isName = /^(?:weft\b|[a-z]+[A-Z_]|(?:host|adaptive)\b)/u.test(trimmed);
  const begun = isName ? trimmed : trimmed.charAt(0).toUpperCase() + trimmed.slice(1);
  return /[.!?]$/u.test(begun) || begun === '' ? begun : `${begun}.`;
};
