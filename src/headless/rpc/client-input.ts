import {raceTimeout} from '../../base/race.ts';
import type {InitializeRequest} from '../../protocol/rpc/control-message.ts';
import {decodeInput, type RpcInput} from '../../protocol/rpc/decode-input.ts';
import {type InputLine, InputLines} from '../../protocol/rpc/input-lines.ts';

export type ClientLine = RpcInput | Extract<InputLine, {kind: 'too-long'}>;

/** Yields the client's messages as they arrive. A broken stream ends the input; earlier messages count. */
export async function* clientLines(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<ClientLine, void, undefined> {
  const lines = new InputLines();
  try {
    for await (const chunk of chunks) yield* lines.push(chunk).map(understood);
  } catch {
    // A broken pipe: there is no more input.
  }
  yield* lines.end().map(understood);
}

const understood = (line: InputLine): ClientLine => (line.kind === 'line' ? decodeInput(line.text) : line);

interface Opening {
  /** All lines read so far, in order. */
  readonly lines: readonly ClientLine[];
  readonly initialize: InitializeRequest | undefined;
  readonly initializeId: string | undefined;
  readonly input: 'open' | 'ended';
  /** The following lines. */
  readonly rest: AsyncIterable<ClientLine>;
}

/**
 * Reads up to `initialize`, or up to the first message that needs a session at once. A client that sends something else and then nothing
 * for `silenceMs` milliseconds is waiting for an answer, so it gets its session without `initialize`.
 */
export async function readOpening(
  lines: AsyncGenerator<ClientLine, void, undefined>,
  silenceMs = 500,
): Promise<Opening> {
  const read: ClientLine[] = [];
  const opened = {lines: read, initialize: undefined, initializeId: undefined, input: 'open', rest: lines} as const;
  for (;;) {
    const coming = lines.next();
    const next = await (read.length === 0 ? coming : raceTimeout(coming, silenceMs));
    if (next === 'timeout') return {...opened, rest: from(coming, lines)};
    if (next.done === true) return {...opened, input: 'ended'};
    const line = next.value;
    if (line.kind === 'keep-alive') continue;
    read.push(line);
    if (line.kind === 'request' && line.request.subtype === 'initialize') {
      return {...opened, initialize: line.request, initializeId: line.id};
    }
    if (line.kind === 'prompt' || line.kind === 'too-long') return opened;
  }
}

async function* from(
  coming: Promise<IteratorResult<ClientLine, void>>,
  lines: AsyncGenerator<ClientLine, void, undefined>,
): AsyncGenerator<ClientLine, void, undefined> {
  const first = await coming;
  if (first.done === true) return;
  yield first.value;
  yield* lines;
}
