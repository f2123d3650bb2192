import * as z from 'zod/mini';
import english from 'zod/v4/locales/en.js';
import {failed, ok, type Outcome} from '../base/outcome.ts';
import type {Json} from '../base/json.ts';
import type {EventStream} from '../jobs/event-stream.ts';

/** The default port of the server. */
export const defaultPort = 4096;

/** The maximum number of bytes of a request's body, without and with images. */
export const bodyLimits = {small: 1_000_000, images: 32_000_000} as const;

export type Method = 'get' | 'post' | 'put' | 'delete';

/** One route: the schemas of its requests and answers, and its handler. The OpenAPI document is generated from the same schemas. */
export interface Route {
  readonly method: Method;
  /** The path, with parameters in braces as in OpenAPI. */
  readonly path: string;
  readonly about: RouteText;
  readonly query: z.ZodMiniType | undefined;
  readonly body: {readonly schema: z.ZodMiniType; readonly isRequired: boolean; readonly limit: number} | undefined;
  /** The answers by status code. */
  readonly answers: Readonly<Record<number, Answer>>;
  handle(request: RawRequest): Promise<Reply> | Reply;
}

interface RouteText {
  readonly tag: string;
  /** The name of the operation in generated clients. */
  readonly id: string;
  readonly summary: string;
}

export interface Answer {
  readonly description: string;
  /** `events`: server-sent events whose data has this schema. `file`: bytes to download, never to display. */
  readonly kind: 'json' | 'events' | 'file';
  readonly schema: z.ZodMiniType;
}

export interface RawRequest {
  readonly params: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, string>>;
  readonly body: Json | undefined;
  /** The number of the last event that the reader has received; 0 for none. */
  readonly lastEventId: number;
  /** Aborted if the client disconnects before it gets its answer. */
  readonly signal: AbortSignal;
}

export type Reply =
  | {readonly kind: 'json'; readonly status: number; readonly body: object}
  | {readonly kind: 'events'; readonly stream: EventStream; readonly after: number}
  | {readonly kind: 'file'; readonly name: string; readonly bytes: Uint8Array<ArrayBuffer>};

export const json = (status: number, body: object): Reply => ({kind: 'json', status, body});

export const errorAnswer = z.object({error: z.string()});

export const refuse = (status: number, error: string): Reply => json(status, {error});

interface Spec<Query extends z.ZodMiniType, Body extends z.ZodMiniType> extends RouteText {
  readonly query?: Query;
  readonly body?: Body;
  readonly bodyIs?: 'required' | 'optional';
  readonly bodyLimit?: keyof typeof bodyLimits;
  readonly answer: readonly [status: number, description: string, schema: z.ZodMiniType];
  /** The kind of the answer if it is not JSON. */
  readonly answerIs?: Answer['kind'];
  readonly otherAnswer?: readonly [status: number, description: string, schema: z.ZodMiniType];
  readonly errors?: Readonly<Record<number, string>>;
  readonly handle: (
    request: Omit<RawRequest, 'query' | 'body'> & {readonly query: z.output<Query>; readonly body: z.output<Body>},
  ) => Promise<Reply> | Reply;
}

/** A boolean in a query. */
export const flag = z.enum(['true', 'false', 'True', 'False', '1', '0']);
export const isTrue = (value: z.infer<typeof flag> | undefined): boolean =>
  value === '1' || value?.toLowerCase() === 'true';

const nothing = z.optional(z.unknown());

/** Makes a route. `handle` gets the query and body as parsed by their schemas. */
export function route<Query extends z.ZodMiniType = typeof nothing, Body extends z.ZodMiniType = typeof nothing>(
  method: Method,
  path: string,
  spec: Spec<Query, Body>,
): Route {
  const {tag, id, summary, query, body, bodyIs = 'required', bodyLimit = 'small', errors = {}, otherAnswer} = spec;
  const answer = ([status, description, schema]: Spec<Query, Body>['answer'], kind: Answer['kind']) => ({
    [status]: {description, kind, schema},
  });
  return {
    method,
    path,
    about: {tag, id, summary},
    query,
    body:
      body === undefined ? undefined : {schema: body, isRequired: bodyIs === 'required', limit: bodyLimits[bodyLimit]},
    answers: {
      ...answer(spec.answer, spec.answerIs ?? 'json'),
      ...(otherAnswer === undefined ? {} : answer(otherAnswer, 'json')),
      ...Object.fromEntries(
        Object.entries({...(query === undefined && body === undefined ? {} : {400: badRequest}), ...errors}).map(
          ([status, description]) => [status, {description, kind: 'json', schema: errorAnswer}],
        ),
      ),
    },
    handle(request) {
      const readQuery = fits(query ?? nothing, request.query, 'query');
      if (readQuery.tag === 'failed') return refuse(400, readQuery.error);
      if (body !== undefined && request.body === undefined && bodyIs === 'required')
        return refuse(400, 'The body is missing. Send JSON.');
      const readBody = fits(body ?? nothing, request.body ?? (body === undefined ? undefined : {}), 'body');
      if (readBody.tag === 'failed') return refuse(400, readBody.error);
      return spec.handle({
        ...request,
        // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what the schema gave; only without one it is another type
        query: readQuery.value as z.output<Query>,
        // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what the schema gave, as for the query
        body: readBody.value as z.output<Body>,
      });
    },
  };
}

const badRequest = 'Invalid request';

function fits(schema: z.ZodMiniType, given: unknown, where: 'query' | 'body'): Outcome<unknown, string> {
  const parsed = z.safeParse(schema, given, {error: english().localeError});
  if (parsed.success) return ok(parsed.data);
  const issues = parsed.error.issues.map(
    ({message, path}) => `${message}, in ${[where, ...path.map(String)].join('.')}`,
  );
  return failed(`Invalid request: ${issues.join('; ')}`);
}
