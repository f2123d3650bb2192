import {describe, expect, test} from 'vitest';
import {syntaxNote} from '../../../../src/workspace/files/syntax-note.ts';

const noteOf = async (path: string, before: string, after: string) =>
  syntaxNote(`/work/${path}`, Buffer.from(before), Buffer.from(after));

describe('a file that parsed before and does not any more', () => {
  test.each([
    ['a.json', '{"a": 1}', '{"a": 1,}', 'JSON'],
    ['package.json', '{"a": 1}', '{"a": 1} // one', 'JSON'],
    ['a.json', '{"a": 1} // one', '{"a": 1 // one', 'JSON'],
    ['tsconfig.json', '{"a": [1,],} // one', '{"a": [1,} // one', 'JSON'],
    ['x.jsonc', '{/* a */}', '{/* a }', 'JSON'],
    ['a.yaml', 'a:\n  - b\n', 'a:\n  - b\n c: d\n', 'YAML'],
    ['a.yml', 'a: 1\n---\nb: 2\n', 'a: 1\n---\nb: [2\n', 'YAML'],
    ['a.yml', 'a: 1\nb: 2\n', 'a: 1\na: 2\n', 'YAML'],
    ['a.ts', 'const a: number = 1;', 'const a: number = ;', 'TypeScript'],
    ['a.d.ts', 'export declare const a: number;', 'export declare const : number;', 'TypeScript'],
    ['a.mts', 'enum A {B}', 'enum A {B', 'TypeScript'],
    ['a.tsx', 'const a = <b>{c as d}</b>;', 'const a = <b>{c as d}</c>;', 'TypeScript'],
    ['a.jsx', 'const a = <b/>;', 'const a = <b>;', 'JavaScript'],
    ['a.js', 'const a = <b/>;', 'const a = <b>;', 'JavaScript'],
    ['a.js', '// @flow\nconst a: ?string = null;', '// @flow\nconst a: ?string = ;', 'JavaScript'],
    ['a.cjs', 'return 1;', 'return 1); ', 'JavaScript'],
    ['a.mjs', 'await x();', 'await x(;', 'JavaScript'],
    ['a.js', 'function f() {}', 'function f() {', 'JavaScript'],
  ])('%s', {tags: 'long'}, async (path, before, after, language) => {
    expect(await noteOf(path, before, after)).toMatch(
      new RegExp(`^before the edit it was valid ${language}, now it is not: [^\\n]+[^.\\n]$`, 'u'),
    );
  });
});

describe('nothing is said', () => {
  test.each([
    ['comments where readers take them', 'tsconfig.json', '{"a": 1}', '{"a": 1, /* one */ // two\n}'],
    ['a base of it', 'tsconfig.base.json', '{"a": 1}', '{"a": 1,}'],
    ["an editor's settings", '.vscode/settings.json', '{"a": 1}', '{"a": 1, // one\n}'],
    ['JSONC', 'x.jsonc', '{}', '{} // "'],
    ['a comment sign in a text', 'x.jsonc', '{"a": "b"}', '{"a": "https://b/*, ]"}'],
    ['what was broken before', 'a.ts', 'const a = ;', 'const a = (;'],
    ['decorators and new syntax', 'a.ts', 'class A {}', '@b() class A { accessor c = 1; static {} }\nusing d = e;'],
    ['a type assertion in angle brackets', 'a.ts', 'a;', 'const a = <b>c;'],
    ['declarations', 'a.d.ts', 'declare const a: 1;', 'export declare function a(): void;\nexport const b: number;'],
    ['JSX in a script', 'a.js', 'a;', 'export const a = () => <b c={d}>{...e}</b>;'],
    ['a script that returns', 'a.cjs', 'a;', '#!/usr/bin/env node\nreturn with_ => 1;'],
    ['a template of YAML', 'a.yaml', '{{- if a }}\nb: {{ c }}\n', '{{- if a }}\nb: {{ c\n'],
    ['tags nobody knows', 'a.yaml', 'a: 1\n', 'a: !Ref b\nc: !Sub "d"\n'],
    ['a language nobody here reads', 'a.py', 'a = 1', 'a = ('],
  ])('%s', {tags: 'long'}, async (_name, path, before, after) => {
    expect(await noteOf(path, before, after)).toBeUndefined();
  });

  test('files that are too long, new, gone or binary', async () => {
    const long = Buffer.from(`"${'x'.repeat(1_000_001)}"`);
    expect(await syntaxNote('/a.json', long, Buffer.from('{'))).toBeUndefined();
    expect(await syntaxNote('/a.json', undefined, Buffer.from('{'))).toBeUndefined();
    expect(await syntaxNote('/a.json', Buffer.from('{}'), undefined)).toBeUndefined();
    expect(await syntaxNote('/a.json', Buffer.from([0, 1, 0]), Buffer.from('{'))).toBeUndefined();
  });

  test('within a bounded time, whatever is in the file', {tags: 'long'}, async () => {
    const start = process.cpuUsage();
    await noteOf('a.yaml', 'a: 1\n', `a: ${'['.repeat(50_000)}`);
    await noteOf('a.json', '{}', '['.repeat(500_000));
    await noteOf('a.jsonc', '{}', `${'/*'.repeat(200_000)}${','.repeat(200_000)}`);
    await noteOf('a.jsonc', '{}', `${','.repeat(100)}${' '.repeat(100_000)}`);
    await noteOf('a.js', 'a', '('.repeat(300_000));
    expect(process.cpuUsage(start).user / 1000).toBeLessThan(5000);
  });
});
