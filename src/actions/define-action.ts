import * as z from 'zod/mini';
import english from 'zod/v4/locales/en.js';
import {isJsonObject, type Json, type JsonObject, listOf} from '../base/json.ts';
import {failed, ok, type Outcome} from '../base/outcome.ts';
import type {ResultContent, TextBlock} from '../domain/conversation.ts';
import type {RunTerms} from '../domain/executor.ts';
import {rejected} from '../domain/fault.ts';
import type {RiskLevel, VerdictDetail} from '../domain/risk.ts';
import type {Settled} from '../domain/settled.ts';
import type {Access, AskCase, RuleKind} from '../domain/access.ts';
import {type ActionAbility, missingAbilityTexts} from './front-end.ts';
import {inputSchema} from './input-schema.ts';
import type {OtherFields} from './normalize-fields.ts';
import type {ActionPorts, QuestionReply, ShellRequest} from './ports.ts';
import {emptyPreview, type Preview} from './preview.ts';

/**
 * An action of the catalog, with everything that depends on which action it is. `Input` is what the host works on,
 * `Output` the data of a success, and `PartialOutput` the data of a cancelled result. A definition without a cancelled
 * result, access or label does not compile.
 */
export interface ActionDefinition<Input, Output, PartialOutput> {
  /** Describes the action in one line, for people. */
  readonly summary: string;
  /** The worst that the action can do, before its input is known. */
  readonly risk: RiskLevel;
  /** Actions of one message run side by side if all are `parallel`. A `barrier` runs alone, in its position. */
  readonly scheduling: 'parallel' | 'barrier';
  /**
   * The condition under which models are offered its tools:
   * `mcp-resources`: an MCP server has resources. `more-tools`: more tools exist than the request holds. `skills`: there are skills.
   * `answer-schema`: the caller wants JSON of a schema. `web-search`: weft has a search engine.
   * `when-found`: the model has found them; until then a request holds only their names.
   * `with-display`: like `when-found`, if a person takes part and the computer can be used.
   * An ability of front ends: like `when-found`, if the front end has it.
   * `agents`: always, with the kinds of sub-agents that files define.
   */
  readonly offered:
    | 'always'
    | 'mcp-resources'
    | 'more-tools'
    | 'skills'
    | 'agents'
    | 'answer-schema'
    | 'web-search'
    | 'when-found'
    | 'with-display'
    | ActionAbility;
  /** Returns what the action would touch. The judge and permission rules look at nothing else. */
  access(input: Input): Access;
  readonly ruleKind: RuleKind;
  readonly asks: readonly AskCase[];
  /** The action's tools: the names by which models know it, each with its own input form. Empty if its tools are made at run time. */
  readonly tools: readonly ToolForm<Input>[];
  /** Names the action and its target, for cards, logs and transcripts: `Run npm test`. */
  label(input: Input): string;
  /** Returns the data of the cancelled result of an action that never started. */
  cancelled(input: Input): PartialOutput;
  /** Returns what the model reads after a success. */
  modelContent(output: Output): readonly ResultContent[];
  /** Returns what the model reads about work done before a cancellation. Empty if there is nothing to say. */
  partialText(partial: PartialOutput): string;
  /** Returns clauses that plain front ends add to the label of a success. Empty if the label says it all. */
  outcome(output: Output): readonly string[];
  /** `by-own-events`: the action's own events report it (a question, a changed list), not the end of an action. */
  readonly reported: 'as-action' | 'by-own-events';
  /** The part of a success's text that people read in a resumed session. `for-the-model`: no part, because the label says what was done. */
  readonly past: 'as-it-is' | 'remarks-at-end' | 'files' | 'answer-of-agent' | 'block' | 'command' | 'for-the-model';
  /** Returns what a card shows before the action runs. A failure settles the action: weft neither asks about it nor runs it. */
  preview(input: Input, context: ActionContext): Promise<Outcome<Preview, Settled<Output, PartialOutput>>>;
  run(input: Input, context: ActionRunContext): Promise<Settled<Output, PartialOutput>>;
}

