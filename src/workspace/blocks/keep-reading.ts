import {spawn} from 'node:child_process';

/**
 * Lets a command live on when weft has ended: somebody has to hold its terminal or pipe open and take what it writes, or it would
 * be hung up or broken off. A small shell holds the open file now, and reads it into `file` once weft is gone.
 */
export function keepReading(source: {
  readonly descriptor: number;
  readonly leader: number;
  readonly file: string;
}): void {
  const child = spawn('/bin/sh', ['-c', script, 'weft-keeper', String(source.leader), source.file || '/dev/null'], {
    cwd: '/',
    detached: true,
    env: {PATH: process.env['PATH'] ?? '/usr/bin:/bin'},
    stdio: ['pipe', 'ignore', 'ignore', source.descriptor],
  });
  child.on('error', () => {});
  child.unref();
  const {stdin} = child;
  if (stdin === null) return;
  stdin.on('error', () => {});
  if ('unref' in stdin && typeof stdin.unref === 'function') stdin.unref();
}

/** The open file is one that does not wait (weft reads it too), so `cat` ends whenever there is nothing to read. */
const script = `
trap '' HUP INT TERM
while read -r _; do :; done
while kill -s 0 -- "-$1" 2>/dev/null; do cat <&3 >>"$2" 2>/dev/null; sleep 0.5 || sleep 1; done
`;
