import {writeFile} from 'node:fs/promises';
import {join} from 'node:path';
import * as fc from 'fast-check';
import {describe, expect, test} from 'vitest';
import {imageFacts} from '../../../../src/domain/image-facts.ts';
import {makeImages} from '../../../../src/workspace/files/images.ts';
import {readersFor} from '../../../../src/workspace/clipboard.ts';
import {never, temporaryFolder} from '../temporary-folder.ts';

const bytes = (...parts: readonly (string | readonly number[])[]): Buffer =>
  Buffer.concat(parts.map(part => (typeof part === 'string' ? Buffer.from(part, 'latin1') : Buffer.from(part))));

const png = bytes([0x89], 'PNG\r\n', [0x1a, 0x0a, 0, 0, 0, 13], 'IHDR', [0, 0, 2, 0x80, 0, 0, 1, 0xe0, 8, 6, 0, 0, 0]);
const jpeg = bytes([0xff, 0xd8, 0xff, 0xe0, 0, 4, 1, 1, 0xff, 0xc0, 0, 11, 8, 0, 20, 0, 30, 1, 1, 0x11, 0]);

const programs = (platform: NodeJS.Platform, environment: Record<string, string>): readonly string[] => [
  ...new Set(readersFor(platform, environment).map(({program}) => program)),
];

describe('images', () => {
  test.each([
    ['png', png, {mediaType: 'image/png', width: 640, height: 480}],
    ['jpeg', jpeg, {mediaType: 'image/jpeg', width: 30, height: 20}],
    ['gif', bytes('GIF89a', [5, 0, 7, 0, 0]), {mediaType: 'image/gif', width: 5, height: 7}],
    [
      'webp',
      bytes('RIFF', [0, 0, 0, 0], 'WEBPVP8X', [10, 0, 0, 0, 0, 0, 0, 0, 99, 0, 0, 49, 0, 0]),
      {mediaType: 'image/webp', width: 100, height: 50},
    ],
    ['a cut png', png.subarray(0, 12), {mediaType: 'image/png', width: 0, height: 0}],
    ['a cut jpeg', jpeg.subarray(0, 9), {mediaType: 'image/jpeg', width: 0, height: 0}],
    ['text', bytes('hello'), undefined],
    ['nothing', bytes(''), undefined],
  ] as const)('%s', (_, content, facts) => {
    expect(imageFacts(content)).toEqual(facts);
  });

  test('whatever the bytes are, they are told or none', () => {
    const heads = [png, jpeg, bytes('GIF89a'), bytes('RIFF', [0, 0, 0, 0], 'WEBPVP8L'), bytes('')];
    fc.assert(
      fc.property(fc.constantFrom(...heads), fc.uint8Array({maxLength: 60}), (head, rest) => {
        const facts = imageFacts(Buffer.concat([head, rest]));
        expect(facts === undefined || (facts.width >= 0 && facts.height >= 0)).toBe(true);
      }),
    );
  });

  test('are read by path or address; what is none, too large or missing says so', async () => {
    using folder = temporaryFolder();
    const images = makeImages({directory: folder.path, home: folder.path, environment: {}});
    await writeFile(join(folder.path, 'my shot.png'), png);
    await writeFile(join(folder.path, 'no.png'), 'text');
    await writeFile(join(folder.path, 'large.png'), Buffer.concat([png, Buffer.alloc(5_000_000)]));
    const image = {kind: 'image', mediaType: 'image/png', data: png.toString('base64')};
    const found = {tag: 'ok', value: {name: 'my shot.png', width: 640, height: 480, image}};
    expect(await images.read(join(folder.path, 'my shot.png'), never)).toEqual(found);
    expect(await images.read('~/my shot.png', never)).toEqual(found);
    expect(await images.read(`file://${folder.path}/my%20shot.png`, never)).toEqual(found);
    expect(await images.read('no.png', never)).toMatchObject({
      error: {message: 'no.png is not a PNG, JPEG, GIF or WebP image.'},
    });
    expect(await images.read('large.png', never)).toMatchObject({
      error: {message: expect.stringMatching(/the limit for an image is/u)},
    });
    const wide = Buffer.from(png);
    wide.writeUInt32BE(12_345, 16);
    await writeFile(join(folder.path, 'wide.png'), wide);
    expect(await images.read('wide.png', never)).toMatchObject({
      error: {
        message: expect.stringMatching(
          /^wide\.png is an image of 12,345 × 480 pixels; a side may have at most 8,000\. Make a smaller copy/u,
        ),
      },
    });
    expect(await images.read('missing.png', never)).toMatchObject({tag: 'failed'});
    expect(await images.read('.', never)).toMatchObject({tag: 'failed'});
  });

  test.skipIf(process.platform !== 'linux')('a clipboard nobody can read says what to do', async () => {
    using folder = temporaryFolder();
    const said = async (environment: Record<string, string>): Promise<unknown> =>
      makeImages({directory: folder.path, home: folder.path, environment}).fromClipboard(never);
    const nowhere = {PATH: folder.path};
    expect(await said(nowhere)).toMatchObject({error: {message: 'No clipboard here that weft can read'}});
    expect(await said({...nowhere, SSH_CONNECTION: '1 2 3 4'})).toMatchObject({
      error: {message: "Can't read your own machine's clipboard over SSH"},
    });
    expect(await said({...nowhere, DISPLAY: ':0'})).toMatchObject({
      error: {message: "Can't read the clipboard: xclip is not installed"},
    });
  });

  test.skipIf(process.platform !== 'linux')(
    'an image on the clipboard is read by the program that has it',
    async () => {
      using folder = temporaryFolder();
      await writeFile(join(folder.path, 'shot'), png);
      await writeFile(
        join(folder.path, 'wl-paste'),
        `#!/bin/sh\ncase "$*" in *image/png*) exec cat '${folder.path}/shot';; esac\nexit 1\n`,
        {mode: 0o755},
      );
      const environment = {PATH: `${folder.path}:/usr/bin:/bin`, WAYLAND_DISPLAY: 'w'};
      const images = makeImages({directory: folder.path, home: folder.path, environment});
      expect(await images.fromClipboard(never)).toMatchObject({value: {name: 'clipboard', width: 640, height: 480}});
      await writeFile(join(folder.path, 'shot'), '');
      expect(await images.fromClipboard(never)).toMatchObject({
        error: {message: 'No image in the clipboard'},
      });
    },
  );

  test('each system has its own programs', () => {
    expect(programs('darwin', {})).toEqual(['pngpaste', 'osascript']);
    expect(programs('linux', {WAYLAND_DISPLAY: 'w', DISPLAY: ':0', WSL_DISTRO_NAME: 'u'})).toEqual([
      'wl-paste',
      'xclip',
      'powershell.exe',
    ]);
    expect(programs('linux', {})).toEqual([]);
  });
});
