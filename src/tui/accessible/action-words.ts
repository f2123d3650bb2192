import type {PromptEnd, SettledCall} from '../../actions/agent-event.ts';
import {blockStateText} from '../../actions/block-text.ts';
import type {ActionResult} from '../../actions/catalogue.ts';
import type {BlockSnapshot} from '../../actions/ports.ts';
import {endText} from '../../actions/request-command-output.ts';
import {cancellationText} from '../../actions/settle-action.ts';
import {clip} from '../../base/clip.ts';
import {unreachable} from '../../base/unreachable.ts';
import {visible, visibleOutput} from '../../base/visible.ts';
import {faultText} from '../../domain/fault.ts';
import {hookStopText} from '../../domain/stop-text.ts';
import {spokenLine} from './plain-markdown.ts';

/** Longest label or last line of output in a spoken line (UTF-16 units): nobody listens to a kilobyte. */
const longest = 300;

export const spokenLabel = (label: string): string => clip(spokenLine(label), longest);

/** How an action ended, on one line: `Done: Run npm test. Exit code 0, 2.1 s. Last line: 12 passed.` */
export function endedLine(label: string, settled: SettledCall, durationMs: number): string {
  const words = [`${verbOf(settled)}: ${spokenLabel(label)}`, ...outcomeWords(settled), secondsText(durationMs)];
  const last = lastLine(settled);
  return sentences([...words, ...(last === '' ? [] : [`Last line: ${last}`])]);
}

/** How an action of an earlier time ended. */
export const pastWords = {success: 'Done', error: 'Failed', cancelled: 'Stopped'} as const;

/** What a command of the user's own has printed: all that is kept of it. */
export function outputLines(settled: SettledCall): readonly string[] {
  const text = visibleOutput(outputOf(settled)).trimEnd();
  return text === '' ? [] : text.split('\n');
}

function verbOf(settled: SettledCall): string {
  if (settled.tag === 'undecodable') return 'Failed';
  const {state} = settled.result.settled;
  switch (state) {
    case 'success':
      return endedBadly(settled.result) ? 'Ended' : 'Done';
    case 'error':
      return 'Failed';
    case 'cancelled':
      return settled.result.settled.why.reason === 'declined' ? 'Refused' : 'Stopped';
    default:
      return unreachable(state);
  }
}

/** Such a command did run, and its exit code is its result. */
const endedBadly = (result: ActionResult): boolean => {
  if (result.name !== 'request-command-output' || result.settled.state !== 'success') return false;
  const {output} = result.settled;
  if (output.kind !== 'completed') return false;
  const {end} = output.report;
  return end.kind !== 'exited' || end.code !== 0;
};

function outcomeWords(settled: SettledCall): readonly string[] {
  if (settled.tag === 'undecodable') return [spokenLine(faultText(settled.fault))];
  const {settled: result} = settled.result;
  switch (result.state) {
    case 'success':
      return successWords(settled.result);
    case 'error':
      return [spokenLine(faultText(result.fault))];
    case 'cancelled':
      return [spokenLine(cancellationText(result.why))];
    default:
      return unreachable(result);
  }
}

function successWords(result: ActionResult): readonly string[] {
  if (result.settled.state !== 'success') return [];
  switch (result.name) {
    case 'request-command-output': {
      const {output} = result.settled;
      return [output.kind === 'completed' ? spokenLine(endText(output.report)) : blockWords(output.block)];
    }
    case 'read-shell-command-output':
    case 'write-to-long-running-shell-command':
    case 'transfer-shell-command-control-to-user':
      return [blockWords(result.settled.output.block)];
    case 'request-file-edits': {
      const {files} = result.settled.output;
      return files.map(
        ({path, added, removed}) => `In ${spokenLine(path)}: ${countOf(added, 'line')} added, ${removed} removed`,
      );
    }
    case 'grep':
      return [countOf(result.settled.output.lines.length + result.settled.output.omitted.count, 'line')];
    case 'file-glob-v2':
    case 'file-glob':
      return [countOf(result.settled.output.paths.length + result.settled.output.omitted, 'path')];
    case 'ask-user-question':
      return result.settled.output.answers.map(({selected, other}) =>
        spokenLine([...selected, ...(other === '' ? [] : [other])].join(', ')),
      );
    default:
      return [];
  }
}

const blockWords = (block: BlockSnapshot): string => spokenLine(`block ${block.id}: ${blockStateText(block.state)}`);

function lastLine(settled: SettledCall): string {
  const line = outputLines(settled)
    .toReversed()
    .find(one => one.trim() !== '');
  return line === undefined ? '' : clip(line.trim(), longest);
}

function outputOf(settled: SettledCall): string {
  if (settled.tag === 'undecodable' || settled.result.name !== 'request-command-output') return '';
  const {settled: result} = settled.result;
  switch (result.state) {
    case 'success':
      return (result.output.kind === 'completed' ? result.output.report : result.output.block).output.text;
    case 'cancelled':
      return result.cut.output;
    case 'error':
      return '';
    default:
      return unreachable(result);
  }
}

/** How a prompt ended, on one line. */
export function promptEndLine(end: PromptEnd): string {
  switch (end.kind) {
    case 'done':
      return 'Done.';
    case 'interrupted':
      return 'Stopped.';
    case 'failed':
      return sentences([`Failed: ${spokenLine(faultText(end.fault))}`]);
    case 'max-turns':
      return `Stopped after ${end.turns} turns, as asked for.`;
    case 'max-cost':
      return `Stopped at a cost of $${end.usd.toFixed(2)}, as asked for.`;
    case 'invalid-output':
      return sentences([`Failed: no answer that fits the schema: ${spokenLine(end.errors.join('; '))}`]);
    case 'stopped-by-hook':
      return sentences([visible(hookStopText(end))]);
    default:
      return unreachable(end);
  }
}

/** Clauses as sentences on one line; one that ends in a mark of its own keeps it. */
export const sentences = (clauses: readonly string[]): string =>
  clauses
    .filter(clause => clause.trim() !== '')
    .map(clause => {
      const text = clause.trim();
      const begun = text.charAt(0).toUpperCase() + text.slice(1);
      return /[.!?:…]$/u.test(begun) ? begun : `${begun}.`;
    })
    .join(' ');

export const countOf = (count: number, thing: string): string => `${count} ${thing}${count === 1 ? '' : 's'}`;

const secondsText = (ms: number): string => (ms < 1000 ? '' : `${(ms / 1000).toFixed(1)} seconds`);
