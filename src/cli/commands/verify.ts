import {relative} from 'node:path';
import type {Command} from 'commander';
import type {AgentEvent, PromptSummary} from '../../actions/agent-event.ts';
import {maxTimeoutMs} from '../../actions/request-command-output.ts';
import type {AgentClient} from '../../agent/client.ts';
import {checksIn} from '../../agent/receipts.ts';
import {visibleLine} from '../../base/visible.ts';
import {actionId} from '../../domain/ids.ts';
import {type CheckSetting, type CheckStatus, nameIn, outcomeOf, type Receipt} from '../../domain/receipt.ts';
import {typedWord} from '../../domain/typed-word.ts';
import {askOnce} from '../../headless/ask-once.ts';
import {summaryNotes} from '../../headless/prompt-summary.ts';
import {CalledModel, chosenFor} from '../../app/called-model.ts';
import {modelChoice} from '../../app/choose-model.ts';
import {messageUuid} from '../../app/clock-and-ids.ts';
import {composeSession, defaultDriver} from '../../app/compose-session.ts';
import {exiting, exitCode, type ExitCode} from '../../app/exit-code.ts';
import {commandFlags, type MainOptions} from '../../app/main-options.ts';
import {emptyServers} from '../../app/open-servers.ts';
import {note} from '../../app/output.ts';
import {contextFor} from '../../app/run-context.ts';
import {jsonFlag, type JsonOption} from '../flags.ts';
import {printRows} from '../rows.ts';
import {normalizeOptions} from '../sdk-options.ts';
import {untilStopped} from '../signals.ts';
import {openSaved} from './sessions/saved-session.ts';

/** `weft verify [session]`. */
export function add(verify: Command, program: Command): void {
  verify
    .argument(
      '[session]',
      'Session id, or its first characters (default: the latest of this folder in which a check ran)',
    )
    .option(...jsonFlag)
    .action(
      exiting((id: string | undefined, options: JsonOption) =>
        runVerify(id, {...program.opts<MainOptions>(), ...options}),
      ),
    );
  for (const option of program.options) if (commandFlags.verify.has(option.long)) verify.addOption(option);
}

/** A check that was to run again. `again`: its new receipt, or why there is none. */
interface Verified {
  readonly claimed: CheckStatus;
  readonly again: Receipt | string;
}

/** `weft verify`: runs the checks of a session again, and prints which of them end in another way than their receipts say. */
async function runVerify(id: string | undefined, {json, ...given}: MainOptions & JsonOption): Promise<ExitCode> {
  const {summary, records, checkpoints, store} = await openSaved(id, 'receipt');
  const claimed = await checksIn(records, checkpoints, new AbortController().signal);
  store.close();
  if (claimed.length === 0) throw new Error(`No check ran in session ${summary.id}.`);
  const context = contextFor(normalizeOptions({...given, cwd: summary.directory, sessionPersistence: false}));
  for (const notice of await context.notices()) note(notice);
  const model = new CalledModel();
  const engine = await composeSession(
    chosenFor(model, modelChoice(context)),
    // No model reads a system prompt or instructions here.
    // Commands that only the settings of the session knew as checks are checks here, too.
    {
      ...context,
      options: {...context.options, systemPrompt: 'weft verify'},
      settings: {...context.settings, checks: claimed.map(({receipt}) => settingOf(receipt)), requireChecks: []},
    },
    {...defaultDriver, interaction: 'interactive', servers: emptyServers},
  );
  engine.subscribe(events => events.forEach(event => answerApproval(event, engine)));
  const verified = await untilStopped(engine, async stopped => {
    const ran: Verified[] = [];
    for (const status of claimed) {
      const again = await runAgain(status.receipt, {model, engine, directory: summary.directory});
      if (stopped() !== undefined) break;
      ran.push({claimed: status, again});
    }
    return ran;
  });
  if (verified.tag === 'failed') return verified.error;
  const rows = verified.value;
  printRows({rows, json, line: row => rowText(row, summary.directory), toJson: rowJson, none: ''});
  return rows.every(row => differences(row).length === 0) ? exitCode.done : exitCode.failed;
}

