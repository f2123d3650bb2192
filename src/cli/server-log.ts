import {randomBytes} from 'node:crypto';
import {appendFileSync, chmodSync, renameSync, statSync} from 'node:fs';
import {dirname} from 'node:path';
import {visibleLine} from '../base/visible.ts';
import {makeFolders} from '../config/make-folders.ts';
import {causeText} from '../domain/fault.ts';
import {makeRedactor} from '../safety/secrets/redactor.ts';
import {note} from '../app/output.ts';

/** Bytes after which the log begins anew. The lines before are kept beside it, once. */
const maxBytes = 1024 * 1024;

/**
 * Opens the log of a server or worker: each line goes to stderr and, with its time, to `file`. Secrets are redacted in both. A log that
 * cannot be written must not end the server.
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
      // stderr has the line.
    }
  };
}

/** Keeps the process going when background work fails where no code waits for it. Node would end the process. */
export function surviveFaults(log: (line: string) => void): void {
  // Node raises a rejection that nobody handles as an exception, too.
  process.on('uncaughtException', cause => log(`work in the background failed: ${causeText(cause)}`));
}
