import * as z from 'zod/mini';
import {firstLine} from '../base/clip.ts';
import {ok} from '../base/outcome.ts';
import {unreachable} from '../base/unreachable.ts';
import {defineAction, text, toolForm} from './define-action.ts';
import type {ShellReport} from './ports.ts';

export interface CommandInput {
  readonly command: string;
  readonly timeoutMs: number;
  /**
   * The model's own view: hints for the judge that can only make it stricter. Today it uses `risky` alone; the other two are
   * taken down for a judge that knows commands better.
   */
  readonly claims: {readonly readOnly: Claim; readonly risky: Claim; readonly usesPager: Claim};
  readonly description: string;
  readonly rationale: string;
  readonly citations: readonly string[];
}

/** What the model said of a flag; `unsaid` is not a `no`. */
export type Claim = 'yes' | 'no' | 'unsaid';

export interface CommandOutput {
  readonly command: string;
  readonly report: ShellReport;
}

/** `output` is what the command printed before it was stopped; empty when it never started. */
export interface CommandCut {
  readonly command: string;
  readonly output: string;
}

const defaultTimeoutMs = 120_000;
const longestTimeoutMs = 600_000;
const noBackground = 'commands in the background are not built yet; run it in the foreground with a timeout';

export const requestCommandOutput = defineAction<CommandInput, CommandOutput, CommandCut>({
  summary: 'Run a shell command and return its output and exit code.',
  risk: 'unknown',
  scheduling: 'barrier',
  tools: [
    toolForm({
      name: 'Bash',
      description:
        'Run a shell command in the workspace root. Each call is a new shell; stdin is closed. ' +
        'Prefer Read, Grep, Glob and Edit for files.',
      schema: () =>
        z.object({
          command: z.string().check(z.minLength(1)),
          description: z.optional(z.string().check(z.describe('What it does, in 5-10 words'))),
          timeout: z.optional(
            z
              .number()
              .check(z.gt(0), z.describe(`Milliseconds, default ${defaultTimeoutMs}, at most ${longestTimeoutMs}`)),
          ),
          is_read_only: z.optional(z.boolean().check(z.describe('True if it changes nothing'))),
          is_risky: z.optional(z.boolean().check(z.describe('True if it could destroy or leak something'))),
          uses_pager: z.optional(z.boolean()),
          wait_until_completion: z.optional(z.literal(true, {error: noBackground})),
          run_in_background: z.optional(z.literal(false, {error: noBackground})),
          rationale: z.optional(z.string().check(z.describe('Why it is needed, shown to the user'))),
          citations: z.optional(z.array(z.string()).check(z.describe('What it is based on: paths, addresses'))),
        }),
      toInput: raw => ({
        command: raw.command,
        timeoutMs: Math.min(raw.timeout ?? defaultTimeoutMs, longestTimeoutMs),
        claims: {
          readOnly: claim(raw.is_read_only),
          risky: claim(raw.is_risky),
          usesPager: claim(raw.uses_pager),
        },
        description: raw.description ?? '',
        rationale: raw.rationale ?? '',
        citations: raw.citations ?? [],
      }),
    }),
  ],
  label: input => `Run command: ${firstLine(input.command, 200)}`,
  cancelled: input => ({command: input.command, output: ''}),
  tell: output => text(reportText(output.report)),
  tellCut: cut => (cut.output === '' ? '' : `Output before it was stopped:\n${cut.output}`),
  build: {
    state: 'built',
    preview: async (input, {ports}) => ok({kind: 'command', command: input.command, directory: ports.shell.directory}),
    async run(input, {ports, observe, signal}) {
      const report = await ports.shell.run({command: input.command, timeoutMs: input.timeoutMs}, observe, signal);
      switch (report.end.kind) {
        case 'exited':
        case 'signalled':
        case 'timed-out':
          return {state: 'success', output: {command: input.command, report}};
        case 'aborted':
          return {
            state: 'cancelled',
            why: {reason: 'interrupted', message: ''},
            cut: {command: input.command, output: report.output.text},
          };
        case 'not-started':
          return {state: 'error', fault: report.end.fault};
        default:
          return unreachable(report.end);
      }
    },
  },
});

const claim = (flag: boolean | undefined): Claim => (flag === undefined ? 'unsaid' : flag ? 'yes' : 'no');

function reportText(report: ShellReport): string {
  const seconds = (report.durationMs / 1000).toFixed(1);
  const lines = [report.output.text.replace(/\n$/u, '')];
  if (report.output.file !== undefined) {
    lines.push(`[${report.output.totalBytes} bytes in all; the whole output is in ${report.output.file}]`);
  }
  lines.push(`[${endText(report)} after ${seconds} s in ${report.directory}]`);
  return lines.filter(line => line !== '').join('\n');
}

/** `exit code 1`, `ended by SIGTERM`, `timed out`: how a command ended, in words. */
export function endText(report: ShellReport): string {
  switch (report.end.kind) {
    case 'exited':
      return `exit code ${report.end.code}`;
    case 'signalled':
      return `ended by ${report.end.signal}`;
    case 'timed-out':
      return `timed out and was ended`;
    case 'aborted':
      return 'interrupted';
    case 'not-started':
      return 'not started';
    default:
      return unreachable(report.end);
  }
}
