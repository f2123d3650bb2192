import * as z from 'zod/mini';
import {firstLine} from '../base/clip.ts';
import {ok} from '../base/outcome.ts';
import {byKind, type ByKind, unreachable} from '../base/unreachable.ts';
import type {RunTerms} from '../domain/executor.ts';
import {interrupted, type Settled} from '../domain/settled.ts';
import type {Claim, CommandAccess, CommandClaims} from '../domain/access.ts';
import {blockText, isRunning, snapshotText} from './block-text.ts';
import {changesTexts, type DecideChangesAfterRun, emptyChangesOutcome} from './changes-port.ts';
import {citationsSchema} from './citations.ts';
import {defineAction, textContent, toolForm, type ActionRunContext} from './define-action.ts';
import type {ActionPorts, BlockSnapshot, CommandHosts, ShellReport} from './ports.ts';

export interface CommandInput {
  readonly command: string;
  /** `block`: the command runs alongside the conversation. */
  readonly place: CommandAccess['place'];
  /** The time limit, which applies only in the foreground. */
  readonly timeoutMs: number;
  /** The time after which a command that still runs becomes a block. Codex's models call the block a session. */
  readonly yieldAfterMs?: number;
  /** The model's own assessment. It can only make the judge stricter. */
  readonly claims: CommandClaims;
  readonly description: string;
  readonly rationale: string;
}

export type CommandOutput = {
  readonly command: string;
  /** The model's word for a block. */
  readonly blockName?: 'session';
} & (
  | {readonly kind: 'completed'; readonly report: ShellReport}
  | {readonly kind: 'block'; readonly block: BlockSnapshot}
);

/** `output` is what the command printed before it was stopped. */
export interface CommandPartial {
  readonly command: string;
  readonly reached: 'not-started' | 'running';
  readonly output: string;
}

export const defaultTimeoutMs = 120_000;
export const maxTimeoutMs = 600_000;

export const requestCommandOutput = defineAction<CommandInput, CommandOutput, CommandPartial>({
  summary: 'Run a shell command and return its output and exit code.',
  risk: 'unknown',
  offered: 'always',
  access: ({command, place, claims}) => ({kind: 'command', command, place, claims}),
  ruleKind: 'command',
  asks: [
    {
      name: 'command',
      risks: ['read-only', 'local-change', 'external', 'destructive', 'unknown'],
      askedWhen:
        'any part of it is not certainly read-only inside the workspace and no sandbox holds its changes, or the model calls it risky',
    },
    {
      name: 'command-rule',
      risks: ['read-only', 'local-change', 'external', 'destructive', 'unknown'],
      askedWhen: 'a rule says to ask',
    },
  ],
  tools: [
    toolForm({
      name: 'Bash',
      description:
        'Run a shell command. Each call is a new shell in the directory where the last one ended; stdin is closed. ' +
        'A server, or a program that asks for input, needs run_in_background: it runs in a terminal block for BashOutput, ' +
        'BashInput and BashHandOver. Prefer Read, Grep, Glob and Edit for files.',
      aliases: {
        cmd: 'command',
        timeout_ms: 'timeout',
        is_background: 'run_in_background',
        background: 'run_in_background',
        explanation: 'rationale',
        justification: 'rationale',
        cwd: 'workdir',
        working_directory: 'workdir',
        directory: 'workdir',
        dir_path: 'workdir',
        directory_path: 'workdir',
      },
      ignoredFields: {
        dangerouslyDisableSandbox: [false],
        interactive: [false],
        login: 'any',
        max_output_tokens: 'any',
        prefix_rule: 'any',
        requires_approval: [false],
        restart: [false],
        // weft's own judge decides where a command runs.
        sandbox_permissions: 'any',
        shell: ['bash', '/bin/bash', 'sh', '/bin/sh', 'zsh', '/bin/zsh'],
        with_escalated_permissions: 'any',
      },
      unlistedFields: ['workdir', 'yield_time_ms'],
      selfReports: ['is_read_only', 'is_risky', 'uses_pager', 'wait_until_completion', 'rationale', 'citations'],
      schema: () =>
        z.object({
          command: z.string().check(z.minLength(1)),
          description: z.optional(z.string().check(z.describe('What it does, in 5-10 words'))),
          timeout: z.optional(
            z.number().check(z.gt(0), z.describe(`Milliseconds, default ${defaultTimeoutMs}, at most ${maxTimeoutMs}`)),
          ),
          is_read_only: z.optional(z.boolean().check(z.describe('True if it changes nothing'))),
          is_risky: z.optional(z.boolean().check(z.describe('True if it could destroy or leak something'))),
          uses_pager: z.optional(z.boolean()),
          wait_until_completion: z.optional(z.boolean().check(z.describe('Default true'))),
          run_in_background: z.optional(z.boolean()),
          rationale: z.optional(z.string().check(z.describe('Why, shown to the user'))),
          citations: z.optional(citationsSchema().check(z.describe('Sources'))),
          workdir: z.optional(z.string()),
          yield_time_ms: z.optional(z.number().check(z.gt(0))),
        }),
      toInput: raw => ({
        command: withDirectory(raw.workdir ?? '.', raw.command),
        place: raw.wait_until_completion === false || raw.run_in_background === true ? 'block' : 'foreground',
        timeoutMs: Math.min(
          raw.timeout ?? (raw.yield_time_ms === undefined ? defaultTimeoutMs : maxTimeoutMs),
          maxTimeoutMs,
        ),
        ...(raw.yield_time_ms === undefined ? {} : {yieldAfterMs: raw.yield_time_ms}),
        claims: {
          readOnly: claim(raw.is_read_only),
          risky: claim(raw.is_risky),
          usesPager: claim(raw.uses_pager),
        },
        description: raw.description ?? '',
        rationale: raw.rationale ?? '',
      }),
    }),
  ],
  label: input => `${input.place === 'block' ? 'Start in background:' : 'Run'} ${firstLine(input.command, 200)}`,
  cancelled: input => ({command: input.command, reached: 'not-started', output: ''}),
  modelContent: output => textContent(outputText(output)),
  partialText: partialText,
  outcome: output =>
    output.kind === 'completed'
      ? [endText(output.report), ...changesTexts(output.report.changes)]
      : [blockText(output.block)],
  past: 'command',
  preview: async (input, {ports}) => ok({kind: 'command', command: input.command, directory: ports.shell.directory}),
  run: (input, context) => (input.place === 'block' ? runBlock(input, context) : runForeground(input, context)),
});

