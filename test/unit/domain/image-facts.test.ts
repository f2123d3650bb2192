import {expect, test} from 'vitest';
import {failed, ok} from '../../../src/base/outcome.ts';
import {imageFrom} from '../../../src/domain/image-facts.ts';

const png = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
const whole = ok({kind: 'image', mediaType: 'image/png', data: png});
const invalid = failed('is not valid base64');

test.each([
  ['the declared type', png, 'image/png', whole],
  ['another type', png, 'image/jpeg', whole],
  ['a type that models do not read', png, 'image/tiff', whole],
  ['no type', png, undefined, whole],
  ['line breaks', `${png.slice(0, 40)}\r\n${png.slice(40)}`, 'image/png', whole],
  ['no padding', png.slice(0, -2), 'image/png', whole],
  ['a data URL', `data:image/gif;base64,${png}`, undefined, whole],
  ['bytes that show no type', 'AAAA', 'image/webp', ok({kind: 'image', mediaType: 'image/webp', data: 'AAAA'})],
  ['neither', 'AAAA', 'application/pdf', failed('is not a PNG, JPEG, GIF or WebP image')],
  ['other letters', '%%%', 'image/png', invalid],
  ['a letter too many', 'AAAAA', 'image/png', invalid],
  ['nothing', '', 'image/png', invalid],
])('an image in base64: %s', (_name, data, declared, expected) => {
  expect(imageFrom(data, declared)).toEqual(expected);
});

test('an image with a side that is too long names its size', () => {
  const bytes = Buffer.from(png, 'base64');
  bytes.writeUInt32BE(9000, 16);
  expect(imageFrom(bytes.toString('base64'), 'image/png')).toMatchObject({
    error: expect.stringMatching(/^is an image of 9,000 × 1 pixels/u),
  });
});
