import {escapeSequence, unfinishedEscapeLength} from '../../base/escape-sequences.ts';

/** The plain text of a chunk of terminal output. */
export interface TextStep {
  /** Text that no later output changes: mostly whole lines. */
  readonly settled: string;
  /** The settled text and the unfinished line, for live display. A redrawn line follows a `\r`. */
  readonly live: string;
}

export interface TerminalText {
  push(text: string): TextStep;
  /** Returns the unfinished line. Call this after the last output. */
  end(): string;
}

/** A longer line (in UTF-16 units) settles before its end, which bounds the memory for output without line breaks. */
const maxLineLength = 8192;

/**
 * Converts terminal output to plain text. Escape sequences and control characters are removed, and backspaces remove the character before
 * them. A line redrawn with carriage returns keeps its last state. Sequences may be split anywhere.
 */
export function makeTerminalText(): TerminalText {
  let pending = '';
  let line = '';
  let returned = false;
  let shown = '';

  function push(chunk: string): TextStep {
    let text = pending + chunk;
    pending = '';
    if (hasControl.test(text)) {
      const end = text.length - unfinishedEscapeLength(text, 'text');
      pending = text.slice(end);
      text = text.slice(0, end);
      text = text.replace(escapeSequence, '').replace(strayControl, '');
    }
    if (returned || hasRedraw.test(text)) {
      const settled = redraw(text);
      return {settled, live: watch(settled)};
    }
    const settled = append(text);
    shown = line;
    return {settled, live: text};
  }

  function append(text: string): string {
    const end = text.lastIndexOf('\n') + 1;
    let settled = '';
    if (end > 0) {
      settled = line + text.slice(0, end);
      line = text.slice(end);
    } else {
      line += text;
    }
    if (line.length <= maxLineLength) return settled;
    settled += line;
    line = '';
    return settled;
  }

  function redraw(text: string): string {
    let settled = '';
    for (let from = 0; from < text.length;) {
      let at = from;
      while (at < text.length && !isMark(text.charCodeAt(at))) at += 1;
      const mark = text[at];
      if (at > from) {
        if (returned) line = '';
        returned = false;
        settled += append(text.slice(from, at));
      }
      from = at + 1;
      if (mark === '\n') {
        settled += `${line}\n`;
        line = '';
        returned = false;
      } else if (mark === '\r') {
        returned = true;
      } else if (mark === '\b' && !returned) {
        line = line.slice(0, -1);
      }
    }
    return settled;
  }

  function watch(settled: string): string {
    const now = settled + line;
    const live = now.startsWith(shown) ? now.slice(shown.length) : `\r${now}`;
    shown = line;
    return live;
  }

  return {
    push,
    end() {
      const rest = line;
      line = '';
      return rest;
    },
  };
}

/** True for a line feed, a carriage return and a backspace. */
const isMark = (code: number): boolean => code === 10 || code === 13 || code === 8;

/* oxlint-disable no-control-regex -- control characters are what this file is about */
const hasControl = /[\u0000-\u0007\u000b\u000c\u000e-\u001f\u007f-\u009f]/u;
const hasRedraw = /[\r\b]/u;
const strayControl = /[\u0000-\u0007\u000b\u000c\u000e-\u001f\u007f-\u009f]+/gu;
/* oxlint-enable no-control-regex */
