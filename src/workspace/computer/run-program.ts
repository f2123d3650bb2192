import {spawn} from 'node:child_process';
import {failed, ok, type Outcome} from '../../base/outcome.ts';
import {causeText} from '../../domain/fault.ts';
import type {Environment} from '../exec/shell-environment.ts';
import {findProgram} from '../exec/trusted-path.ts';
import type {ProgramCall} from './desktop.ts';

/** Runs a program to its end; a failure says why, as the end of a sentence. An abort kills it. */
export type RunProgram = (call: ProgramCall, signal: AbortSignal) => Promise<Outcome<Buffer, string>>;

const limitMs = 30_000;

/** The most that is read of a program. */
const mostPrinted = 64_000_000;
const mostComplaint = 2000;

/** What programs for a display are given of the environment: nothing that holds secrets. */
const passed = /^(?:PATH|HOME|USER|DISPLAY|XAUTHORITY|WAYLAND_DISPLAY|XDG_\w+|YDOTOOL_SOCKET|LANG|LC_\w+|TMPDIR)$/u;

export const programRunner =
  (environment: Environment): RunProgram =>
  async ({program, args, stdin}, signal) => {
    if (signal.aborted) return failed('was interrupted');
    const path = findProgram(program);
    if (path === undefined) return failed('is not installed');
    const env = Object.fromEntries(Object.entries(environment).filter(([name]) => passed.test(name)));
    const {promise, resolve} = Promise.withResolvers<Outcome<Buffer, string>>();
    const child = spawn(path, args, {env, stdio: 'pipe'});
    const printed: Buffer[] = [];
    let size = 0;
    let complaint = '';
    let broken = '';
    const breakOff = (why: string): void => {
      broken ||= why;
      child.kill('SIGKILL');
    };
    const interrupt = (): void => breakOff('was interrupted');
    const timer = setTimeout(() => breakOff(`did not end in ${limitMs / 1000} s`), limitMs);
    signal.addEventListener('abort', interrupt, {once: true});
    child.stdout.on('data', (part: Buffer) => {
      size += part.length;
      if (size > mostPrinted) breakOff('printed too much');
      else printed.push(part);
    });
    child.stderr.on('data', (part: Buffer) => {
      if (complaint.length < mostComplaint) complaint += part.toString();
    });
    child.stdin.on('error', () => {});
    child.stdin.end(stdin);
    child.once('error', cause => resolve(failed(`did not start: ${causeText(cause)}`)));
    child.once('close', code => {
      const said = complaint.trim().split('\n', 1)[0] ?? '';
      if (broken !== '') resolve(failed(broken));
      else if (code === 0) resolve(ok(Buffer.concat(printed)));
      else resolve(failed(`failed${said === '' ? ` with exit code ${code}` : `: ${said.slice(0, 300)}`}`));
    });
    const end = await promise;
    clearTimeout(timer);
    signal.removeEventListener('abort', interrupt);
    return end;
  };
