import {sequenceLength} from './escaped-bytes.ts';
import {multiByteEncodings, unitLength, type CodePage, type MultiByteEncoding} from './code-page.ts';

/** Bytes looked at: more would not change the guess. */
const mostLooked = 256 * 1024;

/** Below this share of bytes that look right an encoding is not believed. */
const leastShare = 0.6;

/**
 * The encoding of bytes that are not all UTF-8 and have no zeros: by how many of those beyond ASCII are what is frequent in
 * texts of that encoding. Mostly UTF-8 is UTF-8 with broken bytes; `unknown` where nothing fits well.
 */
export function guessEncoding(bytes: Uint8Array): CodePage | 'utf-8' | 'unknown' {
  const looked = bytes.subarray(0, mostLooked);
  const shares: [CodePage | 'utf-8', number][] = [
    ['utf-8', utf8Share(looked)],
    ...multiByteEncodings.map((encoding): [CodePage, number] => [encoding, multiByteShare(encoding, looked)]),
    ['windows-1252', westernShare(looked)],
    ...cyrillicShares(looked),
  ];
  let best: readonly [CodePage | 'utf-8' | 'unknown', number] = ['unknown', leastShare];
  for (const share of shares) if (share[1] > best[1]) best = share;
  return best[0];
}

/** A legacy text holds such sequences by chance, so a share of them must be larger to tell. */
function utf8Share(bytes: Uint8Array): number {
  let right = 0;
  let high = 0;
  for (let at = 0; at < bytes.length;) {
    const length = sequenceLength(bytes, at);
    if (length !== 1) high += Math.max(1, length);
    if (length > 1) right += length;
    at += Math.max(1, length);
  }
  return high === 0 ? 0 : right / high;
}

/** One sequence that is none in this encoding is enough against it, the very last apart: it may be cut. */
function multiByteShare(encoding: MultiByteEncoding, bytes: Uint8Array): number {
  let right = 0;
  let units = 0;
  for (let at = 0; at < bytes.length;) {
    const first = bytes[at] ?? 0;
    if (first < 0x80) {
      at += 1;
      continue;
    }
    const length = unitLength(encoding, bytes, at);
    const single = length === 1 && encoding === 'shift_jis' && first >= 0xa1 && first <= 0xdf;
    if (length === 1 && !single) return at >= bytes.length - 4 && bytes.length === mostLooked ? right / units : 0;
    units += 1;
    right += weight[encoding](first, bytes[at + 1] ?? 0);
    at += length;
  }
  if (units === 0) return 0;
  // A few characters that Korean and Chinese bytes have in common are more often Chinese.
  return encoding === 'euc-kr' && units < fewUnits ? (0.95 * right) / units : right / units;
}

const fewUnits = 6;

/** 1 for what is frequent in such texts, 0 for what is not. */
const weight: Readonly<Record<MultiByteEncoding, (first: number, second: number) => number>> = {
  // Punctuation and full-width forms, and the 3,755 most frequent characters.
  gb18030: (first, second) =>
    second >= 0xa1 && ((first >= 0xb0 && first <= 0xd7) || first === 0xa1 || first === 0xa3) ? 0.97 : 0,
  // Punctuation, kana, and the frequent characters; half-width kana rarely.
  shift_jis: (first, second) => {
    if (first === 0x82 || first === 0x83 || first === 0x81) return 1;
    if (first >= 0x88 && first <= 0x97) return 0.95;
    return first >= 0xa1 && first <= 0xdf && second >= 0xa1 && second <= 0xdf ? 0.65 : 0;
  },
  'euc-jp': first =>
    first === 0xa4 || first === 0xa5 ? 1.2 : first === 0xa1 || (first >= 0xb0 && first <= 0xcf) ? 0.9 : 0,
  'euc-kr': (first, second) => (second >= 0xa1 && first >= 0xb0 && first <= 0xc8 ? 1 : first === 0xa1 ? 0.9 : 0),
  big5: (first, second) => (first >= 0xa4 && first <= 0xc6 ? (second < 0x80 ? 1.05 : 0.93) : first === 0xa1 ? 0.93 : 0),
};

/** Letters with accents stand alone between ASCII letters and spaces. */
function westernShare(bytes: Uint8Array): number {
  let right = 0;
  let high = 0;
  let run = 0;
  for (let at = 0; at <= bytes.length; at += 1) {
    const byte = bytes[at] ?? 0;
    if (byte >= 0x80) {
      high += 1;
      run += 1;
      if (isFrequentWestern(byte)) right += 1;
    } else {
      if (run > 2) right -= run;
      run = 0;
    }
  }
  return high === 0 ? 0 : (0.94 * Math.max(0, right)) / high;
}

const isFrequentWestern = (byte: number): boolean =>
  (byte >= 0xc0 &&
    byte !== 0xd7 &&
    byte !== 0xf7 &&
    byte !== 0xfe &&
    byte !== 0xff &&
    byte !== 0xf0 &&
    byte !== 0xd0) ||
  [0x80, 0x85, 0x91, 0x92, 0x93, 0x94, 0x96, 0x97, 0xa0, 0xa3, 0xa7, 0xa9, 0xab, 0xae, 0xb0, 0xb5, 0xb7, 0xbb].includes(
    byte,
  );

/** Words of two letters and more, all beyond ASCII, small ones mostly: where those lie tells the two apart. */
function cyrillicShares(bytes: Uint8Array): readonly [CodePage, number][] {
  let high = 0;
  let lowRow = 0;
  let highRow = 0;
  let inWords = 0;
  for (let at = 0; at < bytes.length; at += 1) {
    const byte = bytes[at] ?? 0;
    if (byte < 0x80) continue;
    high += 1;
    if (byte >= 0xe0) highRow += 1;
    else if (byte >= 0xc0) lowRow += 1;
    if ((bytes[at - 1] ?? 0) >= 0xc0 || (bytes[at + 1] ?? 0) >= 0xc0) inWords += 1;
  }
  if (high < fewUnits || new Set(bytes).size < fewUnits) return [];
  const share = (0.92 * inWords * (lowRow + highRow)) / (high * high);
  return highRow > 4 * lowRow ? [['windows-1251', share]] : lowRow > 4 * highRow ? [['koi8-r', share]] : [];
}
