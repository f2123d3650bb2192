import type {SettledCall} from '../../actions/agent-event.ts';
import type {DiffLine, FileDiff} from '../../actions/preview.ts';
import {unreachable} from '../../base/unreachable.ts';
import type {ChangedFile, CommandResult} from './rpc-message.ts';

/** Returns the structured output of a command. Returns `undefined` for every other action, and for a command that never ran. */
export function commandResult(settled: SettledCall): CommandResult | undefined {
  if (settled.tag === 'undecodable' || settled.result.name !== 'request-command-output') return undefined;
  const {settled: result} = settled.result;
  switch (result.state) {
    case 'success': {
      const {output} = result;
      if (output.kind === 'block') {
        return {stdout: output.block.output.text, stderr: '', interrupted: false, isImage: false};
      }
      const {end, output: printed} = output.report;
      const interrupted = end.kind !== 'exited' && end.kind !== 'moved';
      const files = output.report.changes.diffs.map(changedFile);
      const changes = files.length === 0 ? {} : {changedFiles: files};
      return {stdout: printed.text, stderr: '', interrupted, isImage: false, ...changes};
    }
    case 'cancelled':
      return {stdout: result.partial.output, stderr: '', interrupted: true, isImage: false};
    case 'error':
      return undefined;
    default:
      return unreachable(result);
  }
}

const changedFile = ({path, before, after, added, removed, hunks}: FileDiff): ChangedFile => ({
  filePath: path,
  change: before === 'absent' ? 'created' : after === 'absent' ? 'deleted' : 'changed',
  added,
  removed,
  structuredPatch: hunks.map(({oldStart, newStart, lines}) => ({
    oldStart,
    oldLines: lines.filter(({kind}) => kind !== 'added').length,
    newStart,
    newLines: lines.filter(({kind}) => kind !== 'removed').length,
    lines: lines.map(({kind, text}) => signs[kind] + text),
  })),
});

const signs: Readonly<Record<DiffLine['kind'], string>> = {context: ' ', added: '+', removed: '-'};

/** Returns how a command that failed ended, with its output. Returns `undefined` for a block, and for every other action. */
export function commandFailure(settled: SettledCall): string | undefined {
  if (settled.tag === 'undecodable' || settled.result.name !== 'request-command-output') return undefined;
  const {settled: result} = settled.result;
  if (result.state !== 'success' || result.output.kind === 'block') return undefined;
  const {end, output: printed} = result.output.report;
  const how =
    end.kind === 'exited'
      ? `Exit code ${end.code}`
      : end.kind === 'signalled'
        ? `Ended by ${end.signal}`
        : end.kind === 'timed-out'
          ? `Timed out after ${end.afterMs / 1000} s`
          : '';
  return `${how}\n${printed.text}`.trim();
}
