import {spawn} from 'node:child_process';
import {once} from 'node:events';
import {onTestFinished} from 'vitest';

/** Starts a display of 1600 by 900 for this test, and returns its name. */
export async function startDisplay(): Promise<string> {
  // Else it would begin anew, and drop who is just coming, whenever the last client leaves: each start of xdotool is one.
  const options = ['-displayfd', '1', '-screen', '0', '1600x900x24', '-nolisten', 'tcp', '-noreset'];
  const server = spawn('Xvfb', options, {stdio: ['ignore', 'pipe', 'ignore']});
  // Also where the test runs out of time.
  onTestFinished(() => void server.kill('SIGKILL'));
  const [number] = await once(server.stdout, 'data');
  return `:${String(number).trim()}`;
}