const settingOf = ({name, command, directory, paths}: Receipt): CheckSetting => ({
  name,
  command,
  directory,
  paths: paths === 'all' ? undefined : paths,
});

/** Runs a check as a call of the model would run. Returns its receipt, or why it did not run. */
async function runAgain(
  {command, directory: folder}: Receipt,
  {model, engine, directory}: {readonly model: CalledModel; readonly engine: AgentClient; readonly directory: string},
): Promise<Receipt | string> {
  const call = actionId(`verify_${messageUuid()}`);
  const place = folder === directory ? {} : {workdir: relative(directory, folder)};
  model.give({kind: 'tool-call', id: call, name: 'Bash', input: {command, timeout: maxTimeoutMs, ...place}});
  const summary = await askOnce(engine, `Run ${command}`, {note, uuid: messageUuid});
  const found = summary.checks.find(({receipt}) => receipt.call === call);
  return found?.receipt ?? reasonNotRun(summary);
}

function reasonNotRun(summary: PromptSummary): string {
  const [denial] = summary.denials;
  if (denial === undefined) return summaryNotes(summary).join(' ') || 'it did not end';
  return denial.by === 'user' ? 'it may lose something for good' : 'a rule denies it';
}

/** Allows the command, because it ran in the session and the user asks for it again. A check that may lose something for good is refused. */
function answerApproval(event: AgentEvent, engine: AgentClient): void {
  if (event.event !== 'approval-requested') return;
  const {id, verdict} = event.approval;
  engine.submit({
    op: 'answer-approval',
    id,
    answer:
      typedWord(verdict) === '' ? {decision: 'allow', scope: 'once'} : {decision: 'refuse', message: '', by: 'user'},
  });
}

/** Returns how a check ended otherwise than its receipt says. A receipt without an exit code or a count claims none. */
function differences({claimed: {receipt}, again}: Verified): readonly string[] {
  if (typeof again === 'string') return [`did not run: ${again}`];
  const isStopped = receipt.end.kind === 'stopped';
  const codes = [receipt, again].map(({end}) => (end.kind === 'exited' ? end.code : undefined));
  const isOther =
    codes[0] === undefined ? !isStopped && outcomeOf(receipt) === 'failed' && codes[1] === 0 : codes[0] !== codes[1];
  const counts = (['passed', 'failed'] as const).flatMap(name => {
    const [before, now] = [receipt.counts[name], again.counts[name]];
    return isStopped || before === undefined || before === now ? [] : [`${now ?? 'unknown'} ${name}, not ${before}`];
  });
  return [...(isOther ? [`${endText(again)}, not ${codes[0] ?? 'a failure'}`] : []), ...counts];
}

const endText = ({end}: Receipt): string =>
  end.kind === 'exited' ? `exit code ${end.code}` : `no exit code (${end.kind})`;

function rowText(row: Verified, workspace: string): string {
  const {claimed, again} = row;
  const name = visibleLine(nameIn(claimed.receipt, workspace));
  const found = differences(row);
  if (typeof again === 'string') return `! ${name}: ${visibleLine(found.join(', '))}`;
  const counts = Object.entries(again.counts).map(([word, count]) => `${count} ${word}`);
  return found.length > 0
    ? `✗ ${name}: ${found.join(', ')}`
    : `✓ ${[name, ...counts].join(' ')}: ${endText(again)}, as its receipt says`;
}

const ending = ({end, counts}: Receipt) => ({exit_code: end.kind === 'exited' ? end.code : null, ...counts});

function rowJson(row: Verified): object {
  const {claimed, again} = row;
  const {name, command, directory, at, tree} = claimed.receipt;
  return {
    name,
    command,
    directory,
    ...(typeof again === 'string' ? {exit_code: null} : ending(again)),
    receipt: {...ending(claimed.receipt), fresh: claimed.isFresh, at: new Date(at).toISOString(), tree},
    differences: differences(row),
  };
}
