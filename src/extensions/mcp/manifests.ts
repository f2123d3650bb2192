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

/** A server's offer at its last connection: enough to offer its tools before it runs. */
export interface Manifest {
  readonly title: string;
  readonly version: string;
  /** The server's instructions for using its tools. */
  readonly instructions: string;
  readonly resources: 'offered' | 'none';
  readonly tools: readonly ServerTool[];
  readonly prompts: readonly McpPrompt[];
  /** Some of the server's resources, for the user to choose from. */
  readonly listed: readonly McpResource[];
  /** The tools as the user last accepted them, in the order in which they were first seen. A tool that the server removed stays. */
  readonly accepted: readonly AcceptedTool[];
  readonly era: ProtocolEra;
}

/** The tool that a permission covers: its name and a hash of its description, schema and effect. */
interface AcceptedTool {
  readonly name: string;
  readonly hash: string;
}

/** Manifests by the key of a server's configuration (`manifestKey`). */
export interface Manifests {
  /** Returns the manifest, or `undefined` if there is none or it can't be read. */
  read(key: string): Manifest | undefined;
  /** Saves the manifest in its state at the time of writing. Never rejects: a manifest that can't be saved is rebuilt the next time. */
  write(key: string, known: () => Manifest): Promise<void>;
}

/** Returns a hash of a server's name, transport and protocol. Reveals no secret. */
export const manifestKey = (name: string, {transport, protocol}: ServerConfig): string =>
  createHash('sha256')
    .update(JSON.stringify([name, transport, protocol]))
    .digest('hex')
    .slice(0, 32);

/** Stores one file per server in the folder, which need not exist. */
export const openManifests = (folder: string): Manifests => ({
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
  // Manifests from before 2026-11-23 have none.
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
  // Manifests from before 2026-11-23 have none.
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
  // Manifests from before 2026-11-24 list the changed tools instead.
  changed: z.prefault(z.array(z.string()), []),
  accepted: z.optional(z.array(z.object({name: z.string(), hash: z.string()}))),
  era: z.discriminatedUnion('kind', [
    z.object({kind: z.literal('unknown')}),
    z.object({kind: z.literal('legacy')}),
    z.object({kind: z.literal('modern'), discover: jsonObject}),
  ]),
});

/** The maximum number of tools of one server that are remembered. weft asks about each call of any further tool. */
const maxAccepted = 2000;

export function withNewTools(accepted: readonly AcceptedTool[], tools: readonly ServerTool[]): readonly AcceptedTool[] {
  const known = new Set(accepted.map(({name}) => name));
  const fresh = tools.filter(({name}) => !known.has(name)).map(tool => ({name: tool.name, hash: hashOf(tool)}));
  return [...accepted, ...fresh.slice(0, Math.max(0, maxAccepted - accepted.length))];
}

/** Returns the accepted tools, with the named tool accepted as the server describes it now. */
export const withAccepted = ({accepted, tools}: Manifest, name: string): readonly AcceptedTool[] => {
  const now = tools.find(tool => tool.name === name);
  if (now === undefined) return accepted;
  const entry = {name, hash: hashOf(now)};
  return accepted.some(tool => tool.name === name)
    ? accepted.map(tool => (tool.name === name ? entry : tool))
    : [...accepted, entry];
};

/** Returns the names of tools whose current description, schema or effect the user has not accepted. No permission covers them. */
export function changedTools({accepted, tools}: Pick<Manifest, 'accepted' | 'tools'>): ReadonlySet<string> {
  const known = new Map(accepted.map(({name, hash}) => [name, hash]));
  return new Set(tools.filter(tool => known.get(tool.name) !== hashOf(tool)).map(({name}) => name));
}

const hashOf = ({description, inputSchema, effect}: ServerTool): string =>
  createHash('sha256')
    .update(JSON.stringify([description, inputSchema, effect]))
    .digest('base64url');
