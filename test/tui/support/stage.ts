import {reasonOf} from '../../support/reason.ts';
import {emptyImpactReport} from '../../../src/actions/ports.ts';
import {noDetail, type Verdict} from '../../../src/domain/risk.ts';
import type {AgentEvent, Approval} from '../../../src/actions/agent-event.ts';
import {actionOf} from '../../../src/actions/catalogue.ts';
import {actionId} from '../../../src/domain/ids.ts';
import {noUsage} from '../../../src/domain/usage.ts';
import type {ApprovalAnswer} from '../../../src/agent/client.ts';
import type {TuiExit, TuiOptions} from '../../../src/tui/options.ts';
import {runTui} from '../../../src/tui/run-tui.tsx';
import {openVirtualScreen, type VirtualScreen} from '../../support/virtual-screen.ts';
import {blankOptions} from './blank-options.ts';
import {accepted, message, textStarted} from './events.ts';
import {scriptedEngine, type ScriptedEngine, type TestHost} from './scripted-engine.ts';

export interface Stage {
  readonly screen: VirtualScreen;
  readonly engine: ScriptedEngine;
  readonly exit: Promise<TuiExit>;
  readonly remembered: readonly string[];
  readonly time: {now: number};
  readonly leave: AbortController;
}

const open: Stage[] = [];

/** For `afterEach`: leaves every UI that a test has left running. */
export async function leaveStages(): Promise<void> {
  for (const {screen, exit} of open.splice(0)) {
    if (screen.rawMode() === 'raw') await screen.type('\u0003\u0003');
    await exit;
  }
}

/** Starts the UI and waits for its first frame. */
export async function start(
  size: readonly [columns: number, rows: number] = [80, 24],
  {host = {}, ...options}: Partial<TuiOptions> & {readonly host?: TestHost} = {},
): Promise<Stage> {
  const screen = openVirtualScreen(...size);
  const remembered: string[] = [];
  const history = {load: () => ['an earlier prompt'], add: (prompt: string) => void remembered.push(prompt)};
  const engine = scriptedEngine({history, ...host});
  const time = {now: 1_000_000};
  const leave = new AbortController();
  const exit = runTui(
    {
      ...blankOptions({engine, stdin: screen.stdin, stdout: screen.stdout}),
      clock: {now: () => time.now, date: () => 720_000},
      ...options,
    },
    leave.signal,
  );
  const stage = {screen, engine, exit, remembered, time, leave};
  open.push(stage);
  await screen.until(/(?:Ask weft to do something|Resume a session)[^]*asks first/u);
  return stage;
}

export const begin: readonly AgentEvent[] = [
  accepted('do it'),
  {event: 'message-started', message, model: 'test-model', usage: noUsage},
  textStarted,
];
export const finishedText: AgentEvent = {event: 'block-finished', message, index: 0, block: {kind: 'text', text: ''}};

/** A command that the host finds destructive, unless told otherwise. */
export const approval = (id: string, command: string, verdict: Partial<Verdict> = {}): Approval => ({
  id: actionId(id),
  asker: 'main',
  toolName: 'Bash',
  input: {command},
  action: actionOf('request-command-output', {
    command,
    timeoutMs: 1000,
    place: 'foreground',
    claims: {readOnly: 'no', risky: 'yes', usesPager: 'unsaid'},
    description: '',
    rationale: 'the cache is stale',
  }),
  label: `Run ${command}`,
  preview: {kind: 'command', command, directory: '/home/user/project'},
  verdict: {
    decision: 'ask',
    risk: 'destructive',
    reasons: [reasonOf('it deletes files.')],
    sessionApproval: 'exact',
    detail: noDetail,
    ...verdict,
  },
  rationale: 'the cache is stale',
  wording: 'model',
  sessionGrant: 'rm in this folder',
  obligations: [],
  impact: emptyImpactReport,
  citations: [],
});

/** A command that the host finds to change files here; the model calls it harmless. */
export function mild(id: string, command: string): Approval {
  const request = approval(id, command, {risk: 'local-change', reasons: [reasonOf('it writes files')]});
  if (request.action.name !== 'request-command-output') throw new Error('not a command');
  const claims = {readOnly: 'no', risky: 'no', usesPager: 'no'} as const;
  return {...request, action: actionOf('request-command-output', {...request.action.input, claims})};
}

/** Gives the keys to the card. */
export async function attend({screen}: Pick<Stage, 'screen'>): Promise<void> {
  await screen.until(/Tab: answer/u);
  await screen.type('\t');
  await screen.until(/╰ |n: no|No n/u);
}

export function ask(engine: ScriptedEngine, request: Approval): void {
  engine.emit(
    {event: 'action-queued', id: request.id, action: request.action, label: request.label},
    {event: 'approval-requested', approval: request},
  );
}

/** The op that answers an approval. */
export const answer = (id: string, given: ApprovalAnswer) => ({op: 'answer-approval', id, answer: given});
export const once = {decision: 'allow', scope: 'once'} as const;

/** The UI with one approval that has the keys. */
export async function asked(
  request: Approval,
  size: readonly [number, number] = [80, 24],
  options: Partial<TuiOptions> & {readonly host?: TestHost} = {},
): Promise<Stage> {
  const stage = await start(size, options);
  stage.engine.emit(...begin);
  ask(stage.engine, request);
  await attend(stage);
  return stage;
}

/** Types deliveries one after the other, as a person would. */
export async function press(
  {screen, time}: Pick<Stage, 'screen' | 'time'>,
  ...deliveries: readonly string[]
): Promise<void> {
  for (const keys of deliveries) {
    time.now += 700;
    await screen.type(keys);
  }
}
