import {isGoing} from '../../actions/block-text.ts';
import type {BlockInfo} from '../../actions/ports.ts';
import type {ActionId, BlockId} from '../../domain/ids.ts';
import type {RewindScope, SessionSummary} from '../../domain/journal.ts';
import {rewindText} from '../../domain/rewind-text.ts';
import type {RewindPoint, RewindReport, RewindTarget} from '../../domain/rewind.ts';
import {stateText} from '../panels/block-panel.ts';
import {countOf, sentences, spokenLabel} from './action-words.ts';
import {backs, choice, closes, goesOn, isBack, isNo, waits, type Dialogue, type DialogueStep} from './dialogue.ts';
import {spokenLine} from './plain-markdown.ts';

const ask = 'Type a number and Enter, or 0 to go back.';

/** Sessions that are offered at once, the latest ones. */
const sessionsShown = 20;

export const sessionDialogue = (sessions: readonly SessionSummary[]): Dialogue =>
  choice(
    {
      title:
        sessions.length > sessionsShown
          ? `Go on with which session? The latest ${sessionsShown} of ${sessions.length}:`
          : 'Go on with which session?',
      rows: sessions.slice(0, sessionsShown).map(({title, updatedAt, messages}) => {
        const day = new Date(updatedAt).toISOString().slice(0, 16).replace('T', ' ');
        return `${spokenLabel(title)}, ${countOf(messages, 'message')}, ${day}`;
      }),
      ask,
    },
    row => {
      const session = sessions[row];
      return session === undefined
        ? backs('')
        : closes({do: 'op', op: {op: 'open-session', session: {kind: 'resume', id: session.id}}});
    },
  );

/** Which prompt, the latest first, then what of it. Nothing goes back before it has been said what that does. */
export const rewindDialogue = (points: readonly RewindPoint[]): Dialogue => {
  const latest = points.toReversed();
  return choice(
    {
      title: 'Go back to before which prompt?',
      rows: latest.map(({prompt, files}) => spokenLabel(prompt) + (files === 'changed' ? ' (changed files)' : '')),
      ask,
    },
    row => {
      const point = latest[row];
      return point === undefined ? backs('') : goesOn(scopeDialogue(point));
    },
  );
};

const scopes: readonly {readonly scope: RewindScope; readonly word: string}[] = [
  {scope: 'both', word: 'conversation and files'},
  {scope: 'files', word: 'files only'},
  {scope: 'talk', word: 'conversation only'},
];

const scopeDialogue = (point: RewindPoint): Dialogue =>
  choice(
    {title: `What goes back to before: ${spokenLabel(point.prompt)}`, rows: scopes.map(one => one.word), ask},
    row => {
      const what = scopes[row]?.scope;
      return what === undefined
        ? backs('')
        : closes({do: 'op', op: {op: 'preview-rewind', target: {kind: 'prompt', to: point.to, what}}});
    },
  );

/** What going there would do, to be agreed to. */
export const rewindPreviewDialogue = (target: RewindTarget, report: RewindReport, directory: string): Dialogue => ({
  lines: [
    ...rewindText(report, {directory, when: 'preview'}).split('\n'),
    '1 do it, 0 leave everything as it is. Type a number and Enter.',
  ],
  answer(line): DialogueStep {
    if (line === '1') return closes({do: 'op', op: {op: 'rewind', target}});
    if (isBack(line) || isNo(line)) return backs('Everything is as it was.');
    return waits('Nothing was done. 1 do it, 0 leave everything as it is.');
  },
});

export const blockDialogue = (blocks: readonly BlockInfo[]): Dialogue =>
  choice({title: 'Commands beside the conversation:', rows: blocks.map(blockText), ask}, row => {
    const block = blocks[row];
    if (block === undefined) return backs('');
    return isGoing(block.state) ? goesOn(oneBlockDialogue(block)) : backs('That one has ended.');
  });

function blockText({id, command, state, ports, life, lastLine}: BlockInfo): string {
  return sentences([
    `Command ${id}: ${spokenLabel(command)}`,
    stateText(state),
    ...(ports.length === 0 ? [] : [`port ${ports.join(', ')}`]),
    ...(life === 'kept' ? ['stays when weft ends'] : []),
    ...(lastLine.trim() === '' ? [] : [`Last line: ${spokenLabel(lastLine)}`]),
  ]);
}

const oneBlockDialogue = (block: BlockInfo): Dialogue =>
  choice({title: blockText(block), rows: ['talk to it', 'stop it', 'keep it running when weft ends'], ask}, row => {
    const effects = ['attach', 'stop-block', 'keep-block'] as const;
    const does = effects[row];
    return does === undefined ? backs('') : closes({do: does, block: block.id});
  });

/** The agent offers the user the terminal of a block. */
export function handOverDialogue(
  open: {readonly id: ActionId; readonly block: BlockId; readonly reason: string},
  info: BlockInfo | undefined,
): Dialogue {
  const how = '1 talk to it, 2 no. Type a number and Enter.';
  return {
    lines: [
      '',
      sentences([
        'The agent wants you to talk to a command',
        info === undefined ? `${open.block}, which has ended` : blockText(info),
        `Why: ${spokenLine(open.reason)}`,
      ]),
      how,
    ],
    answer(line) {
      if (line === '1') return closes({do: 'attach', block: open.block});
      if (line === '2' || isBack(line) || isNo(line)) {
        return closes({do: 'op', op: {op: 'answer-hand-over', id: open.id, end: 'declined'}});
      }
      return waits(`Nothing was answered. ${how}`);
    },
  };
}
