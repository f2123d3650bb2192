import {execFileSync} from 'node:child_process';
import {mkdirSync, mkdtempSync, rmSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {afterAll, beforeAll, beforeEach, describe, expect, test} from 'vitest';
import {commandTree} from '../../../../../src/cli/commands/completion/command-tree.ts';
import {renderCompletion} from '../../../../../src/cli/commands/completion/render-completion.ts';
import {needs} from '../../../../support/programs.ts';
import {sampleProgram} from './sample-program.ts';

let folder = '';
let programs = '';
/** A path with the program that the scripts ask. */
const path = (): string => `${programs}:${process.env['PATH'] ?? ''}`;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'weft-completion-'));
  programs = mkdtempSync(join(tmpdir(), 'weft-completion-'));
  mkdirSync(join(folder, 'some folder'));
  writeFileSync(join(folder, 'some file.txt'), '');
  // The program that the scripts ask.
  writeFileSync(join(programs, 'tool'), '#!/bin/sh\nprintf "of-%s\\tabout it\\nafter-%s\\tabout it\\n" "$2" "$3"\n', {
    mode: 0o755,
  });
  for (const shell of ['bash', 'zsh', 'fish'] as const) {
    writeFileSync(join(folder, `.script.${shell}`), renderCompletion(sampleProgram(), shell));
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
  [['tool', ''], commands],
  [['tool', 'ta'], ['tasks']],
  [['tool', '-'], mainOptions],
  [
    ['tool', '--o'],
    ['--output', '--odd'],
  ],
  [['tool', '--secr'], []],
  [
    ['tool', '--output', ''],
    ['text', 'json', 'stream-json'],
  ],
  [['tool', '--output', 's'], ['stream-json']],
  [['tool', '-o', 'j'], ['json']],
  [['tool', '--prompt', ''], []],
  [['tool', '--prompt', 'tasks', 'comp'], ['completion']],
  [['tool', '--prompt=x', 'ta'], ['tasks']],
  [['tool', '--odd', ''], odd],
  [
    ['tool', '--replay', ''],
    ['some file.txt', 'some folder'],
  ],
  [['tool', '--add-dir', ''], ['some folder']],
  [['tool', '--add-dir', 'x', ''], ['some folder']],
  [['tool', '--add-dir', 'x', '--no-color', 'ta'], ['tasks']],
  [['tool', '--colour', 'a'], ['always']],
  [['tool', '--colour', '--out'], ['--output']],
  [['tool', '--colour', 'always', 'ta'], ['tasks']],
  [['tool', 'hello', ''], []],
  [
    ['tool', 'tasks', ''],
    ['decode', 'watch', 'help'],
  ],
  [['tool', 't', 'de'], ['decode']],
  [
    ['tool', 'tasks', 'decode', ''],
    ['some file.txt', 'some folder'],
  ],
  [
    ['tool', 'tasks', 'decode', '--'],
    ['--json', '--help'],
  ],
  [
    ['tool', 'tasks', 'watch', ''],
    ['once', 'twice'],
  ],
  [['tool', 'tasks', 'watch', 'once', ''], ['some folder']],
  [
    ['tool', 'completion', ''],
    ['bash', 'zsh'],
  ],
  [['tool', 'completion', 'bash', ''], []],
  [['tool', 'many', ''], []],
  [
    ['tool', 'many', 'x', ''],
    ['red', 'blue'],
  ],
  [['tool', 'many', 'x', 'red', 'b'], ['blue']],
  // What only the program knows.
  [
    ['tool', 'show', ''],
    ['of-session', 'after-show'],
  ],
  [['tool', 'show', '--model', 'o'], ['of-model']],
  [
    ['tool', 'set', 'theme', ''],
    ['of-value', 'after-theme'],
  ],
  [['tool', 'set', 'theme', 'x', ''], []],
  [['tool', 'help', 'ta'], ['tasks']],
  [['tool', '--', 'ta'], ['tasks']],
  [['tool', '--', '--o'], []],
];
const named = (line: readonly string[]): string => line.join(' ');
const sorted = (words: readonly string[]): readonly string[] => words.toSorted();

