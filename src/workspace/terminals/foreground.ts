import {setTimeout as delay} from 'node:timers/promises';
import {makeTerminalText} from '../exec/terminal-text.ts';
import {waitForEnd, type Interruption, timeLimit} from '../exec/time-limit.ts';
import {inputMode, fullScreenThreshold, countCursorMoves, terminalUse} from '../exec/input-wait.ts';
import type {Block} from './block.ts';
import type {BlockEnd} from './block-source.ts';

interface ForegroundOptions {
  readonly timeoutMs: number;
  readonly background: AbortSignal;
  /** Resolves when the command's output has filled the screen. */
  readonly drawn: Promise<void>;
  /** Called at most once. */
  readonly needed: () => void;
}

/**
 * Waits for the end, the time limit, the abort or the move to the background. Calls `needed` when the command needs the user's attention.
 */
export async function waitInForeground(
  block: Block,
  {timeoutMs, background, drawn, needed}: ForegroundOptions,
  signal: AbortSignal,
): Promise<BlockEnd | Interruption> {
  const over = new AbortController();
  void callWhenNeeded();
  try {
    return await waitForEnd(block.ended, {limit: timeLimit('none'), timeoutMs, background}, signal);
  } finally {
    over.abort();
  }

  async function callWhenNeeded(): Promise<void> {
    await Promise.race([drawn, whenWaiting(block, over.signal)]);
    if (!over.signal.aborted) needed();
  }
}

/** Milliseconds between two checks of a command, at first and at most. */
const firstLookMs = 100;
const maxLookMs = 500;

/** Resolves when the command waits for keys: it reads the terminal, or it sleeps in a mode in which it receives each key. */
async function whenWaiting(block: Block, over: AbortSignal): Promise<void> {
  for (let pause = firstLookMs; ; pause = Math.min(pause * 1.5, maxLookMs)) {
    await delay(pause, undefined, {ref: false});
    if (over.aborted) return new Promise<never>(() => {});
    const found = await block.look();
    if (found === 'sure') return;
    if (
      found !== 'ended' &&
      (found === 'likely' || (await isPolling(block))) &&
      (await inputMode(block.source.output)) !== 'lines'
    )
      return;
  }
}

/** Milliseconds of silence after which a program that sleeps until an event counts as waiting. */
const pollingMs = 600;

const isPolling = async (block: Block): Promise<boolean> =>
  block.silentMs() >= pollingMs && (await terminalUse(block.source.leader)) === 'polls';

/** Returns the output of a command as text for live display, until the command fills the screen. Only a terminal can show a full screen. */
export function makeLiveOutput(observe: (text: string) => void): {
  readonly take: (bytes: Uint8Array) => void;
  readonly drawn: Promise<void>;
} {
  const {promise: drawn, resolve} = Promise.withResolvers<void>();
  const decoder = new TextDecoder('utf-8', {ignoreBOM: true});
  const terminal = makeTerminalText();
  let cursorMoves = 0;
  return {
    drawn,
    take(bytes) {
      if (cursorMoves >= fullScreenThreshold) return;
      cursorMoves += countCursorMoves(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength));
      if (cursorMoves >= fullScreenThreshold) return resolve();
      const {live} = terminal.push(decoder.decode(bytes, {stream: true}));
      if (live !== '') observe(live);
    },
  };
}
