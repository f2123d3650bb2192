import {StringDecoder} from 'node:string_decoder';

/** Characters of one line; of a longer one only its beginning is kept, which then is no JSON. */
const longestLine = 16 * 1024 * 1024;

/** The lines of a stream as they come, ended by line feeds alone, counted from 1. The last needs no end. */
export async function* eachLine(
  stream: NodeJS.ReadableStream,
): AsyncGenerator<{readonly line: string; readonly number: number}> {
  const decoder = new StringDecoder('utf8');
  let pieces: string[] = [];
  let kept = 0;
  let number = 1;
  const keep = (piece: string): void => {
    if (kept < longestLine) pieces.push(piece.slice(0, longestLine - kept));
    kept += piece.length;
  };
  const take = (): {readonly line: string; readonly number: number} => {
    const line = pieces.join('');
    pieces = [];
    kept = 0;
    return {line, number: number++};
  };
  for await (const chunk of stream) {
    const text = typeof chunk === 'string' ? chunk : decoder.write(chunk);
    let from = 0;
    for (let end = text.indexOf('\n'); end >= 0; end = text.indexOf('\n', from)) {
      keep(text.slice(from, end));
      from = end + 1;
      yield take();
    }
    keep(text.slice(from));
  }
  keep(decoder.end());
  if (kept > 0) yield take();
}
