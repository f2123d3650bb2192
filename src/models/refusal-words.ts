import {firstLine} from '../base/clip.ts';
import {isJsonObject, parseJson} from '../base/json.ts';
import type {Refused} from './provider-error.ts';

/** The words of a refusal, whatever the form of its body. */
export interface ReadRefusal {
  /** The status that fits the meaning of the refusal. */
  readonly status: number;
  /** The status that the server sent, if it sent one. */
  readonly shownStatus: number;
  readonly header: (name: string) => string | null;
  /** The provider's error codes, joined. */
  readonly code: string;
  /** One line for the user. */
  readonly message: string;
  /** The names and words together, in lower case, without backticks. */
  readonly said: string;
  /** llama.cpp sends the numbers in separate fields. */
  readonly numbers: {readonly tokens: number; readonly window: number};
}

/** Reads the words of a refusal. */
export function readRefusal({status, header, body}: Refused): ReadRefusal {
  const words: Words = {codes: [], messages: []};
  const text = body.slice(0, longestBody);
  if (!/^\s*</u.test(text)) collect(text, words, 0);
  const code = words.codes.join(' ');
  const said = `${code} ${words.messages.join(' ')}`.toLowerCase().replaceAll('`', '');
  const number = (name: string): number => Number(new RegExp(`"${name}"\\s*:\\s*(\\d+)`, 'u').exec(text)?.[1] ?? 0);
  const implied = impliedStatus(status, code, said);
  return {
    status: implied,
    shownStatus: status || implied,
    header,
    code,
    message: firstLine(words.messages[0] ?? '', 300),
    said,
    numbers: {tokens: number('n_prompt_tokens'), window: number('n_ctx')},
  };
}

/** Returns the words of a refusal's body, in one line. */
export const refusalWords = (body: string): string =>
  readRefusal({kind: 'refused', status: 400, header: () => null, body}).message;

const longestBody = 100_000;

interface Words {
  readonly codes: string[];
  readonly messages: string[];
}

/**
 * Collects the words of an error body. Gateways put the provider's own answer into theirs as JSON text. Its words come
 * first, because they are the real reason.
 */
function collect(value: unknown, words: Words, depth: number): void {
  if (depth > 12) return;
  if (typeof value === 'string') {
    const inner = /[[{].*[\]}]/su.exec(value)?.[0];
    const parsed = inner === undefined ? undefined : parseJson(inner);
    const before = words.messages.length;
    if (parsed?.tag === 'ok') collect(parsed.value, words, depth + 1);
    if (words.messages.length === before && value.trim() !== '') words.messages.push(value);
  } else if (Array.isArray(value)) {
    for (const item of value.slice(0, 10)) collect(item, words, depth + 1);
  } else if (isJsonObject(value)) {
    for (const name of wordFields) collect(value[name], words, depth + 1);
    for (const name of codeFields) {
      const code = value[name];
      if (typeof code === 'string' || typeof code === 'number') words.codes.push(String(code));
      else if (Array.isArray(code)) words.codes.push(code.join('.'));
    }
  }
}

const wordFields = 'metadata raw error message Message msg detail details errors error_message'.split(' ');
const codeFields = 'type code status param error_code loc paths max_side_length_pixels retryDelay'.split(' ');

/**
 * Returns the usual status of a refusal that came in the middle of a stream, or with a 400 although other servers use a
 * more specific status.
 */
function impliedStatus(status: number, code: string, said: string): number {
  if (status === 400 && (/model_not_found/u.test(code) || missingModel.test(said))) return 404;
  if (status === 400 && /api_key_invalid|api key not valid/u.test(said)) return 401;
  if (status !== 0 && status !== 200) return status;
  const given = Number(/(?:^| )([45]\d\d)(?: |$)/u.exec(code)?.[1] ?? 0);
  if (given !== 0) return given;
  const named = streamStatuses.find(([sign]) => sign.test(code)) ?? saidStatuses.find(([sign]) => sign.test(said));
  // An error in the middle of an answer usually passes. An error in place of an answer is about the request.
  return named?.[1] ?? (status === 0 ? 500 : 400);
}

/** The words of servers that send neither a status nor a code. */
const saidStatuses: readonly (readonly [RegExp, number])[] = [
  [/rate.?limit|too many requests|quota/u, 429],
  [/overloaded|at capacity|high demand|unavailable|try again|temporar/u, 503],
  [/time[d ]?-?out|took too long/u, 504],
  [/internal (?:server )?error|server error|something went wrong|upstream|bad gateway/u, 500],
  [/(?:invalid|incorrect|missing|no|expired) (?:api[ -]?key|token|credentials)|unauthori[sz]ed|unauthenticated/u, 401],
  [/forbidden|permission|not allowed to/u, 403],
  [/model\b.{0,80}(?:not found|does not exist|not exist)|no such model|missing model/u, 404],
];

/** Matches the words of Bedrock, Mistral, DeepSeek, Z.ai, OpenRouter and LiteLLM about a model that they don't have. */
const missingModel =
  /model identifier is invalid|invalid model(?::| name passed)|model not exist|unknown model\b|is not a valid model id/u;

/** The names with capitals are exceptions of AWS. */
const streamStatuses: readonly (readonly [RegExp, number])[] = [
  [/authentication_error/u, 401],
  [/billing_error/u, 402],
  [/permission_error|accessDenied/iu, 403],
  [/model_not_found|not_found_error|resourceNotFound/iu, 404],
  [/request_too_large/u, 413],
  [/rate_limit|throttlingException/iu, 429],
  [/serviceUnavailable|subscription_sharing_us\w+_unavailable/iu, 503],
  [/timeout_error|modelTimeout/iu, 504],
  [/overloaded_error/u, 529],
  [/api_error|server_error|internal/iu, 500],
  [
    /validationException|invalid_request|invalid_prompt|context_length|exceed_context|not_found|insufficient_quota/iu,
    400,
  ],
];
