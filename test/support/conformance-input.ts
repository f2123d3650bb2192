import {isJsonObject, type Json, type JsonObject} from '../../src/base/json.ts';

interface NamedTool {
  readonly name: string;
  readonly inputSchema: JsonObject;
}

/** Returns arguments that fit a tool's schema. One tool of the conformance suite wants to see the schema of the other. */
export function inputFor(tool: string, tools: readonly NamedTool[]): JsonObject {
  if (tool.endsWith('json_schema_echo')) return {schema: tools.find(({name}) => name !== tool)?.inputSchema ?? {}};
  const properties = asObject(tools.find(({name}) => name === tool)?.inputSchema['properties']);
  return Object.fromEntries(
    Object.entries(properties).flatMap(([name, given]): readonly (readonly [string, Json])[] => {
      switch (asObject(given)['type']) {
        case 'number':
        case 'integer':
          return [[name, name === 'a' ? 5 : 3]];
        case 'string':
          return [[name, 'text']];
        case 'boolean':
          return [[name, true]];
        default:
          return [];
      }
    }),
  );
}

export function asObject(value: unknown): JsonObject {
  return isJsonObject(value) ? value : {};
}
