import {answerBytes} from '../../actions/files-port.ts';
import {clip} from '../../base/clip.ts';

/** A line longer than this (UTF-16 units) is cut. */
export const longestShownLine = 2000;

export interface CollectedLines {
  readonly lines: readonly string[];
  readonly totalLines: number;
  /** Numbers of the lines that were cut. */
  readonly cut: readonly number[];
  readonly full: 'within-bound' | 'bound-reached';
}

export interface LineCollector {
  add(text: string): void;
  end(): CollectedLines;
}

/** Collects lines `first` to `first + limit - 1` (1-based) of text that comes in pieces, and counts all of them. */
export function collectLines(range: {readonly first: number; readonly limit: number}): LineCollector {
  const lines: string[] = [];
  const cut: number[] = [];
  let bytes = 0;
  let full = false;
  let number = 1;
  let line = '';
  let lineLength = 0;

  const wanted = (): boolean => !full && number >= range.first && number < range.first + range.limit;

  function grow(part: string): void {
    lineLength += part.length;
    // A little more than is shown, so that a line end in two characters is seen whole.
    if (wanted() && line.length <= longestShownLine + 1) line += part.slice(0, longestShownLine + 2 - line.length);
  }

  function endLine(): void {
    if (wanted()) {
      const bare = line.endsWith('\r') && line.length === lineLength ? line.slice(0, -1) : line;
      const shown = clip(bare, longestShownLine);
      bytes += Buffer.byteLength(shown) + 1;
      if (bytes > answerBytes && lines.length > 0) {
        full = true;
      } else {
        lines.push(shown);
        if (shown !== bare) cut.push(number);
      }
    }
    number += 1;
    line = '';
    lineLength = 0;
  }

  return {
    add(text) {
      let start = 0;
      for (let end = text.indexOf('\n'); end >= 0; end = text.indexOf('\n', start)) {
        grow(text.slice(start, end));
        endLine();
        start = end + 1;
      }
      if (start < text.length) grow(text.slice(start));
    },
    end() {
      if (lineLength > 0) endLine();
      return {lines, totalLines: number - 1, cut, full: full ? 'bound-reached' : 'within-bound'};
    },
  };
}
