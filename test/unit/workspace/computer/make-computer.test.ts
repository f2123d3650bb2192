import {existsSync, readFileSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {Script} from 'node:vm';
import {describe, expect, test} from 'vitest';
import {type ComputerStep, maxBytes} from '../../../../src/actions/computer-port.ts';
import {failed, ok, type Outcome} from '../../../../src/base/outcome.ts';
import {faultText} from '../../../../src/domain/fault.ts';
import type {ProgramCall} from '../../../../src/workspace/computer/desktop.ts';
import {type Display, findDesktop, type FoundDesktop} from '../../../../src/workspace/computer/find-desktop.ts';
import {makeComputer} from '../../../../src/workspace/computer/make-computer.ts';
import {aborted} from '../../../support/memory-ports.ts';
import {never, temporaryFolder} from '../temporary-folder.ts';

/** The header of a PNG of that size, and nothing else. */
function png(width: number, height: number, length = 100): Buffer {
  const bytes = Buffer.alloc(length);
  Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]).copy(bytes);
  bytes.writeUInt32BE(width, 16);
  bytes.writeUInt32BE(height, 20);
  return bytes;
}

type Run = (call: ProgramCall, signal: AbortSignal) => Promise<Outcome<Buffer, string>>;

/** Programs that tell what they were started with, and answer as `answer` says. */
function openDesk(found: FoundDesktop | undefined, answer: Run) {
  const folder = temporaryFolder();
  const ran: string[] = [];
  const file = join(folder.path, 'shot.png');
  const computer = makeComputer({
    found,
    async run(call, signal) {
      const {program, args, stdin} = call;
      ran.push([program, ...args].join(' ').replaceAll(file, 'FILE') + (stdin === '' ? '' : ` < ${stdin}`));
      return answer(call, signal);
    },
    newFile: () => file,
  });
  return {computer, ran, file, [Symbol.dispose]: () => folder[Symbol.dispose]()};
}

const desktop = (display: Display, ...programs: readonly string[]): FoundDesktop => ({display, programs, missing: []});

/** An X server of 1920 by 1080: screenshots are 1280 by 720. */
const largeScreen: Run = async ({args}) =>
  ok(args[0] === 'getdisplaygeometry' ? Buffer.from('1920 1080\n') : png(1280, 720));

const steps = (...kinds: readonly ComputerStep[]): readonly ComputerStep[] => kinds;

const everyStep = steps(
  {kind: 'move', at: {x: 640, y: 360}},
  {kind: 'click', at: {x: 0, y: 0}, button: 'left', times: 1},
  {kind: 'click', at: {x: 1279, y: 719}, button: 'right', times: 2},
  {kind: 'drag', from: {x: 100, y: 100}, to: {x: 200, y: 100}},
  {kind: 'type', text: 'a "b"\n'},
  {kind: 'keys', modifiers: ['ctrl', 'shift'], key: {character: '/'}},
  {kind: 'keys', modifiers: [], key: {named: 'pageup'}},
  {kind: 'scroll', at: {x: 10, y: 10}, direction: 'down', notches: 3},
  {kind: 'scroll', at: {x: 10, y: 10}, direction: 'left', notches: 1},
);

