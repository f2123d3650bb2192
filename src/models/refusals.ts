import {type Fault, otherRefusal, type Refusal} from '../domain/fault.ts';
import type {MessageId} from '../domain/ids.ts';
import type {ModelRequest} from '../domain/model-stream.ts';
import {type Endpoint, type ProviderError, type Refused, retryAfterMs} from './provider-error.ts';
import {type ReadRefusal, readRefusal} from './refusal-words.ts';

/**
 * Reads what a provider refused, in any form of answer. The module is loaded at the first refusal. Its tables are in
 * the order in which they are tried.
 */

/** The kinds of refusals that a later run would get too, if no detail belongs to them. */
export const lastingKinds = [
  'plain-roles',
  'role-order',
  'system-role',
  'cache-control',
  'thinking-signature',
  'thinking-echo',
  'thinking-type',
  'effort',
  'no-images',
  'result-media',
  'schema',
  'tool-references',
  'text-tools',
] as const;

/** A refusal that a later run would get too. */
export type LastingRefusal =
  | {readonly kind: (typeof lastingKinds)[number]}
  | {readonly kind: 'call-id'; readonly most: number}
  /** `names` is empty if the refusal names no beta. */
  | {readonly kind: 'beta'; readonly names: readonly string[]}
  /** `input`: the tokens of the request, 0 if the limit is the model's output limit. */
  | {readonly kind: 'max-tokens'; readonly most: number; readonly input: number; readonly window: number}
  | {readonly kind: 'parameter'; readonly names: readonly string[]};

/** A refusal that weft can repair, or that the engine can. */
export type RefusalClass =
  | LastingRefusal
  | {readonly kind: 'thinking-first' | 'call-signature' | 'too-many-media' | 'too-many-bytes' | 'image' | 'document'}
  | {readonly kind: 'too-long'; readonly tokens: number; readonly window: number}
  /** The request itself was refused, in words that weft doesn't know. */
  | {readonly kind: 'unexplained'}
  | {readonly kind: 'other'};

/** True unless the refusal is about one request, or weft only guesses its reason. */
export const isLasting = (is: RefusalClass): is is LastingRefusal =>
  'names' in is || 'most' in is || lastingKinds.some(kind => kind === is.kind);

export interface JudgedRefusal {
  /** The error to report if the request can't be repaired. */
  readonly error: ProviderError;
  readonly is: RefusalClass;
  /** The provider's words, in lower case, without backticks. */
  readonly said: string;
}

/** A refusal whose repair helped, as it is kept for later runs. It holds no words of the provider, which may quote the conversation. */
export interface KnownRefusal {
  readonly is: LastingRefusal;
  readonly said: '' | 'between_tools';
  /** The answers whose thinking was refused. Empty for a fact about the model. */
  readonly messages: readonly MessageId[];
}

/** True if the repair of a refusal leaves out something that the user gave or asked for. */
export const takesAway = (is: RefusalClass): boolean =>
  is.kind === 'parameter' ? is.names.some(name => /think|reason|effort|max_/u.test(name)) : takingKinds.has(is.kind);

const takingKinds: ReadonlySet<RefusalClass['kind']> = new Set([
  'no-images',
  'unexplained',
  'thinking-signature',
  'thinking-type',
  'effort',
  'max-tokens',
]);

/** The lessons of a server's refusals that later runs know, by model. */
export interface KeptRefusals {
  recall(model: string): readonly KnownRefusal[];
  keep(model: string, known: readonly KnownRefusal[]): Promise<void>;
  forget(model: string): Promise<void>;
}

type Asked = Pick<ModelRequest, 'model' | 'tools'>;

