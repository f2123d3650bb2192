import * as fc from 'fast-check';
import {describe, expect, test} from 'vitest';
import {decodeText, encodeText, readOnlyEncodingProblem} from '../../../../src/workspace/files/text-encoding.ts';
import {randomInputs} from '../../../support/random-inputs.ts';

/** Hex of texts as `iconv` writes them. */
const samples: readonly [string, string, string][] = [
  ['gb18030', 'd6d0cec4b2e2cad4cec4bcfe0a', '中文测试文件\n'],
  ['gb18030', 'c4e3bac3209532823620656e640a', '你好 𠀀 end\n'],
  ['shift_jis', '93fa967b8cea82cc83658358836782510a955c8ea682b782e90a', '日本語のテスト２\n表示する\n'],
  ['shift_jis', '955c0a', '表\n'],
  // The sign at 8790 stands at 81e0 already, and only those bytes come back.
  ['shift_jis', '93fa967b8cea82cc83658358836781e087900a', '日本語のテスト≒\udc87\udc90\n'],
  ['euc-jp', 'c6fccbdcb8eca4cea5c6a5b9a5c80a', '日本語のテスト\n'],
  ['euc-kr', 'bec8b3e7c7cfbcbcbfe420bcbcb0e80a', '안녕하세요 세계\n'],
  ['big5', 'c163c5e9a4a4a4e5b4fab8d50a', '繁體中文測試\n'],
  ['windows-1252', '4772f6df652093636166e9940a', 'Größe “café”\n'],
  ['windows-1251', 'cff0e8e2e5f220ece8f00aeff0e8ece5f00a', 'Привет мир\nпример\n'],
  ['koi8-r', 'f0d2c9d7c5d420cdc9d20ad0d2c9cdc5d20a', 'Привет мир\nпример\n'],
  ['utf-16le', '610062000a00', 'ab\n'],
  ['utf-16be', 'feff0061e4b80a00', 'a\ue4b8\u0a00'],
  ['utf-8', 'c3a4ffc3b60a', 'ä\udcffö\n'],
  ['utf-8', 'c3a4c3a4c3a4e080bf0a', 'äää\udce0\udc80\udcbf\n'],
  ['unknown', '6120fffe20620a', 'a \udcff\udcfe b\n'],
];

describe('decodeText', () => {
  test.each(samples)('%s %s', (encoding, hex, text) => {
    const decoded = decodeText(Buffer.from(hex, 'hex'));
    expect(decoded).toMatchObject({tag: 'ok', value: {text, form: {encoding}}});
  });

  test.each([['00'], ['610062'], ['fffe610062'], ['feff00']])('%s is binary', hex => {
    expect(decodeText(Buffer.from(hex, 'hex'))).toEqual({tag: 'failed', error: 'binary'});
  });

  test('nothing is lost, whatever the bytes', () => {
    const bytes = fc.oneof(
      fc.uint8Array({min: 1, maxLength: 40}),
      fc.array(fc.constantFrom(0x41, 0x5c, 0x81, 0x8f, 0x95, 0xa4, 0xc3, 0xe9, 0xf0, 0xff), {maxLength: 30}),
      fc.string({unit: 'binary', maxLength: 20}).map(text => Buffer.from(`\ufeff${text}`, 'utf16le')),
    );
    fc.assert(
      fc.property(bytes, raw => {
        const file = Buffer.from(raw);
        const decoded = decodeText(file);
        if (decoded.tag === 'failed' || readOnlyEncodingProblem(decoded.value.form.encoding) !== undefined) return;
        expect(encodeText(decoded.value)?.toString('hex')).toBe(file.toString('hex'));
      }),
      {numRuns: randomInputs(2000)},
    );
  });

  test('a character the encoding does not have is refused, never replaced', () => {
    const decoded = decodeText(Buffer.from('955c0a', 'hex'));
    if (decoded.tag === 'failed') throw new Error('binary');
    expect(encodeText({...decoded.value, text: '\u{1f600}'})).toBeUndefined();
  });
});
