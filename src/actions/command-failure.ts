import {unreachable} from '../base/unreachable.ts';
import type {BlockState, ShellReport} from './ports.ts';

/** Matches a program whose exit code 1 reports a finding: no match, a difference or a false condition. */
const reportsFinding = /^(?:\S*\/)?(?:[efz]?grep|rg|find|diff|cmp|test|\[|git (?:diff|grep))(?:\s|$)/u;

/** True if a command that has ended failed. Claude Code judges exit codes the same way: by the last program of the command line. */
export function isFailure(command: string, end: ShellReport['end'] | BlockState): boolean {
  switch (end.kind) {
    case 'exited':
      return end.code !== 0 && !(end.code === 1 && reportsFinding.test(lastProgram(command)));
    case 'running':
    case 'waiting':
    case 'ended':
    case 'moved':
      return false;
    case 'signalled':
    case 'timed-out':
    case 'aborted':
    case 'not-started':
      return true;
    default:
      return unreachable(end);
  }
}

/** Returns the last command of a command line with its arguments. Operators in quoted text don't count. */
const lastProgram = (command: string): string =>
  command
    .replaceAll(/\\.|'[^']*'|"(?:\\.|[^"\\])*"/gsu, '_')
    .split(/[|;\n]|(?<![<>])&(?!>)/u)
    .map(part => part.replace(/^[\s({]*(?:\w+=\S*\s+)*/u, ''))
    .findLast(part => /^[^#)}\s]/u.test(part)) ?? '';