/** Decides what a refusal means: temporary, final, or repairable. */
export function judgeRefusal(refused: Refused, endpoint: Endpoint, request: Asked): JudgedRefusal {
  const read = readRefusal(refused);
  const {said, header} = read;
  const error = errorOf(read, endpoint, request);
  const is = error.kind === 'passing' || isFinal(read) ? ({kind: 'other'} as const) : classOf(read);
  if (is.kind === 'too-long') return {error: tooLong(read, request.model, is), is, said};
  if (is.kind === 'max-tokens' && is.most < minOutput) {
    const full = {kind: 'too-long', tokens: is.input, window: is.window} as const;
    return {error: tooLong(read, request.model, full), is: full, said};
  }
  const asTooLong = is.kind === 'too-many-bytes' ? tooLong(read, request.model, {tokens: 0, window: 0}) : error;
  return {
    error: header('x-should-retry') === 'true' && isUnknown(is) ? passing(read, endpoint) : asTooLong,
    is,
    said,
  };
}

const isUnknown = ({kind}: RefusalClass): boolean => kind === 'other' || kind === 'unexplained';

/** The minimum number of tokens that are worth requesting for an answer. */
const minOutput = 1024;

// Temporary or final.

const quota =
  /insufficient_quota|billing|credit_balance|credit balance|insufficient[ _](?:balance|credits?|funds)|payment required|usage_limit_reached|exceeded_current_quota|exceeded your current quota|(?:key|monthly|weekly|usage|spend(?:ing)?) limit (?:reached|exceeded)|(?:hit|reached) your (?:\w+ )?(?:usage|spend|plan)|subscription_sharing_(?!us\w+_unavailable)|\b1308\b|\b1113\b/u;
/** Matches the words of Anthropic, OpenAI, Azure, Google, DeepSeek, DashScope, Z.ai, MiniMax, xAI, OpenRouter and LiteLLM. */
const policy =
  /policy_blocked|dlp_request_denied|content[_ ]filter|content_?policy_?violation|responsibleaipolicyviolation|responsible ai practices|flagged for possible cybersecurity|content management policy|prohibited_content|(?:input|prompt) was flagged|requires moderation|content exists risk|data_?inspection_?failed|new_sensitive|敏感内容|violates? (?:the )?usage guidelines/u;
const dataPolicy = /no endpoints.*data policy|data policy.*no endpoints/u;
const throttled =
  /throttling|too many tokens, please wait|rate increased too quickly|at capacity|high demand|overloaded/u;

const isQuota = ({status, said}: ReadRefusal): boolean =>
  status === 402 || (status !== 401 && quota.test(said) && saidWaitMs(said) === 0);

const isFinal = (read: ReadRefusal): boolean =>
  isQuota(read) || policy.test(read.said) || dataPolicy.test(read.said) || read.status === 401 || read.status === 403;

