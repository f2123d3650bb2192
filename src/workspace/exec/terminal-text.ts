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

/** An unfinished escape sequence with more characters counts as text. */
const maxEscapeLength = 4096;

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
      const cut = unfinishedEscape.exec(text.slice(lastEscapes(text)))?.[0] ?? '';
      if (cut.length <= maxEscapeLength) {
        pending = cut;
        text = text.slice(0, text.length - cut.length);
      }
      text = text.replace(escapeSequence, '').replace(strayControl, '');
    }
    const settled = returned || hasRedraw.test(text) ? redraw(text) : append(text);
    return {settled, live: watch(settled)};
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

/** Returns a position before which no unfinished sequence begins: such a sequence holds at most one more escape character, at its end. */
function lastEscapes(text: string): number {
  const last = text.lastIndexOf(escape);
  const before = last > 0 ? text.lastIndexOf(escape, last - 1) : -1;
  return Math.max(0, before, before < 0 ? last : 0, last < 0 ? text.lastIndexOf(shortEscape) : 0);
}

const escape = '\u001B';
const shortEscape = '\u009B';

/* oxlint-disable no-control-regex -- control characters are what this file is about */
const hasControl = /[\u0000-\u0007\u000b\u000c\u000e-\u001f\u007f-\u009f]/u;
const hasRedraw = /[\r\b]/u;
const strayControl = /[\u0000-\u0007\u000b\u000c\u000e-\u001f\u007f-\u009f]+/gu;

/** CSI; OSC (titles, links); DCS, SOS, PM, APC; two-character and charset sequences. */
const escapeSequence =
  /(?:\u001b\[|\u009b)[0-?]*[ -/]*[@-~]|\u001b\][^\u0007\u001b\n]*(?:\u0007|\u001b\\)|\u001b[PX^_][^\u001b\n]*\u001b\\|\u001b[ -/]*[0-OQ-WYZ\\`-~]/gu;

const unfinishedEscape = /(?:(?:\u001b\[|\u009b)[0-?]*[ -/]*|\u001b[\]PX^_][^\u0007\u001b\n]*\u001b?|\u001b[ -/]*)$/u;
/* oxlint-enable no-control-regex */
