import type {SettledCall} from '../../actions/agent-event.ts';
import {unreachable} from '../../base/unreachable.ts';
import type {CommandResult} from './rpc-message.ts';

/** The structured output of a command; `undefined` for every other action, and where the command never ran. */
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
      return {stdout: printed.text, stderr: '', interrupted, isImage: false};
    }
    case 'cancelled':
      return {stdout: result.partial.output, stderr: '', interrupted: true, isImage: false};
    case 'error':
      return undefined;
    default:
      return unreachable(result);
  }
}
