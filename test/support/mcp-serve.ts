import {readFileSync} from 'node:fs';
import {lookUntil} from './look-until.ts';
import {weftBin} from './run-weft.ts';
import {pointedAt, type Scene} from './scene.ts';

/** Returns how a client starts `weft mcp serve`, which it calls on stdin and stdout. */
export const mcpServeOnStdio = ({place, server}: Scene, flags: readonly string[] = []) => ({
  command: process.execPath,
  args: [weftBin, 'mcp', 'serve', ...flags],
  cwd: place.work,
  env: {...place.environment(pointedAt(server)), TMPDIR: place.home},
  stderr: 'pipe' as const,
});

/** The address of `weft mcp serve --http`, and the token of its clients. */
export interface McpOverHttp {
  readonly url: URL;
  readonly token: string;
}

/** Starts `weft mcp serve --http`. */
export async function mcpServeOnHttp(scene: Scene): Promise<McpOverHttp> {
  const child = scene.start(['mcp', 'serve', '--http', '--port', '0'], {stdin: 'open'});
  let shown = '';
  child.stdout.on('data', (chunk: Buffer) => (shown += chunk.toString()));
  await lookUntil(
    () => shown.includes('\n'),
    () => `the server said: ${shown}`,
  );
  const [, url = '', token = ''] = /on (\S+), token in (.*)\n/u.exec(shown) ?? [];
  return {url: new URL(url), token: readFileSync(token, 'utf8').trim()};
}
