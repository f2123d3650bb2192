import type {AgentRequest} from '../../actions/agents-port.ts';
import {diffText} from '../../actions/request-file-edits.ts';
import type {Question} from '../../actions/ports.ts';
import {changeCounts, type Worktree, type WorktreeChanges} from '../../actions/worktrees-port.ts';
import {pluralize} from '../../base/clip.ts';
import {unreachable} from '../../base/unreachable.ts';
import {causeText, faultText} from '../../domain/fault.ts';
import {actionId} from '../../domain/ids.ts';
import type {AgentRow, SubAgent} from '../../domain/sub-agent.ts';
import type {PromptCheckpoints} from '../checkpoint-recorder.ts';
import type {SessionContext} from '../session-context.ts';
import type {PermissionMode} from '../../domain/risk.ts';
import type {SeparateMachine} from '../ports.ts';
import type {AgentBranch} from './agent-branch.ts';
import type {AgentKind} from './agent-kind.ts';
import type {AgentRunner} from './agent-runner.ts';
import {modeOf} from './weft-agent.ts';

/** Returns the isolation of a sub-agent. A sub-agent that only reads needs no separate folder. */
export function isolationOf({isolation}: AgentRequest, kind: AgentKind, mode: PermissionMode): SubAgent['isolation'] {
  if (modeOf(kind, mode) === 'plan') return 'none';
  return isolation === 'none' ? kind.isolation : isolation;
}

/** Returns the name of an agent's worktree. It stays the same while the agent lives, so that a later message finds it. */
export function worktreeName({name, id}: Pick<SubAgent, 'name' | 'id'>): string {
  const words = name
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/gu, '-')
    .slice(0, 32)
    .replaceAll(/^-+|-+$/gu, '');
  return [words, id.slice(0, 8)].filter(part => part !== '').join('-');
}

export const worktreeBrief = ({directory, branch}: Worktree): string =>
  `You work in your own git worktree, in the folder ${directory} (branch ${branch}), and not in the folder named above. It started with the same files, without ignored ones. Change only files inside it, by paths relative to it. Your changes are reviewed and merged when you have ended.\n\n`;

interface EndedAgent {
  readonly row: AgentRow;
  readonly worktree: Worktree;
  /** `cancelled`: no question is asked, because someone stopped the agent. */
  readonly end: 'ended' | 'cancelled';
  readonly parent: SessionContext;
  readonly checkpoints: PromptCheckpoints | undefined;
}

/** An agent that has ended, with what may still run for it. */
interface RestingAgent extends Omit<EndedAgent, 'parent' | 'checkpoints'> {
  readonly branch: Pick<AgentBranch, 'session' | 'checkpoints'>;
  readonly runner: Pick<AgentRunner, 'rest'>;
  readonly place: Pick<SeparateMachine, 'stop'>;
}

const choices = ['Merge', 'Keep', 'Drop'] as const;

type Choice = (typeof choices)[number];

/** `words` is the user's own text. May be empty. */
interface Answer {
  readonly choice: Choice;
  readonly words: string;
}

const keep: Answer = {choice: 'Keep', words: ''};

/**
 * Settles the worktree of an agent that has ended. Removes one without changes. Otherwise the user chooses to merge,
 * keep or drop it. It is kept if no one can be asked. First ends everything that runs in it. Returns a text for the
 * parent agent. Never throws.
 */
export async function settleWorktree(agent: RestingAgent, signal: AbortSignal): Promise<string> {
  const {row, worktree, end, branch, runner, place} = agent;
  try {
    await runner.rest();
    await place.stop();
    return await settle({row, worktree, end, parent: branch.session(), checkpoints: branch.checkpoints}, signal);
  } catch (cause) {
    return `${causeText(cause)} ${worktreeText(worktree)}`;
  }
}

