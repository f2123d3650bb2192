import {homedir} from 'node:os';
import {stripVTControlCharacters} from 'node:util';
import {firstLine} from '../base/clip.ts';
import {raceAbort} from '../base/race.ts';
import {FaultError} from '../domain/fault.ts';
import {unreachable} from '../base/unreachable.ts';
import {runProgram} from '../workspace/run-program.ts';

/** Something that issues keys, tokens or credentials for some time: a command, or a server that exchanges tokens. */
export interface KeyIssuer {
  readonly id: string;
  /** Issues a new key in place of `stale`, if there is one. Throws a `FaultError`. */
  issue(signal: AbortSignal, stale: string | undefined): Promise<IssuedKey>;
  /** The parts of a key that must never be shown. */
  secrets(text: string): readonly string[];
}

export interface IssuedKey {
  readonly text: string;
  /** The first line that the command printed on stderr; may be empty. */
  readonly said: string;
  /** Milliseconds since the epoch from which the key is no longer used. */
  readonly until: number;
}

export interface KeyCommand {
  readonly command: string;
  /** The name that messages use for the command, at the beginning of a sentence. */
  readonly name: string;
  readonly fix: string;
  /** Returns a better fix for what the command printed on stderr; empty if there is none. */
  readonly fixFor?: (stderr: string) => string;
  readonly environment: NodeJS.ProcessEnv;
  /** Says what is wrong with the printed text; empty if nothing is. */
  readonly check: (text: string) => string;
  readonly until: (text: string) => number;
  /** Milliseconds that the command may take. */
  readonly limitMs?: number;
}

/** Runs a command in a shell, in the home folder, and returns what it printed. */
export async function runKeyCommand(
  {command, name, fix, fixFor = () => '', environment, check, until, limitMs = usualLimitMs}: KeyCommand,
  signal: AbortSignal,
): Promise<IssuedKey> {
  const run = {folder: homedir(), environment, input: '', limitMs, maxOutput: 64 * 1024, children: 'killed'} as const;
  const {kind, code, output, stderr, message} = await runProgram('/bin/sh', ['-c', command], run, signal);
  const said = firstLine(explanationIn(stderr), 300);
  const refuse = (what: string): never => {
    const about = said === '' ? '.' : `: ${said.replace(/\.$/u, '')}.`;
    throw new FaultError(
      {kind: 'needs-user', message: `${name} ${what}${about}`, fix: fixFor(stderr) || fix},
      undefined,
    );
  };
  switch (kind) {
    case 'too-slow':
      return refuse(`took longer than ${limitMs / 1000} seconds`);
    case 'too-much':
      return refuse('printed too much for a key');
    case 'not-started':
    case 'aborted':
      return refuse(`was stopped (${message})`);
    case 'exited': {
      if (code === -1) return refuse('was killed');
      if (code !== 0) return refuse(`failed with exit code ${code}`);
      const text = output.toString('utf8').trim();
      const wrong = text === '' ? 'printed nothing' : check(text);
      return wrong === '' ? {text, said, until: until(text)} : refuse(wrong);
    }
    default:
      return unreachable(kind);
  }
}

/** Returns the line that says what went wrong: the first one, or the last one of a stack trace or of a command's usage. */
function explanationIn(stderr: string): string {
  const lines = stripVTControlCharacters(stderr).trim().split(/\s*\n/u);
  return (/^(?:Traceback|usage:)/iu.test(lines[0] ?? '') ? lines.at(-1) : lines[0]) ?? '';
}

/** Milliseconds for a command to print the key. */
const usualLimitMs = 10_000;

/** Says what is wrong with a text that should be a key. */
export const keyProblem = (text: string): string =>
  /^[\x21-\x7E]{1,16384}$/u.test(text) ? '' : 'printed something other than a key, which is one word';

/** An issue of a key that several requests wait for. The last request that leaves stops it. */
export class SharedIssue {
  readonly #abort = new AbortController();
  readonly #result: Promise<IssuedKey>;
  #waiting = 0;

  constructor(issuer: KeyIssuer, stale: string | undefined) {
    this.#result = issuer.issue(this.#abort.signal, stale);
  }

  async wait(signal: AbortSignal): Promise<IssuedKey> {
    this.#waiting += 1;
    try {
      const result = await raceAbort(this.#result, signal);
      if (result === 'aborted') throw new Error('stopped');
      return result;
    } finally {
      this.#waiting -= 1;
      if (this.#waiting === 0) this.#abort.abort();
    }
  }
}
