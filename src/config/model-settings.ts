import * as z from 'zod/mini';
import {efforts} from '../domain/model-stream.ts';

const tokens = z.optional(z.int().check(z.positive()));
/** US dollars per million tokens. */
const dollars = z.number().check(z.nonnegative());

/** The user's facts about models, by name. Each fact overrides the one in weft's table. */
export const modelsSchema = z.record(
  z.string().check(z.minLength(1)),
  z.strictObject({
    contextWindow: tokens,
    maxOutput: tokens,
    price: z.optional(
      z.strictObject({
        input: dollars,
        output: dollars,
        cacheRead: z.optional(dollars),
        cacheWrite: z.optional(dollars),
      }),
    ),
    efforts: z.optional(z.readonly(z.array(z.enum(efforts)))),
    effort: z.optional(z.enum(efforts)),
    reasoning: z.optional(z.enum(['echo', 'strip'])),
    images: z.optional(z.boolean()),
    pdfs: z.optional(z.boolean()),
    about: z.optional(z.string()),
  }),
);

/** How long Anthropic keeps the beginning of a request in its cache. */
export const cacheTtls = ['5m', '1h'] as const;
export type CacheTtl = (typeof cacheTtls)[number];

export type OwnModel = z.infer<typeof modelsSchema>[string];
export type OwnModels = Readonly<Record<string, OwnModel>>;

export const modelsWords =
  'names of models with what is known of them, tokens as whole numbers and prices in US dollars per million tokens';

export const modelsExample =
  '{"my-model": {"contextWindow": 131072, "maxOutput": 8192, "price": {"input": 0.5, "output": 2, "cacheRead": 0.05, ' +
  '"cacheWrite": 0.5}, "efforts": ["low", "high"], "effort": "high", "reasoning": "echo", "images": true, "pdfs": false, "about": "tests"}}';

/** The longest time that weft keeps a key of `keyCommand`, in milliseconds. */
export const maxKeyTtl = 300_000;

/** The name of an environment variable. */
export const variablePattern = /^[A-Za-z_][A-Za-z0-9_]*$/u;

/** The name of an HTTP header. */
export const headerName = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/u;

/** The names of headers that describe the body and the connection. A wrong value breaks the request. */
export const transportHeader =
  /^(?:connection|content-(?:encoding|length)|expect|keep-alive|te|trailer|transfer-encoding|upgrade)$/iu;

/** The characters that a header value may contain: visible Latin-1 characters, spaces and tabs. */
export const headerValue = /^[\t\x20-\x7E\xA0-\xFF]*$/u;

const headerText = z.string().check(z.regex(headerValue));
const header = z.string().check(z.regex(headerName));

/** Headers of every request, and by provider those of its requests alone. */
export const headersSchema = z.record(header, z.union([headerText, z.record(header, headerText)]));
export type HeaderSettings = z.infer<typeof headersSchema>;

/** How the user's own settings get the key. `given`: the command is in `--settings`, and wins over the environment. */
export interface KeyCommandSetting {
  readonly command: string;
  readonly ttlMs: number;
  readonly given: 'yes' | 'no';
  /** The provider that the settings name. If set, the key goes only to this provider. */
  readonly provider: string | undefined;
}

/** The protocols that a server may speak. `chat` and `responses` are OpenAI's, by the names in Codex's settings. */
export const rowProtocols = ['chat', 'responses', 'anthropic'] as const;
export type RowProtocol = (typeof rowProtocols)[number];

/** The user's changes to known providers, and the user's own providers. */
export const providersSchema = z.record(
  z.string().check(z.regex(/^[A-Za-z0-9][\w.-]*$/u)),
  z.strictObject({
    baseUrl: z.optional(z.url({protocol: /^https?$/u})),
    keyVariable: z.optional(z.string().check(z.regex(variablePattern))),
    headers: z.optional(z.record(header, headerText)),
    wireApi: z.optional(z.enum(rowProtocols)),
  }),
);
export type OwnProviders = z.infer<typeof providersSchema>;
