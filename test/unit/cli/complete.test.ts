import {execFileSync} from 'node:child_process';
import {mkdirSync, mkdtempSync, rmSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {fileURLToPath} from 'node:url';
import {afterAll, beforeAll, beforeEach, describe, expect, test} from 'vitest';
import {completionsFor} from '../../../src/cli/complete.ts';
import {needs} from '../../support/programs.ts';
import {sampleProgram} from './sample-program.ts';

const scripts = fileURLToPath(new URL('../../../completions', import.meta.url));

/** What the sample program answers to the words behind its name. */
async function answerTo(words: readonly string[]): Promise<string> {
  const {kind, words: offered} = await completionsFor(words, {
    program: sampleProgram(),
    open: async () => {},
    ask: async (asked, before) => [
      [`of-${asked}`, 'about it'],
      [`after-${before}`, 'about it'],
    ],
  });
  return [kind, ...offered.map(([word, about]) => `${word}\t${about}`), ''].join('\n');
}

/** A name of a file for some words. */
const nameOf = (words: readonly string[]): string =>
  words
    .map(word => `${word}_`)
    .join('')
    .replaceAll(/\W/gu, '-');

let folder = '';
let programs = '';
/** A path with the program that the scripts ask. */
const path = (): string => `${programs}:${process.env['PATH'] ?? ''}`;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'weft-completion-'));
  programs = mkdtempSync(join(tmpdir(), 'weft-completion-'));
  mkdirSync(join(folder, 'some folder'));
  writeFileSync(join(folder, 'some file.txt'), '');
  // The program that the scripts ask: it has an answer to each line that is tried.
  mkdirSync(join(programs, 'answers'));
  writeFileSync(
    join(programs, 'weft'),
    `#!/bin/sh\nshift 2\ncat "${programs}/answers/$(printf '%s_' "$@" | LC_ALL=C tr -c '0-9A-Z_a-z' -)"\n`,
    {mode: 0o755},
  );
  const lines = [...cases.map(([line]) => line), ...gluedCases.map(([line]) => line), ...oddBeginnings, ...unquoted];
  for (const line of lines) {
    const words = line.slice(1);
    writeFileSync(join(programs, 'answers', nameOf(words)), await answerTo(words));
  }
});
afterAll(() => {
  for (const each of [folder, programs]) rmSync(each, {recursive: true, force: true});
});

const mainOptions = [
  '-p',
  '--prompt',
  '-o',
  '--output',
  '--odd',
  '-r',
  '--resume',
  '--colour',
  '--add-dir',
  '--replay',
  '--no-color',
  '-V',
  '--version',
  '-h',
  '--help',
];
const commands = ['tasks', 't', 'completion', 'many', 'show', 'set', 'help'];
const odd = ["it's", 'two words', '$(echo no)', 'a:b', 'back\\slash', '`x`'];

/** The words before the cursor, the last one being completed, and all that may stand there. */
const cases: readonly [line: readonly string[], offered: readonly string[]][] = [
  [['weft', ''], commands],
  [['weft', 'ta'], ['tasks']],
  [['weft', '-'], mainOptions],
  [
    ['weft', '--o'],
    ['--output', '--odd'],
  ],
  [['weft', '--secr'], []],
  [
    ['weft', '--output', ''],
    ['text', 'json', 'stream-json'],
  ],
  [['weft', '--output', 's'], ['stream-json']],
  [['weft', '-o', 'j'], ['json']],
  [['weft', '--prompt', ''], []],
  [['weft', '--prompt', 'tasks', 'comp'], ['completion']],
  [['weft', '--prompt=x', 'ta'], ['tasks']],
  [['weft', '--odd', ''], odd],
  [
    ['weft', '--replay', ''],
    ['some file.txt', 'some folder'],
  ],
  [['weft', '--add-dir', ''], ['some folder']],
  [['weft', '--add-dir', 'x', ''], ['some folder']],
  [['weft', '--add-dir', 'x', '--no-color', 'ta'], ['tasks']],
  [['weft', '--colour', 'a'], ['always']],
  [['weft', '--colour', '--out'], ['--output']],
  [['weft', '--colour', 'always', 'ta'], ['tasks']],
  [['weft', 'hello', ''], []],
  [
    ['weft', 'tasks', ''],
    ['decode', 'watch', 'help'],
  ],
  [['weft', 't', 'de'], ['decode']],
  [
    ['weft', 'tasks', 'decode', ''],
    ['some file.txt', 'some folder'],
  ],
  [
    ['weft', 'tasks', 'decode', '--'],
    ['--json', '--help'],
  ],
  [
    ['weft', 'tasks', 'watch', ''],
    ['once', 'twice'],
  ],
  [['weft', 'tasks', 'watch', 'once', ''], ['some folder']],
  [
    ['weft', 'completion', ''],
    ['bash', 'zsh'],
  ],
  [['weft', 'completion', 'bash', ''], []],
  [['weft', 'many', ''], []],
  [
    ['weft', 'many', 'x', ''],
    ['red', 'blue'],
  ],
  [['weft', 'many', 'x', 'red', 'b'], ['blue']],
  // What only the program knows.
  [
    ['weft', 'show', ''],
    ['of-session', 'after-show'],
  ],
  [['weft', 'show', '--model', 'o'], ['of-model']],
  [
    ['weft', 'set', 'theme', ''],
    ['of-value', 'after-theme'],
  ],
  [['weft', 'set', 'theme', 'x', ''], []],
  [['weft', 'help', 'ta'], ['tasks']],
  [['weft', '--', 'ta'], ['tasks']],
  [['weft', '--', '--o'], []],
];
const named = (line: readonly string[]): string => line.join(' ');
const sorted = (words: readonly string[]): readonly string[] => words.toSorted();

