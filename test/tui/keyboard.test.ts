import {PassThrough} from 'node:stream';
import {afterEach, expect, test, vi} from 'vitest';
import {extentQuery} from '../../src/tui/terminal/cursor-position.ts';
import {openKeyboard} from '../../src/tui/terminal/keyboard.ts';

afterEach(() => vi.useRealTimers());

function open() {
  vi.useFakeTimers({toFake: ['setTimeout', 'clearTimeout']});
  const input = new PassThrough({encoding: 'utf8'});
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the part of a TTY stream that a keyboard uses
  const keyboard = openKeyboard(input as unknown as NodeJS.ReadStream, () => {});
  const keys: string[] = [];
  keyboard.stdin.on('readable', () => {
    for (let found: unknown = keyboard.stdin.read(); found !== null; found = keyboard.stdin.read()) {
      if (typeof found === 'string') keys.push(found);
    }
  });
  const send = async (bytes: string): Promise<void> => {
    input.write(bytes);
    await new Promise(resolve => setImmediate(resolve));
  };
  return {keyboard, keys, send};
}

test('a terminal that answers at all is waited for: on a busy machine its width comes late', async () => {
  const {keyboard, keys, send} = open();
  await send('\u001B[>84;0;0c');
  const width = keyboard.askPositions(extentQuery, () => {});
  vi.advanceTimersByTime(1500);
  await send('\u001B[7;60R');
  expect([await width, keys]).toEqual([[{row: 7, column: 60}], []]);
});

test('one that has never answered is not, and what it says later is no key', async () => {
  const {keyboard, keys, send} = open();
  const width = keyboard.askPositions(extentQuery, () => {});
  vi.advanceTimersByTime(300);
  expect(await width).toBeUndefined();
  await send('\u001B[7;60Ra');
  expect(keys).toEqual(['a']);
});

test('an answer that is late is not taken for that to the next question', async () => {
  const {keyboard, send} = open();
  const first = keyboard.askPositions(extentQuery, () => {});
  vi.advanceTimersByTime(300);
  await first;
  const second = keyboard.askPositions(extentQuery, () => {});
  await send('\u001B[7;60R');
  await send('\u001B[7;80R');
  expect(await second).toEqual([{row: 7, column: 80}]);
});

test('one that is cut anywhere is found, and no byte of it is a key', async () => {
  const whole = '\u001B[17;160R';
  for (let at = 1; at < whole.length; at++) {
    const {keyboard, keys, send} = open();
    const extent = keyboard.askPositions(extentQuery, () => {});
    await send(`a${whole.slice(0, at)}`);
    await send(`${whole.slice(at)}b`);
    expect([await extent, keys.join('')]).toEqual([[{row: 17, column: 160}], 'ab']);
  }
});

test('to a program that has the terminal for now go its keys and its own answers, not those that weft waits for', async () => {
  const {keyboard} = open();
  const late: string[] = [];
  const guest = (text: string): string => keyboard.forAttachedProgram(text, rest => void late.push(rest));
  expect(guest('a\u001B[?0ub')).toBe('ab');
  expect(guest('\u001B[?0u')).toBe('\u001B[?0u');
  expect(guest('\u001B[>84;0;0c\u001B[>84;0;0c')).toBe('\u001B[>84;0;0c');
  expect(guest('x\u001B]11;rgb:1e1e/1e')).toBe('x');
  expect(guest('1e/1e1e\u001B\\y')).toBe('y');
  expect([guest('\u001B'), guest('\u001B[A'), guest('\u001B[1;5C'), guest('\u001B[I')]).toEqual([
    '\u001B',
    '\u001B[A',
    '\u001B[1;5C',
    '\u001B[I',
  ]);
  expect(guest('\u001B[?20')).toBe('');
  vi.advanceTimersByTime(1000);
  expect(late).toEqual(['\u001B[?20']);
  expect(guest('\u001B[?2026;2$y')).toBe('');
  expect(guest('\u001B[?20')).toBe('\u001B[?20');
});
