import {readFileSync} from 'node:fs';
import {join} from 'node:path';
import {fileURLToPath} from 'node:url';

const dist = fileURLToPath(new URL('../../dist', import.meta.url));

/** Returns the code of each chunk of the built program, by the path that it has in stack traces. */
export function builtChunks(): ReadonlyMap<string, string> {
  const code = readFileSync(join(dist, 'chunks.js'), 'latin1');
  const table = readFileSync(join(dist, 'weft.js'), 'latin1').matchAll(/([\w.-]+-[\w-]{8}\.js) (\d+) (\d+)/gu);
  return new Map(
    Array.from(table, ([, name = '', at, length]) => {
      const start = Number(at);
      return [join(dist, 'chunks', name), code.slice(start, start + Number(length))] as const;
    }),
  );
}
