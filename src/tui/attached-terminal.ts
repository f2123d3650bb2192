import type {BlockDesk} from '../actions/ports.ts';
import {faultText} from '../domain/fault.ts';
import type {BlockId} from '../domain/ids.ts';
import {unreachable} from '../base/unreachable.ts';
import {visibleLine} from '../base/visible.ts';
import {fit} from './text/cell-width.ts';

export interface AttachOptions {
  readonly stdin: NodeJS.ReadStream;
  readonly stdout: NodeJS.WriteStream;
  readonly desk: BlockDesk;
  readonly block: BlockId;
  readonly command: string;
}

/** How the user's terminal came back; `refused` in words. */
export type AttachEnd =
  | {readonly kind: 'detached'}
  | {readonly kind: 'ended'}
  | {readonly kind: 'refused'; readonly message: string};

/** How it ended, for the user. */
export function attachText(block: BlockId, end: AttachEnd): string {
  switch (end.kind) {
    case 'detached':
      return `The terminal is weft's again; ${block} goes on.`;
    case 'ended':
      return `${block} has ended.`;
    case 'refused':
      return end.message;
    default:
      return unreachable(end);
  }
}

/** Ctrl+] as a terminal sends it, plainly and in the kitty keyboard protocol. */
const detachKeys = ['\u001D', '\u001B[93;5u'] as const;

/**
 * Gives the user's terminal to a block until the detach key, the end of the block or an abort; nothing else may use the
 * terminal meanwhile, and it has to be in raw mode. The block gets all rows but the last, which names the key; the
 * screen from before comes back at the end.
 */
export async function attachTerminal(options: AttachOptions, signal: AbortSignal): Promise<AttachEnd> {
  const {stdin, stdout, desk, block} = options;
  const {promise: end, resolve: finish} = Promise.withResolvers<AttachEnd>();
  const sizeOf = () => ({columns: Math.max(1, stdout.columns), rows: Math.max(1, stdout.rows - 1)});
  const frame = makeFrame(options);
  stdout.write(takeScreen + frame.region());
  const attached = desk.attach(block, {
    size: sizeOf(),
    show: bytes => stdout.write(frame.around(bytes)),
    ended: () => finish({kind: 'ended'}),
  });
  if (attached.tag === 'failed') {
    stdout.write(giveScreenBack);
    return {kind: 'refused', message: faultText(attached.error)};
  }
  const attachment = attached.value;
  const decoder = new TextDecoder();
  const onKeys = (chunk: Buffer | string): void => {
    const keys = typeof chunk === 'string' ? chunk : decoder.decode(chunk, {stream: true});
    const at = detachAt(keys);
    const own = at === undefined ? keys : keys.slice(0, at);
    if (own !== '') attachment.write(own);
    if (at !== undefined) finish({kind: 'detached'});
  };
  const onResize = (): void => {
    stdout.write(frame.region());
    attachment.resize(sizeOf());
  };
  const onAbort = (): void => finish({kind: 'detached'});
  stdin.on('data', onKeys);
  stdin.resume();
  stdin.on('end', onAbort);
  stdout.on('resize', onResize);
  signal.addEventListener('abort', onAbort, {once: true});
  if (signal.aborted) onAbort();
  try {
    return await end;
  } finally {
    stdin.off('data', onKeys);
    stdin.off('end', onAbort);
    stdin.pause();
    stdout.off('resize', onResize);
    signal.removeEventListener('abort', onAbort);
    attachment.detach();
    stdout.write(giveScreenBack);
  }
}

function detachAt(keys: string): number | undefined {
  const found = detachKeys.map(key => keys.indexOf(key)).filter(at => at >= 0);
  return found.length === 0 ? undefined : Math.min(...found);
}

/** The last row is weft's: the block scrolls above it, and whatever it clears, the row is drawn again. */
function makeFrame({stdout, block, command}: AttachOptions) {
  const region = (): string => `\u001B7\u001B[1;${Math.max(1, stdout.rows - 1)}r\u001B8`;
  const row = (): string => {
    const text = fit(
      ` Ctrl+] gives it back to weft | ${block}: ${visibleLine(command)}`,
      Math.max(1, stdout.columns - 1),
    );
    return `\u001B7\u001B[${stdout.rows};1H\u001B[0;7m\u001B[2K${text}\u001B[0m\u001B8`;
  };
  return {
    region: () => region() + row(),
    around(bytes: string): string {
      // A program that frees the scroll region, or resets the terminal, would scroll our row away.
      const freed = bytes.includes('\u001B[r') || bytes.includes('\u001Bc') || bytes.includes('\u001B[!p');
      const kept = bytes.replaceAll('\u001B[r', `\u001B[1;${Math.max(1, stdout.rows - 1)}r`);
      return kept + (freed ? region() : '') + row();
    },
  };
}

/** The alternate screen: what was on the terminal stays untouched below it. */
const takeScreen = '\u001B[?1049h\u001B[2J\u001B[H';

/** Everything a program may have switched on, and back to the screen from before. */
const giveScreenBack =
  '\u001B[r\u001B[0m\u001B[?25h\u001B[?1l\u001B>\u001B[?7h\u001B[?12l' +
  '\u001B[?1000l\u001B[?1002l\u001B[?1003l\u001B[?1004l\u001B[?1005l\u001B[?1006l\u001B[?1015l\u001B[?2004l\u001B[?2026l\u001B[<u\u001B[>4;0m' +
  '\u001B[0 q\u001B[2J\u001B[?1049l';
