import {describe, expect, test} from 'vitest';
import {emptyView, textEntry} from '../../src/tui/state/view.ts';
import {
  codeStart,
  isGrammarLoaded,
  readCodeLine,
  loadGrammar,
  type CodeState,
} from '../../src/tui/scrollback/syntax/highlight.ts';
import {GrammarGate, grammarsIn} from '../../src/tui/scrollback/scrollback.ts';
import {grammarOfFence, grammarOfFile, type GrammarName} from '../../src/tui/scrollback/syntax/grammars.ts';

const streaming = (text: string) => ({...emptyView, entries: [textEntry('m', text, 'streaming')]});

test('code waits for its grammar, and at most 100 ms', async () => {
  let now = 0;
  const {promise, resolve} = Promise.withResolvers<void>();
  const gate = new GrammarGate(() => now, resolve);
  expect(gate.holds(streaming('no code'))).toBe(false);
  const view = streaming('```nim\nlet x = 1\n');
  expect(gate.holds(view)).toBe(true);
  now = 99;
  expect(gate.holds(view)).toBe(true);
  now = 100;
  expect(gate.holds(view)).toBe(false);
  now = 50;
  await promise;
  expect(gate.holds(view)).toBe(false);
  expect(isGrammarLoaded('nim')).toBe(true);
});

test('grammars are found in fences at any depth', () => {
  const found = grammarsIn(streaming('- a\n  ```ts\n> ~~~ py\n- ```sh\n```\n```nope\n'));
  expect([...found]).toEqual(['typescript', 'python', 'bash']);
});

describe('names', () => {
  test.each<[string, GrammarName | undefined]>([
    ['ts', 'typescript'],
    ['TypeScript title="x"', 'typescript'],
    ['{.python}', 'python'],
    ['c++', 'cpp'],
    ['c#', 'csharp'],
    ['language-rust', 'rust'],
    ['src/main.go', 'go'],
    ['constructor', undefined],
    ['__proto__', undefined],
    ['text', undefined],
    ['', undefined],
  ])('fence %j is %s', (info, name) => {
    expect(grammarOfFence(info)).toBe(name);
  });
  test.each<[string, GrammarName | undefined]>([
    ['/a/b.test.TSX', 'typescript'],
    ['Dockerfile', 'dockerfile'],
    ['x/Makefile', 'makefile'],
    ['.bashrc', 'bash'],
    ['Dockerfile.dev', 'dockerfile'],
    ['a.unknown', undefined],
    ['README', undefined],
  ])('file %j is %s', (path, name) => {
    expect(grammarOfFile(path)).toBe(name);
  });
});

const read = async (grammar: GrammarName, lines: readonly string[]): Promise<readonly string[]> => {
  await loadGrammar(grammar);
  let state: CodeState = codeStart;
  return lines.map(line => {
    const found = readCodeLine(line, grammar, state);
    if (found === undefined) throw new Error('the grammar has not been read');
    state = found.next;
    expect(found.tokens.map(token => token.text).join('')).toBe(line);
    return found.tokens.map(({text, role}) => (role === 'plain' ? text : `<${role.slice(7)} ${text}>`)).join('');
  });
};

describe('readCodeLine', () => {
  test.each<[GrammarName, readonly string[], readonly string[]]>([
    [
      'typescript',
      ['/* a', '', 'b */ let x = 1;'],
      ['<comment /* a>', '', '<comment b */> <keyword let> x = <number 1>;'],
    ],
    [
      'typescript',
      ['`a ${1 +', '2} b', 'c`;'],
      ['<string `a >${<number 1> +', '<number 2>}<string  b>', '<string c`>;'],
    ],
    ['typescript', ["let s = 'open", 'return'], ["<keyword let> s = <string 'open>", '<keyword return>']],
    [
      'python',
      ['x = """a', 'if "b"', '""" + 1'],
      ['x = <string """a>', '<string if "b">', '<string """> + <number 1>'],
    ],
    ['json', ['{"a": [1,', 'true]}'], ['{<name "a">: [<number 1>,', '<keyword true>]}']],
  ])('%s %j', async (grammar, lines, told) => {
    expect(await read(grammar, lines)).toEqual(told);
  });

  test('what no person reads has no colours and costs nothing', async () => {
    const long = 'let a = 1; '.repeat(200);
    expect(await read('typescript', [long, 'a'.repeat(300), 'let'])).toEqual([long, 'a'.repeat(300), '<keyword let>']);
  });
});
