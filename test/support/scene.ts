import {spawn, type ChildProcessWithoutNullStreams} from 'node:child_process';
import {existsSync, readFileSync} from 'node:fs';
import {join} from 'node:path';
import {
  startModelServer,
  type DialectName,
  type ModelServer,
  type ReceivedRequest,
  type Script,
} from './model-server.ts';
import {lookUntil} from './look-until.ts';
import {finish, startWeft, TempPlace, weftBin, type Finished, type RunOptions} from './run-weft.ts';

type Conditions = Omit<RunOptions, 'place'>;

/** The built program, a home and a workspace of its own, and a scripted model server it is pointed at by the environment. */
export interface Scene extends AsyncDisposable {
  readonly place: TempPlace;
  readonly server: ModelServer;
  run(args: readonly string[], conditions?: Conditions): Promise<Finished>;
  start(args: readonly string[], conditions?: Conditions): ChildProcessWithoutNullStreams;
  /** Runs a shell script in the workspace, in which `weft` is the built program. */
  shell(script: string): Promise<Finished>;
  /** The text of a file of the workspace. */
  read(path: string): string;
}

/** The key the program is given; it must not be seen where it does not belong. */
export const scriptedKey = 'sk-scripted-0123456789';

/** What points the program at a server, as a user would do it. */
export const pointedAt = (server: ModelServer, dialect: DialectName = 'anthropic'): Record<string, string> =>
  dialect === 'anthropic'
    ? {ANTHROPIC_API_KEY: scriptedKey, ANTHROPIC_BASE_URL: server.baseUrl.anthropic}
    : {OPENAI_API_KEY: scriptedKey, OPENAI_BASE_URL: server.baseUrl.openai, WEFT_MODEL: 'small-model'};

/** Opens a scene; what it started and made is gone when it is disposed. */
export async function openScene(script: Script, dialect: DialectName = 'anthropic'): Promise<Scene> {
  const place = new TempPlace();
  const server = await startModelServer(script);
  const children: ChildProcessWithoutNullStreams[] = [];
  // What a run leaves in the temporary folder goes with the place.
  const pointed = {...pointedAt(server, dialect), TMPDIR: place.home};
  const start = (args: readonly string[], conditions: Conditions = {}): ChildProcessWithoutNullStreams => {
    const environment = {...pointed, ...conditions.environment};
    const child = startWeft(args, {...conditions, place, environment});
    children.push(child);
    return child;
  };
  return {
    place,
    server,
    start,
    run: (args, conditions) => finish(start(args, conditions)),
    shell(script_) {
      const weft = `weft() { node '${weftBin}' "$@"; }\n`;
      const child = spawn('bash', ['-c', weft + script_], {cwd: place.work, env: place.environment(pointed)});
      child.stdin.end();
      children.push(child);
      return finish(child);
    },
    read: path => readFileSync(join(place.work, path), 'utf8'),
    async [Symbol.asyncDispose]() {
      for (const child of children) child.kill('SIGKILL');
      await server.close();
      place[Symbol.dispose]();
    },
  };
}

/** The text of each tool result in the last message of a request, in order. */
export function toldResults(request: ReceivedRequest | undefined): readonly string[] {
  const message = request?.body.messages.at(-1);
  return listOf(message?.content).flatMap(block =>
    field(block, 'type') === 'tool_result'
      ? [
          listOf(field(block, 'content'))
            .map(part => String(field(part, 'text')))
            .join('\n'),
        ]
      : [],
  );
}

/** The text the user's last message carries, without what weft tells of the environment. */
export function toldPrompt(request: ReceivedRequest | undefined): string {
  const content = request?.body.messages.at(-1)?.content;
  if (typeof content === 'string') return withoutEnvironment(content);
  return listOf(content)
    .map(block => field(block, 'text'))
    .filter(text => typeof text === 'string' && withoutEnvironment(text) === text)
    .join('\n');
}

const environment = /\n*<reminder>Environment(?: changed)?:\n[^]*?<\/reminder>/gu;

/** A text without what weft tells of the environment. */
const withoutEnvironment = (text: string): string => text.replaceAll(environment, '');

/** The system prompt, whatever its form. */
export const toldSystem = (request: ReceivedRequest | undefined): string =>
  listOf(request?.body.system)
    .map(block => String(field(block, 'text')))
    .join('\n');

/** Resolves to the trimmed text of a file once it is there and not empty. */
export async function fileComes(path: string): Promise<string> {
  let text = '';
  await lookUntil(
    () => {
      text = existsSync(path) ? readFileSync(path, 'utf8').trim() : '';
      return text !== '';
    },
    () => `${path} never came`,
  );
  return text;
}

/** Resolves when no such process runs any more. */
export const processGone = (pid: number): Promise<void> =>
  lookUntil(
    () => !isRunning(pid),
    () => `process ${pid} still runs`,
  );

/** Ends a process that may be gone already. */
export function endProcess(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // it is gone
  }
}

/** A zombie that nobody has waited for yet does not run. */
function isRunning(pid: number): boolean {
  try {
    return !/^\d+ \(.*\) [ZX] /su.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    return false;
  }
}

const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

const field = (value: unknown, name: string): unknown =>
  typeof value === 'object' && value !== null ? Object.entries(value).find(([key]) => key === name)?.[1] : undefined;
