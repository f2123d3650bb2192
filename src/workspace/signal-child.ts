import type {ChildProcess} from 'node:child_process';

/**
 * Sends a signal to a program that was started. Does nothing if it could not start: it has no process then, and `kill` of Node.js would
 * signal weft's own group, with all that the user's script runs in it.
 */
export function signalChild(child: ChildProcess, signal: NodeJS.Signals): void {
  if (child.pid !== undefined) child.kill(signal);
}
