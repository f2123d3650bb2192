import type {PromptEnd, StructuredValue} from '../actions/agent-event.ts';
import type {AnswerPort} from '../actions/answer-port.ts';
import {isJsonObject, parseJson, type Json, type JsonObject} from '../base/json.ts';
import {failed, ok, type Outcome} from '../base/outcome.ts';
import {rejected} from '../domain/fault.ts';
import {pointToValue} from './wrapped-schema.ts';

/** Whether the final answer must be JSON of a schema; `check` says what does not fit, in few lines, and never throws. */
export type StructuredOutput =
  | {readonly kind: 'none'}
  | {readonly kind: 'schema'; readonly schema: JsonObject; readonly check: (value: Json) => readonly string[]};

/** After the first answer that does not fit. */
const retries = 2;

/** The schema of the tool for the answer. Providers take objects only: what is none goes into the member `value` of one. */
export function answerSchemaOf(structured: StructuredOutput): JsonObject | undefined {
  if (structured.kind === 'none') return undefined;
  const {$schema: _dialect, ...schema} = structured.schema;
  return isPlainObjectSchema(schema) ? schema : pointToValue(schema);
}

const isPlainObjectSchema = (schema: JsonObject): boolean =>
  schema['type'] === 'object' && !['anyOf', 'oneOf', 'allOf', '$ref', 'not', 'if'].some(keyword => keyword in schema);

/** What follows a turn of the model. `ask-again`: the model ended without an answer that fits and reads `text`. */
export type AnswerStep =
  | {readonly kind: 'go-on'}
  | {readonly kind: 'ask-again'; readonly text: string}
  | {readonly kind: 'end'; readonly end: PromptEnd};

/** Watches over the answer of one prompt. */
export interface AnswerKeeper extends AnswerPort {
  /** `calls`: how many calls the turn's message had; their results are told. */
  afterTurn(turn: {readonly text: string; readonly calls: number}): AnswerStep;
  value(): StructuredValue;
}

export function makeAnswerKeeper(structured: StructuredOutput): AnswerKeeper {
  return structured.kind === 'none' ? anyAnswer : new SchemaAnswer(structured);
}

const anyAnswer: AnswerKeeper = {
  give: () => failed(rejected('No answer as JSON was asked for; say it in words.')),
  afterTurn: () => ({kind: 'go-on'}),
  value: () => ({kind: 'none'}),
};

class SchemaAnswer implements AnswerKeeper {
  readonly #structured: Extract<StructuredOutput, {kind: 'schema'}>;
  #value: StructuredValue = {kind: 'none'};
  /** What was wrong with the answers of the turn that runs. */
  #errors: readonly string[] = [];
  #given: 'not' | 'this-turn' = 'not';
  #failures = 0;

  constructor(structured: Extract<StructuredOutput, {kind: 'schema'}>) {
    this.#structured = structured;
  }

  give(written: Json): Outcome<Json, ReturnType<typeof rejected>> {
    const {schema, check} = this.#structured;
    const answer = isPlainObjectSchema(schema) ? written : unwrapped(written);
    const errors = check(answer);
    if (errors.length > 0) {
      this.#errors = errors;
      return failed(
        rejected(`The answer does not fit the schema:\n${errors.join('\n')}\nCorrect it and call the tool again.`),
      );
    }
    this.#value = {kind: 'value', value: answer};
    this.#given = 'this-turn';
    return ok(answer);
  }

  afterTurn({text, calls}: {readonly text: string; readonly calls: number}): AnswerStep {
    if (calls === 0 && this.#value.kind === 'none') this.#readText(text);
    const given = this.#given;
    const errors = this.#errors;
    this.#given = 'not';
    this.#errors = [];
    // Sent on after its answer, the model may call other tools and give a better answer, or none.
    if (given === 'this-turn' || (calls === 0 && this.#value.kind === 'value')) {
      return {kind: 'end', end: {kind: 'done'}};
    }
    if (errors.length === 0) return {kind: 'go-on'};
    this.#failures += 1;
    if (this.#failures > retries) return {kind: 'end', end: {kind: 'invalid-output', errors}};
    if (calls > 0) return {kind: 'go-on'};
    return {
      kind: 'ask-again',
      text: `Your answer is not given yet:\n${errors.join('\n')}\nCall the tool StructuredOutput with the answer as JSON that fits its schema.`,
    };
  }

  value(): StructuredValue {
    return this.#value;
  }

  /** Some models say the JSON in words, with a fence around it or without. */
  #readText(text: string): void {
    const {check} = this.#structured;
    const parsed = jsonIn(text);
    if (parsed === undefined) {
      this.#errors = ['The answer is text, not JSON that fits the schema.'];
      return;
    }
    const errors = check(parsed);
    if (errors.length > 0) this.#errors = errors;
    else this.#value = {kind: 'value', value: parsed};
  }
}

const unwrapped = (written: Json): Json => {
  if (!isJsonObject(written)) return written;
  const {value} = written;
  return value !== undefined && Object.keys(written).length === 1 ? value : written;
};

/** The whole text, or what stands in its last fence. */
function jsonIn(text: string): Json | undefined {
  const whole = parseJson(text.trim());
  if (whole.tag === 'ok') return whole.value;
  const fences = text.split(/^[ \t]*```[^\n`]*$/mu);
  for (let at = fences.length - (fences.length % 2 === 0 ? 1 : 2); at > 0; at -= 2) {
    const fenced = parseJson(fences[at] ?? '');
    if (fenced.tag === 'ok') return fenced.value;
  }
  return undefined;
}
