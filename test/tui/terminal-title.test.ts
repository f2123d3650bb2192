import {describe, expect, test} from 'vitest';
import {trackModes} from '../../src/tui/terminal/terminal-modes.ts';
import {openTerminalTitle} from '../../src/tui/terminal/terminal-title.ts';
import {accepted, finished} from './support/events.ts';
import {opening} from './support/scripted-engine.ts';

const titled = (name: string): string => `\u001B]2;${name}: ~/project\u0007`;

describe('keepTitle', () => {
  test('says what the agent does, once, and gives the title back', () => {
    const title = openTerminalTitle({directory: '~/project', notify: 'off'});
    expect([
      title.open(),
      title.after([accepted('go')], 'asks-nothing'),
      title.after([], 'asks-nothing'),
      title.after([], 'asks'),
      title.after([finished({kind: 'done'})], 'asks-nothing'),
      title.close(),
    ]).toEqual([
      `\u001B[22;2t${titled('weft')}`,
      titled('weft (working)'),
      '',
      titled('weft (needs you)'),
      titled('weft'),
      '\u001B[23;2t',
    ]);
  });

  test('names the session, until another one opens', () => {
    const title = openTerminalTitle({directory: '~/project', notify: 'off'});
    const named = {event: 'session-renamed', title: 'Fix the cart'} as const;
    expect([
      title.after([opening, named], 'asks-nothing'),
      title.after([named], 'asks-nothing'),
      title.after([accepted('go')], 'asks-nothing'),
      title.after([opening], 'asks-nothing'),
    ]).toEqual([
      '\u001B]2;weft: Fix the cart · ~/project\u0007',
      '',
      '\u001B]2;weft (working): Fix the cart · ~/project\u0007',
      titled('weft'),
    ]);
  });

  test.each([
    ['bell', '\u0007'],
    ['osc9', '\u001B]9;weft is done\u0007'],
  ] as const)('calls by %s when it is done and the terminal has not the focus', (notify, call) => {
    const title = openTerminalTitle({directory: '~/project', notify});
    title.focusReporting('yes');
    title.after([accepted('go')], 'asks-nothing');
    expect(title.after([finished({kind: 'done'})], 'asks-nothing')).toBe(titled('weft'));
    title.after([accepted('go')], 'asks-nothing');
    title.focus('no');
    expect(title.after([finished({kind: 'done'})], 'asks-nothing')).toBe(titled('weft') + call);
  });

  test('does not call when the user leaves a session that works', () => {
    const title = openTerminalTitle({directory: '~/project', notify: 'bell'});
    title.after([accepted('go')], 'asks-nothing');
    expect(title.after([opening], 'asks-nothing')).toBe(titled('weft'));
    title.after([accepted('go')], 'asks-nothing');
    expect(title.after([opening, accepted('other')], 'asks-nothing')).toBe('');
  });

  test('a hostile folder name cannot end the title', () => {
    expect(
      openTerminalTitle({directory: 'a\u0007\u001B]52;c;eA==\u0007', notify: 'off'}).open().split('\u0007'),
    ).toHaveLength(2);
  });
});

describe('trackModes', () => {
  test('knows what to undo, whoever has written it', () => {
    let changes = 0;
    const modes = trackModes(() => changes++);
    modes.observe('\u001B[?2004h\u001B[?25l\u001B[>4;1m\u001B[m\u001B[>1u\u001B[22;2t\u001B[31mtext\u001B[39m');
    expect(modes.resetSequence()).toBe(
      '\u001B[?2026l\u001B[?7h\u001B[?45l\u001B[?2004l\u001B[?25h\u001B[>4m\u001B[m\u001B[<1u\u001B[23;2t',
    );
    modes.observe('\u001B[>4m\u001B[m\u001B[?25h\u001B[<u\u001B[?2004l\u001B[23;2t');
    expect(modes.resetSequence()).toBe('');
    expect(changes).toBe(2);
  });

  test('leaves wrapping on, also after a frame that was written without it, whole or in half', () => {
    const modes = trackModes(() => {});
    modes.observe('\u001B[?2004h\u001B[?7lframe\u001B[?7h');
    const reset = '\u001B[?2026l\u001B[?7h\u001B[?45l\u001B[?2004l';
    expect(modes.resetSequence()).toBe(reset);
    modes.observe('\u001B[?7lhalf a fra');
    expect(modes.resetSequence()).toBe(`${reset}\u001B[?7h`);
  });
});
