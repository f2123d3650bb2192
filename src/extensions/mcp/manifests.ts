import {createHash} from 'node:crypto';
import {join} from 'node:path';
import * as z from 'zod/mini';
import type {McpPrompt, McpResource} from '../../actions/mcp-port.ts';
import {isJsonObject, type JsonObject, parseJson} from '../../base/json.ts';
import {ok} from '../../base/outcome.ts';
import {changeFile, readTextFile} from '../../config/change-file.ts';
import type {ServerTool} from './server-answers.ts';
import type {ServerConfig} from './server-config.ts';
import type {ProtocolEra} from './server-connection.ts';

/** What a server offered when it was last connected: enough to offer it before it runs. */
export interface Manifest {
  readonly title: string;
  readonly version: string;
  /** How the server wants its tools to be used. */
  readonly instructions: string;
  readonly resources: 'offered' | 'none';
  readonly tools: readonly ServerTool[];
  readonly prompts: readonly McpPrompt[];
  /** Some of its resources, for the user to choose from. */
  readonly listed: readonly McpResource[];
  /** The tools as the user knows them, in the order in which they were first seen. A tool that the server took away stays. */
  readonly accepted: readonly AcceptedTool[];
  readonly era: ProtocolEra;
}

/** The tool that a permission covers: its name and a hash of its description, schema and claim. */
interface AcceptedTool {
  readonly name: string;
  readonly hash: string;
}

/** Manifests by what stands for the configuration of a server. */
export interface Manifests {
  /** `undefined` if there is none, or none that can be read. */
  read(key: string): Manifest | undefined;
  /** Keeps what is known when it is written. Never rejects; a manifest that cannot be kept is made anew the next time. */
  write(key: string, known: () => Manifest): Promise<void>;
}

/** Stands for how a server is reached, with its name; the same for the same configuration. Holds no secret. */
export const manifestKey = (name: string, {transport, protocol}: ServerConfig): string =>
  createHash('sha256')
    .update(JSON.stringify([name, transport, protocol]))
    .digest('hex')
    .slice(0, 32);

/** Keeps a file for each server in the folder, which need not exist. */
export const manifestsIn = (folder: string): Manifests => ({
  read(key) {
    const text = readTextFile(join(folder, `${key}.json`));
    const json = text.tag === 'ok' && text.value !== undefined ? parseJson(text.value) : undefined;
    const parsed = manifestForm.safeParse(json?.tag === 'ok' ? json.value : undefined);
    if (!parsed.success) return undefined;
    const {changed, accepted, ...manifest} = parsed.data;
    const known = manifest.tools.filter(({name}) => !changed.includes(name));
    return {...manifest, accepted: accepted ?? withNewTools([], known)};
  },
  async write(key, known) {
    await changeFile(join(folder, `${key}.json`), () => ok(JSON.stringify(known())));
  },
});

const jsonObject = z.custom<JsonObject>(isJsonObject);

const manifestForm = z.object({
  title: z.string(),
  version: z.string(),
  // Manifests of before 2026-11-23 have none.
  instructions: z.prefault(z.string(), ''),
  resources: z.enum(['offered', 'none']),
  tools: z.array(
    z.object({
      name: z.string(),
      description: z.string(),
      inputSchema: jsonObject,
      effect: z.enum(['claims-read-only', 'claims-destructive', 'unsaid']),
    }),
  ),
  prompts: z.array(
    z.object({
      server: z.string(),
      name: z.string(),
      description: z.string(),
      arguments: z.array(z.object({name: z.string(), description: z.string(), need: z.enum(['required', 'optional'])})),
    }),
  ),
  // Manifests of before 2026-11-23 have none.
  listed: z.prefault(
    z.array(
      z.object({
        server: z.string(),
        uri: z.string(),
        name: z.string(),
        description: z.string(),
        mediaType: z.string(),
      }),
    ),
    [],
  ),
  // Manifests of before 2026-11-24 name the changed tools instead.
  changed: z.prefault(z.array(z.string()), []),
  accepted: z.optional(z.array(z.object({name: z.string(), hash: z.string()}))),
  era: z.discriminatedUnion('kind', [
    z.object({kind: z.literal('unknown')}),
    z.object({kind: z.literal('legacy')}),
    z.object({kind: z.literal('modern'), discover: jsonObject}),
  ]),
});

/** Tools of one server that are remembered; a server that shows more has them asked about each time. */
const maxAccepted = 2000;

export function withNewTools(accepted: readonly AcceptedTool[], tools: readonly ServerTool[]): readonly AcceptedTool[] {
  const known = new Set(accepted.map(({name}) => name));
  const fresh = tools.filter(({name}) => !known.has(name)).map(tool => ({name: tool.name, hash: hashOf(tool)}));
  return [...accepted, ...fresh.slice(0, Math.max(0, maxAccepted - accepted.length))];
}

/** The accepted tools, with the named one as the server describes it now. */
export const withAccepted = ({accepted, tools}: Manifest, name: string): readonly AcceptedTool[] => {
  const now = tools.find(tool => tool.name === name);
  if (now === undefined) return accepted;
  const entry = {name, hash: hashOf(now)};
  return accepted.some(tool => tool.name === name)
    ? accepted.map(tool => (tool.name === name ? entry : tool))
    : [...accepted, entry];
};

/** Names of the tools whose description, schema or claim the user has not accepted: no permission covers those. */
export function changedTools({accepted, tools}: Pick<Manifest, 'accepted' | 'tools'>): ReadonlySet<string> {
  const known = new Map(accepted.map(({name, hash}) => [name, hash]));
  return new Set(tools.filter(tool => known.get(tool.name) !== hashOf(tool)).map(({name}) => name));
}

const hashOf = ({description, inputSchema, effect}: ServerTool): string =>
  createHash('sha256')
    .update(JSON.stringify([description, inputSchema, effect]))
    .digest('base64url');
