import * as fc from 'fast-check';
import {expect, test} from 'vitest';
import {folderInstructions, instructionsFileIn, reminderBlock} from '../../../src/domain/reminder.ts';

test('of which file a reminder holds the instructions is known again, whatever the file is named and says', () => {
  fc.assert(
    fc.property(fc.string(), fc.string(), (path, text) => {
      expect(instructionsFileIn(reminderBlock(folderInstructions(path, text)))).toBe(path);
    }),
  );
  const others = [
    reminderBlock('Instructions of x, for the files'),
    {kind: 'text', text: folderInstructions('/a', 'b')},
  ] as const;
  expect(others.map(instructionsFileIn)).toEqual([undefined, undefined]);
});
