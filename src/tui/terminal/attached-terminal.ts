import type {Op} from '../../agent/client.ts';
import {unreachable} from '../../base/unreachable.ts';
import {visibleLine} from '../../base/visible.ts';
import type {BlockId} from '../../domain/ids.ts';
import type {View} from '../state/view.ts';
import {restoreScreen} from './terminal-modes.ts';
import type {TerminalSessions} from './terminal-sessions.ts';
import {fit} from '../text/cell-width.ts';

interface AttachOptions extends AttentionWatch {
  readonly stdin: NodeJS.ReadStream;
  readonly stdout: NodeJS.WriteStream;
  readonly terminals: TerminalSessions;
  readonly block: BlockId;
  readonly command: string;
  /** Removes replies to weft's terminal queries from the input. Delayed input that turns out not to be a reply goes to `later`. */
  forBlock(text: string, later: (text: string) => void): string;
}

/** Why the terminal was detached from the block; `refused` has a message for the user. */
export type AttachEnd =
  | {readonly kind: 'detached'}
  | {readonly kind: 'ended'}
  | {readonly kind: 'refused'; readonly message: string};

/** The message for the user after the terminal was detached. */
export function attachText(program: string, end: AttachEnd): string {
  switch (end.kind) {
    case 'detached':
      return `Back in weft; ${visibleLine(program)} keeps running`;
    case 'ended':
      return `${visibleLine(program)} has ended`;
    case 'refused':
      return end.message;
    default:
      return unreachable(end);
  }
}

/**
 * Returns the operations that answer open requests to hand this block's terminal to the user. A running command of the user continues in
 * the background.
 */
export const opsAfterDetaching = (
  {handOvers, terminalNeeded}: Pick<View, 'handOvers' | 'terminalNeeded'>,
  block: BlockId,
  end: AttachEnd,
): readonly Op[] => [
  ...handOvers
    .filter(open => open.block === block)
    .map(({id}): Op => ({op: 'answer-hand-over', id, end: end.kind === 'refused' ? 'declined' : end.kind})),
  ...(terminalNeeded !== 'none' && terminalNeeded.block === block && end.kind === 'detached'
    ? [{op: 'move-to-background', id: terminalNeeded.id} as const]
    : []),
];

/**
 * Matches Ctrl+] as a plain byte, in the kitty keyboard protocol (with any lock on), and as xterm's modified key.
 * An attached program may have enabled either protocol.
 */
