import {randomBytes} from 'node:crypto';
import {appendFileSync, chmodSync, renameSync, statSync} from 'node:fs';
import {dirname} from 'node:path';
import {visibleLine} from '../base/visible.ts';
import {makeFolders} from '../config/make-folders.ts';
import {causeText} from '../domain/fault.ts';
import {makeRedactor} from '../safety/secrets/redactor.ts';
import {note} from '../app/output.ts';

/** Bytes after which the log is rotated. One older log is kept next to it. */
const maxBytes = 1024 * 1024;

/**
 * Opens the log of a server or worker. Each line goes to stderr and, with its time, to `file`. Secrets are redacted in both.
 * A failure to write the log must not end the server.
 */
export function openServerLog(file: string): (line: string) => void {
  const {redact} = makeRedactor({
    environment: {...process.env},
    files: {inRoots: () => [], everywhere: () => []},
    key: () => randomBytes(32),
  });
  return line => {
    const text = visibleLine(redact(line));
    note(text);
    try {
      makeFolders(dirname(file));
      if ((statSync(file, {throwIfNoEntry: false})?.size ?? 0) > maxBytes) renameSync(file, `${file}.1`);
      appendFileSync(file, `${new Date().toISOString()} ${process.pid} ${text}\n`, {mode: 0o600});
      chmodSync(file, 0o600);
    } catch {
      // The line is on stderr in any case.
    }
  };
}

/** Keeps the process running if background work that no code awaits fails. By default, Node would end the process. */
export function surviveFaults(log: (line: string) => void): void {
  // Node also reports an unhandled rejection as an uncaught exception.
  process.on('uncaughtException', cause => log(`background work failed: ${causeText(cause)}`));
}