/** True if the model has the tools only after finding them with ToolSearch. */
export const needsToolSearch = (offered: Offered): boolean =>
  offered === 'when-found' || offered === 'with-display' || needsAbility(offered);

export const needsAbility = (offered: Offered): offered is ActionAbility => Object.hasOwn(missingAbilityTexts, offered);

type Offered = ActionDefinition<never, never, never>['offered'];

export interface ActionContext {
  readonly ports: ActionPorts;
  readonly signal: AbortSignal;
}

export interface ActionRunContext extends ActionContext {
  /**
   * `answered`: the user, or a program that answers for the user, approved this very action. `not-asked`: a rule, a mode or a hook allowed
   * it.
   */
  readonly approval: 'answered' | 'not-asked';
  /** The preview on which the approval is based. An action whose effect would now differ refuses to run. */
  readonly shown: Preview;
  readonly detail: VerdictDetail;
  readonly terms: RunTerms;
  readonly observe: (chunk: string) => void;
  /** Fires when the user moves the command of the action to the background. */
  readonly background: AbortSignal;
  /** The terminal of a command that the user typed. `none` for every action of the model. */
  readonly terminal: ShellRequest['terminal'];
}

/** `offered`: tools have fields in which the model describes its call. */
export type SelfReports = 'offered' | 'left-out';

export interface ToolForm<Input> extends OtherFields {
  readonly name: string;
  /** `unlisted`: not offered, but models that know the tool from elsewhere may call it. */
  readonly listing: 'listed' | 'unlisted';
  /** For the model: short, and says when to use the tool. */
  readonly description: string;
  /** Returns the JSON Schema of the input as models are offered it. */
  readonly jsonSchema: (selfReports: SelfReports) => JsonObject;
  /** Returns the schema with all fields, which the build generates. */
  readonly wholeSchema: () => JsonObject;
  /** Decodes an input that has only known fields. A failure names the field and the problem, for the model to correct. */
  readonly decode: (raw: Json) => Outcome<Input, string>;
}

/** Values that most actions share. Each is also the cautious choice. */
const defaults = {
  scheduling: 'barrier',
  ruleKind: 'whole-tool',
  partialText: () => '',
  outcome: () => [],
  reported: 'as-action',
  past: 'for-the-model',
  preview: async () => ok(emptyPreview),
} satisfies Partial<ActionDefinition<never, never, never>>;

/** Makes a definition from the values that differ from `defaults`. */
export const defineAction = <Input, Output, PartialOutput>(
  definition: Omit<ActionDefinition<Input, Output, PartialOutput>, keyof typeof defaults> &
    Partial<Pick<ActionDefinition<Input, Output, PartialOutput>, keyof typeof defaults>>,
): ActionDefinition<Input, Output, PartialOutput> => ({...defaults, ...definition});

/** For actions that need no permission: they talk to the user, or read what weft itself keeps. */
export const needsNoPermission = {
  risk: 'read-only',
  access: (): Access => ({kind: 'none'}),
  asks: [],
} as const;

