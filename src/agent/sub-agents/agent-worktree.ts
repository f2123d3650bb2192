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
import type {Branch} from './agent-branch.ts';
import type {AgentKind} from './agent-kind.ts';
import type {AgentRunner} from './agent-runner.ts';
import {modeOf} from './weft-agent.ts';

/** What only reads needs no folder of its own. */
export function isolationOf({isolation}: AgentRequest, kind: AgentKind, mode: PermissionMode): SubAgent['isolation'] {
  if (modeOf(kind, mode) === 'plan') return 'none';
  return isolation === 'none' ? kind.isolation : isolation;
}

/** The name of an agent's worktree: the same as long as the agent lives, so that a message finds it again. */
export function worktreeName({name, id}: Pick<SubAgent, 'name' | 'id'>): string {
  const words = name
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/gu, '-')
    .slice(0, 32)
    .replaceAll(/^-+|-+$/gu, '');
  return [words, id.slice(0, 8)].filter(part => part !== '').join('-');
}

export const worktreeBrief = ({directory, branch}: Worktree): string =>
  `You work in a git worktree of your own, in the folder ${directory} (branch ${branch}), and not in the folder named above. It began with the files as they are there, without ignored ones. Change files below it alone, by paths relative to it; what you change is looked at and merged when you have ended.\n\n`;

interface EndedAgent {
  readonly row: AgentRow;
  readonly worktree: Worktree;
  /** `cancelled`: whoever stopped the agent is not asked about it. */
  readonly end: 'ended' | 'cancelled';
  readonly parent: SessionContext;
  readonly checkpoints: PromptCheckpoints | undefined;
}

/** An agent that has ended, with what of it may still run. */
interface RestingAgent extends Omit<EndedAgent, 'parent' | 'checkpoints'> {
  readonly branch: Pick<Branch, 'session' | 'checkpoints'>;
  readonly runner: Pick<AgentRunner, 'rest'>;
  readonly place: Pick<SeparateMachine, 'stop'>;
}

const choices = ['Merge', 'Keep', 'Drop'] as const;

type Choice = (typeof choices)[number];

/** `words`: what the user says in words of his own; may be empty. */
interface Answer {
  readonly choice: Choice;
  readonly words: string;
}

const keep: Answer = {choice: 'Keep', words: ''};

/**
 * Decides what becomes of the worktree of an agent that has ended, and does it: one without changes is removed; of another one the user
 * says whether it is merged, kept or dropped, and it is kept where nobody can be asked. Before that everything ends that runs in it. The text
 * is for the agent that has started it. Never throws.
 */
export async function settleWorktree(agent: RestingAgent, signal: AbortSignal): Promise<string> {
  const {row, worktree, end, branch, runner, place} = agent;
  try {
    await runner.rest();
    await place.stop();
    return await settle({row, worktree, end, parent: branch.session(), checkpoints: branch.checkpoints}, signal);
  } catch (cause) {
    return `${causeText(cause)} ${placeText(worktree)}`;
  }
}

async function settle(ended: EndedAgent, signal: AbortSignal): Promise<string> {
  const {worktree, parent, end} = ended;
  const {worktrees} = parent.ports;
  const found = await worktrees.changes(worktree, new AbortController().signal);
  if (found.tag === 'failed') return `${faultText(found.error)} ${placeText(worktree)}`;
  const changes = found.value;
  if (changes.files.length === 0) {
    const dropped = await worktrees.drop(worktree, 'keep');
    if (dropped.tag === 'failed') return `It changed nothing in its worktree. ${faultText(dropped.error)}`;
    return changes.commits === 0
      ? 'It changed nothing in its worktree, which is removed.'
      : `Its worktree is removed; the branch ${worktree.branch} has ${pluralize(changes.commits, 'commit')} of its own and is kept.`;
  }
  const {choice, words} = end === 'cancelled' ? keep : await choiceOf(ended, changes, signal);
  const said = words === '' ? [] : [`The user says of it: ${words}`];
  return [await carryOut(choice, ended), ...said, diffText(changes, 'bounded')].join('\n');
}

/** What the user wants; without an answer it is kept. */
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
      : ` These conflict with what is in your folder now, so nothing can be merged: ${conflicts
          .slice(0, maxNamed)
          .map(({path, reason}) => `${path} (${reason})`)
          .join(', ')}.`;
  const others = count > named.length ? ` and ${count - named.length} more` : '';
  return {
    header: 'Worktree',
    question: `It changed ${pluralize(count, 'file')} in its worktree (${changeCounts(changes)}): ${named.join(', ')}${others}.${conflict} What becomes of them?`,
    options: [
      {
        label: 'Merge',
        description: 'into your folder, as changes that are not committed; the worktree is removed',
        recommended: conflict === '' ? 'recommended' : 'plain',
      },
      {label: 'Keep', description: `leave them in ${folder} (branch ${branch})`, recommended: 'plain'},
      {label: 'Drop', description: 'remove the worktree and its changes', recommended: 'plain'},
    ],
    choice: 'one',
  };
}

/** Does what was chosen, and says what is so now. */
async function carryOut(choice: Choice, {row, worktree, parent, checkpoints}: EndedAgent): Promise<string> {
  const {worktrees} = parent.ports;
  const {signal} = new AbortController();
  switch (choice) {
    case 'Merge': {
      await checkpoints?.beforeChange(signal);
      const merged = await worktrees.merge(worktree, signal);
      // Its prompt may be over.
      if (row.place === 'background') await checkpoints?.afterRun();
      if (merged.tag === 'failed') {
        await worktrees.release(worktree);
        return `${faultText(merged.error)} ${placeText(worktree)}`;
      }
      const dropped = await worktrees.drop(worktree, 'keep');
      const rest = dropped.tag === 'ok' ? 'and the worktree is removed.' : `but ${faultText(dropped.error)}`;
      return `Its changes are merged into ${parent.directory}, not committed, ${rest}`;
    }
    case 'Keep':
      await worktrees.release(worktree);
      return `Nothing of it is in ${parent.directory} yet. ${placeText(worktree)}`;
    case 'Drop': {
      const dropped = await worktrees.drop(worktree, 'drop');
      return dropped.tag === 'ok'
        ? 'The user dropped its changes, and the worktree is removed.'
        : `The user wants its changes dropped. ${faultText(dropped.error)}`;
    }
    default:
      return unreachable(choice);
  }
}

const placeText = ({folder, branch, name}: Worktree): string =>
  `The worktree is kept: ${folder} (branch ${branch}). weft worktree merge ${name} merges it, weft worktree remove --force ${name} removes it.`;
