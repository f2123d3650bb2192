import * as z from 'zod/mini';
import type {JsonObject} from '../../base/json.ts';
import {jsonObject, schemaNotes, nonEmptyText} from '../../tasks/stack/stack-records.ts';
import type {Outcome} from '../../base/outcome.ts';
import {changeKinds} from '../../domain/change-set.ts';
import {type ProviderName, providerNames} from '../../domain/sandbox.ts';
import {json, refuse, type Reply, route, type Route} from '../route.ts';

/** Facts about this machine and a folder, the same as commands print with `--json`. */
export interface MachinePort {
  sandboxProviders(): Promise<readonly JsonObject[]>;
  mcpServers(workDir: string): Promise<readonly JsonObject[]>;
  skills(workDir: string): Promise<readonly JsonObject[]>;
  /** Runs a command or script file until it ends or the client leaves, in the named sandbox backend or in one that has passed its probe. */
  run(
    request: SandboxRequest,
    signal: AbortSignal,
  ): Promise<Outcome<SandboxAnswer, {readonly status: 400 | 403 | 409; readonly error: string}>>;
  /** Returns the folder of a request, by default the server's; `no-folder` if it is not an absolute path of a folder. */
  folder(workDir: string | undefined): {readonly path: string} | 'no-folder';
}

export interface SandboxRequest {
  readonly what:
    | {readonly kind: 'command'; readonly command: string}
    | {readonly kind: 'file'; readonly path: string; readonly args: readonly string[]};
  /** The folder to run in; by default the server's. */
  readonly cwd: string | undefined;
  readonly provider: ProviderName | undefined;
  readonly network: 'open' | 'closed';
  /** Whether to apply held changes, like edits of an unattended run. `unsaid` applies none, but also runs commands whose changes can't be held. */
  readonly apply: 'yes' | 'no' | 'unsaid';
}

const provider = z.enum(providerNames);
const apply = z.optional(z.boolean());
schemaNotes.add(apply, {
  description:
    'Whether to apply the changes, like edits without a user to ask. By default none are applied, if the backend can hold them back',
});
const execRequest = z.strictObject({
  command: nonEmptyText,
  cwd: z.optional(z.string()),
  provider: z.optional(provider),
  network: z.prefault(z.boolean(), false),
  apply,
});
const runFileRequest = z.strictObject({
  path: nonEmptyText,
  args: z.prefault(z.array(z.string()), []),
  provider: z.optional(provider),
  apply,
});

const sandboxAnswer = z.object({
  exitCode: z.int(),
  stdout: z.string(),
  stderr: z.string(),
  provider,
  isolation: z.object({files: z.boolean(), network: z.boolean(), processes: z.boolean()}),
  changes: z.array(z.object({path: z.string(), kind: z.enum(changeKinds)})),
  applied: z.boolean(),
});
schemaNotes.add(sandboxAnswer, {id: 'SandboxResult'});
export type SandboxAnswer = z.infer<typeof sandboxAnswer>;

const rows = z.array(jsonObject);
const ofFolder = z.object({workDir: z.optional(z.string())});

/** The routes for `weft sandbox providers`, `weft mcp list` and `weft skills list`. */
export const machineRoutes = (port: MachinePort): readonly Route[] => [
  route('get', '/sandbox/providers', {
    tag: 'sandbox',
    id: 'listSandboxProviders',
    summary: 'List the sandbox backends and which are installed',
    answer: [200, 'The backends', rows],
    handle: async () => json(200, await port.sandboxProviders()),
  }),
  route('post', '/sandbox/exec', {
    tag: 'sandbox',
    id: 'execInSandbox',
    summary: 'Run a shell command to its end',
    body: execRequest,
    answer: [200, 'The result', sandboxAnswer],
    errors: sandboxErrors,
    handle: ({body: {command, ...said}, signal}) => run(port, {what: {kind: 'command', command}, ...said}, signal),
  }),
  route('post', '/sandbox/run/file', {
    tag: 'sandbox',
    id: 'runFileInSandbox',
    summary: 'Run a script file to its end',
    body: runFileRequest,
    answer: [200, 'The result', sandboxAnswer],
    errors: sandboxErrors,
    handle: ({body: {path, args, ...said}, signal}) => run(port, {what: {kind: 'file', path, args}, ...said}, signal),
  }),
  route('get', '/mcp/servers', {
    tag: 'extensions',
    id: 'listMcpServers',
    summary: 'List the MCP servers of a folder',
    query: ofFolder,
    answer: [200, 'The servers, without checking whether they answer', rows],
    handle: ({query}) => list(port, query.workDir, folder => port.mcpServers(folder)),
  }),
  route('get', '/skills', {
    tag: 'extensions',
    id: 'listSkills',
    summary: 'List the skills of a folder',
    query: ofFolder,
    answer: [200, 'The skills, including those that are not offered', rows],
    handle: ({query}) => list(port, query.workDir, folder => port.skills(folder)),
  }),
];

const sandboxErrors = {
  403: 'The command or its changes need approval, or a rule forbids them; or the Host or Origin is not allowed',
  409: "The backend does not work here, or can't hold back changes",
};

async function run(
  port: MachinePort,
  {
    what,
    cwd,
    provider: name,
    network = false,
    apply: wanted,
  }: Pick<SandboxRequest, 'what'> & Partial<Omit<z.infer<typeof execRequest>, 'command'>>,
  signal: AbortSignal,
): Promise<Reply> {
  const said = wanted === undefined ? 'unsaid' : wanted ? 'yes' : 'no';
  const request = {what, cwd, provider: name, network: network ? 'open' : 'closed', apply: said} as const;
  const answer = await port.run(request, signal);
  return answer.tag === 'ok' ? json(200, answer.value) : refuse(answer.error.status, answer.error.error);
}

async function list(
  port: MachinePort,
  workDir: string | undefined,
  rowsIn: (folder: string) => Promise<readonly JsonObject[]>,
): Promise<Reply> {
  const folder = port.folder(workDir);
  return folder === 'no-folder'
    ? refuse(400, 'Invalid request: not an existing absolute folder, in query.workDir')
    : json(200, await rowsIn(folder.path));
}