/**
 * Runs one command in another directory, without changing where the next one starts. A comment or quoted text at its end must not hide the
 * closing parenthesis.
 */
function withDirectory(directory: string, command: string): string {
  if (directory === '.' || directory === '') return command;
  const end = /[#\\\n]/u.test(command) ? '\n)' : ')';
  return `(cd '${directory.replaceAll("'", String.raw`'\''`)}' || exit; ${command}${end}`;
}

type CommandSettled = Settled<CommandOutput, CommandPartial>;

async function runForeground(input: CommandInput, context: ActionRunContext): Promise<CommandSettled> {
  const {command, timeoutMs} = input;
  const paging = input.claims.usesPager === 'yes' || context.detail.pagers.length > 0 ? 'expected' : 'unexpected';
  const {terms, terminal} = context;
  const {environment, confinement, directory} = terms;
  // The changes of a sandboxed command are settled when the command ends, so weft waits for the end.
  const background =
    input.yieldAfterMs === undefined || confinement === 'sandbox'
      ? context.background
      : AbortSignal.any([context.background, AbortSignal.timeout(input.yieldAfterMs)]);
  let asked: Promise<boolean> | undefined;
  const shouldRunOutside = async (blocked: string): Promise<boolean> =>
    blocked !== '' && (asked ??= askToRunOutside(command, blocked, context));
  const decide: DecideChangesAfterRun = async (held, signal, blocked) =>
    (await shouldRunOutside(blocked)) ? emptyChangesOutcome : context.ports.decideChanges(held, signal);
  const request = {
    command,
    directory,
    timeoutMs,
    paging,
    environment,
    confinement,
    hosts: hostsOf(command, context),
    changes: confinement === 'sandbox' ? decide : 'none',
    background,
    terminal,
  } as const;
  let report = await context.ports.shell.run(request, context.observe, context.signal);
  // The changes of the failed run in its view are dropped.
  if (await shouldRunOutside(report.blocked)) {
    await context.ports.checkpoint(context.signal);
    report = await context.ports.shell.run(
      {...request, confinement: 'outside', changes: 'none'},
      context.observe,
      context.signal,
    );
  }
  return settleRun(command, report, {kind: 'completed', command, report, ...blockNameOf(input)});
}

/** Returns the handler for questions about hosts. A command that the host judged harmless has no network, so it needs no proxy. */
export const hostsOf = (
  command: string,
  {
    ports,
    terms,
    signal,
  }: {
    readonly ports: Pick<ActionPorts, 'hosts'>;
    readonly terms: Pick<RunTerms, 'environment'>;
    readonly signal: AbortSignal;
  },
): CommandHosts =>
  terms.environment === 'restricted'
    ? 'none'
    : (wanted, ended) => ports.hosts.ask({...wanted, command}, AbortSignal.any([ended, signal]));

/** Settles an action by the end of its command. `output` is the action's output if the command ran. */
export function settleRun<Output>(
  command: string,
  report: ShellReport,
  output: Output,
): Settled<Output, CommandPartial> {
  switch (report.end.kind) {
    case 'exited':
    case 'signalled':
    case 'timed-out':
    case 'moved':
      return {state: 'success', output};
    case 'aborted':
      return interrupted({command, reached: 'running', output: report.output.text});
    case 'not-started':
      return {state: 'error', fault: report.end.fault};
    default:
      return unreachable(report.end);
  }
}

const runOutside = 'Run it outside';

/** Asks a person whether to leave the sandbox. If no one can be asked, the command has failed. */
async function askToRunOutside(
  command: string,
  blocked: string,
  {ports, signal, terms}: ActionRunContext,
): Promise<boolean> {
  // Plan mode allows no changes, even if someone agrees.
  if (signal.aborted || terms.confinement === 'read-only' || ports.unsandboxedRetry === 'never') return false;
  const reply = await ports.questions.ask(
    [
      {
        question: `This command failed in the sandbox: ${blocked}. Run it again outside? ${firstLine(command, 200)}`,
        header: 'Sandbox',
        options: [
          {
            label: 'Keep the result',
            description: 'tell the agent that it failed, and why',
            recommended: 'recommended',
          },
          {label: runOutside, description: 'once, with your files and your network', recommended: 'plain'},
        ],
        choice: 'one',
      },
    ],
    signal,
  );
  return reply.kind === 'answered' && reply.answers[0]?.selected[0] === runOutside;
}

/** Starts a block. An interruption during the start ends the block, because no one knows its id yet. */
async function runBlock(input: CommandInput, {ports, signal, terms}: ActionRunContext): Promise<CommandSettled> {
  const {command} = input;
  const {environment, confinement, directory} = terms;
  const started = await ports.blocks.start({command, directory, environment, confinement}, signal);
  if (started.tag === 'ok') {
    const block = started.value;
    return signal.aborted
      ? interrupted({command, reached: 'running', output: block.output.text})
      : {state: 'success', output: {kind: 'block', command, block, ...blockNameOf(input)}};
  }
  return signal.aborted
    ? interrupted({command, reached: 'not-started', output: ''})
    : {state: 'error', fault: started.error};
}

const blockNameOf = ({yieldAfterMs}: CommandInput): Pick<CommandOutput, 'blockName'> =>
  yieldAfterMs === undefined ? {} : {blockName: 'session'};

const claim = (flag: boolean | undefined): Claim => (flag === undefined ? 'unsaid' : flag ? 'yes' : 'no');

export function partialText({reached, output}: CommandPartial): string {
  if (reached === 'not-started') return '';
  return output === ''
    ? 'It was running and was stopped. It had printed nothing.'
    : `Output before it was stopped:\n${output}`;
}

function outputText(output: CommandOutput): string {
  const {blockName = 'block'} = output;
  if (output.kind === 'completed') return reportText(output.report, blockName);
  const {block} = output;
  return snapshotText(block) + (isRunning(block.state) ? `\n${stillRunningText(block.id, blockName)}` : '');
}

const stillRunningText = (id: BlockSnapshot['id'], blockName: 'block' | 'session'): string =>
  blockName === 'session'
    ? `[still running: use write_stdin with session_id ${id}]`
    : `[still running: use BashOutput, BashInput and BashHandOver with block_id ${id}]`;

export function reportText(report: ShellReport, blockName: 'block' | 'session' = 'block'): string {
  const seconds = (report.durationMs / 1000).toFixed(1);
  const lines = [report.output.text.replace(/\n$/u, '')];
  if (report.output.file !== undefined) {
    lines.push(`[${report.output.totalBytes} bytes in total; the whole output is in ${report.output.file}]`);
  }
  for (const line of report.leftRunning) {
    lines.push(`[left running, as block ${line}; it ends with weft unless the user keeps it]`);
  }
  if (report.nextDirectory !== report.directory && report.notes.length === 0) {
    lines.push(`[the next command starts in ${report.nextDirectory}]`);
  }
  lines.push(...report.notes.map(note => `[${note}]`));
  lines.push(...changesTexts(report.changes).map(text => `[${text}]`));
  if (report.blocked !== '') lines.push(`[it ran in the sandbox: ${report.blocked}]`);
  if (report.end.kind === 'moved') {
    lines.push(
      blockName === 'session'
        ? stillRunningText(report.end.block, 'session')
        : `[the user moved it to the background, where it continues: use BashOutput with block_id ${report.end.block}]`,
    );
  }
  lines.push(`[${endText(report)} after ${seconds} s in ${report.directory}]`);
  return lines.filter(line => line !== '').join('\n');
}

/** Returns how a command ended, as text: `exit code 1`, `ended by SIGTERM`, `timed out and was ended`. */
export const endText = ({end}: ShellReport): string => byKind(end, endTexts);

const endTexts: ByKind<ShellReport['end'], string> = {
  exited: ({code}) => `exit code ${code}`,
  signalled: ({signal}) => `ended by ${signal}`,
  'timed-out': () => 'timed out and was ended',
  aborted: () => 'interrupted',
  'not-started': () => 'not started',
  moved: ({block}) => `moved to the background as ${block}`,
};
