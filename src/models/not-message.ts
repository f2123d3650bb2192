import {clip, collapseSpaces, firstLine} from '../base/clip.ts';
import {objectOf, parseJson} from '../base/json.ts';
import {otherRefusal} from '../domain/fault.ts';
import {briefError, type Endpoint, type ProviderError} from './provider-error.ts';
import {refusalWords} from './refusal-words.ts';

/**
 * Returns the error for a successful answer that holds something other than a message. `undefined` for JSON that says
 * why the request failed.
 */
export function notMessageError(body: string, {name, urlVariable}: Endpoint): ProviderError | undefined {
  const fix = `Check the base URL (--base-url or ${urlVariable}).`;
  const later = `Try again later, or check the base URL (--base-url or ${urlVariable}).`;
  const text = body.trim();
  if (text === '') {
    const message = `${name} sent an empty answer.`;
    return {kind: 'passing', status: 200, message, fix: later, retryAfterMs: 0, patience: 'one-repeat'};
  }
  const isJson = [text, text.split('\n', 1)[0] ?? ''].some(each => parseJson(each).tag === 'ok');
  const isField = ['data:', 'event:', 'id:', 'retry:'].some(each => text.startsWith(each) || each.startsWith(text));
  if (!isJson && (isField || /^(?::|\{|\[\s*\{)/u.test(text)))
    return briefError(`The answer of ${name} broke off before its first word.`, later);
  const isPage = text.startsWith('<');
  if (isRefusal(text)) return undefined;
  const said = isPage ? pageText(text) : isJson ? refusalWords(text) : firstLine(text, 300);
  const what = isPage ? 'a web page' : isJson ? 'other JSON' : 'plain text';
  const message = `${name} answered with ${what} instead of a model's answer${said === '' ? '.' : `: ${said}`}`;
  return {kind: 'final', fault: {kind: 'provider', message, fix, status: 200, refusal: otherRefusal}};
}

/** True for JSON that says why the request failed. A path that the server doesn't have isn't a reason. */
function isRefusal(text: string): boolean {
  const parsed = parseJson(text);
  const {error, message, detail, errors} = objectOf(parsed.tag === 'ok' ? parsed.value : undefined);
  const said = error ?? message ?? detail ?? errors ?? null;
  return said !== null && !(typeof said === 'string' && /^\W*not found\W*$/iu.test(said));
}

/** Returns the first words of a web page. */
const pageText = (page: string): string =>
  clip(
    collapseSpaces(
      page
        .slice(0, 10_000)
        .replaceAll(/<(script|style)\b.*?<\/\1[^>]*>/gsu, ' ')
        .replaceAll(/<[^>]*>/gu, ' '),
    ),
    300,
  );