/** Makes a tool form. Builds its schema on first use, because most runs use few of the schemas. */
export function toolForm<Shape extends z.ZodMiniType, Input>(
  form: {
    readonly name: string;
    readonly description: string;
    readonly schema: () => Shape;
    readonly toInput: (parsed: z.output<Shape>) => Input;
    /** Fields that are left out of the offered schema to keep requests short. Models that know them from other agents may use them. */
    readonly unlistedFields?: readonly string[];
    /** Fields in which the model describes its call. weft offers them only with the setting `selfReports`, and always accepts them. */
    readonly selfReports?: readonly string[];
    /** Fields that the offered schema requires, although an unlisted field can replace them. */
    readonly expectedFields?: readonly string[];
  } & Partial<OtherFields>,
): ToolForm<Input> {
  let schema: Shape | undefined;
  const {unlistedFields = [], selfReports = [], expectedFields = []} = form;
  const json: Partial<Record<SelfReports, JsonObject>> = {};
  const shape = (): Shape => (schema ??= form.schema());
  return {
    name: form.name,
    listing: 'listed',
    description: form.description,
    aliases: form.aliases ?? {},
    ignoredFields: form.ignoredFields ?? {},
    wholeSchema: () => inputSchema(form.name, shape),
    jsonSchema: reports =>
      (json[reports] ??= offeredSchema(inputSchema(form.name, shape), {
        left: reports === 'offered' ? unlistedFields : [...unlistedFields, ...selfReports],
        expected: expectedFields,
      })),
    decode(raw) {
      const parsed = z.safeParse(shape(), raw, {error: english().localeError});
      return parsed.success ? ok(form.toInput(parsed.data)) : failed(issuesText(parsed.error.issues));
    },
  };
}

function offeredSchema(
  schema: JsonObject,
  {left, expected}: {readonly left: readonly string[]; readonly expected: readonly string[]},
): JsonObject {
  const {properties, required} = schema;
  if (!isJsonObject(properties)) return schema;
  const listed = Object.entries(properties).filter(([name]) => !left.includes(name));
  const needed = [...new Set([...expected, ...listOf(required)])];
  return {...schema, properties: Object.fromEntries(listed), ...(needed.length === 0 ? {} : {required: needed})};
}

/** Makes the same tool with a further check of its input. A failure names the field and the problem. */
export const checkedForm = <Given, Input>(
  form: ToolForm<Given>,
  check: (given: Given) => Outcome<Input, string>,
): ToolForm<Input> => ({
  ...form,
  decode(raw) {
    const given = form.decode(raw);
    return given.tag === 'failed' ? given : check(given.value);
  },
});

/** Makes the same tool under a name that is not offered. */
export const unlistedForm = <Input>(form: ToolForm<Input>, name: string): ToolForm<Input> => ({
  ...form,
  name,
  listing: 'unlisted',
});

/** Returns the cancelled result of a question without an answer. */
export const unansweredResult = <PartialOutput>(
  reply: Exclude<QuestionReply, {kind: 'answered'}>,
  partial: PartialOutput,
  words: {readonly dismissed: string; readonly unattended: string},
): Settled<never, PartialOutput> => ({
  state: 'cancelled',
  why:
    reply.kind === 'dismissed'
      ? {reason: 'declined', message: reply.reason ?? words.dismissed}
      : {reason: 'denied', message: words.unattended},
  partial,
});

/** Returns an empty preview, or a fault if there is a problem with the call. */
export const rejectIf = (problem: string | false): Outcome<Preview, Settled<never, never>> =>
  problem === false ? ok(emptyPreview) : failed({state: 'error', fault: rejected(problem)});

export const textContent = (value: string): readonly TextBlock[] => [{kind: 'text', text: value}];

/** Returns text for the model: each field with a problem, and the form that works. */
const issuesText = (issues: readonly z.core.$ZodIssue[]): string => issues.map(issueText).join('; ');

function issueText({path, message}: z.core.$ZodIssue): string {
  const field = path.length === 0 ? 'the input' : path.join('.');
  const [, expected, received] = /^Invalid input: expected (\w+), received (\w+)$/u.exec(message) ?? [];
  if (expected === undefined) return path.length === 0 ? message : `${field}: ${message}`;
  const article = /^[aeiou]/u.test(expected) ? 'an' : 'a';
  return received === 'undefined'
    ? `${field} is missing. Give ${article} ${expected}`
    : `${field} must be ${article} ${expected} and is ${/^[aeiou]/u.test(received ?? '') ? 'an' : 'a'} ${received}`;
}
