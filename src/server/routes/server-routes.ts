import * as z from 'zod/mini';
import {openApiDocument} from '../openapi.ts';
import {json, route, type Route} from '../route.ts';

/** `GET /health`, and the document of these and all other routes. */
export function withServerRoutes(others: readonly Route[], version: string): readonly Route[] {
  const routes: readonly Route[] = [
    route('get', '/health', {
      tag: 'server',
      id: 'getHealth',
      summary: 'Say that the server runs; needs no token',
      answer: [200, 'It runs', z.object({status: z.literal('ok'), service: z.string()})],
      handle: () => json(200, {status: 'ok', service: 'weft'}),
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
