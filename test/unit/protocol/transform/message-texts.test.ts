import {expect, test} from 'vitest';
import {MessageTexts} from '../../../../src/protocol/transform/message-texts.ts';

const long = 'x'.repeat(200_000);

test('of a text too long to be kept its length is known, and what replaces it is taken to begin with it', () => {
  const texts = new MessageTexts();
  expect(texts.replace('m', long).more).toHaveLength(long.length);
  expect(texts.replace('m', long).more).toBe('');
  expect(texts.replace('m', `${long}!`).more).toBe('!');
  expect(texts.extend('m', '?').more).toBe('?');
  expect(texts.replace('m', `${long}!?`).more).toBe('');
});

test('lengths outlast texts', () => {
  const texts = new MessageTexts();
  texts.replace('first', 'Hello');
  for (let other = 0; other < 20; other += 1) texts.replace(`m${other}`, long.slice(0, 100_000));
  expect(texts.replace('first', 'Hello world').more).toBe(' world');
});
