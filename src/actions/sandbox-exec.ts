import * as z from 'zod/mini';
import {firstLine, pluralize} from '../base/clip.ts';
import {ok, type Outcome} from '../base/outcome.ts';
import type {Change} from '../domain/change-set.ts';
import type {Settled} from '../domain/settled.ts';
import {unsaidClaims} from '../domain/access.ts';
import {changesTexts, type PendingChanges, emptyChangesOutcome} from './changes-port.ts';
import {type ActionRunContext, defineAction, textContent, toolForm} from './define-action.ts';
import type {ShellReport} from './ports.ts';
import type {FileDiff} from './preview.ts';
import {
  type CommandPartial,
  defaultTimeoutMs,
  endText,
  hostsOf,
  maxTimeoutMs,
  partialText,
  reportText,
  settleRun,
} from './request-command-output.ts';
import {diffText} from './request-file-edits.ts';

export interface SandboxExecInput {
  readonly command: string;
  /** `dry`: the changes are kept for `weft sandbox apply`, and none is applied. */
  readonly effects: 'dry' | 'decided';
  readonly timeoutMs: number;
}

export interface SandboxExecOutput {
  readonly report: ShellReport;
  /** The changes of a dry run. `none` if someone has decided about them, or the command had no view to change. */
  readonly kept: KeptChanges | 'none';
}

export interface KeptChanges {
  readonly changes: readonly Change[];
  /** Diffs of the first changes of class `file`. */
  readonly diffs: readonly FileDiff[];
  /** The ID that `weft sandbox apply` takes. A failure says why the changes could not be kept. */
  readonly id: Outcome<string, string>;
}

const maxDiffs = 200;
/** The maximum number of changes to list without a diff. */
const maxNamed = 50;

/** Runs a command in a copy-on-write view of the workspace, whatever sandbox the settings choose. */
export const sandboxExec = defineAction<SandboxExecInput, SandboxExecOutput, CommandPartial>({
  summary: 'Try a shell command on a copy of the workspace and return what it would change.',
  risk: 'unknown',
  offered: 'when-found',
  access: ({command}) => ({kind: 'command', command, place: 'foreground', claims: unsaidClaims}),
  // Has no rules for commands, because a command pattern would also allow commands outside the sandbox.
  asks: [
    {
      name: 'sandbox-command',
      risks: ['read-only', 'local-change', 'external', 'destructive', 'unknown'],
      askedWhen: 'part of it does more than run code and change workspace files, or no sandbox can confine it',
    },
  ],
  tools: [
    toolForm({
      name: 'SandboxExec',
      description:
        'Dry run: run a shell command in the sandbox, on a copy-on-write view of the workspace, and read its output and diff. ' +
        'Applies nothing unless apply is true; then its changes are handled like those of Bash.',
      aliases: {cmd: 'command', timeout_ms: 'timeout'},
      ignoredFields: {description: 'any', explanation: 'any', network: [false]},
      schema: () =>
        z.object({
          command: z.string().check(z.minLength(1)),
          apply: z.optional(z.boolean().check(z.describe('Default false'))),
          timeout: z.optional(z.number().check(z.gt(0), z.describe(`Milliseconds, default ${defaultTimeoutMs}`))),
        }),
      toInput: ({command, apply, timeout}) => ({
        command,
        effects: apply === true ? 'decided' : 'dry',
        timeoutMs: Math.min(timeout ?? defaultTimeoutMs, maxTimeoutMs),
      }),
    }),
  ],
  label: ({command, effects}) => `${effects === 'dry' ? 'Try' : 'Run'} in the sandbox: ${firstLine(command, 200)}`,
  cancelled: ({command}) => ({command, reached: 'not-started', output: ''}),
  modelContent: output => textContent(outputText(output)),
  partialText,
  outcome: ({report, kept}) => [
    endText(report),
    ...(kept === 'none' ? changesTexts(report.changes) : [dryRunText(kept)]),
  ],
  past: 'command',
  preview: async ({command}, {ports}) => ok({kind: 'command', command, directory: ports.shell.directory}),
  run: runInView,
});

async function runInView(
  {command, effects, timeoutMs}: SandboxExecInput,
  {ports, terms, signal, observe, background, terminal}: ActionRunContext,
): Promise<Settled<SandboxExecOutput, CommandPartial>> {
  const {environment, directory} = terms;
  // In plan mode the command can change nothing, not even its own view.
  const confinement = terms.confinement === 'read-only' ? 'read-only' : 'sandbox';
  const isDry = effects === 'dry' && confinement === 'sandbox';
  let kept: KeptChanges | 'none' = isDry ? {changes: [], diffs: [], id: ok('')} : 'none';
  const keep = async (held: PendingChanges, ended: AbortSignal) => {
    kept = await keepChanges(held, ended);
    return emptyChangesOutcome;
  };
  const changes = isDry ? keep : confinement === 'sandbox' ? ports.decideChanges : 'none';
  const report = await ports.shell.run(
    {
      command,
      directory,
      timeoutMs,
      paging: 'unexpected',
      environment,
      confinement,
      hosts: hostsOf(command, {ports, terms, signal}),
      changes,
      background,
      terminal,
    },
    observe,
    signal,
  );
  return settleRun(command, report, {report, kept});
}

/** Keeps the changes for `weft sandbox apply`, with the diffs of the first files. */
export async function keepChanges(held: PendingChanges, signal: AbortSignal): Promise<KeptChanges> {
  const {changes} = held;
  const files = changes.filter(change => change.class === 'file').slice(0, maxDiffs);
  const diffs = await held.diffs(
    files.map(({path}) => path),
    signal,
  );
  return {changes, diffs, id: await held.keep(signal)};
}

function outputText({report, kept}: SandboxExecOutput): string {
  if (kept === 'none') return reportText(report);
  const {changes, id} = kept;
  if (changes.length === 0) return `${reportText(report)}\n[dry run: it changed nothing]`;
  return [
    reportText(report),
    `[dry run: ${dryRunText(kept)}${id.tag === 'ok' ? `; the user can apply exactly these with weft sandbox apply ${id.value}` : `; they could not be kept: ${id.error}`}]`,
    ...changeLines(kept, 'bounded'),
  ].join('\n');
}

/** Returns the changes as a diff, then a list of those without one: ignored by git, or never applied. */
export function changeLines({changes, diffs}: KeptChanges, form: 'bounded' | 'whole'): readonly string[] {
  const files = changes.filter(change => change.class === 'file').length;
  const others = changes.filter(change => change.class !== 'file');
  return [
    ...(files === 0 ? [] : [diffText({files: diffs, more: files - diffs.length}, form)]),
    ...others.slice(0, maxNamed).map(changeText),
    ...(others.length > maxNamed ? [`… and ${pluralize(others.length - maxNamed, 'more change')}`] : []),
  ];
}

/** Returns a clause such as `it would change 3 files`. */
export const dryRunText = ({changes}: KeptChanges): string =>
  changes.length === 0 ? 'it would change nothing' : `it would change ${pluralize(changes.length, 'file')}`;

const changeText = (change: Change): string => `${change.kind} ${change.path} (${classTexts[change.class]})`;

const classTexts: Readonly<Record<Change['class'], string>> = {
  output: 'ignored by git',
  file: 'file',
  protected: 'never applied',
};