test('the tree is what commander shows', () => {
  const tree = commandTree(sampleProgram());
  expect(tree.commands.map(command => command.path)).toEqual([
    'tool tasks',
    'tool completion',
    'tool many',
    'tool show',
    'tool set',
    'tool help',
  ]);
  expect(
    tree.options
      .filter(option => option.takes !== 'none')
      .map(({flags, takes, value}) => [flags.at(-1), takes, value.kind]),
  ).toEqual([
    ['--prompt', 'one', 'any'],
    ['--output', 'one', 'choices'],
    ['--odd', 'one', 'choices'],
    ['--resume', 'maybe', 'any'],
    ['--colour', 'maybe', 'choices'],
    ['--add-dir', 'many', 'directory'],
    ['--replay', 'one', 'file'],
  ]);
});

const oddQuoted = ["it\\'s", 'two\\ words', '\\$\\(echo\\ no\\)', 'a:b', 'back\\\\slash', '\\`x\\`'];

const bashOffers = (words: readonly string[]): readonly string[] => {
  const program = `
    source .script.bash
    COMP_WORDS=("$@") COMP_CWORD=$(($# - 1))
    _tool
    [[ \${#COMPREPLY[@]} == 0 ]] || printf '%s\\n' "\${COMPREPLY[@]}"`;
  const said = execFileSync('bash', ['--norc', '-uc', program, 'bash', ...words], {
    encoding: 'utf8',
    cwd: folder,
    env: {...process.env, PATH: path()},
  });
  return said.split('\n').slice(0, -1);
};

describe('bash', () => {
  test.each(cases.map(([line, offered]) => [named(line), line, offered] as const))('%s', (_, line, offered) => {
    const visible = bashOffers(line).filter(word => !word.startsWith('.script'));
    expect(sorted(visible)).toEqual(sorted(line.includes('--odd') ? oddQuoted : offered));
  });

  test.each<[string, readonly string[], readonly string[]]>([
    ['--output=s as bash splits it', ['tool', '--output', '=', 's'], ['stream-json']],
    ['--output= as bash splits it', ['tool', '--output', '='], ['text', 'json', 'stream-json']],
    ['a word after --output=json', ['tool', '--output', '=', 'json', 'ta'], ['tasks']],
    ['--output=s where it is not split', ['tool', '--output=s'], ['--output=stream-json']],
    ['--add-dir=s', ['tool', '--add-dir', '=', 's'], ['some folder']],
    ['a quoted beginning', ['tool', '--odd', 'two\\ w'], ['two\\ words']],
  ])('%s', (_, words, offered) => {
    expect(sorted(bashOffers(words))).toEqual(sorted(offered));
  });

  test('is bound to the program', () => {
    const said = execFileSync('bash', ['--norc', '-c', 'source .script.bash; complete -p tool'], {
      cwd: folder,
      encoding: 'utf8',
    });
    expect(said).toBe('complete -F _tool tool\n');
  });
});

const fishOffers = (line: readonly string[]): readonly string[] => {
  const program = 'source .script.fish; complete -C "$argv[1]"';
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

  test.each(cases.map(([line, offered]) => [named(line), line, offered] as const))('%s', (_, line, offered) => {
    const visible = fishOffers(line).filter(word => !word.startsWith('.script'));
    expect(sorted(visible)).toEqual(sorted(offered));
  });

  test('--output=s', () => {
    expect(fishOffers(['tool', '--output=s'])).toEqual(['--output=stream-json']);
  });
});

/**
 * Completes lines one after the other in a real line editor: what the completion system hands to the editor, and what a line
 * becomes. Keys wait in the terminal until the editor is ready for them.
 */
function zshOffers(lines: readonly (readonly string[])[]): readonly {offers: readonly string[]; line: string}[] {
  const inner = String.raw`
    PROMPT=
    autoload -Uz compinit && compinit -D -u
    source ./.script.zsh
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

  test('offers what fits', () => {
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

  test('types choices so that the shell reads them as they are', () => {
    const lines = ['it', 'two', "'$(e", 'a', 'back', "'`x"].map(begun => ['tool', '--odd', begun]);
    expect(zshOffers(lines).map(found => found.line.trim())).toEqual([
      "tool --odd it\\'s",
      'tool --odd two\\ words',
      "tool --odd '$(echo no)'",
      'tool --odd a:b',
      'tool --odd back\\\\slash',
      "tool --odd '`x`'",
    ]);
  });
});
