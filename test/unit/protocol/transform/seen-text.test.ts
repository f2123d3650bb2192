import {expect, test} from 'vitest';
import {SeenText} from '../../../../src/protocol/transform/message-texts.ts';

test('what is said again differs: all of it since the outermost rollback is given again', () => {
  const seen = new SeenText();
  seen.begin();
  expect(seen.say('one two ')).toEqual({text: 'one two ', opening: 'continues'});
  seen.begin();
  seen.say('three');
  seen.rollback();
  seen.rollback();
  expect(seen.say('one ')).toEqual({text: '', opening: 'continues'});
  seen.begin();
  expect(seen.say('two')).toEqual({text: '', opening: 'continues'});
  seen.rollback();
  expect(seen.say('four')).toEqual({text: 'one four', opening: 'anew'});
  expect(seen.say(' five')).toEqual({text: ' five', opening: 'continues'});
});

test('what is committed is given again only where a reader has seen more and cannot tell where it ends', () => {
  const seen = new SeenText();
  seen.begin();
  seen.say('one two');
  seen.rollback();
  seen.begin();
  seen.say('one');
  seen.commit();
  expect(seen.say(' four')).toEqual({text: 'one four', opening: 'anew'});
  seen.begin();
  seen.say('five');
  seen.commit();
  seen.begin();
  seen.say('six seven');
  seen.rollback();
  expect(seen.settle()).toBe('');
  expect(seen.say('six')).toEqual({text: '', opening: 'continues'});
  expect(seen.settle()).toBe('six');
  expect(seen.settle()).toBe('');
  expect(seen.say(' eight')).toEqual({text: ' eight', opening: 'continues'});
});

test('a text too long to be kept is given twice after a rollback, and nothing else changes', () => {
  const seen = new SeenText();
  const long = 'x'.repeat(5 * 1024 * 1024);
  seen.begin();
  seen.say(long);
  seen.say('end');
  seen.rollback();
  expect(seen.say(long).text).toHaveLength(long.length);
  expect(seen.say('!')).toEqual({text: '!', opening: 'continues'});
});
