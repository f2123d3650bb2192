import * as fc from 'fast-check';
import {describe, expect, test} from 'vitest';
import {commandsFor} from '../../src/tui/commands/command-list.ts';
import {commandLines, promptCommandLines, helpLines, keyLines} from '../../src/tui/commands/help.ts';
import {keyHelp, KeyReader, type KeyName, type RawKey} from '../../src/tui/terminal/keymap.ts';
import {cellWidth} from '../../src/tui/text/cell-width.ts';
import {themeOf} from '../../src/tui/theme/theme.ts';
import {bareKey} from './support/bare-key.ts';

const named: Readonly<Record<string, Partial<RawKey>>> = {
  Enter: {return: true},
  Tab: {tab: true},
  Esc: {escape: true},
  Up: {upArrow: true},
  Down: {downArrow: true},
  Left: {leftArrow: true},
  Right: {rightArrow: true},
  PgUp: {pageUp: true},
  PgDn: {pageDown: true},
  Home: {home: true},
  End: {end: true},
  Backspace: {backspace: true},
  Delete: {delete: true},
};

/** What a terminal reports for a key as people call it. */
function pressed(label: string) {
  const parts = label.split('+');
  const last = parts.at(-1) ?? '';
  const held = {ctrl: parts.includes('Ctrl'), meta: parts.includes('Alt'), shift: parts.includes('Shift')};
  return new KeyReader().read(last in named ? '' : last.toLowerCase(), {...bareKey, ...held, ...named[last]}, 'prompt');
}

const rows = keyHelp.flatMap(group => group.rows.map(({name, keys}) => ({name, keys})));

test.each(rows.flatMap(({keys, name}) => keys.split(', ').map(key => [key, name] as const)))(
  '%s is read as %s',
  (key, name) => {
    expect(pressed(key)).toEqual([{kind: 'key', name}]);
  },
);

test('every key with a meaning of its own is told of once', () => {
  const every: Record<Exclude<KeyName, 'ignored'>, true> = {
    enter: true,
    newline: true,
    escape: true,
    interrupt: true,
    suspend: true,
    'end-of-input': true,
    left: true,
    right: true,
    up: true,
    down: true,
    'word-left': true,
    'word-right': true,
    'line-start': true,
    'line-end': true,
    'page-up': true,
    'page-down': true,
    top: true,
    bottom: true,
    'delete-left': true,
    'delete-right': true,
    'delete-word': true,
    'delete-word-right': true,
    'delete-to-start': true,
    'delete-to-end': true,
    yank: true,
    undo: true,
    redo: true,
    redraw: true,
    'search-history': true,
    'open-editor': true,
    'expand-paste': true,
    complete: true,
    'next-mode': true,
    'take-terminal': true,
    'to-background': true,
    'paste-image': true,
    expand: true,
    'next-verbosity': true,
  };
  expect(rows.map(({name}) => name).toSorted()).toEqual(Object.keys(every).toSorted());
});

describe('/help', () => {
  const commands = commandsFor('offered');
  const at = (width: number): string => commandLines(commands, {theme: themeOf('plain'), width}).join('\n');

  test('has no line wider than the screen, and every word of every command', () => {
    fc.assert(
      fc.property(fc.integer({min: 12, max: 160}), width => {
        const frame = {theme: themeOf('plain'), width};
        const lines = [...commandLines(commands, frame), ...keyLines(frame), ...helpLines(commands, frame)];
        expect(lines.filter(line => cellWidth(line) > width)).toEqual([]);
        const all = lines.join('').replaceAll(/\s/gu, '');
        for (const {usage, summary} of commands) {
          expect(all).toContain(usage.replaceAll(/\s/gu, ''));
          expect(all).toContain(summary.replaceAll(/\s/gu, ''));
        }
      }),
      {numRuns: 40},
    );
  });

  test('is one screen: every command in one group, and the keys that matter', () => {
    const lines = helpLines(commands, {theme: themeOf('plain'), width: 79});
    expect(lines).toEqual([
      '',
      'Session   /clear  /resume  /rename  /transcript  /copy  /export  /exit',
      'Context   /btw  /context  /compact  /pin  /memory  /cost  /documents  /review',
      'Undo      /undo  /redo  /rewind  /branch  /diff  /blame  /bisect',
      'Model     /model  /effort  /mode  /login  /computer',
      'Project   /permissions  /hooks  /mcp  /trust  /note',
      'Work      /goal  /checks  /todo  /plans  /stack  /ps  /agents',
      'Look      /theme  /verbosity  /statusline  /vim  /editor',
      'weft      /config  /doctor  /demo  /help',
      'Prompt    @file  !command  #note  /command',
      'Keys      Enter send · Ctrl+J new line · Esc stop · Esc Esc rewind · Shift+Tab',
      '          mode · Ctrl+R search prompts · Ctrl+O expand · Ctrl+G editor · Ctrl+C',
      '          twice exit',
      'More      /help commands  /help keys',
    ]);
    const shown = lines.join(' ').match(/(?<=\s\/)[a-z]+/gu) ?? [];
    expect(shown.filter(name => commands.some(command => command.name === name)).toSorted()).toEqual(
      [...commands.map(({name}) => name), 'help', 'help'].toSorted(),
    );
  });

  test('has what each does beside it, or below it where there is little room', () => {
    expect(at(79)).toContain('\n/copy [code | N]        Copy the last answer');
    expect(at(39)).toContain('\n/copy [code | N]\n    Copy the last answer, its last code');
  });

  test('lists the commands of files and servers with who gave them, bounded', () => {
    const frame = {theme: themeOf('plain'), width: 79};
    const command = {
      name: 'git:pr',
      description: 'Review it',
      argumentHint: '[number]',
      kind: 'command',
      source: {kind: 'file', scope: 'user', path: '~/.claude/commands/git/pr.md'},
    } as const;
    const prompt = {
      name: 'mcp__db__\u001b[2J',
      description: '',
      argumentHint: '',
      kind: 'server-prompt',
      source: {kind: 'server', server: 'db'},
    } as const;
    expect(promptCommandLines([], frame)).toEqual([]);
    expect(promptCommandLines([command, prompt], frame)).toEqual([
      '',
      'Commands that send a prompt',
      '/git:pr [number]        Review it (command, ~/.claude/commands/git/pr.md)',
      '/mcp__db__^[[2J         server db',
    ]);
    const many = promptCommandLines(
      Array.from({length: 150}, () => command),
      frame,
    );
    expect([many.length, many.at(-1)]).toEqual([103, '50 more: type / and part of the name']);
  });
});
