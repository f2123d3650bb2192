import {afterEach, describe, expect, test} from 'vitest';
import type {AgentEvent} from '../../src/actions/agent-event.ts';
import {actionOf} from '../../src/actions/catalogue.ts';
import type {ImageBlock} from '../../src/domain/conversation.ts';
import {actionId} from '../../src/domain/ids.ts';
import {plainFrame} from '../../src/tui/accessible/plain-entry.ts';
import {pictureRows} from '../../src/tui/scrollback/picture.ts';
import {terminalMedia} from '../../src/tui/terminal/media.ts';
import {stripStyles} from '../../src/tui/text/cell-width.ts';
import {type Theme, themeOf} from '../../src/tui/theme/theme.ts';
import {finished} from './support/events.ts';
import {begin, leaveStages, start} from './support/stage.ts';

afterEach(leaveStages);

const look = {theme: 'dark', level: 'truecolor', links: 'osc8', background: 'dark'} as const;

/** A PNG header of that size. Nothing here decodes the rest. */
function png(width: number, height: number): ImageBlock {
  const bytes = Buffer.alloc(48);
  bytes.write('\u0089PNG\r\n\u001A\n', 'latin1');
  bytes.writeUInt32BE(width, 16);
  bytes.writeUInt32BE(height, 20);
  return {kind: 'image', mediaType: 'image/png', data: bytes.toString('base64')};
}

const shot = {name: 'shot.png', path: '/w/shot.png'};
const rows = (image: ImageBlock, pictures: Theme['pictures'], width = 100) =>
  pictureRows(image, shot, {
    ...plainFrame,
    theme: themeOf(look, 'dark', {pictures, directory: '/w', repository: ''}),
    width,
  });

test.each([
  [{TERM: 'xterm-kitty'}, 'kitty', 'linked'],
  [{TERM: 'xterm-256color', KITTY_WINDOW_ID: '1'}, 'kitty', 'linked'],
  [{TERM: 'xterm-ghostty', TERM_PROGRAM: 'ghostty'}, 'kitty', 'linked'],
  [{TERM: 'xterm-256color', TERM_PROGRAM: 'iTerm.app'}, 'iterm', 'linked'],
  [{TERM: 'xterm-256color', TERM_PROGRAM: 'WezTerm'}, 'iterm', 'linked'],
  [{TERM: 'xterm-kitty', SSH_CONNECTION: 'a 1 b 22'}, 'kitty', 'plain'],
  [{TERM: 'xterm-256color', TERM_PROGRAM: 'vscode', SSH_CONNECTION: 'a 1 b 22'}, 'none', 'linked'],
  [{TERM: 'tmux-256color', TMUX: '/tmp/tmux', KITTY_WINDOW_ID: '1'}, 'none', 'plain'],
  [{TERM: 'xterm-kitty', TMUX: '/tmp/tmux'}, 'none', 'plain'],
  [{TERM: 'dumb', TERM_PROGRAM: 'iTerm.app'}, 'none', 'plain'],
  [{TERM: 'xterm-256color'}, 'none', 'linked'],
] as const)('a terminal with %o', (environment, pictures, files) => {
  expect(terminalMedia(environment)).toEqual({pictures, files});
});

describe('a picture', () => {
  test('is text cells in kitty, and keeps its proportions in a bounded height', () => {
    const drawn = rows(png(800, 400), 'kitty');
    expect(drawn).toHaveLength(10);
    expect(drawn[0]).toMatch(
      // oxlint-disable-next-line no-control-regex -- sequences begin with ESC
      /^\u001B_Ga=T,U=1,f=100,i=\d+,p=1,c=40,r=10,q=2,m=0;iVBORw0KGgo[A-Za-z0-9+/=]+\u001B\\\u001B\[38;2;/u,
    );
    expect(drawn.map(row => stripStyles(row).split('\u{10EEEE}').length - 1)).toEqual(
      Array.from({length: 10}, () => 40),
    );
    expect(drawn[0]?.split('\u001B\\')[1]).not.toBe(drawn[1]);
    expect(rows(png(100, 20), 'kitty')).toHaveLength(1);
    expect(rows(png(800, 400), 'kitty', 20)).toHaveLength(5);
  });

  test('is drawn over empty rows in iTerm2, and the cursor comes back', () => {
    const image = png(400, 200);
    expect(rows(image, 'iterm')).toEqual([
      `${'\u001BD'.repeat(9)}\u001B[9A\u001B7\u001B]1337;File=inline=1;size=48;width=40;height=10;preserveAspectRatio=1;doNotMoveCursor=1:${image.data}\u0007\u001B8`,
      ...Array.from({length: 9}, () => ''),
    ]);
    expect(rows(image, 'iterm').map(stripStyles).join('')).toBe('');
  });

  test.each([
    ['in a terminal without pictures', png(800, 400), 'none', 'PNG 800×400 · 48 bytes'],
    ['of too many pixels', png(8000, 8000), 'kitty', 'PNG 8000×8000 · 48 bytes'],
    ['without a size', png(0, 0), 'iterm', 'PNG · 48 bytes'],
    ['that kitty does not decode', {...png(1, 1), mediaType: 'image/jpeg', data: '/9j/'}, 'kitty', 'JPEG · 3 bytes'],
    [
      'whose data is an escape sequence',
      {...png(800, 400), data: `${png(800, 400).data}\u0007\u001B[2J`},
      'iterm',
      'PNG 800×400 · 51 bytes',
    ],
  ] as const)('%s is a line with name, size and link', (_, image, pictures, facts) => {
    const lines = rows(image, pictures);
    expect(lines.map(stripStyles)).toEqual([`shot.png · ${facts}`]);
    expect(lines[0]).toContain(';file:///w/shot.png\u001B\\');
    expect(lines[0]).not.toContain('\u001B[2J');
    expect(lines[0]?.split('\u0007')).toHaveLength(1);
  });
});

test('a picture that the agent read stands once in the scrollback, whatever the size of the window', async () => {
  const {screen, engine} = await start([80, 30], {look, media: {pictures: 'kitty', files: 'linked', repository: ''}});
  const input = {requests: [{path: 'shot.png', offset: 1, limit: 2000}]};
  const action = actionOf('read-files', input);
  const id = actionId('r1');
  const image = png(200, 80);
  const read: readonly AgentEvent[] = [
    ...begin,
    {event: 'action-queued', id, action, label: 'Read shot.png'},
    {event: 'action-started', id, action, preview: {kind: 'none'}},
    {
      event: 'action-settled',
      call: {kind: 'tool-call', id, name: 'Read', input: {}},
      result: {
        tag: 'action',
        result: {
          name: 'read-files',
          input,
          settled: {
            state: 'success',
            output: {files: [{state: 'read', file: {kind: 'image', path: '/home/user/project/shot.png', image}}]},
          },
        },
      },
      toolResult: {kind: 'tool-result', id, content: [], outcome: 'success'},
      durationMs: 1,
    },
  ];
  engine.emit(...read);
  engine.emit(finished({kind: 'done'}));
  await screen.until(/Explored {2}read shot\.png\n[^]*\u{10EEEE}/u);
  screen.resize(60, 30);
  screen.resize(70, 24);
  await screen.type('x');
  await screen.until(/› x/u);
  const shown = await screen.everything();
  expect(shown.filter(row => row.includes('\u{10EEEE}'))).toHaveLength(4);
  expect(shown.filter(row => row.includes('read shot.png'))).toHaveLength(1);
});
