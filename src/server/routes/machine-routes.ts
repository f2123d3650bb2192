import * as z from 'zod/mini';
import {isJsonObject, type JsonObject} from '../../base/json.ts';
import {schemaNotes} from '../../tasks/stack/stack-requests.ts';
import {json, refuse, route, type Route} from '../route.ts';

/** What there is on this machine and for a folder: the same facts as the commands print as JSON. */
export interface MachinePort {
  sandboxProviders(): Promise<readonly JsonObject[]>;
  mcpServers(workDir: string): Promise<readonly JsonObject[]>;
  skills(workDir: string): Promise<readonly JsonObject[]>;
  /** The folder of a request, which is the server's where it names none; `no-folder` where it is no absolute folder. */
  folder(workDir: string | undefined): {readonly path: string} | 'no-folder';
}

const object = z.custom<JsonObject>(isJsonObject);
schemaNotes.add(object, {type: 'object'});
const rows = z.array(object);
const ofFolder = z.object({workDir: z.optional(z.string())});

/** `weft sandbox providers`, `weft mcp list` and `weft skills list`, over HTTP. */
export const machineRoutes = (port: MachinePort): readonly Route[] => [
  route('get', '/sandbox/providers', {
    tag: 'sandbox',
    id: 'listSandboxProviders',
    summary: 'List the backends of the sandbox and which are installed',
    answer: [200, 'The backends', rows],
    handle: async () => json(200, await port.sandboxProviders()),
  }),
  route('get', '/mcp/servers', {
    tag: 'extensions',
    id: 'listMcpServers',
    summary: 'List the MCP servers of a folder',
    query: ofFolder,
    answer: [200, 'The servers; none was asked whether it answers', rows],
    handle: async ({query}) => {
      const folder = port.folder(query.workDir);
      return folder === 'no-folder' ? refuse(400, noFolder) : json(200, await port.mcpServers(folder.path));
    },
  }),
  route('get', '/skills', {
    tag: 'extensions',
    id: 'listSkills',
    summary: 'List the skills of a folder',
    query: ofFolder,
    answer: [200, 'The skills, also those that are not offered', rows],
    handle: async ({query}) => {
      const folder = port.folder(query.workDir);
      return folder === 'no-folder' ? refuse(400, noFolder) : json(200, await port.skills(folder.path));
    },
  }),
];

const noFolder = 'The request does not fit: not an existing absolute folder, in query.workDir';
