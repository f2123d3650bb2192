import {decodeInput, type RpcInput} from '../../protocol/rpc/decode-input.ts';
import {InputLines, type InputLine} from '../../protocol/rpc/input-lines.ts';

/** A line of the client: understood, or too long to be read. */
export type ClientLine = RpcInput | Extract<InputLine, {kind: 'too-long'}>;

/** What a client writes, line by line, as it arrives. A stream that breaks ends here; what came before counts. */
export async function* clientLines(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<ClientLine, void, undefined> {
  const lines = new InputLines();
  try {
    for await (const chunk of chunks) yield* lines.push(chunk).map(understood);
  } catch {
    // A broken pipe: nothing more comes.
  }
  yield* lines.end().map(understood);
}

const understood = (line: InputLine): ClientLine => (line.kind === 'line' ? decodeInput(line.text) : line);
