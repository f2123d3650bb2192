import {readdirSync, readFileSync, readlinkSync, rmSync} from 'node:fs';
import {join} from 'node:path';
import {lookUntil} from './look-until.ts';

/** Makes the program write a heap snapshot into its folder when it gets SIGUSR2. */
export const withSnapshots = {NODE_OPTIONS: '--heapsnapshot-signal=SIGUSR2'};

/** The number of open files of a process, by kind. Sockets come and go with keep-alive, so they are left out. Linux only. */
export function openHandles(pid: number): Readonly<Record<string, number>> {
  const folder = `/proc/${pid}/fd`;
  const kinds: Record<string, number> = {};
  for (const name of readdirSync(folder)) {
    const target = targetOf(join(folder, name));
    if (!/^(?:socket|gone)$/u.test(target)) kinds[target] = (kinds[target] ?? 0) + 1;
  }
  return kinds;
}

/** The name of an open file without what tells two of a kind apart. */
function targetOf(path: string): string {
  try {
    return readlinkSync(path)
      .replace(/^(?<kind>\w+):\[\d+\]$/u, '$<kind>')
      .replace(/weft-\w{6}/u, 'weft-…');
  } catch {
    return 'gone';
  }
}

/** Bytes of the JavaScript heap that are in use, buffers included and code left out, after all garbage is gone. `folder` is where the process runs. */
export async function heapInUse(pid: number, folder: string, withinMs = 30_000): Promise<number> {
  process.kill(pid, 'SIGUSR2');
  let bytes = 0;
  await lookUntil(
    () => {
      const [name] = readdirSync(folder).filter(each => each.endsWith('.heapsnapshot'));
      if (name === undefined) return false;
      const text = readFileSync(join(folder, name), 'utf8');
      if (!text.trimEnd().endsWith('}')) return false;
      bytes = selfSizes(JSON.parse(text));
      rmSync(join(folder, name));
      return true;
    },
    () => `process ${pid} wrote no heap snapshot`,
    withinMs,
  );
  return bytes;
}

interface Snapshot {
  readonly snapshot: {
    readonly meta: {readonly node_fields: readonly string[]; readonly node_types: readonly unknown[]};
  };
  readonly nodes: readonly number[];
}

/** Compiled code comes and goes with what V8 optimizes, so it does not count. */
function selfSizes({snapshot: {meta}, nodes}: Snapshot): number {
  const [kinds] = meta.node_types;
  const code = new Set(Array.isArray(kinds) ? ['code', 'hidden'].map(kind => kinds.indexOf(kind)) : []);
  const width = meta.node_fields.length;
  const at = meta.node_fields.indexOf('self_size');
  let sum = 0;
  for (let node = 0; node < nodes.length; node += width) if (!code.has(nodes[node] ?? 0)) sum += nodes[node + at] ?? 0;
  return sum;
}
