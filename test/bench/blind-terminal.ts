import {PassThrough, Writable} from 'node:stream';

/** A terminal of 120 by 40 that counts what is written to it and keeps nothing. */
export interface BlindTerminal {
  readonly stdin: NodeJS.ReadStream;
  readonly stdout: NodeJS.WriteStream;
  writtenBytes(): number;
  type(keys: string): void;
}

export function openBlindTerminal(): BlindTerminal {
  let writtenBytes = 0;
  const output = Object.assign(
    new Writable({
      decodeStrings: false,
      write(chunk: string | Buffer, _encoding, done) {
        writtenBytes += chunk.length;
        done();
      },
    }),
    {isTTY: true, columns: 120, rows: 40},
  );
  const input = Object.assign(new PassThrough(), {
    isTTY: true,
    setRawMode: () => input,
    ref: () => input,
    unref: () => input,
  });
  return {
    /* oxlint-disable typescript/no-unsafe-type-assertion -- the parts of TTY streams that are used */
    stdin: input as unknown as NodeJS.ReadStream,
    stdout: output as unknown as NodeJS.WriteStream,
    /* oxlint-enable typescript/no-unsafe-type-assertion */
    writtenBytes: () => writtenBytes,
    type: keys => void input.write(keys),
  };
}
