import type {AttachedTerminal} from '../../actions/ports.ts';
import type {TerminalScreen} from './screen.ts';

/** A chunk of a program's output, prepared for the user's own terminal. */
interface AttachedStep {
  /** Whole characters and whole sequences only. */
  readonly text: string;
  /** `repaint`: the program switched to or from its alternate screen, so the current screen must be drawn after `text`. */
  readonly screen: 'same' | 'repaint';
}

/** A string sequence (OSC, DCS, …) longer than this (UTF-16 units) is dropped. */
const maxSequenceLength = 4096;

/**
 * Filters a program's output for the terminal of the user who is attached to it. The program may draw, move the cursor,
 * query the terminal and set key and mouse modes. It may not touch anything that outlives the attachment or is outside
 * the screen: clipboard, title, the terminal's colors, notifications, window, printer, answerback, scrollback. The
 * alternate screen is weft's while the user is attached. Sequences may be split anywhere.
 */
export function makeAttachedOutput(): {push(chunk: string): AttachedStep} {
  let pending = '';
  let isDropping = false;

  function push(chunk: string): AttachedStep {
    let text = pending + (highControl.test(chunk) ? chunk.replaceAll(highControls, toEscape) : chunk);
    pending = '';
    if (isDropping) {
      const end = stringEnd.exec(text);
      if (end === null) {
        pending = text.endsWith('\u001B') ? '\u001B' : '';
        return {text: '', screen: 'same'};
      }
      isDropping = false;
      text = text.slice(end.index + end[0].length);
    }
    if (!control.test(text)) return {text, screen: 'same'};
    const cut = unfinished.exec(text);
    if (cut !== null) {
      if (cut[0].length <= maxSequenceLength) pending = cut[0];
      else isDropping = true;
      text = text.slice(0, cut.index);
    }
    return switchesScreen.test(text)
      ? {
          text: [...text.matchAll(sequence)].map(([one]) => keepSetting(filterSequence(one))).join(''),
          screen: 'repaint',
        }
      : {text: text.replaceAll(sequence, filterSequence), screen: 'same'};
  }

  return {push};
}

/** Returns the sequence in the form that the terminal may have; empty for not at all. */
function filterSequence(sequence: string): string {
  switch (sequence[1]) {
    case '[':
      if (blockedSequences.test(sequence)) return '';
      return sequence.startsWith('\u001B[?') && /[hl]$/u.test(sequence) ? removeBlockedModes(sequence) : sequence;
    case ']':
      return allowedStrings.test(sequence) ? sequence : '';
    case 'c':
      return softReset;
    case undefined:
    case 'P':
    case 'X':
    case '^':
    case '_':
    case '%':
    case ' ':
    case 'l':
    case 'm':
      return '';
    default:
      return sequence;
  }
}

/** Alternate screens, 132 columns, and reports of the window size (the program has one row less). */
const blockedModes = new Set(['3', '47', '1047', '1049', '2048']);

function removeBlockedModes(sequence: string): string {
  const modes = sequence.slice(3, -1).split(';');
  const kept = modes.filter(mode => !blockedModes.has(mode));
  return kept.length === 0 ? '' : `\u001B[?${kept.join(';')}${sequence.slice(-1)}`;
}

/** Keeps a sequence next to a screen switch only if it draws nothing. */
const keepSetting = (sequence: string): string => (settings.test(sequence) ? sequence : '');

/** Replaces a full reset, which would leave the alternate screen and clear the scrollback. */
const softReset = '\u001B[!p\u001B[2J\u001B[H';

/** Converts a one-character control to the form that begins with an escape. */
const toEscape = (character: string): string => `\u001B${String.fromCodePoint((character.codePointAt(0) ?? 0) - 0x40)}`;

/* oxlint-disable no-control-regex -- control characters are what this file is about */
const highControl = /[\u0080-\u009F]/u;
const highControls = /[\u0080-\u009F]/gu;
const control = /[\u0005\u001B]/u;
/** CSI; OSC, DCS, SOS, PM, APC; other escapes; a stray escape; a request for the answerback. */
const sequence =
  /\u001B\[[0-?]*[ -/]*[@-~]|\u001B[\]PX^_][^\u0007\u0018\u001A\u001B]*(?:\u0007|\u001B\\|[\u0018\u001A])?|\u001B(?!\[)[ -/]*[0-~]|\u001B|\u0005/gu;
const unfinished = /\u001B(?:\[[0-?]*[ -/]*|[\]PX^_][^\u0007\u0018\u001A\u001B]*\u001B?|[ -/]*)$/u;
/** Matches sequences for the window and its title, for printers, for checksums of the screen, and for the scrollback. */
const blockedSequences = /[ti]$|\*y$|^\u001B\[3J$/u;
/** Matches sequences for links, and queries of colors. */
const allowedStrings = /^\u001B\](?:8;|1[0-2];\?|4;\d+;\?)/u;
const stringEnd = /\u0007|\u001B\\|[\u0018\u001A]/u;
const switchesScreen = /\u001B\[\?(?:[\d;]*;)?(?:47|1047|1049)(?:;[\d;]*)?[hl]/u;
const settings = /^\u001B(?:\[[?<=>]|\[\d*[cn]$|\[\d* q$|\[[\d;]*r$|[=>]$)/u;
/* oxlint-enable no-control-regex */

/** The view of a block on an attached terminal. */
export interface AttachedView {
  /** Takes the next bytes of the program. Write them to the emulated screen first. */
  push(bytes: Uint8Array): void;
  /** Draws the emulated screen once it has processed all bytes written so far. */
  repaint(): void;
  /** Shows nothing from now on. */
  end(): void;
}

/** Shows the program's own bytes. If they don't determine the screen, it draws the emulated screen. */
export function makeAttachedView(terminal: AttachedTerminal, screen: TerminalScreen): AttachedView {
  const decoder = new TextDecoder('utf-8', {ignoreBOM: true});
  const output = makeAttachedOutput();
  let isEnded = false;
  let needsRepaint = false;
  /** Output that arrived while a repaint is pending; `undefined` if none is. */
  let queued: string | undefined;

  function show(chunk: string): void {
    const step = output.push(chunk);
    if (step.text !== '') terminal.show(step.text);
    if (step.screen === 'repaint') repaint();
  }

  function repaint(): void {
    if (queued !== undefined) {
      needsRepaint = true;
      return;
    }
    queued = '';
    // Draw in this callback: a moment later the emulated screen may have processed more.
    screen.write(new Uint8Array(), draw);
  }

  function draw(): void {
    if (isEnded) return;
    terminal.show(screen.redraw());
    const held = queued ?? '';
    queued = undefined;
    if (held !== '') show(held);
    if (!needsRepaint) return;
    needsRepaint = false;
    repaint();
  }

  return {
    push(bytes) {
      const text = decoder.decode(bytes, {stream: true});
      if (queued === undefined) show(text);
      else queued += text;
    },
    repaint,
    end() {
      isEnded = true;
    },
  };
}