// oxlint-disable-next-line no-control-regex -- keys are control characters
const detachKey = /\u001D|\u001B\[93(?::\d*)*;(?:5|69|133|197)(?::1)?(?:;\d*)?u|\u001B\[27;5;93~/u;

/**
 * Gives the user's terminal to a block until the detach key, the end of the block or an abort. The terminal must be in raw
 * mode, and nothing else may use it until then. The block gets all rows but the last, which names the key. Afterwards
 * the previous screen is back.
 */
export async function attachTerminal(options: AttachOptions, signal: AbortSignal): Promise<AttachEnd> {
  const {stdin, stdout, terminals, block} = options;
  const {promise: end, resolve: finish} = Promise.withResolvers<AttachEnd>();
  const sizeOf = () => ({columns: Math.max(1, stdout.columns), rows: Math.max(1, stdout.rows - 1)});
  const frame = makeFrame(options);
  stdout.write(takeScreen + frame.region());
  const attachment = terminals.attach(block, {
    size: sizeOf(),
    show: bytes => stdout.write(frame.around(bytes)),
    left: finish,
  });
  const decoder = new TextDecoder();
  /** The keys after the detach key. They go to weft. */
  let after = '';
  let isOver = false;
  const onKeys = (chunk: Buffer | string): void => {
    const sent = typeof chunk === 'string' ? chunk : decoder.decode(chunk, {stream: true});
    const keys = options.forBlock(sent, late => {
      if (!isOver) attachment.write(late);
    });
    const found = detachKey.exec(keys);
    const own = found === null ? keys : keys.slice(0, found.index);
    if (own !== '') attachment.write(own);
    if (found === null) return;
    after = keys.slice(found.index + found[0].length);
    stdin.off('data', onKeys);
    stdin.pause();
    finish({kind: 'detached'});
  };
  const onResize = (): void => {
    stdout.write(frame.region());
    attachment.resize(sizeOf());
  };
  const onAbort = (): void => finish({kind: 'detached'});
  const unwatch = watchAttention(options, () => stdout.write(frame.row()));
  stdin.on('data', onKeys);
  stdin.resume();
  stdin.on('end', onAbort);
  stdout.on('resize', onResize);
  signal.addEventListener('abort', onAbort, {once: true});
  if (signal.aborted) onAbort();
  try {
    return await end;
  } finally {
    isOver = true;
    stdin.off('data', onKeys);
    stdin.off('end', onAbort);
    stdin.pause();
    if (after !== '') stdin.unshift(after);
    stdout.off('resize', onResize);
    unwatch();
    signal.removeEventListener('abort', onAbort);
    attachment.detach();
    stdout.write(restoreScreen);
    // A pause takes effect a tick later. A reader that starts before that would never get a key.
    await new Promise<void>(resolve => void setImmediate(resolve));
  }
}

/** Keeps the last row for weft. The block scrolls and moves above it. If the block clears the screen, the row is drawn again. */
function makeFrame({stdout, block, command, awaitsAnswer: asks}: AttachOptions) {
  const rows = (): number => Math.max(1, stdout.rows - 1);
  const region = (): string => `\u001B7\u001B[1;${rows()}r\u001B8`;
  const row = (): string => {
    const way = 'Ctrl+] back to weft';
    const back = asks() ? answerNeeded(way) : way;
    const text = fit(` ${back} · ${visibleLine(command) || block}`, Math.max(1, stdout.columns - 1));
    return `\u001B7\u001B[${stdout.rows};1H\u001B[0;7m\u001B[2K${text}\u001B[0m\u001B8`;
  };
  return {
    row,
    region: () => region() + row(),
    /** Adapts the block's output; `bytes` must contain whole escape sequences. */
    around(bytes: string): string {
      if (!bytes.includes('\u001B')) return bytes;
      const above = bytes
        .replaceAll(scrollRegion, (_, top: string, bottom: string | undefined) => {
          const last = Math.min(Number(bottom ?? '') || rows(), rows());
          return `\u001B[${top === '' ? '1' : top};${last}r`;
        })
        .replaceAll(rowMove, (_, to: string, rest: string) => `\u001B[${Math.min(Number(to), rows())}${rest}`);
      if (!clearing.test(above)) return above;
      return `${above}${above.includes('\u001B[!p') ? region() : ''}${row()}`;
    },
  };
}

/* oxlint-disable no-control-regex -- sequences of the terminal */
const scrollRegion = /\u001B\[(\d*)(?:;(\d*))?r/gu;
const rowMove = /\u001B\[(\d+)((?:;\d*)?[Hfd])/gu;
/** Matches sequences that clear the screen or the part below the cursor, reset the terminal, or fill it with a test pattern. */
const clearing = /\u001B\[(?:\??[0-2]?J|!p)|\u001B#8/u;
/* oxlint-enable no-control-regex */

const takeScreen = '\u001B[?1049h\u001B[2J\u001B[H';

/** Returns the line that says that an answer is needed, on a screen that covers the card. `way` names the key that leads there. */
export const answerNeeded = (way: string): string => `weft needs your answer · ${way}`;

/** Watches whether weft needs an answer from the user. `watch` calls the listener when that may have changed. */
export interface AttentionWatch {
  readonly awaitsAnswer: () => boolean;
  readonly watch: (listener: () => void) => () => void;
}

/** Calls `onChange` whenever weft starts or stops waiting for the user. Returns a function that stops watching. */
export function watchAttention({awaitsAnswer: asks, watch}: AttentionWatch, onChange: () => void): () => void {
  let asked = asks();
  return watch(() => {
    if (asks() === asked) return;
    asked = !asked;
    onChange();
  });
}
