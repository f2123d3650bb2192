import * as z from 'zod/mini';
import {isJsonObject, type Json} from '../../base/json.ts';
import {failed, ok, type Outcome} from '../../base/outcome.ts';
import type {AgentFile} from './load-extensions.ts';
import {agentFrom} from './load-extensions.ts';

/** Kinds of agents as `--agents` and programs define them: the fields of an agent's file, and its prompt. */
const definitions = z.record(
  z.string().check(z.minLength(1)),
  z.looseObject({description: z.string().check(z.minLength(1)), prompt: z.string().check(z.minLength(1))}),
);

/** Reads definitions of agents; the error says which one does not fit and how. `source` names where they come from. */
export function givenAgents(json: Json, source: string): Outcome<readonly AgentFile[], string> {
  const read = z.safeParse(definitions, json);
  if (!read.success) {
    const where = read.error.issues[0]?.path.join('.') ?? '';
    return failed(
      `${where === '' ? 'it' : JSON.stringify(where)} does not fit: it must be {"NAME": {"description": "…", "prompt": "…", "tools": […]?, "model": "…"?}}`,
    );
  }
  return ok(
    Object.entries(read.data).map(([name, {prompt, ...fields}]) =>
      agentFrom(name, {fields: isJsonObject(fields) ? fields : {}, prompt, source}),
    ),
  );
}
