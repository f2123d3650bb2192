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

/**
 * The open file is one that does not wait (weft reads it too), so `head` ends whenever there is nothing to read: soon after, there
 * may be more. At most 4 MB are taken at a time, and what would make the file longer than 512 MB is dropped: an endless printer
 * must neither fill the disk nor cost a core.
 */
const script = `
trap '' HUP INT TERM
while read -r _; do :; done
while kill -s 0 -- "-$1"; do
  size=$(wc -c <"$2")
  if [ "$size" -ge 536870912 ]; then file=/dev/null; else file=$2; fi
  head -c 4194304 <&3 >>"$file"
  if [ "$(wc -c <"$2")" -gt "$size" ]; then sleep 0.02 || sleep 1; else sleep 0.5 || sleep 1; fi
done 2>/dev/null
`;
