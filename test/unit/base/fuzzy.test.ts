import {describe, expect, test} from 'vitest';
import {fuzzyScorer, noFit} from '../../../src/base/fuzzy.ts';

const encoder = new TextEncoder();
function score(query: string, text: string): number {
  const bytes = encoder.encode(text);
  return fuzzyScorer(encoder.encode(query))(bytes, 0, bytes.length);
}

describe('fuzzy scores', () => {
  test.each<readonly [query: string, better: string, worse: string]>([
    ['engine', 'src/agent/engine.ts', 'src/agent/create-engine.ts'],
    ['engine', 'src/agent/create-engine.ts', 'src/engine/other.ts'],
    ['cts', 'src/create-this-server.ts', 'src/abcdtes.ts'],
    ['pc', 'src/PressComposer.ts', 'src/spice.ts'],
    ['agent/eng', 'src/agent/engine.ts', 'src/agent/x/other-engine.ts'],
    ['readme', 'README.md', 'docs/old/README.md'],
    ['', 'src/', 'src/agent/engine.ts'],
  ])('%s: %s before %s', (query, better, worse) => {
    expect(score(query, better)).toBeGreaterThan(score(query, worse));
    expect(score(query, worse)).not.toBe(noFit);
  });

  test.each([
    ['x', 'abc'],
    ['ba', 'ab'],
    ['abcd', 'abc'],
    ['a', ''],
  ])('%s does not fit %s', (query, text) => {
    expect(score(query, text)).toBe(noFit);
  });

  test('letters beyond ASCII fit as they are', () => {
    expect(score('日本', 'src/日x本.ts')).not.toBe(noFit);
  });
});
