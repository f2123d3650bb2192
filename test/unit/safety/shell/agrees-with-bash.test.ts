import {unknownFileEffect} from '../../../../src/domain/risk.ts';
import {type JudgedInvocation, analyzeCommand} from '../../../../src/safety/commands/analyze-command.ts';
import {makePathContext} from '../../../../src/safety/paths/path-context.ts';
import {randomInputs} from '../../../support/random-inputs.ts';
import {spawnSync} from 'node:child_process';
import {chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import * as fc from 'fast-check';
import {afterAll, beforeAll, expect, test} from 'vitest';

/** Programs that only write down what they were given; the rest of what bash runs here is built into it. */
const stubs = ['cat', 'basename', 'grep', 'wc', 'dirname'];

let folder = '';
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'weft-bash-'));
  mkdirSync(join(folder, 'bin'));
  mkdirSync(join(folder, 'work'));
  for (const name of stubs) {
    const path = join(folder, 'bin', name);
    // A plain shell starts in a third of the time that bash takes.
    writeFileSync(path, '#!/bin/sh\nprintf "%s\\0" "${0##*/}" "$@" "\x01" >> "$STUB_LOG"\n');
    chmodSync(path, 0o755);
  }
});
afterAll(() => rmSync(folder, {recursive: true, force: true}));

const bash = spawnSync('bash', ['--version']).status === 0;

/** What really ran, in words. */
function runIn(command: string): {readonly ran: readonly (readonly string[])[]; readonly complaints: string} {
  const log = join(folder, 'log');
  writeFileSync(log, '');
  const {stderr} = spawnSync('/bin/bash', ['-c', command], {
    cwd: join(folder, 'work'),
    env: {PATH: join(folder, 'bin'), HOME: '/home/me', STUB_LOG: log, LC_ALL: 'C.UTF-8'},
    encoding: 'utf8',
    timeout: 60_000,
    input: '',
  });
  const ran = readFileSync(log, 'utf8')
    .split('\x01\0')
    .slice(0, -1)
    .map(words =>
      words
        .split('\0')
        .slice(0, -1)
        .map(word => word.replace(/^\/dev\/fd\/\d+$/u, '/dev/fd/63')),
    );
  return {ran, complaints: stderr};
}

const context = makePathContext({
  roots: ['/w'],
  home: '/home/me',
  resolve: path => ({path, place: 'inside-workspace'}),
  list: () => [],
  read: () => ({kind: 'missing'}),
  findWorkspaceProgram: () => undefined,
  effectOf: () => unknownFileEffect,
  weftFolders: {folders: [], variables: {}, grantingSettings: new Set()},
});

const fragments = [
  'a',
  'b.ts',
  'src/c',
  '-',
  '0',
  'x=y',
  'a#b',
  '%s',
  '@{1}',
  '^',
  ':',
  ',',
  '+',
  '!',
  ']',
  '}',
  '{}',
  '~',
  '~/d',
  'x=~/d',
  'HEAD~1',
  'é',

  "'b c'",
  "''",
  '""',
  '"d e"',
  '"q\'r"',
  "'q\"r'",
  '"\\$x"',
  '"\\a"',
  '\\ ',
  '\\$',
  "\\'",
  '\\"',
  '\\\\',
  '\\#',
  '\\\n',
  '"\\\n"',

  "$'x\\ty'",
  "$'\\''",
  "$'a\\\\b'",
  '{a,b}',
  '{1..3}',
  '{a,}',
  'x{b,c}y',
  '{a',
  '{a}',
  '{a,b}{c,d}',
  '"{a,b}"',
  '*',
  '?',
  '[ab]',
  '*.ts',

  '$HOME',
  '"$HOME"',
  '${HOME}',
  '"${HOME}/x"',
  '$?',
  '$#',
  '$',
  '"$"',
  '$(echo hi)',
  '"$(echo "x y")"',
  '`echo q`',
  '"`echo q r`"',
  '$((1+2))',

  '$(basename z)',
  '"$(cat k; cat l)"',
  '"a$(cat <<A\nhere\nA\n)b"',
  '"${HOME:-x}"',
  '"${HOME##*/}"',
  '<(cat p)',
  '# c',
  '!x',
  '--',
  '\t',
  ';',
  '&&',
  '\n',
  '|',
];
const word = fc.array(fc.constantFrom(...fragments), {minLength: 1, maxLength: 3}).map(parts => parts.join(''));
const simple = fc
  .tuple(
    fc.constantFrom(...stubs, 'echo', "c'a't", 'c\\at', '"cat"', 'ba\\\nsename', '! cat', 'time cat', 'command cat'),
    fc.array(word, {maxLength: 3}),
  )
  .map(([program, words]) => [program, ...words].join(' '));