function errorOf(read: ReadRefusal, endpoint: Endpoint, request: Asked): ProviderError {
  const {status, shownStatus, said, header, message: explanation} = read;
  const {model} = request;
  const about = explanation === '' ? '' : `: ${explanation}`;
  const final = (message: string, fix: string): ProviderError => finalError(message, fix, read);
  const plan = planLimits.find(([sign]) => sign.test(said));
  if (plan !== undefined) return final(`The limit of your ChatGPT plan is reached (${shownStatus})${about}`, plan[1]);
  if (isQuota(read)) {
    const page = pageFor(endpoint, billingPages);
    return final(
      `${endpoint.name} refused for lack of credit (${shownStatus})${about}`,
      page === undefined
        ? 'Add credit with the provider, or use another key.'
        : `Check your plan and credit at ${page}, or use another key.`,
    );
  }
  if (policy.test(said)) {
    return finalError(
      `${endpoint.name} refused this prompt (${shownStatus})${about}`,
      'Rephrase the prompt, or use another model (/model, --fallback-model).',
      read,
      {kind: 'policy'},
    );
  }
  if (dataPolicy.test(said)) {
    const page = pageFor(endpoint, privacyPages) ?? 'the settings of your account';
    return final(
      `${endpoint.name} has no provider for ${model} that your data policy allows (${shownStatus})${about}`,
      `Change the policy at ${page}, or use another model.`,
    );
  }
  const mayPass = status === 408 || status === 409 || status === 429 || status >= 500 || throttled.test(said);
  if (mayPass && header('x-should-retry') !== 'false' && !isCertain(read)) return passing(read, endpoint);
  if (status === 401) {
    return final(`${endpoint.name} rejected the API key (${shownStatus})${about}`, `Check ${keyOf(endpoint)}.`);
  }
  if (status === 403) {
    const fix = keyFixes.find(([sign]) => sign.test(said))?.[1] ?? 'Check that the key in KEY may use the model MODEL.';
    return final(
      `${endpoint.name} does not allow this request (${shownStatus})${about}`,
      fix
        .replace(endpoint.keyVariable === '' ? /(?:the key in )?KEY/u : 'KEY', () => keyOf(endpoint))
        .replace('MODEL', () => model),
    );
  }
  if (status === 405) {
    return final(
      `${endpoint.baseUrl} takes no requests to a model (${shownStatus})${about}`,
      `Check the base URL (--base-url or ${endpoint.urlVariable}).`,
    );
  }
  if (status === 404 && /no endpoints found that support/u.test(said)) {
    return final(
      `${endpoint.name} can't answer this request with ${model} (${shownStatus})${about}`,
      'Use another model.',
    );
  }
  if (status === 404 && model === '') {
    return final(
      `No model API at ${endpoint.baseUrl} (${shownStatus})${about}`,
      `Check the base URL (--base-url or ${endpoint.urlVariable}).`,
    );
  }
  if (status === 404 && endpoint.urlVariable === 'OPENAI_BASE_URL' && URL.parse(endpoint.baseUrl)?.pathname === '/') {
    return final(
      `No model API at ${endpoint.baseUrl}/chat/completions (${shownStatus})${about}`,
      `Most servers need /v1 at the end of the base URL (--base-url or ${endpoint.urlVariable}): ${endpoint.baseUrl}/v1`,
    );
  }
  if (status === 404) {
    const at = endpoint.name === endpoint.baseUrl ? '' : ` at ${endpoint.baseUrl}`;
    return final(
      `${endpoint.name} has no model ${model}${at} (${shownStatus})${about}`,
      `Check the model (--model) and the base URL (--base-url or ${endpoint.urlVariable}).`,
    );
  }
  if (status >= 300 && status < 400) {
    const target = header('location') ?? 'another address';
    return final(`${endpoint.baseUrl} redirects to ${target} (${shownStatus}).`, 'Use that address as the base URL.');
  }
  if (/on-demand throughput/u.test(said)) {
    const profile = `us.${model.replace(/^(?!anthropic\.)/u, 'anthropic.')}`;
    return final(
      `${endpoint.name} has ${model} only by an inference profile (${shownStatus})${about}`,
      `Use the one of your region, such as --model ${profile}`,
    );
  }
  const hint = lengthHintIn(read);
  if (hint !== 'nothing') {
    return finalError(
      `${endpoint.name} rejected the request (${shownStatus})${about === '' ? ' and gave no reason' : about}`,
      'If the conversation may be too long, run /compact or start a new session. Otherwise use another model.',
      read,
      {kind: 'maybe-too-long', hint},
    );
  }
  const searches = status === 400 && request.tools.some(tool => 'provided' in tool) ? ` ${searchHint}` : '';
  return final(
    `${endpoint.name} rejected the request (${shownStatus})${about}`,
    `${/\btools?\b|\bfunctions?\b|template|jinja/u.test(said) ? `Check that ${model} supports tools, or use` : 'Use'} another model.${searches}`,
  );
}

/** Returns whether a refusal that weft doesn't know may be about the length of the request. */
function lengthHintIn(read: ReadRefusal): 'words' | 'none' | 'nothing' {
  if (classOf(read).kind !== 'unexplained') return 'nothing';
  if (emptyPhrases.test(read.message)) return 'none';
  return sizeWords.test(read.said) && !otherSizes.test(read.said) ? 'words' : 'nothing';
}

