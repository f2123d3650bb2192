import * as z from 'zod/mini';
import english from 'zod/v4/locales/en.js';
import type {Json, JsonObject} from '../base/json.ts';
import {failed, ok, type Outcome} from '../base/outcome.ts';
import type {ResultContent, TextBlock} from '../domain/conversation.ts';
import type {RiskLevel, VerdictDetail} from '../domain/risk.ts';
import type {Settled} from '../domain/settled.ts';
import type {ActionPorts} from './ports.ts';
import type {Preview} from './preview.ts';

/**
 * One action of the catalogue. `Input` is what the host works on, `Output` its own success, `Cut` what its own cancelled
 * result carries. Every member is required: an action without a cancelled result, a risk or a label does not compile.
 */
export interface ActionDefinition<Input, Output, Cut> {
  /** One line for people: what the action does. */
  readonly summary: string;
  /** What it can do at worst, before anything is known of its input. */
  readonly risk: RiskLevel;
  /** Actions of one message run side by side when all are `parallel`; a `barrier` runs alone, in its place. */
  readonly scheduling: 'parallel' | 'barrier';
  /** The names models know it by, each with its own input form. Empty: only the task protocol knows it. */
  readonly tools: readonly ToolForm<Input>[];
  /** Names the target, for cards, logs and transcripts: `Run command: npm test`. */
  label(input: Input): string;
  /** What the cancelled result of an action that never started carries. */
  cancelled(input: Input): Cut;
  /** What the model reads after a success. */
  tell(output: Output): readonly ResultContent[];
  /** What the model reads of the work done before a cancellation; empty when there is nothing to say. */
  tellCut(cut: Cut): string;
  readonly build: ActionBuild<Input, Output, Cut>;
}

/** A declared action is in the union, so that every switch knows it, but is neither offered nor run. */
export type ActionBuild<Input, Output, Cut> =
  | {readonly state: 'declared'}
  | {
      readonly state: 'built';
      /** What a card shows before the action runs. A fault here settles the action: nothing is asked, nothing is run. */
      preview(input: Input, context: ActionContext): Promise<Outcome<Preview, Settled<Output, Cut>>>;
      run(input: Input, context: RunContext): Promise<Settled<Output, Cut>>;
    };

export interface ActionContext {
  readonly ports: ActionPorts;
  readonly signal: AbortSignal;
}

export interface RunContext extends ActionContext {
  /** What was shown when it was approved; an action whose effect would differ by now refuses to run. */
  readonly shown: Preview;
  /** What the host found in a command. */
  readonly detail: VerdictDetail;
  /** Output as it comes, for people who watch. */
  readonly observe: (chunk: string) => void;
}

/** One tool name of an action and how its JSON becomes the action's input. */
export interface ToolForm<Input> {
  readonly name: string;
  /** For the model: short, says when to use it. */
  readonly description: string;
  /** JSON Schema of the input, made once, on first use. */
  readonly jsonSchema: () => JsonObject;
  /** A failure names the field and what was wrong, for the model to correct. */
  readonly decode: (raw: Json) => Outcome<Input, string>;
}

/** Identity that fixes the three types from the members. */
export const defineAction = <Input, Output, Cut>(
  definition: ActionDefinition<Input, Output, Cut>,
): ActionDefinition<Input, Output, Cut> => definition;

/** A tool form whose schema is built on first use: most runs touch few of the schemas. */
export function toolForm<Shape extends z.ZodMiniType, Input>(form: {
  readonly name: string;
  readonly description: string;
  readonly schema: () => Shape;
  readonly toInput: (parsed: z.output<Shape>) => Input;
}): ToolForm<Input> {
  let schema: Shape | undefined;
  let json: JsonObject | undefined;
  const shape = (): Shape => (schema ??= form.schema());
  return {
    name: form.name,
    description: form.description,
    jsonSchema: () => (json ??= toJsonSchema(shape())),
    decode(raw) {
      const parsed = z.safeParse(shape(), raw, {error: english().localeError});
      return parsed.success ? ok(form.toInput(parsed.data)) : failed(issuesText(parsed.error.issues));
    },
  };
}

export const text = (value: string): readonly TextBlock[] => [{kind: 'text', text: value}];

function toJsonSchema(shape: z.ZodMiniType): JsonObject {
  const {$schema: _dialect, additionalProperties: _closed, ...schema} = z.toJSONSchema(shape, {io: 'input'});
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- JSON Schema is JSON; the library types it with `unknown` leaves
  return schema as JsonObject;
}

function issuesText(issues: readonly z.core.$ZodIssue[]): string {
  return issues
    .map(issue => (issue.path.length === 0 ? issue.message : `${issue.path.join('.')}: ${issue.message}`))
    .join('; ');
}