describe('X11', () => {
  test('every step is a start of xdotool, on the pixels of the screen; typed text is no argument', async () => {
    using desk = openDesk(desktop('x11', 'import', 'xdotool'), largeScreen);
    for (const step of everyStep) expect(await desk.computer.act(step, never)).toEqual(ok(undefined));
    expect(desk.ran).toEqual([
      'xdotool getdisplaygeometry',
      'xdotool mousemove 960 540',
      'xdotool mousemove 0 0 click 1',
      'xdotool mousemove 1919 1079 click --repeat 2 --delay 80 3',
      'xdotool mousemove 150 150 mousedown 1 sleep 0.1 mousemove 225 150 sleep 0.1 mousemove 300 150 sleep 0.1 mouseup 1',
      'xdotool type --delay 8 --file - < a "b"\n',
      'xdotool key --clearmodifiers ctrl+shift+U002F',
      'xdotool key --clearmodifiers Prior',
      'xdotool mousemove 15 15 click --repeat 3 --delay 20 5',
      'xdotool mousemove 15 15 click --repeat 1 --delay 20 6',
    ]);
  });

  test.each([
    ['import', 'import -silent -window root -resize 1280x720! png:-'],
    ['magick', 'magick import -silent -window root -resize 1280x720! png:-'],
  ])('%s makes the screenshot smaller, and a copy is kept', async (program, start) => {
    using desk = openDesk(desktop('x11', program, 'xdotool'), largeScreen);
    const bytes = png(1280, 720);
    expect(await desk.computer.screenshot(never)).toEqual(
      ok({
        width: 1280,
        height: 720,
        bytes: bytes.length,
        screen: {width: 1920, height: 1080},
        path: desk.file,
        image: {kind: 'image', mediaType: 'image/png', data: bytes.toString('base64')},
      }),
    );
    expect([desk.ran.at(-1), readFileSync(desk.file)]).toEqual([start, bytes]);
  });

  test('scrot writes a second file, of which nothing stays', async () => {
    let second = '';
    using desk = openDesk(desktop('x11', 'scrot', 'xdotool'), async ({program, args}) => {
      if (program !== 'scrot') return ok(Buffer.from('1600 900'));
      second = (args.at(-1) ?? '').replace(/\.png$/u, '-thumb.png');
      writeFileSync(args.at(-1) ?? '', png(1600, 900));
      writeFileSync(second, png(1280, 720));
      return ok(Buffer.alloc(0));
    });
    expect(await desk.computer.screenshot(never)).toMatchObject({value: {width: 1280, height: 720, path: desk.file}});
    expect([desk.ran.at(-1), existsSync(second), readFileSync(desk.file)]).toEqual([
      'scrot --overwrite --thumb 1280x720 FILE',
      false,
      png(1280, 720),
    ]);
  });

  test('maim is for screens that need not be made smaller', async () => {
    let geometry = '1024 768';
    using desk = openDesk(desktop('x11', 'maim', 'xdotool'), async ({program}) =>
      ok(program === 'maim' ? png(1024, 768) : Buffer.from(geometry)),
    );
    expect(await desk.computer.screenshot(never)).toMatchObject({value: {width: 1024, height: 768}});
    geometry = '1920 1080';
    const large = await desk.computer.screenshot(never);
    expect(large.tag === 'failed' && faultText(large.error)).toBe(
      "maim can't scale screenshots, and this screen is too large. Install ImageMagick or scrot.",
    );
  });
});

test('Wayland: grim, ydotool and wtype', async () => {
  using desk = openDesk(desktop('wayland', 'grim', 'ydotool', 'wtype'), async () => ok(png(1920, 1080)));
  for (const step of everyStep) expect(await desk.computer.act(step, never)).toEqual(ok(undefined));
  await desk.computer.screenshot(never);
  expect(desk.ran).toEqual([
    'grim -t png -',
    'ydotool mousemove --absolute -x 960 -y 540',
    'ydotool mousemove --absolute -x 0 -y 0',
    'ydotool click --repeat 1 --next-delay 80 0xC0',
    'ydotool mousemove --absolute -x 1919 -y 1079',
    'ydotool click --repeat 2 --next-delay 80 0xC1',
    'ydotool mousemove --absolute -x 150 -y 150',
    'ydotool click 0x40',
    'ydotool mousemove --absolute -x 300 -y 150',
    'ydotool click 0x80',
    'wtype - < a "b"\n',
    'wtype -M ctrl -M shift -k U002F -m shift -m ctrl',
    'wtype -k Prior',
    'ydotool mousemove --absolute -x 15 -y 15',
    'ydotool mousemove --wheel -x 0 -y -3',
    'ydotool mousemove --absolute -x 15 -y 15',
    'ydotool mousemove --wheel -x -1 -y 0',
    'grim -t png -',
    'grim -t png -s 0.666667 -',
  ]);
});

test('macOS: each step is one script, in which text is a string and nothing else', async () => {
  using desk = openDesk(desktop('macos', 'screencapture', 'sips', 'osascript'), async ({program, args}) => {
    if (program === 'screencapture') writeFileSync(args.at(-1) ?? '', png(1280, 720));
    return ok(Buffer.from('1440 810\n'));
  });
  for (const step of everyStep) expect(await desk.computer.act(step, never)).toEqual(ok(undefined));
  expect(await desk.computer.screenshot(never)).toMatchObject({value: {width: 1280, screen: {width: 1440}}});
  const scripts = desk.ran.map(each => each.replace("osascript -l JavaScript - < ObjC.import('CoreGraphics'); ", ''));
  expect(scripts[5]).toBe(String.raw`Application('System Events').keystroke("a \"b\"\n");`);
  expect(scripts[6]).toBe(`Application('System Events').keystroke("/", {"using":["control down","shift down"]});`);
  expect(scripts[7]).toBe(`Application('System Events').keyCode(116, {"using":[]});`);
  expect(desk.ran.slice(-2)).toEqual(['screencapture -x -m -t png FILE', 'sips --resampleHeightWidth 720 1280 FILE']);
  // Each script is JavaScript.
  for (const each of scripts.slice(0, -2)) expect(() => new Script(each)).not.toThrow();
});