const gluedCases: readonly [line: readonly string[], offered: readonly string[]][] = [
  [
    ['weft', '--output='],
    ['--output=text', '--output=json', '--output=stream-json'],
  ],
  [['weft', '--output=s'], ['--output=stream-json']],
  [['weft', '--output=json', 'ta'], ['tasks']],
  [['weft', '--odd=two'], ['--odd=two words']],
  [
    ['weft', '--replay=so'],
    ['--replay=some file.txt', '--replay=some folder'],
  ],
  [['weft', '--add-dir=s'], ['--add-dir=some folder']],
];

const oddBeginnings = ['it', 'two', "'$(e", 'a', 'back', "'`x", 'two\\ w'].map(begun => ['weft', '--odd', begun]);

/** zsh takes the quotation mark at the beginning of a word away. */
const unquoted = oddBeginnings.map(line => line.map(word => word.replace(/^'/u, '')));

test('the first line is the kind, each further one a word and what is said of it', async () => {
  expect(await answerTo(['tasks', 'decode', '--'])).toBe(`words\n--json\t\n-h\t${help}\n--help\t${help}\n`);
  expect(await answerTo(['--replay', ''])).toBe('file\n');
  expect(await answerTo(['--add-dir', ''])).toBe('directory\n');
  expect(await answerTo(['tasks', ''])).toBe(
    'words\ndecode\tit\'s: "decode"\nwatch\t\nhelp\tdisplay help for command\n',
  );
});

const help = 'display help for command';

const oddQuoted = ["it\\'s", 'two\\ words', '\\$\\(echo\\ no\\)', 'a:b', 'back\\\\slash', '\\`x\\`'];

const bashOffers = (words: readonly string[]): readonly string[] => {
  const program = `
    source ${scripts}/weft.bash
    COMP_WORDS=("$@") COMP_CWORD=$(($# - 1))
    _weft
    [[ \${#COMPREPLY[@]} == 0 ]] || printf '%s\\n' "\${COMPREPLY[@]}"`;
  const said = execFileSync('bash', ['--norc', '-uc', program, 'bash', ...words], {
    encoding: 'utf8',
    cwd: folder,
    env: {...process.env, PATH: path()},
  });
  return said.split('\n').slice(0, -1);
};

describe('bash', () => {
  test.each(cases.map(([line, offered]) => [named(line), line, offered] as const))(
    '%s',
    {tags: 'long'},
    (_, line, offered) => {
      const visible = bashOffers(line);
      expect(sorted(visible)).toEqual(sorted(line.includes('--odd') ? oddQuoted : offered));
    },
  );

  test.each<[string, readonly string[], readonly string[]]>([
    ['--output=s as bash splits it', ['weft', '--output', '=', 's'], ['stream-json']],
    ['--output= as bash splits it', ['weft', '--output', '='], ['text', 'json', 'stream-json']],
    ['a word after --output=json', ['weft', '--output', '=', 'json', 'ta'], ['tasks']],
    ['--output=s where it is not split', ['weft', '--output=s'], ['--output=stream-json']],
    ['--add-dir=s', ['weft', '--add-dir', '=', 's'], ['some folder']],
    ['a quoted beginning', ['weft', '--odd', 'two\\ w'], ['two\\ words']],
  ])('%s', {tags: 'long'}, (_, words, offered) => {
    expect(sorted(bashOffers(words))).toEqual(sorted(offered));
  });

  test('is bound to the program', () => {
    const said = execFileSync('bash', ['--norc', '-c', `source ${scripts}/weft.bash; complete -p weft`], {
      cwd: folder,
      encoding: 'utf8',
    });
    expect(said).toBe('complete -F _weft weft\n');
  });
});

const fishOffers = (line: readonly string[]): readonly string[] => {
  const program = `source ${scripts}/weft.fish; complete -C "$argv[1]"`;
  const said = execFileSync('fish', ['--no-config', '-c', program, line.join(' ')], {
    encoding: 'utf8',
    cwd: folder,
    env: {PATH: path(), HOME: folder},
  });
  return said
    .split('\n')
    .slice(0, -1)
    .map(offer => (offer.split('\t')[0] ?? '').replace(/\/$/u, ''));
};

describe('fish', () => {
  beforeEach(needs('fish'));

  test.each(cases.map(([line, offered]) => [named(line), line, offered] as const))(
    '%s',
    {tags: 'long'},
    (_, line, offered) => {
      const visible = fishOffers(line);
      expect(sorted(visible)).toEqual(sorted(offered));
    },
  );

  test.each(gluedCases.map(([line, offered]) => [named(line), line, offered] as const))(
    '%s',
    {tags: 'long'},
    (_, line, offered) => {
      expect(sorted(fishOffers(line))).toEqual(sorted(offered));
    },
  );
});

/**
 * Completes lines one after the other in a real line editor: what the completion system hands to the editor, and what a line
 * becomes. Keys wait in the terminal until the editor is ready for them.
 */
function zshOffers(lines: readonly (readonly string[])[]): readonly {offers: readonly string[]; line: string}[] {
  const inner = String.raw`
    PROMPT=
    autoload -Uz compinit && compinit -D -u
    source ${scripts}/_weft
    zstyle ':completion:*' verbose no
    zstyle ':completion:*' completer _complete
    compadd() {
      local -a taken
      if [[ $@[(I)-O] == 0 && $@[(I)-A] == 0 && $@[(I)-D] == 0 ]]; then
        builtin compadd -A taken "$@"
        print -rl -- $taken >> .matches
      fi
      builtin compadd "$@"
    }
    next() { print -r -- "= $BUFFER" >> .matches; BUFFER= }
    zle -N next
    bindkey '^T' next
    zle-line-init() { print -r -- ready }
    zle -N zle-line-init
  `;
  writeFileSync(join(folder, '.zshinner'), inner);
  writeFileSync(join(folder, '.matches'), '');
  const outer = String.raw`
    zmodload zsh/zpty
    zpty inner 'zsh -f -i'
    zpty -w inner 'source ./.zshinner'
    zpty -r -m inner seen '*ready*'
    for line in "$@"; zpty -n -w inner "$line"$'\t\x14'
    zpty -n -w inner $'\x04'
    while zpty -r inner seen; do :; done
    cat .matches`;
  const said = execFileSync('zsh', ['-f', '-c', outer, 'zsh', ...lines.map(line => line.join(' '))], {
    encoding: 'utf8',
    cwd: folder,
    env: {PATH: path(), HOME: folder, TERM: 'dumb'},
    timeout: 15_000,
  });
  return said
    .split(/^= /mu)
    .slice(0, -1)
    .map((offers, index) => ({
      offers: [
        ...new Set(
          offers
            .split('\n')
            .slice(index === 0 ? 0 : 1)
            .filter(word => word !== ''),
        ),
      ],
      line: said.split(/^= /mu)[index + 1]?.split('\n')[0] ?? '',
    }));
}

describe('zsh', () => {
  beforeEach(needs('zsh'));

  test('offers what fits', {tags: 'long'}, () => {
    const found = zshOffers(cases.map(([line]) => line));
    expect(
      cases.map(([line], index) => ({
        line: line.join(' '),
        // Where nothing else fits, zsh offers options unasked. File names come quoted.
        offers: sorted(
          (found[index]?.offers ?? [])
            .filter(word => word.startsWith('-') === (line.at(-1) ?? '').startsWith('-'))
            .map(word => word.replaceAll(/\\(.)/gu, '$1')),
        ),
      })),
    ).toEqual(cases.map(([line, offered]) => ({line: line.join(' '), offers: sorted(offered)})));
  });

  test('types choices so that the shell reads them as they are', {tags: 'long'}, () => {
    expect(zshOffers(oddBeginnings.slice(0, -1)).map(found => found.line.trim())).toEqual([
      "weft --odd it\\'s",
      'weft --odd two\\ words',
      "weft --odd '$(echo no)'",
      'weft --odd a:b',
      'weft --odd back\\\\slash',
      "weft --odd '`x`'",
    ]);
  });
});
