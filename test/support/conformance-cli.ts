import {isJsonObject} from '../../src/base/json.ts';
import {asObject, inputFor} from './conformance-input.ts';
import {call, say} from './model-script.ts';
import {openScene, toldResults} from './scene.ts';

/*
 * The client that the conformance suite tests: the built program with a scripted model that calls every tool it is offered. The suite
 * starts it with the address of its server.
 */

const url = process.argv[2] ?? '';
const protocol = process.env['MCP_CONFORMANCE_PROTOCOL_VERSION'] === '2026-07-28' ? '2026-07-28' : 'legacy';
const wanted = asObject(JSON.parse(process.env['MCP_CONFORMANCE_CONTEXT'] ?? '{}'))['toolCalls'];

const textOf = (name: unknown): string => (typeof name === 'string' ? name : '');

await using scene = await openScene(request => {
  const offered = (request.body.tools ?? [])
    .filter(isJsonObject)
    .map(({name, input_schema: schema}) => ({name: textOf(name), inputSchema: asObject(schema)}))
    .filter(({name}) => name.startsWith('mcp__s__'));
  if (toldResults(request).length > 0 || offered.length === 0) return say('Done.');
  return Array.isArray(wanted)
    ? wanted.filter(isJsonObject).map(({name, arguments: input}) => call(`mcp__s__${textOf(name)}`, asObject(input)))
    : offered.map(({name}) => call(name, inputFor(name, offered)));
});
const config = JSON.stringify({mcpServers: {s: {type: 'http', url, protocol}}});
const run = await scene.run(['--prompt', 'Use the tools.', '--mcp-config', config, '--allowed-tools', 'mcp__s']);
console.error(run.stdout, run.stderr);
process.exitCode = run.code ?? 1;
