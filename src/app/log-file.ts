import {appendFileSync, chmodSync, renameSync, statSync} from 'node:fs';
import {dirname} from 'node:path';
import type {AgentEvent} from '../actions/agent-event.ts';
import type {AgentClient} from '../agent/client.ts';
import {visibleLine} from '../base/visible.ts';
import {makeFolders} from '../config/make-folders.ts';
import {causeText, faultText} from '../domain/fault.ts';
import {outputRedactor} from './output-redactor.ts';

/** Bytes after which the log is rotated. One older log is kept next to it. */
const maxBytes = 5 * 1024 * 1024;

/**
 * Opens weft's log. Each line goes to `tell` and, with its time, to `file`. Secrets are redacted in both. A failure to write the
 * log must not end weft.
 */
export function openLog(file: string, tell: (line: string) => void = () => {}): (line: string) => void {
  const {redact} = outputRedactor(process.env);
  return line => {
    const text = visibleLine(redact(line));
    tell(text);
    try {
      makeFolders(dirname(file));
      if ((statSync(file, {throwIfNoEntry: false})?.size ?? 0) > maxBytes) renameSync(file, `${file}.1`);
      appendFileSync(file, `${new Date().toISOString()} ${process.pid} ${text}\n`, {mode: 0o600});
      chmodSync(file, 0o600);
    } catch {
      // A full disk has its own error elsewhere.
    }
  };
}

/** Logs what went wrong in a session. The conversation is not part of the log. */
export function logProblems(engine: AgentClient, log: (line: string) => void): void {
  let session = '';
  engine.subscribe(events => {
    for (const event of events) {
      if (event.event === 'session-opened') {
        const {id, model, provider} = event.session;
        session = `session ${id} of ${model} (${provider})`;
      }
      const problem = problemOf(event);
      if (problem === undefined) continue;
      // Most sessions have no problem, and then write nothing.
      if (session !== '') log(session);
      session = '';
      log(problem);
    }
  });
}

function problemOf(event: AgentEvent): string | undefined {
  if (event.event === 'notice') return event.level === 'warning' ? `warning: ${event.text}` : undefined;
  if (event.event === 'repaired') return `repaired a request: ${event.text}`;
  if (event.event === 'retrying')
    return `the request failed, attempt ${event.attempt}: ${event.status} ${event.message}`;
  if (event.event !== 'prompt-finished' || event.summary.end.kind !== 'failed') return undefined;
  return `the prompt failed: ${faultText(event.summary.end.fault)}`;
}

/** Returns the text of an unexpected error for the log, with the place where it happened. */
export const crashLine = (cause: unknown): string =>
  `crashed: ${cause instanceof Error ? (cause.stack ?? cause.message) : causeText(cause)}`;

/** Keeps the process running if background work that no code awaits fails. By default, Node would end the process. */
export function surviveFaults(log: (line: string) => void): void {
  // Node also reports an unhandled rejection as an uncaught exception.
  process.on('uncaughtException', cause => {
    log(`background work failed: ${causeText(cause)}`);
  });
}
