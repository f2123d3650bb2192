import * as z from 'zod/mini';
import {isJsonObject, type Json, type JsonObject} from '../base/json.ts';
import {unreachable} from '../base/unreachable.ts';
import {schemaNotes} from '../tasks/stack/stack-records.ts';
import {type Answer, defaultPort, errorAnswer, json, route, type Route} from './route.ts';

/** Adds `GET /health`, which names the service, and `GET /openapi.json` with the document of all routes. */
export function withServerRoutes(
  others: readonly Route[],
  {version, service}: {readonly version: string; readonly service: string},
): readonly Route[] {
  const routes: readonly Route[] = [
    route('get', '/health', {
      tag: 'server',
      id: 'getHealth',
      summary: 'Check that the server runs; needs no token',
      answer: [200, 'The server runs', z.object({status: z.literal('ok'), service: z.string()})],
      handle: () => json(200, {status: 'ok', service}),
    }),
    route('get', '/openapi.json', {
      tag: 'server',
      id: 'getDocument',
      summary: 'Get this document',
      answer: [200, 'An OpenAPI document', z.record(z.string(), z.unknown())],
      handle: () => json(200, (document ??= openApiDocument(routes, version))),
    }),
    ...others,
  ];
  let document: ReturnType<typeof openApiDocument> | undefined;
  return routes;
}

/** Generates the OpenAPI 3.1 document from the schemas of requests and answers. */
function openApiDocument(routes: readonly Route[], version: string): JsonObject {
  const components: Record<string, Json> = {};
  const schemaOf = (schema: z.ZodMiniType, io: 'input' | 'output'): Json => {
    const {
      $schema: _dialect,
      $defs: named,
      ...rest
    } = z.toJSONSchema(schema, {
      io,
      metadata: schemaNotes,
      unrepresentable: 'any',
      override({jsonSchema}) {
        if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
        if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
      },
    });
    for (const [name, definition] of Object.entries(named ?? {})) components[name] = withReferences(asJson(definition));
    return withReferences(asJson(rest));
  };
  const paths: Record<string, Record<string, Json>> = {};
  for (const each of routes) (paths[each.path] ??= {})[each.method] = operationOf(each, schemaOf);
  return {
    openapi: '3.1.0',
    info: {
      title: 'weft',
      version,
      description: 'The weft coding agent as a server for one user: agent, plans and task stack.',
      license: {name: 'MIT', identifier: 'MIT'},
      contact: {name: 'weft'},
    },
    servers: [{url: `http://127.0.0.1:${defaultPort}`}],
    security: [{token: []}],
    tags: [...new Set(routes.map(({about}) => about.tag))].map(name => ({name, description: tagTexts[name] ?? name})),
    paths,
    components: {
      securitySchemes: {
        token: {type: 'http', scheme: 'bearer', description: 'The token in the file that weft serve prints.'},
      },
      schemas: components,
    },
  };
}

const tagTexts: Readonly<Record<string, string>> = {
  server: 'The server itself',
  messages: 'Messages between the user, the director and the sub-agents',
  tasks: 'Tasks of the task stack',
  layers: 'Layers of the task stack and their hooks',
  pointer: 'The execution pointer',
  stack: 'The task stack as a whole',
  agent: 'The agent: plan, approve, execute',
  sandbox: 'Commands in a sandbox',
  extensions: 'MCP servers and skills',
};

function operationOf(
  {about, method, path, query, body, answers}: Route,
  schemaOf: (schema: z.ZodMiniType, io: 'input' | 'output') => Json,
): Json {
  const inPath = [...path.matchAll(/\{(?<name>\w+)\}/gu)].map(({groups}) => ({
    name: groups?.['name'] ?? '',
    in: 'path',
    required: true,
    schema: groups?.['name'] === 'layer_index' ? {type: 'integer', minimum: 0} : {type: 'string'},
  }));
  const queried = query === undefined ? {} : schemaOf(query, 'input');
  const properties = isJsonObject(queried) ? queried['properties'] : undefined;
  const inQuery = Object.entries(isJsonObject(properties) ? properties : {}).map(([name, schema]) => ({
    name,
    in: 'query',
    required: false,
    schema,
  }));
  const isOpen = path === '/health';
  const all = {
    403: error('The Host or Origin is not allowed'),
    ...answers,
    ...(isOpen ? {} : {401: error('The token is missing or wrong')}),
    ...(method === 'get' ? {} : {415: error('The body is not JSON')}),
    ...(body === undefined ? {} : {413: error('The body is too large')}),
  };
  return {
    tags: [about.tag],
    operationId: about.id,
    summary: about.summary,
    description: `${about.summary}.`,
    ...(isOpen ? {security: []} : {}),
    parameters: [...inPath, ...inQuery],
    ...(body === undefined
      ? {}
      : {
          requestBody: {
            required: body.isRequired,
            content: {'application/json': {schema: schemaOf(body.schema, 'input')}},
          },
        }),
    responses: Object.fromEntries(
      Object.entries(all).map(([status, {description, kind, schema}]) => [
        status,
        {
          description,
          content: contentOf(kind, schemaOf(schema, 'output')),
        },
      ]),
    ),
  };
}

function contentOf(kind: Answer['kind'], schema: Json): Json {
  switch (kind) {
    case 'json':
      return {'application/json': {schema}};
    case 'events':
      return {'text/event-stream': {schema: eventsOf(schema)}};
    case 'file':
      return {'application/octet-stream': {schema: {type: 'string', format: 'binary'}}};
    default:
      return unreachable(kind);
  }
}

/** Returns the schema of an event stream: the data of each event is JSON with `schema`. */
const eventsOf = (schema: Json): Json => ({
  type: 'string',
  contentMediaType: 'application/json',
  contentSchema: schema,
});

const error = (description: string) => ({description, kind: 'json', schema: errorAnswer}) as const;

/** Rewrites references to named schemas, which are in the document's components. */
function withReferences(value: Json): Json {
  if (Array.isArray(value)) return value.map(withReferences);
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [
      key,
      key === '$ref' && typeof inner === 'string'
        ? inner.replace('#/$defs/', '#/components/schemas/')
        : withReferences(inner),
    ]),
  );
}

// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- JSON Schema is JSON; the library types its leaves as unknown
const asJson = (schema: object): Json => schema as Json;
