import type {McpPort, McpResult} from '../../actions/mcp-port.ts';
import {isJsonList, isJsonObject, type Json, type JsonObject} from '../../base/json.ts';
import {failed, ok, type Outcome} from '../../base/outcome.ts';
import {rejected, type Fault} from '../../domain/fault.ts';
import {concealFault} from './conceal-fault.ts';
import type {Secrets} from './make-secrets.ts';
import {unknownText} from './reveal-in-command.ts';

/** MCP servers as the conversation may see them: their answers have placeholders for secrets, their tools get the secrets back. */
export function guardMcp(mcp: McpPort, secrets: Secrets): McpPort {
  const concealed = (found: Outcome<McpResult, Fault>): Outcome<McpResult, Fault> =>
    found.tag === 'failed'
      ? failed(concealFault(found.error, secrets))
      : ok({
          ...found.value,
          blocks: found.value.blocks.map(block =>
            block.kind === 'text' ? {...block, text: secrets.conceal(block.text)} : block,
          ),
        });
  return {
    ready: signal => mcp.ready(signal),
    tools: () => mcp.tools(),
    servers: () => mcp.servers(),
    async call(request, signal) {
      const unknown = textsIn(request.input).flatMap(secrets.unknownIn);
      if (unknown.length > 0) return failed(rejected(`The tool was not called: ${unknownText([...new Set(unknown)])}`));
      return concealed(await mcp.call({...request, input: revealedIn(request.input, secrets)}, signal));
    },
    async resources(server, signal) {
      const found = await mcp.resources(server, signal);
      return found.tag === 'failed'
        ? failed(concealFault(found.error, secrets))
        : ok(
            found.value.map(resource => ({
              ...resource,
              uri: secrets.conceal(resource.uri),
              name: secrets.conceal(resource.name),
              description: secrets.conceal(resource.description),
            })),
          );
    },
    readResource: async (request, signal) =>
      concealed(await mcp.readResource({...request, uri: secrets.reveal(request.uri)}, signal)),
  };
}

function textsIn(value: Json): readonly string[] {
  if (typeof value === 'string') return [value];
  if (isJsonList(value)) return value.flatMap(textsIn);
  return isJsonObject(value) ? Object.values(value).flatMap(textsIn) : [];
}

const revealedIn = (input: JsonObject, secrets: Secrets): JsonObject =>
  Object.fromEntries(Object.entries(input).map(([key, value]) => [key, revealed(value, secrets)]));

function revealed(value: Json, secrets: Secrets): Json {
  if (typeof value === 'string') return secrets.reveal(value);
  if (isJsonList(value)) return value.map(item => revealed(item, secrets));
  return isJsonObject(value) ? revealedIn(value, secrets) : value;
}