async function settle(ended: EndedAgent, signal: AbortSignal): Promise<string> {
  const {worktree, parent, end} = ended;
  const {worktrees} = parent.ports;
  const found = await worktrees.changes(worktree, new AbortController().signal);
  if (found.tag === 'failed') return `${faultText(found.error)} ${worktreeText(worktree)}`;
  const changes = found.value;
  if (changes.files.length === 0) {
    const dropped = await worktrees.drop(worktree, 'keep');
    if (dropped.tag === 'failed') return `It changed nothing in its worktree. ${faultText(dropped.error)}`;
    return changes.commits === 0
      ? 'It changed nothing in its worktree, which was removed.'
      : `Its worktree was removed. The branch ${worktree.branch} has ${pluralize(changes.commits, 'commit')} of its own and was kept.`;
  }
  const {choice, words} = end === 'cancelled' ? keep : await choiceOf(ended, changes, signal);
  const said = words === '' ? [] : [`The user says about it: ${words}`];
  return [await carryOut(choice, ended), ...said, diffText(changes, 'bounded')].join('\n');
}

/** Asks the user what to do. Without an answer the worktree is kept. */
async function choiceOf(
  {row, worktree, parent}: EndedAgent,
  changes: WorktreeChanges,
  signal: AbortSignal,
): Promise<Answer> {
  if (parent.mode === 'dontAsk') return keep;
  const {id, name, kind, harness} = row.agent;
  const reply = await parent.pending.ask(
    {
      id: actionId(`${id}:worktree`),
      asker: {id, name, kind, harness},
      questions: [questionAbout(changes, worktree)],
      files: changes.files,
    },
    signal,
  );
  const answer = reply.kind === 'answered' ? reply.answers[0] : undefined;
  const choice = choices.find(each => answer?.selected.includes(each) === true) ?? 'Keep';
  return {choice, words: answer?.other ?? ''};
}

const maxNamed = 8;

function questionAbout(changes: WorktreeChanges, {branch, folder}: Worktree): Question {
  const {files, more, conflicts} = changes;
  const count = files.length + more;
  const named = files.slice(0, maxNamed).map(({path, added, removed}) => `${path} +${added} -${removed}`);
  const conflict =
    conflicts.length === 0
      ? ''
      : ` These conflict with the current files in your folder, so nothing can be merged: ${conflicts
          .slice(0, maxNamed)
          .map(({path, reason}) => `${path} (${reason})`)
          .join(', ')}.`;
  const others = count > named.length ? ` and ${count - named.length} more` : '';
  return {
    header: 'Worktree',
    question: `It changed ${pluralize(count, 'file')} in its worktree (${changeCounts(changes)}): ${named.join(', ')}${others}.${conflict} What should happen to them?`,
    options: [
      {
        label: 'Merge',
        description: 'into your folder, uncommitted; removes the worktree',
        recommended: conflict === '' ? 'recommended' : 'plain',
      },
      {label: 'Keep', description: `leave them in ${folder} (branch ${branch})`, recommended: 'plain'},
      {label: 'Drop', description: 'remove the worktree and its changes', recommended: 'plain'},
    ],
    choice: 'one',
  };
}

/** Carries out the choice. Returns a text about the result. */
async function carryOut(choice: Choice, {row, worktree, parent, checkpoints}: EndedAgent): Promise<string> {
  const {worktrees} = parent.ports;
  const {signal} = new AbortController();
  switch (choice) {
    case 'Merge': {
      await checkpoints?.beforeChange(signal, 'any', row.agent.call);
      const merged = await worktrees.merge(worktree, signal);
      // The prompt of a background agent may be over.
      if (row.place === 'background') await checkpoints?.afterRun();
      if (merged.tag === 'failed') {
        await worktrees.release(worktree);
        return `${faultText(merged.error)} ${worktreeText(worktree)}`;
      }
      const dropped = await worktrees.drop(worktree, 'keep');
      const rest = dropped.tag === 'ok' ? 'and the worktree was removed.' : `but ${faultText(dropped.error)}`;
      return `Its changes were merged into ${parent.directory}, uncommitted, ${rest}`;
    }
    case 'Keep':
      await worktrees.release(worktree);
      return `Its changes are not in ${parent.directory} yet. ${worktreeText(worktree)}`;
    case 'Drop': {
      const dropped = await worktrees.drop(worktree, 'drop');
      return dropped.tag === 'ok'
        ? 'The user dropped its changes, and the worktree was removed.'
        : `The user wants its changes dropped. ${faultText(dropped.error)}`;
    }
    default:
      return unreachable(choice);
  }
}

const worktreeText = ({folder, branch, name}: Worktree): string =>
  `The worktree is kept: ${folder} (branch ${branch}). weft worktree merge ${name} merges it, weft worktree remove --force ${name} removes it.`;
