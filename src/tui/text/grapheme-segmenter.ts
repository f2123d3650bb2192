/**
 * Divides text into what a user sees as one character each, as `Intl.Segmenter` does. Its first construction takes longer than
 * all else that the first frame needs, so it is made with the first text that needs it. The build gives this to the
 * packages that would make one when they are loaded.
 */
export const graphemeSegmenter = {
  segment: (text: string): Segments =>
    divided.test(text) ? unitsOf(text) : (segmenter ??= makeSegmenter()).segment(text),
};

/** The parts of the result of `Intl.Segmenter` that weft and those packages use. */
type Segments = Iterable<Intl.SegmentData> & Pick<Intl.Segments, 'containing'>;

let segmenter: Intl.Segmenter | undefined;

/** The built program replaces each literal `Intl.Segmenter` with `LazySegmenter`. */
function makeSegmenter(): Intl.Segmenter {
  const {Segmenter} = Intl;
  return new Segmenter(undefined, {granularity: 'grapheme'});
}

/** Splits a text in which every UTF-16 unit is a character. */
const unitsOf = (input: string): Segments => ({
  *[Symbol.iterator]() {
    for (let index = 0; index < input.length; index++) yield {segment: input.charAt(index), index, input};
  },
  containing: (index = 0) =>
    index >= 0 && index < input.length ? {segment: input.charAt(index), index, input} : undefined,
});

const apart =
  '\\u00A1-\\u00AC\\u00AE-\\u02FF\\u2010-\\u2027\\u2030-\\u203B\\u203D-\\u2048\\u204A-\\u205E\\u2190-\\u21FF\\u2387\\u2500-\\u25FC\\u276E\\u276F\\u2713-\\u2718\\u2800-\\u28FF';

/** Matches text of standalone one-cell characters: European letters, punctuation, arrows, lines, boxes and dots. */
export const plainTextPattern = new RegExp(`^[\\u0020-\\u007E${apart}]*$`, 'u');

/** Matches the same text with control characters, including styling, but without the carriage return, which joins with a line feed. */
const divided = new RegExp(`^[\\u0000-\\u000C\\u000E-\\u007F${apart}]*$`, 'u');

/** Replaces `Intl.Segmenter` in packages that create one on load. They segment text only into graphemes. */
export class LazySegmenter {
  segment(text: string): Segments {
    return graphemeSegmenter.segment(text);
  }
}