const emptyPhrases =
  /^(?:\W*\b(?:an?|bad|body|code|empty|error|failed|http|invalid|invalid_request_error|no|occurred|provider|request|returned|status|the|unknown|upstream|with|4\d\d))*\W*$/iu;
const sizeWords =
  /too (?:long|large|big|many)|exceed|maximum|limit|overflow|length|token|context|history|[超过長长길초]/u;
/** The size is that of a parameter, a tool or a medium. */
const otherSizes =
  /string too|\btools?\b|function|schema|temperature|top_[pk]|penalty|seed|stop|image|document|metadata|header|\bnames?\b|max_\w*tokens|logprobs|effort|budget|cache/u;

/** Names the key for people. Some servers of the user's own need none, so no variable holds it. */
const keyOf = ({keyVariable}: Endpoint): string =>
  keyVariable === '' ? 'the API key of this server (keyVariable or headers in the settings)' : keyVariable;

/** Matches what AWS and Google say about problems that have nothing to do with the model, each with its fix. */
const keyFixes: readonly (readonly [RegExp, string])[] = [
  [/signature (?:expired|not yet current)/u, 'Check the clock of this machine.'],
  [/security token included in the request is invalid|signature we calculated does not match/u, 'Check KEY.'],
  [/has not been used in project/u, 'Enable it, or choose another project.'],
];

/** The limits of a plan that several apps share. */
const planLimits: readonly (readonly [RegExp, string])[] = [
  [
    /subscription_sharing_workplace_individual_usage_limit_exceeded/u,
    'Ask the admin of your workspace to raise it (admin.openai.com, Workspace, Usage limits), or use another model.',
  ],
  [
    /subscription_sharing_usage_limit_exceeded/u,
    'See your usage at https://chatgpt.com/settings/usage, or use another model.',
  ],
];

/** Servers that speak a provider's protocol may not have its own tools, and refuse the whole request. */
const searchHint =
  'If this server does not search the web itself, remove the rule that allows WebSearch, or set BRAVE_API_KEY, TAVILY_API_KEY, EXA_API_KEY or SEARXNG_URL.';

const finalError = (
  message: string,
  fix: string,
  {status}: ReadRefusal,
  refusal: Refusal = otherRefusal,
): ProviderError => {
  const fault: Fault = {kind: 'provider', message, fix, status, refusal};
  return {kind: 'final', fault};
};

const tooLong = (
  read: ReadRefusal,
  model: string,
  {tokens, window}: {readonly tokens: number; readonly window: number},
): ProviderError =>
  finalError(
    `The conversation is too long for ${model} (${read.status})${read.message === '' ? '' : `: ${read.message}`}`,
    'Make room with /compact, start a new session, or use a model with a larger context window.',
    read,
    {kind: 'too-long', tokens, window},
  );

function passing({status, header, message, said}: ReadRefusal, {name}: Endpoint): ProviderError {
  return {
    kind: 'passing',
    status,
    message: `${name} ${inWords(status)} (${status})${message === '' ? '' : `: ${message}`}`,
    fix: 'Try again later.',
    retryAfterMs: retryAfterMs(header, Date.now()) || saidWaitMs(said),
    patience: 'usual',
  };
}

function inWords(status: number): string {
  if (status === 429) return 'is limiting the rate of requests';
  if (status === 529 || status === 503) return 'is overloaded';
  if (status === 408) return 'took too long';
  return status < 500 ? 'is busy' : 'has trouble';
}

/** Returns the wait that only the words name, in milliseconds; 0 if they name none: "Please retry in 34.07s." */
const saidWaitMs = (said: string): number => {
  const [, minutes = '0', seconds = '0'] = /\bretry in (?:(\d+)m)?(\d+(?:\.\d+)?)s\b/u.exec(said) ?? [];
  return Math.ceil((Number(minutes) * 60 + Number(seconds)) * 1000);
};

