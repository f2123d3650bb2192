import {byKind, type ByKind} from '../base/unreachable.ts';
import type {BlockSnapshot, BlockState} from './ports.ts';

/** Returns what the model reads about a block: its text, then in brackets everything else that a person would see. */
export function snapshotText(block: BlockSnapshot): string {
  const {output} = block;
  const lines = [output.text.replace(/\n$/u, '')];
  if (output.file !== undefined) {
    lines.push(`[${output.totalBytes} bytes in all; the whole output is in ${output.file}]`);
  }
  lines.push(...block.notes.map(note => `[${note}]`));
  const facts = [blockText(block), `${seconds(block.ageMs)} after its start`];
  if (isRunning(block.state)) {
    facts.push(`cursor at line ${block.cursor.row + 1}, column ${block.cursor.column + 1}`);
    if (block.screen === 'alternate') facts.push('full-screen program');
  }
  lines.push(`[${facts.join(', ')}, in ${block.directory}]`);
  return lines.filter(line => line !== '').join('\n');
}

export const blockText = ({id, state}: BlockSnapshot): string => `block ${id}: ${blockStateText(state)}`;

export const blockStateText = (state: BlockState): string => byKind(state, stateTexts);

const stateTexts: ByKind<BlockState, string> = {
  running: () => 'running',
  waiting: ({lastLine}) => (lastLine === '' ? 'waiting for input' : `waiting for input: ${lastLine}`),
  exited: ({code}) => `exit code ${code}`,
  signalled: ({signal}) => `ended by ${signal}`,
  ended: () => 'ended',
};

/** Returns the name of the last program of a command, for people: `python3` for `cd x && FOO=1 /usr/bin/python3 -i`. */
export function programName(command: string): string {
  const parts = command.replaceAll(/'[^']*'|"(?:\\.|[^"\\])*"/gu, 'x').split(/;|&&|\|\||\n/u);
  const last = parts.findLast(part => part.trim() !== '') ?? '';
  const first = last
    .trim()
    .split(/\s+/u)
    .find(word => !/^(?:\w+=.*|exec|env|command|sudo|nohup|time)$/u.test(word));
  return (first ?? '').replace(/^.*\//u, '');
}

export const isRunning = (state: BlockState): state is Extract<BlockState, {kind: 'running' | 'waiting'}> =>
  state.kind === 'running' || state.kind === 'waiting';

const seconds = (ms: number): string => `${(ms / 1000).toFixed(1)} s`;
