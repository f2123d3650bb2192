import type {PromptEnd, StructuredValue} from '../actions/agent-event.ts';
import type {AnswerPort} from '../actions/ports.ts';
import {isJsonList, isJsonObject, type Json, type JsonObject, parseJson} from '../base/json.ts';
import {failed, ok, type Outcome} from '../base/outcome.ts';
import {rejected} from '../domain/fault.ts';

/** Whether the final answer must be JSON of a schema. `check` returns the errors of a value, in a few lines, and never throws. */
export type StructuredOutput =
  | {readonly kind: 'none'}
  | {readonly kind: 'schema'; readonly schema: JsonObject; readonly check: (value: Json) => readonly string[]};

/** Retries after the first answer that doesn't fit. */
const maxRetries = 2;

/**
 * Returns the schema of the tool that takes the answer. Providers accept only objects, so any other schema is wrapped in the member
 * `value`.
 */
export function answerSchemaOf(structured: StructuredOutput): JsonObject | undefined {
  if (structured.kind === 'none') return undefined;
  const {$schema: _dialect, ...schema} = structured.schema;
  return isPlainObjectSchema(schema) ? schema : wrapSchema(schema);
}

const isPlainObjectSchema = (schema: JsonObject): boolean =>
  schema['type'] === 'object' && !['anyOf', 'oneOf', 'allOf', '$ref', 'not', 'if'].some(keyword => keyword in schema);

/** The step after a turn. `ask-again`: the model ended without a fitting answer and is sent `text`. */
type AnswerStep =
  | {readonly kind: 'go-on'}
  | {readonly kind: 'ask-again'; readonly text: string}
  | {readonly kind: 'end'; readonly end: PromptEnd};

/** Takes and checks the model's answers to one prompt. */
export interface StructuredAnswer extends AnswerPort {
  /** `calls` is the number of tool calls in the turn. All of them have their results. */
  afterTurn(turn: {readonly text: string; readonly calls: number}): AnswerStep;
  value(): StructuredValue;
}

export function makeStructuredAnswer(structured: StructuredOutput): StructuredAnswer {
  return structured.kind === 'none' ? unstructuredAnswer : new SchemaAnswer(structured);
}

/** Used without a schema. Every answer fits. */
export const unstructuredAnswer: StructuredAnswer = {
  give: () => failed(rejected('No JSON answer was requested. Answer in text.')),
  afterTurn: () => ({kind: 'go-on'}),
  value: () => ({kind: 'none'}),
};

class SchemaAnswer implements StructuredAnswer {
  readonly #structured: Extract<StructuredOutput, {kind: 'schema'}>;
  #value: StructuredValue = {kind: 'none'};
  /** The errors of the answers in the current turn. */
  #errors: readonly string[] = [];
  #hasAnswered: 'no' | 'this-turn' = 'no';
  #failures = 0;

  constructor(structured: Extract<StructuredOutput, {kind: 'schema'}>) {
    this.#structured = structured;
  }

  give(written: Json): Outcome<Json, ReturnType<typeof rejected>> {
    const {schema, check} = this.#structured;
    const answer = isPlainObjectSchema(schema) ? written : unwrapValue(written);
    const errors = check(answer);
    if (errors.length > 0) {
      this.#errors = errors;
      return failed(
        rejected(`The answer does not fit the schema:\n${errors.join('\n')}\nCorrect it and call the tool again.`),
      );
    }
    this.#value = {kind: 'value', value: answer};
    this.#hasAnswered = 'this-turn';
    return ok(answer);
  }

  afterTurn({text, calls}: {readonly text: string; readonly calls: number}): AnswerStep {
    if (calls === 0 && this.#value.kind === 'none') this.#readText(text);
    const hasAnswered = this.#hasAnswered;
    const errors = this.#errors;
    this.#hasAnswered = 'no';
    this.#errors = [];
    // A stop hook may make the model continue after its answer. It may then call other tools and give a better answer, or none.
    if (hasAnswered === 'this-turn' || (calls === 0 && this.#value.kind === 'value')) {
      return {kind: 'end', end: {kind: 'done'}};
    }
    if (errors.length === 0) return {kind: 'go-on'};
    this.#failures += 1;
    if (this.#failures > maxRetries) return {kind: 'end', end: {kind: 'invalid-output', errors}};
    if (calls > 0) return {kind: 'go-on'};
    return {
      kind: 'ask-again',
      text: `You have not given your answer yet:\n${errors.join('\n')}\nCall the tool StructuredOutput with the answer as JSON that fits its schema.`,
    };
  }

  value(): StructuredValue {
    return this.#value;
  }

  /** Accepts JSON in the text, with or without a code fence, because some models don't call the tool. */
  #readText(text: string): void {
    const {check} = this.#structured;
    const parsed = parseAnswerJson(text);
    if (parsed === undefined) {
      this.#errors = ['The answer is text, not JSON that fits the schema.'];
      return;
    }
    const errors = check(parsed);
    if (errors.length > 0) this.#errors = errors;
    else this.#value = {kind: 'value', value: parsed};
  }
}

const unwrapValue = (written: Json): Json => {
  if (!isJsonObject(written)) return written;
  const {value} = written;
  return value !== undefined && Object.keys(written).length === 1 ? value : written;
};

/** Returns JSON that is the whole text, or else the content of its last code fence. */
function parseAnswerJson(text: string): Json | undefined {
  const whole = parseJson(text.trim());
  if (whole.tag === 'ok') return whole.value;
  const fences = text.split(/^[ \t]*```[^\n`]*$/mu);
  for (let at = fences.length - (fences.length % 2 === 0 ? 1 : 2); at > 0; at -= 2) {
    const fenced = parseJson(fences[at] ?? '');
    if (fenced.tag === 'ok') return fenced.value;
  }
  return undefined;
}

/** Returns the schema of an object whose member `value` matches `schema`. Adjusts references into the schema to its new location. */
const wrapSchema = (schema: JsonObject): JsonObject => ({
  type: 'object',
  properties: {value: adjustReferences(schema)},
  required: ['value'],
  additionalProperties: false,
});

function adjustReferences(value: Json): Json {
  if (isJsonList(value)) return value.map(adjustReferences);
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, member]) =>
      key === '$ref' && typeof member === 'string' && /^#(?:\/|$)/u.test(member)
        ? [key, `#/properties/value${member.slice(1)}`]
        : [key, adjustReferences(member)],
    ),
  );
}
