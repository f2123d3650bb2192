import {readdirSync, readlinkSync} from 'node:fs';
import {textOf} from '../process-table.ts';

/** The TCP ports on which one of the processes waits for connections, in order. Only Linux can tell; elsewhere none. */
export function listeningPorts(pids: readonly number[]): readonly number[] {
  if (process.platform !== 'linux' || pids.length === 0) return [];
  const ports = new Map<string, number>();
  for (const file of ['/proc/net/tcp', '/proc/net/tcp6']) {
    for (const line of (textOf(file) ?? '').split('\n').slice(1)) {
      const fields = line.trim().split(/\s+/u);
      const [, local, , state] = fields;
      const inode = fields[9];
      if (state === listening && inode !== undefined) ports.set(`socket:[${inode}]`, portOf(local ?? ''));
    }
  }
  if (ports.size === 0) return [];
  const found = new Set<number>();
  for (const pid of pids) {
    for (const target of openFiles(pid)) {
      const port = ports.get(target);
      if (port !== undefined) found.add(port);
    }
  }
  return [...found].toSorted((a, b) => a - b);
}

const listening = '0A';

const portOf = (local: string): number => Number.parseInt(local.slice(local.lastIndexOf(':') + 1), 16);

function openFiles(pid: number): readonly string[] {
  const folder = `/proc/${pid}/fd`;
  try {
    return readdirSync(folder).flatMap(name => {
      try {
        return [readlinkSync(`${folder}/${name}`)];
      } catch {
        return [];
      }
    });
  } catch {
    return [];
  }
}
