import * as z from 'zod/mini';
import english from 'zod/v4/locales/en.js';
import {failed, ok, type Outcome} from '../base/outcome.ts';
import type {Json} from '../base/json.ts';
import type {EventStream} from '../jobs/event-stream.ts';

/** Where the server listens unless it is told a port. */
export const defaultPort = 4096;

/** Most bytes of a request's body, and of one that carries images. */
export const bodyLimits = {small: 1_000_000, images: 32_000_000} as const;

export type Method = 'get' | 'post' | 'put' | 'delete';

/** One route of the interface: what requests must look like, what the answers are, and the work. The document is made of the same. */
export interface Route {
  readonly method: Method;
  /** With parameters in braces, as OpenAPI writes them. */
  readonly path: string;
  readonly about: RouteText;
  readonly query: z.ZodMiniType | undefined;
  readonly body: {readonly schema: z.ZodMiniType; readonly isRequired: boolean; readonly limit: number} | undefined;
  /** By status code. */
  readonly answers: Readonly<Record<number, Answer>>;
  handle(request: RawRequest): Promise<Reply> | Reply;
}

interface RouteText {
  readonly tag: string;
  /** Names the operation in generated clients. */
  readonly id: string;
  readonly summary: string;
}

export interface Answer {
  readonly description: string;
  /** `events`: a stream of server-sent events whose data has this schema. `file`: bytes, to be kept and not to be shown. */
  readonly kind: 'json' | 'events' | 'file';
  readonly schema: z.ZodMiniType;
}

export interface RawRequest {
  readonly params: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, string>>;
  readonly body: Json | undefined;
  /** The number of the last event that the reader has; 0 where there is none. */
  readonly lastEventId: number;
  /** Aborts when the client is gone before it has its answer. */
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
  /** Where it is not JSON. */
  readonly answerIs?: Answer['kind'];
  readonly otherAnswer?: readonly [status: number, description: string, schema: z.ZodMiniType];
  readonly errors?: Readonly<Record<number, string>>;
  readonly handle: (
    request: Omit<RawRequest, 'query' | 'body'> & {readonly query: z.output<Query>; readonly body: z.output<Body>},
  ) => Promise<Reply> | Reply;
}

const nothing = z.optional(z.unknown());

/** Makes a route; `handle` gets query and body as their schemas give them. */
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
        return refuse(400, 'The body is missing: send JSON.');
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

const badRequest = 'The request does not fit';

function fits(schema: z.ZodMiniType, given: unknown, where: 'query' | 'body'): Outcome<unknown, string> {
  const parsed = z.safeParse(schema, given, {error: english().localeError});
  if (parsed.success) return ok(parsed.data);
  const issues = parsed.error.issues.map(
    ({message, path}) => `${message}, in ${[where, ...path.map(String)].join('.')}`,
  );
  return failed(`The request does not fit: ${issues.join('; ')}`);
}
