import {expect, test} from 'vitest';
import {knownHarnesses, parseHarnessSessionId} from '../../../src/domain/harness.ts';

test('the id of a harness’s conversation is taken as it is', () => {
  for (const id of ['ses_dfc38b38afferXy7xwuS0sriAC', '0f3428b0-a18a-4656-b604-f76ddbaabe2a', '/home/u/.pi/s.jsonl'])
    expect(parseHarnessSessionId(id)).toBe(id);
});

test('what a program would take for a flag, or for several words, is no id', () => {
  for (const id of ['', '-p', '--dangerously-skip-permissions', 'a b', 'a\nb', 'a\u001B[2J', 'x'.repeat(201)])
    expect(parseHarnessSessionId(id)).toBeUndefined();
});

test('weft knows five harnesses', () => {
  expect(knownHarnesses).toEqual(['claude', 'codex', 'gemini', 'opencode', 'pi']);
});
