import {readFileSync} from 'node:fs';
import type {EngineOptions} from '../agent/create-engine.ts';
import {isJsonObject, parseJson, type Json} from '../base/json.ts';
import {failed, ok, type Outcome} from '../base/outcome.ts';
import {causeText} from '../domain/fault.ts';
import {UsageError} from './usage-error.ts';

type StructuredOutput = EngineOptions['structured'];

/** What `--json-schema` asks for: a schema as JSON text, or the path of a file with one. */
export async function structuredOutput(given: string): Promise<StructuredOutput> {
  const inline = given.trim().startsWith('{');
  const parsed = parseJson(inline ? given : readSchema(given));
  const where = inline ? '--json-schema' : `--json-schema ${given}`;
  if (parsed.tag === 'failed') throw new UsageError(`${where} is not JSON: ${parsed.error}`);
  const structured = await structuredBy(parsed.value);
  if (structured.tag === 'failed') throw new UsageError(`${where} is not a schema to use: ${structured.error}`);
  return structured.value;
}

/** Answers that fit `schema`; the error says why it is no schema. What checks them is loaded here. */
export async function structuredBy(schema: Json): Promise<Outcome<StructuredOutput, string>> {
  const [{compileSchema}, {setFlagsFromString}] = await Promise.all([
    import('../protocol/json-schema/compile-schema.ts'),
    import('node:v8'),
  ]);
  // A pattern must not be able to stop weft: V8 then goes on without backtracking.
  setFlagsFromString('--enable-experimental-regexp-engine-on-excessive-backtracks');
  if (!isJsonObject(schema)) return failed('a schema is a JSON object');
  const check = compileSchema(schema);
  return check.tag === 'ok' ? ok({kind: 'schema', schema, check: check.value}) : check;
}

function readSchema(path: string): string {
  try {
    return readFileSync(path, 'utf8').replace(/^\uFEFF/u, '');
  } catch (cause) {
    throw new UsageError(`--json-schema ${path} is neither JSON nor a file that can be read: ${causeText(cause)}`);
  }
}