const pageFor = ({baseUrl}: Endpoint, pages: readonly (readonly [string, string])[]): string | undefined => {
  const host = URL.parse(baseUrl)?.hostname ?? '';
  return pages.find(([domain]) => host === domain || host.endsWith(`.${domain}`))?.[1];
};

const billingPages = [
  ['anthropic.com', 'platform.claude.com/settings/billing'],
  ['openai.com', 'platform.openai.com/settings/organization/billing'],
  ['googleapis.com', 'aistudio.google.com/usage'],
  ['openrouter.ai', 'openrouter.ai/settings/credits'],
  ['deepseek.com', 'platform.deepseek.com/top_up'],
  ['moonshot.ai', 'platform.moonshot.ai/console/pay'],
  ['z.ai', 'z.ai/manage-apikey/billing'],
  ['mistral.ai', 'admin.mistral.ai/organization/billing'],
] as const;

const privacyPages = [['openrouter.ai', 'openrouter.ai/settings/privacy']] as const;

// Repairable.

/** True for a refusal that repeating would not change. Local model servers send some of these with a 500. */
const isCertain = (read: ReadRefusal): boolean => {
  const isLimit = read.status === 429 && /request too large/u.test(read.said);
  if (!isLimit && (read.status < 500 || read.status === 503 || read.status === 529)) return false;
  const {kind} = classOf(read);
  return certain.has(kind);
};

const certain: ReadonlySet<RefusalClass['kind']> = new Set([
  'no-images',
  'schema',
  'too-long',
  'role-order',
  'system-role',
  'plain-roles',
]);

function classOf(read: ReadRefusal): RefusalClass {
  const {said, status} = read;
  if (status === 404 && !unsupportedImages.test(said)) return {kind: 'other'};
  if (status === 413) return fullOf(read) ?? {kind: 'too-many-bytes'};
  if (beta.test(said)) return {kind: 'beta', names: said.match(/[a-z][a-z0-9-]*-20\d\d-\d\d-\d\d/gu) ?? []};
  for (const [kind, sign] of signs) if (sign.test(said)) return {kind};
  for (const bound of callIdBounds) {
    const most = numberIn(bound.exec(said)?.groups, 'most');
    if (most > 0) return {kind: 'call-id', most};
  }
  if (badCallId.test(said)) return {kind: 'call-id', most: 40};
  const output = outputBoundOf(said);
  if (output !== undefined) return output;
  const full = fullOf(read);
  if (full !== undefined) return full;
  if (bytes.test(said)) return {kind: 'too-many-bytes'};
  const names = refusedParameters(said);
  if (names.length > 0) return {kind: 'parameter', names};
  return status === 400 || status === 415 || status === 422 ? {kind: 'unexplained'} : {kind: 'other'};
}

const beta =
  /anthropic-beta|anthropic_beta|beta (?:header|flag|feature)s?\b.{0,60}(?:not|invalid|unknown|unsupported)|invalid beta/u;

