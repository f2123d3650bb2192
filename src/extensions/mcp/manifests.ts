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
  /** Names of tools that changed since the user last let them run. */
  readonly changed: readonly string[];
  readonly era: ProtocolEra;
}

/** Manifests by what stands for the configuration of a server. */
export interface Manifests {
  /** `undefined` where there is none, or none that can be read. */
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
    return parsed.success ? parsed.data : undefined;
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
  changed: z.array(z.string()),
  era: z.discriminatedUnion('kind', [
    z.object({kind: z.literal('unknown')}),
    z.object({kind: z.literal('legacy')}),
    z.object({kind: z.literal('modern'), discover: jsonObject}),
  ]),
});

/** Names of the tools of `now` that `before` had with another description, schema or claim. */
export function changedTools(before: readonly ServerTool[], now: readonly ServerTool[]): readonly string[] {
  const known = new Map(before.map(tool => [tool.name, textOf(tool)]));
  return now.filter(tool => known.has(tool.name) && known.get(tool.name) !== textOf(tool)).map(({name}) => name);
}

const textOf = ({description, inputSchema, effect}: ServerTool): string =>
  JSON.stringify([description, inputSchema, effect]);
