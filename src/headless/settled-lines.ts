import type {AgentEvent, SettledCall} from '../actions/agent-event.ts';
import type {ActionResult} from '../actions/catalogue.ts';
import {blockStateText} from '../actions/block-text.ts';
import type {BlockSnapshot} from '../actions/ports.ts';
import {endText} from '../actions/request-command-output.ts';
import {cancellationText, exitedBadly} from '../actions/settle-action.ts';
import {unreachable} from '../base/unreachable.ts';
import {faultText} from '../domain/fault.ts';
import {oneLine} from './summary-notes.ts';

/** Most lines of a command's output that are shown, from its end. */
const mostOutputLines = 8;

/** How an action ended: its label and outcome on one line, and the end of what a command printed below it. */
export function settledLines(label: string, event: Extract<AgentEvent, {event: 'action-settled'}>): readonly string[] {
  const seconds = `${(event.durationMs / 1000).toFixed(1)} s`;
  const words = [oneLine(label), outcomeText(event.result), seconds].filter(word => word !== '');
  return [`${markOf(event.result)} ${words.join(' · ')}`, ...outputTail(event.result)];
}

function markOf(settled: SettledCall): string {
  if (settled.tag === 'undecodable') return '✖';
  const {state} = settled.result.settled;
  switch (state) {
    case 'success':
      return exitedBadly(settled.result) ? '!' : '✔';
    case 'error':
      return '✖';
    case 'cancelled':
      return '■';
    default:
      return unreachable(state);
  }
}

function outcomeText(settled: SettledCall): string {
  if (settled.tag === 'undecodable') return oneLine(faultText(settled.fault));
  const {settled: result} = settled.result;
  switch (result.state) {
    case 'success':
      return successText(settled.result);
    case 'error':
      return oneLine(faultText(result.fault));
    case 'cancelled':
      return oneLine(cancellationText(result.why));
    default:
      return unreachable(result);
  }
}

/** What there is to say of a success beyond that it was one; most actions say it all in their label. */
function successText(result: ActionResult): string {
  if (result.name === 'request-command-output' && result.settled.state === 'success') {
    const {output} = result.settled;
    return output.kind === 'completed' ? endText(output.report) : blockText(output.block);
  }
  if (
    (result.name === 'read-shell-command-output' ||
      result.name === 'write-to-long-running-shell-command' ||
      result.name === 'transfer-shell-command-control-to-user') &&
    result.settled.state === 'success'
  ) {
    return blockText(result.settled.output.block);
  }
  if (result.name === 'request-file-edits' && result.settled.state === 'success') {
    const {files} = result.settled.output;
    const sum = (count: (file: (typeof files)[number]) => number) =>
      files.reduce((total, file) => total + count(file), 0);
    return `+${sum(file => file.added)} -${sum(file => file.removed)}`;
  }
  if (result.name === 'grep' && result.settled.state === 'success') {
    return counted(result.settled.output.lines.length, 'line');
  }
  if (result.name === 'file-glob-v2' && result.settled.state === 'success') {
    return counted(result.settled.output.paths.length, 'path');
  }
  return '';
}

const blockText = (block: BlockSnapshot): string => oneLine(`block ${block.id}: ${blockStateText(block.state)}`);

const counted = (count: number, thing: string): string => `${count} ${thing}${count === 1 ? '' : 's'}`;

function outputTail(settled: SettledCall): readonly string[] {
  if (settled.tag === 'undecodable' || settled.result.name !== 'request-command-output') return [];
  const {settled: result} = settled.result;
  const text =
    result.state === 'success'
      ? (result.output.kind === 'completed' ? result.output.report : result.output.block).output.text
      : result.state === 'cancelled'
        ? result.cut.output
        : '';
  return text
    .trimEnd()
    .split('\n')
    .filter(line => line.trim() !== '')
    .slice(-mostOutputLines)
    .map(line => `    ${line}`);
}