const unsupportedImages =
  /(?:does not|doesn't|do not) support (?:image|vision)|no endpoints found that support image|image input is not supported|missing data required for image|unknown variant image_url|image_url is only supported|image_url.{0,40}not supported|not a (?:vision|multimodal) model|not multimodal|does not support multimodal|image (?:content|inputs?) (?:is |are )?(?:only supported|not (?:supported|allowed))|unsupported content (?:part )?type.{0,5}image|invalid content type.{0,5}image|supported values are: ['"]?input_text|(?:allowed values:|取值范围) \['text'\]/u;

const signs: readonly (readonly [
  Exclude<RefusalClass['kind'], 'call-id' | 'beta' | 'max-tokens' | 'too-long' | 'parameter' | 'unexplained'>,
  RegExp,
])[] = [
  [
    'plain-roles',
    /only (?:the )?['"]?user['"]?(?:,| and| or|\/) ?['"]?(?:assistant|model)['"]? (?:roles?|messages?|turns?)|(?:role|should be|must be).{0,30}['"]?user['"]?(?:,| and| or|\/) ?['"]?(?:assistant|model)['"]?\s*(?:$|[.!;(\]])|(?:first message|conversations?).{0,20}must (?:be|start|begin|use|have).{0,20}\buser\b/u,
  ],
  ['role-order', /after role ['"]?tool|roles must alternate|(?:consecutive|successive) (?:user|messages)/u],
  [
    'system-role',
    /role.{0,30}\bsystem\b.{0,60}(?:not|unexpected|only|must)|unexpected role|(?:got|role:?|invalid value:) ['"]?(?:system|developer)['"]?(?:$|[.!,])|['"](?:system|developer)['"] is not one of|system (?:messages?|prompt|role|instructions?).{0,60}(?:not (?:supported|allowed|enabled|be)|unsupported|must be (?:at the )?(?:beginning|first))|developer (?:role|instructions?).{0,40}(?:not|unsupported)|unknown variant developer|(?:does not|doesn't|not) support (?:the |a )?['"]?(?:system|developer)\b/u,
  ],
  ['cache-control', /cache_control/u],
  [
    'text-tools',
    /(?<![.\w])custom(?![.\w]).{0,80}(?:not (?:supported|allowed)|unsupported|invalid|unknown)|(?:unsupported|unknown|invalid|not support|supported values).{0,80}(?<![.\w])custom(?![.\w])|\blark\b/u,
  ],
  ['tool-references', /defer_loading|tool[_ ]reference/u],
  ['thinking-first', /expected ['"]?thinking['"]? or ['"]?redacted_thinking['"]?.{0,20}but found/u],
  ['call-signature', /thought[_ ]?signature/u],
  ['thinking-echo', /reasoning_content.{0,120}(?:must be passed back|missing|required)|missing reasoning_content/u],
  [
    'thinking-type',
    /thinking\.type|(?:adaptive|extended) thinking is not supported|does not support (?:adaptive|extended|disabled) thinking/u,
  ],
  [
    'thinking-signature',
    /messages\.\d+\S*thinking|(?:signature|data).{0,20}(?:in|of|for).{0,5}(?:redacted_)?thinking|bound to a different conversation|thinking[^"]{0,80}(?:block|signature|binding)|invalid_encrypted_content|encrypted content.{0,80}could not be|without its required (?:following|reasoning) item/u,
  ],
  [
    'effort',
    /effort.{0,60}(?:not support|unsupported|extra inputs|not permitted)|(?:unsupported|does not support|not support).{0,60}effort|output_config.{0,40}(?:extra inputs|not)/u,
  ],
  [
    'too-many-media',
    /too many (?:images|media|documents|files)|too much media|(?:at most|maximum of|more than) \d+ images?/u,
  ],
  ['no-images', unsupportedImages],
  [
    'image',
    /could not (?:process|decode|load|read) (?:the )?image|image exceeds|image (?:is )?too large|image_url.{0,20}expected a valid|image dimensions|image_dimensions|image does not match|image cannot be empty|images? exceeds? the api limit|image file is empty|(?:invalid|unsupported|failed to (?:decode|load|process)|unable to process|not a valid) (?:the |input )?(?:base64 )?image|invalid base64.{0,20}image|image.{0,40}(?:is not valid|could not be|unsupported format|not represent a valid)/u,
  ],
  [
    'document',
    /could not process pdf|pdf pages|the pdf specified was not valid|password[ -]protected|pdf cannot be empty|does not support pdf|(?:document|file).{0,20}(?:has no pages|could not be (?:read|processed))/u,
  ],
  [
    'result-media',
    /text is not set|tool message content must be|expected string, got list|(?:function_call_output|output).{0,60}expected a string/u,
  ],
  [
    'schema',
    /moonshot flavored json schema|input_schema.{0,80}(?:oneof|anyof|allof|invalid|not support)|invalid schema for (?:function|tool)|function_?declarations\[\d+\]|failed to parse grammar|grammar.{0,40}(?:parse|too large|error)|json[- ]?schema.{0,60}(?:not supported|unsupported|invalid|conversion)|unable to (?:generate parser|convert.{0,20}schema)|too many strict tools|too many parameters with union types|strict.{0,60}(?:mixed|all tools|consistent)|unrecognized schema/u,
  ],
];

const callIdBounds: readonly RegExp[] = [
  /(?:tool_?call|call)[_ .]?\w*id.{0,80}(?:length of|maximum length|at most|<=) (?<most>\d+)/u,
  /\.id\b.{0,40}string too long.{0,60}maximum length (?<most>\d+)/u,
  /\bid['"]?: string too long.{0,60}length (?<most>\d+)/u,
];
const badCallId = /(?:tool_use|tool_result|tool_call)\S*id\S*.{0,30}(?:should match pattern|string should|invalid)/u;
const bytes = /request_too_large|request size.{0,40}exceeds|payload too large|entity too large/u;

/** Reads a number. A thousands separator would end the number early. */
const numberIn = (groups: Readonly<Record<string, string | undefined>> | undefined, name: string): number =>
  Number(groups?.[name] ?? 0);

function outputBoundOf(text: string): Extract<RefusalClass, {kind: 'max-tokens'}> | undefined {
  const said = text.replaceAll(/(\d),(?=\d{3}\b)/gu, '$1');
  for (const sign of fullWithOutput) {
    const groups = sign.exec(said)?.groups;
    if (groups === undefined) continue;
    const [input, window] = [numberIn(groups, 'input') + numberIn(groups, 'more'), numberIn(groups, 'window')];
    // Leave a margin, because the provider's count is an estimate. OpenRouter's is up to 15 % too small.
    const margin = /endpoint/u.test(said) ? Math.ceil(input * 0.15) : 1000;
    return {kind: 'max-tokens', most: window - input - margin, input, window};
  }
  for (const sign of outputBounds) {
    const most = numberIn(sign.exec(said)?.groups, 'most');
    if (most > 0) return {kind: 'max-tokens', most, input: 0, window: 0};
  }
  return undefined;
}

/** Match refusals of a request that would fit with a shorter answer. */
const fullWithOutput: readonly RegExp[] = [
  /input length and max_tokens exceed context limit: (?<input>\d+) \+ \d+ > (?<window>\d+)/u,
  /maximum context length is (?<window>\d+) tokens.{0,80}\((?<input>\d+) (?:in|of|from) (?:the )?(?:messages|text input|input|prompt)(?:, (?<more>\d+) of tool input)?.{0,20}\b\d+ (?:in|for) the (?:completion|output)/u,
  /maximum context length is (?<window>\d+) tokens and your request has (?<input>\d+) input tokens/u,
];

const outputBounds: readonly RegExp[] = [
  /max_tokens: \d+ > (?<most>\d+)/u,
  /max_(?:completion_|output_)?tokens is too large: \d+\. this model supports at most (?<most>\d+)/u,
  /max_(?:completion_|output_)?tokens.{0,60}(?:\[\d+, ?|less than or equal to |at most |cannot exceed |between \d+ and |<= ?)(?<most>\d+)/u,
];

function fullOf({said: text, numbers}: ReadRefusal): Extract<RefusalClass, {kind: 'too-long'}> | undefined {
  const said = text.replaceAll(/(\d),(?=\d{3}\b)/gu, '$1');
  if (/string too long|string_above_max_length/u.test(said)) return undefined;
  for (const sign of tooLongSigns) {
    const found = sign.exec(said);
    if (found === null) continue;
    const {groups} = found;
    const [tokens, window] = [numberIn(groups, 'tokens'), numberIn(groups, 'window')];
    return {kind: 'too-long', tokens: tokens || numbers.tokens, window: window || numbers.window};
  }
  return undefined;
}

const tooLongSigns: readonly RegExp[] = [
  /prompt is too long: (?<tokens>\d+) tokens > (?<window>\d+)/u,
  /input token count \(?(?<tokens>\d+)\)? exceeds the maximum number of tokens allowed \(?(?<window>\d+)/u,
  /maximum context length is (?<window>\d+) tokens.{0,60}(?:requested(?: about)?|resulted in) (?<tokens>\d+)/u,
  /input length \(?(?<tokens>\d+)(?: tokens)?\)? exceeds (?:the )?(?:model's )?(?:maximum )?(?:allowed |context )?length \(?(?<window>\d+)/u,
  /exceeded model token limit: (?<window>\d+) \(requested: (?<tokens>\d+)/u,
  /range of input length should be \[\d+, ?(?<window>\d+)\]/u,
  /prompt contains (?<tokens>\d+) tokens.{0,80}?(?<window>\d+) maximum context/u,
  /maximum prompt length is (?<window>\d+)(?:.{0,40}contains (?<tokens>\d+))?/u,
  /token count of (?<tokens>\d+) exceeds the limit of (?<window>\d+)/u,
  /(?:input \((?<tokens>\d+) tokens\) )?exceeds the maximum allowed input length of (?<window>\d+)/u,
  /inputs tokens \+ max_new_tokens must be <= (?<window>\d+)(?:.{0,20}given: (?<tokens>\d+))?/u,
  /(?:request \((?<tokens>\d+) tokens\) )?exceeds the available context size(?: \((?<window>\d+) tokens\))?/u,
  /must have less than (?<window>\d+) tokens(?:.{0,20}given: (?<tokens>\d+))?/u,
  /(?:input|prompt) length (?<tokens>\d+) exceeds (?:the )?limit (?<window>\d+)/u,
  /overflows the kv cache(?: \(n_ctx ?= ?(?<window>\d+))?/u,
  /上下文.{0,8}(?:超过|超出|过长)|超长/u,
  /tokens per minute.{0,20}limit (?<window>\d+), requested (?<tokens>\d+)/u,
  /maximum (?:context|model) length (?:is |of )?(?<window>\d+)?/u,
  /context_length_exceeded|exceed_context_size|contextwindowexceeded|model_context_window_exceeded|\b1261\b/u,
  /(?:prompt|input) (?:is )?too long|prompt exceeds max(?:imum)? length|input token length too long|exceeded max context length/u,
  /context (?:window|length|size)\b.{0,40}exceed|exceeds?.{0,40}(?:context (?:window|length|limit|size)|model's context)/u,
  /longer than the (?:model's|maximum) (?:context|model) ?length|reduce the length of the messages|reduce your message size/u,
  /(?:conversation|history|context|prompt|input|messages)\b.{0,40}(?:too (?:long|large|big)|exceeds?|over|above|more than)\b.{0,60}\btokens/u,
  /(?:conversation|chat|message) history.{0,20}too (?:long|large|big)/u,
  /tokens to keep from the initial prompt is greater than the context length|failed to parse request/u,
];

/** Returns the parameters that a refusal names, as paths: `reasoning.summary`, `tools.0.custom.strict`. */
function refusedParameters(said: string): readonly string[] {
  if (
    !/unsupported|not supported|does not support|not support|extra inputs|extra_forbidden|unrecognized|unknown|not permitted|not allowed|unexpected (?:keyword|field|property)|must be verified/u.test(
      said,
    )
  ) {
    return [];
  }
  const names = [...said.matchAll(/[a-z_][\w.[\]]*[a-z0-9_\]]/gu)].map(([name]) => name.replace(/^body\./u, ''));
  // Paths come first, because they are more exact than single words.
  return [...new Set([...names.filter(name => name.includes('.')), ...names])];
}
