import {parse, type ParseError, printParseErrorCode} from 'jsonc-parser';
import {isJsonObject, type JsonObject} from '../base/json.ts';
import {failed, ok, type Outcome} from '../base/outcome.ts';

/** Reads a JSON object that may have comments and trailing commas, as editors write them. An empty text is an empty object. */
export function parseJsonWithComments(text: string): Outcome<JsonObject, string> {
  const body = text.replace(/^\u{feff}/u, '');
  if (body.trim() === '') return ok({});
  const errors: ParseError[] = [];
  let value: unknown;
  try {
    value = parse(body, errors, {allowTrailingComma: true});
  } catch {
    return failed('it is nested too deeply');
  }
  const [first] = errors;
  if (first !== undefined) {
    const line = body.slice(0, first.offset).split('\n').length;
    return failed(`it is not JSON: ${printParseErrorCode(first.error)} on line ${line}`);
  }
  return isJsonObject(value) ? ok(value) : failed('it holds no JSON object');
}