const frames: readonly ((one: string, two: string) => string)[] = [
  one => one,
  (one, two) => `${one}; ${two}`,
  (one, two) => `${one} && ${two}`,
  (one, two) => `${one} || ${two}`,
  (one, two) => `${one} | ${two}`,
  (one, two) => `${one} # ${two}`,
  (one, two) => `${one}\n${two}`,
  (one, two) => `(${one}) ; { ${two}; }`,
  (one, two) => `if ${one}; then ${two}; else ${one}; fi`,
  (one, two) => `for f in a 'b c' {d,e}; do ${one} "$f"; ${two}; done`,
  (one, two) => `for f in a b; do ${one} $f; done; ${two}`,
  (one, two) => `${one} <<A\n$(${two})\n"x' $HOME\nA`,
  (one, two) => `${one} <<'A'\n$(rm x)\nA\n${two}`,
  (one, two) => `${one} <<-A && ${two}\n\tx\n\tA`,
  (one, two) => `${one} "$(${two})"`,
  (one, two) => `${one} 2>/dev/null && ${two} 2>&1`,
  (one, two) => `[ -f a ] || ${one}; [[ a == b ]] || ${two}`,
  (one, two) => `while ! true; do ${one}; done; ${two}`,
  (one, two) => `${one} <<< "${two}"`,
];
const text = fc.tuple(fc.constantFrom(...frames), simple, simple).map(([frame, one, two]) => frame(one, two));

/** Whether a call of the judgement stands for these words. A word that is not known may come to any number of them. */
function standsFor({words}: JudgedInvocation, ran: readonly string[]): boolean {
  const wrapper = ['time', 'command'].indexOf(textOf(words[0]) ?? '');
  const own = wrapper < 0 ? words : words.slice(1);
  if (own.some(({value}) => typeof value === 'string')) return textOf(own[0]) === ran[0];
  return (
    own.length === ran.length &&
    own.every(({value}, at) => typeof value !== 'string' && value.some(each => each.text === ran[at]))
  );
}

const textOf = (argument: JudgedInvocation['words'][number] | undefined): string | undefined =>
  argument === undefined || typeof argument.value === 'string' ? undefined : argument.value[0]?.text;

test.runIf(bash)(
  'whatever bash runs of what would be let through was judged',
  {tags: 'long', timeout: 300_000},
  async () => {
    let compared = 0;
    await fc.assert(
      fc.asyncProperty(text, async command => {
        const parsed = analyzeCommand(command, {directory: '/w', context});
        if (parsed.reading === 'unparsed' || parsed.sideEffects.length > 0) return;
        if (parsed.invocations.some(({reason}) => reason !== undefined) || !(await parsed.confirmed())) return;
        compared += 1;
        const {ran, complaints} = runIn(command);
        expect(complaints, command).not.toMatch(/syntax error|(?<!time: )command not found|unexpected/u);
        for (const words of ran) {
          expect(
            parsed.invocations.some(call => standsFor(call, words)),
            `${command}\n→ ${JSON.stringify(words)}`,
          ).toBe(true);
        }
      }),
      {numRuns: randomInputs(3000)},
    );
    console.info(`compared with bash: ${compared} commands`);
    expect(compared).toBeGreaterThan(randomInputs(300));
  },
);