describe('what goes wrong is a fault', () => {
  test.each<readonly [string, Run, string]>([
    [
      'the display does not answer',
      async () => failed("failed: Can't open display: (null)"),
      "The screen cannot be used: xdotool failed: Can't open display: (null)",
    ],
    ['a size that is none', async () => ok(Buffer.from('wide')), 'xdotool did not report the size of the screen.'],
    [
      'no picture',
      async ({program}) => ok(program === 'xdotool' ? Buffer.from('800 600') : Buffer.from('<html>')),
      'The screenshot program produced no PNG.',
    ],
    [
      'a picture that is too large',
      async ({program}) => ok(program === 'xdotool' ? Buffer.from('800 600') : png(800, 600, maxBytes + 1)),
      'The screenshot is too large: 3.6 MB, at most 3.6 MB can be sent.',
    ],
  ])('%s', async (_, run, text) => {
    using desk = openDesk(desktop('x11', 'import', 'xdotool'), run);
    const taken = await desk.computer.screenshot(never);
    expect(taken.tag === 'failed' && faultText(taken.error)).toBe(text);
    expect(existsSync(desk.file)).toBe(false);
  });

  test('a point outside of the screenshot: nothing is done', async () => {
    using desk = openDesk(desktop('x11', 'import', 'xdotool'), largeScreen);
    const moved = await desk.computer.act({kind: 'move', at: {x: 1280, y: 5}}, never);
    expect(moved.tag === 'failed' && faultText(moved.error)).toBe('1280,5 is outside the screenshot (1280×720).');
    expect(desk.ran).toEqual(['xdotool getdisplaygeometry']);
  });

  test('a drag that is interrupted lets the button go', async () => {
    const stop = new AbortController();
    using desk = openDesk(desktop('x11', 'import', 'xdotool'), async ({args}, signal) => {
      if (!args.includes('mousedown')) return ok(Buffer.from('800 600'));
      stop.abort();
      await aborted(signal);
      return failed('was interrupted');
    });
    await desk.computer.act({kind: 'drag', from: {x: 1, y: 1}, to: {x: 9, y: 9}}, stop.signal);
    expect(desk.ran.at(-1)).toBe('xdotool mouseup 1');
  });

  test('a wait ends with the interrupt', async () => {
    using desk = openDesk(desktop('x11', 'import', 'xdotool'), largeScreen);
    const stop = new AbortController();
    const waited = desk.computer.act({kind: 'wait', ms: 20_000}, stop.signal);
    stop.abort();
    expect(await waited).toEqual(ok(undefined));
  });

  test('without a display, or without programs, nothing is started', async () => {
    const missing = {display: 'x11', programs: [], missing: [['import', 'scrot', 'maim'], ['xdotool']]} as const;
    const said = [undefined, missing].map(async found => {
      using desk = openDesk(found, largeScreen);
      const probe = await desk.computer.probe(never);
      return [probe.tag === 'failed' && faultText(probe.error), desk.ran];
    });
    expect(await Promise.all(said)).toEqual([
      [
        'The computer cannot be used: there is no display here. Run weft where DISPLAY or WAYLAND_DISPLAY is set, or on macOS.',
        [],
      ],
      ['The computer cannot be used: programs for X11 are missing. Install import, scrot or maim; xdotool.', []],
    ]);
  });
});

test.each<readonly [NodeJS.Platform, Record<string, string>, readonly string[], FoundDesktop | undefined]>([
  ['linux', {}, ['xdotool', 'import'], undefined],
  ['linux', {DISPLAY: ':0'}, ['xdotool', 'scrot', 'maim'], desktop('x11', 'scrot', 'xdotool')],
  [
    'linux',
    {DISPLAY: ':0'},
    ['xdotool'],
    {display: 'x11', programs: ['xdotool'], missing: [['import', 'magick', 'scrot', 'maim']]},
  ],
  // Programs for X11 reach few windows there.
  [
    'linux',
    {DISPLAY: ':0', WAYLAND_DISPLAY: 'wayland-0'},
    ['xdotool', 'import', 'grim'],
    {display: 'wayland', programs: ['grim'], missing: [['ydotool'], ['wtype']]},
  ],
  ['darwin', {}, ['screencapture', 'sips', 'osascript'], desktop('macos', 'screencapture', 'sips', 'osascript')],
])('%s %j with %j', (platform, environment, installed, found) => {
  expect(findDesktop(platform, environment, name => (installed.includes(name) ? `/bin/${name}` : undefined))).toEqual(
    found,
  );
});
