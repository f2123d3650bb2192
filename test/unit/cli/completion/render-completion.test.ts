import {execFileSync, spawnSync} from 'node:child_process';
import {mkdirSync, mkdtempSync, rmSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {afterAll, beforeAll, describe, expect, test} from 'vitest';
import {commandTree} from '../../../../src/cli/completion/command-tree.ts';
import {renderCompletion} from '../../../../src/cli/completion/render-completion.ts';
import {sampleProgram} from './sample-program.ts';

let folder = '';
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'weft-completion-'));
  mkdirSync(join(folder, 'some folder'));
  writeFileSync(join(folder, 'some file.txt'), '');
  for (const shell of ['bash', 'zsh', 'fish'] as const) {
    writeFileSync(join(folder, `.script.${shell}`), renderCompletion(sampleProgram(), shell));
  }
});
afterAll(() => {
  rmSync(folder, {recursive: true, force: true});
});

const isThere = (shell: string): boolean => spawnSync(shell, ['-c', 'exit 0']).status === 0;

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
const commands = ['tasks', 't', 'completion', 'many', 'help'];
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
  [['tool', 'help', 'ta'], ['tasks']],
  [['tool', '--', 'ta'], []],
];
const named = (line: readonly string[]): string => line.join(' ');
const sorted = (words: readonly string[]): readonly string[] => words.toSorted();

test('the tree is what commander shows', () => {
  const tree = commandTree(sampleProgram());
  expect(tree.commands.map(command => command.path)).toEqual([
    'tool tasks',
    'tool completion',
    'tool many',
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
  const said = execFileSync('bash', ['--norc', '-uc', program, 'bash', ...words], {encoding: 'utf8', cwd: folder});
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
    env: {PATH: process.env['PATH'], HOME: folder},
  });
  return said
    .split('\n')
    .slice(0, -1)
    .map(offer => (offer.split('\t')[0] ?? '').replace(/\/$/u, ''));
};

describe.skipIf(!isThere('fish'))('fish', () => {
  test.each(cases.map(([line, offered]) => [named(line), line, offered] as const))('%s', (_, line, offered) => {
    const visible = fishOffers(line).filter(word => !word.startsWith('.script'));
    expect(sorted(visible)).toEqual(sorted(offered));
  });

  test('--output=s', () => {
    expect(fishOffers(['tool', '--output=s'])).toEqual(['--output=stream-json']);
  });
});

/** Completes in a real line editor; the matches are those that the completion system hands to the editor. */
const zshOffers = (line: readonly string[]): readonly string[] => {
  const inner = `
    PROMPT= ; unsetopt zle_bracketed_paste 2>/dev/null
    autoload -Uz compinit && compinit -D -u
    source ./.script.zsh
    zstyle ':completion:*' verbose no
    zstyle ':completion:*' completer _complete
    compadd() {
      local -a taken
      if [[ \${@[(I)-O|-A|-D]} == 0 ]]; then
        builtin compadd -A taken "$@"
        print -rl -- $taken >> .matches
      fi
      builtin compadd "$@"
    }
    finish() { print -r -- done >> .matches; exit }
    zle -N finish
    bindkey '^X' finish
    zle-line-init() { print -r -- ready }
    zle -N zle-line-init
  `;
  writeFileSync(join(folder, '.zshinner'), inner);
  rmSync(join(folder, '.matches'), {force: true});
  const outer = `
    zmodload zsh/zpty
    zpty inner 'zsh -f -i'
    zpty -w inner 'source ./.zshinner'
    zpty -r -m inner seen '*ready*'
    zpty -n -w inner "$1"$'\\t\\x18'
    while zpty -r inner seen; do :; done
    cat .matches`;
  const said = execFileSync('zsh', ['-f', '-c', outer, 'zsh', line.join(' ')], {
    encoding: 'utf8',
    cwd: folder,
    env: {PATH: process.env['PATH'], HOME: folder, TERM: 'dumb'},
    timeout: 10_000,
  });
  const words = said.split('\n').filter(word => word !== '');
  expect(words.at(-1)).toBe('done');
  return [...new Set(words.slice(0, -1))];
};

describe.skipIf(!isThere('zsh'))('zsh', () => {
  test.each(cases.map(([line, offered]) => [named(line), line, offered] as const))('%s', (_, line, offered) => {
    // Where nothing else fits, zsh offers options unasked.
    const visible = zshOffers(line).filter(word => word.startsWith('-') === (line.at(-1) ?? '').startsWith('-'));
    expect(sorted(visible)).toEqual(sorted(offered));
  });
});
