import * as z from 'zod/mini';
import english from 'zod/v4/locales/en.js';
import {isJsonObject, type Json, type JsonObject} from '../base/json.ts';
import {failed, ok, type Outcome} from '../base/outcome.ts';
import type {ResultContent, TextBlock} from '../domain/conversation.ts';
import type {RunTerms} from '../domain/executor.ts';
import {rejected} from '../domain/fault.ts';
import type {RiskLevel, VerdictDetail} from '../domain/risk.ts';
import type {Settled} from '../domain/settled.ts';
import type {Access, AskCase, RuleKind} from '../domain/access.ts';
import {type FrontEndAbility, withoutAbility} from './front-end.ts';
import {inputSchema} from './input-schema.ts';
import type {OtherFields} from './known-fields.ts';
import type {ActionPorts, QuestionReply, ShellRequest} from './ports.ts';
import {nothingToShow, type Preview} from './preview.ts';

/**
 * One action of the catalogue: all that depends on which action it is. `Input` is what the host works on, `Output` its own success,
 * `PartialOutput` what its own cancelled result carries. An action without a cancelled result, an access or a label does not compile.
 */
export interface ActionDefinition<Input, Output, PartialOutput> {
  /** One line for people: what the action does. */
  readonly summary: string;
  /** What it can do at worst, before anything is known of its input. */
  readonly risk: RiskLevel;
  /** Actions of one message run side by side when all are `parallel`; a `barrier` runs alone, in its place. */
  readonly scheduling: 'parallel' | 'barrier';
  /**
   * When models are offered its tools: only where an MCP server has resources, where more tools can be found than the request has,
   * where there are skills, where the caller asks for JSON of a schema, where weft has a search engine, or in plan mode (`planning`). `when-found`: once the
   * model has found them; before that a request has their names alone. `with-display`: the same, and only where a person takes part and the
   * computer can be used. An ability of front ends: the same, and only where the front end has it. Of `agents` the kinds of sub-agents that files define are added.
   */
  readonly offered:
    | 'always'
    | 'mcp-resources'
    | 'more-tools'
    | 'skills'
    | 'agents'
    | 'answer-schema'
    | 'web-search'
    | 'planning'
    | 'when-found'
    | 'with-display'
    | FrontEndAbility;
  /** What it would touch: what the judge and permission rules look at. */
  access(input: Input): Access;
  readonly ruleKind: RuleKind;
  readonly asks: readonly AskCase[];
  /** The names models know it by, each with its own input form. Empty: its tools are made while weft runs. */
  readonly tools: readonly ToolForm<Input>[];
  /** Names the target, for cards, logs and transcripts: `Run npm test`. */
  label(input: Input): string;
  /** What the cancelled result of an action that never started carries. */
  cancelled(input: Input): PartialOutput;
  /** What the model reads after a success. */
  modelContent(output: Output): readonly ResultContent[];
  /** What the model reads of the work done before a cancellation; empty when there is nothing to say. */
  partialText(partial: PartialOutput): string;
  /** What plain front ends say of a success beside the label, as clauses; empty where the label says it all. */
  outcome(output: Output): readonly string[];
  /** `by-own-events`: what it did is said by events of its own (a question, a changed list), not as an action that ended. */
  readonly reported: 'as-action' | 'by-own-events';
  /** Which part of the text of a success people read in a resumed session. `for-the-model`: none, the label says what was done. */
  readonly past: 'as-it-is' | 'remarks-at-end' | 'files' | 'answer-of-agent' | 'block' | 'command' | 'for-the-model';
  /** What a card shows before the action runs. A failure settles the action: nothing is asked, nothing is run. */
  preview(input: Input, context: ActionContext): Promise<Outcome<Preview, Settled<Output, PartialOutput>>>;
  run(input: Input, context: ActionRunContext): Promise<Settled<Output, PartialOutput>>;
}

/** Whether a model has its tools only after it has found them. */
export const isSearchedFor = (offered: Offered): boolean =>
  offered === 'when-found' || offered === 'with-display' || needsAbility(offered);

export const needsAbility = (offered: Offered): offered is FrontEndAbility => Object.hasOwn(withoutAbility, offered);

type Offered = ActionDefinition<never, never, never>['offered'];

export interface ActionContext {
  readonly ports: ActionPorts;
  readonly signal: AbortSignal;
}

export interface ActionRunContext extends ActionContext {
  /** `answered`: the user, or who answers for the user, said that this very action may run; otherwise a rule, a mode or a hook let it through. */
  readonly approval: 'answered' | 'not-asked';
  /** What was shown when it was approved; an action whose effect would differ by now refuses to run. */
  readonly shown: Preview;
  readonly detail: VerdictDetail;
  readonly terms: RunTerms;
  readonly observe: (chunk: string) => void;
  /** Fires when the user moves the action's command to the background. */
  readonly background: AbortSignal;
  /** The terminal of a command that the user typed; `none` for every action of the model. */
  readonly terminal: ShellRequest['terminal'];
}

export interface ToolForm<Input> extends OtherFields {
  readonly name: string;
  /** `unlisted`: models are not told of it; one that knows it from elsewhere may call it. */
  readonly listing: 'listed' | 'unlisted';
  /** For the model: short, says when to use it. */
  readonly description: string;
  /** JSON Schema of the input; the built program has it ready. */
  readonly jsonSchema: () => JsonObject;
  /** The same with the fields that models are not told of. */
  readonly wholeSchema: () => JsonObject;
  /** Takes an input that has known fields alone. A failure names the field and what was wrong, for the model to correct. */
  readonly decode: (raw: Json) => Outcome<Input, string>;
}

/** What most actions have in common; each is also the careful choice. */
const usual = {
  scheduling: 'barrier',
  ruleKind: 'whole-tool',
  partialText: () => '',
  outcome: () => [],
  reported: 'as-action',
  past: 'for-the-model',
  preview: async () => ok(nothingToShow),
} satisfies Partial<ActionDefinition<never, never, never>>;

/** A definition, which names only what is not as usual. */
export const defineAction = <Input, Output, PartialOutput>(
  definition: Omit<ActionDefinition<Input, Output, PartialOutput>, keyof typeof usual> &
    Partial<Pick<ActionDefinition<Input, Output, PartialOutput>, keyof typeof usual>>,
): ActionDefinition<Input, Output, PartialOutput> => ({...usual, ...definition});

/** For actions that need no permission: they talk to the user, or read what weft itself holds. */
export const needsNoPermission = {
  risk: 'read-only',
  access: (): Access => ({kind: 'none'}),
  asks: [],
} as const;

/** A tool form whose schema is built on first use: most runs touch few of the schemas. */
export function toolForm<Shape extends z.ZodMiniType, Input>(
  form: {
    readonly name: string;
    readonly description: string;
    readonly schema: () => Shape;
    readonly toInput: (parsed: z.output<Shape>) => Input;
    /** Fields that no offered schema names, to keep requests short. Models that know them from other agents may use them. */
    readonly unlistedFields?: readonly string[];
  } & Partial<OtherFields>,
): ToolForm<Input> {
  let schema: Shape | undefined;
  let json: JsonObject | undefined;
  const shape = (): Shape => (schema ??= form.schema());
  return {
    name: form.name,
    listing: 'listed',
    description: form.description,
    otherNames: form.otherNames ?? {},
    idleFields: form.idleFields ?? {},
    wholeSchema: () => inputSchema(form.name, shape),
    jsonSchema: () => (json ??= withoutFields(inputSchema(form.name, shape), form.unlistedFields ?? [])),
    decode(raw) {
      const parsed = z.safeParse(shape(), raw, {error: english().localeError});
      return parsed.success ? ok(form.toInput(parsed.data)) : failed(issuesText(parsed.error.issues));
    },
  };
}

function withoutFields(schema: JsonObject, names: readonly string[]): JsonObject {
  const {properties} = schema;
  if (names.length === 0 || !isJsonObject(properties)) return schema;
  const listed = Object.entries(properties).filter(([name]) => !names.includes(name));
  return {...schema, properties: Object.fromEntries(listed)};
}

/** The same tool, whose input is looked over besides. A failure names the field and what is wrong. */
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

/** The same tool under a name that models are not told of. */
export const unlistedForm = <Input>(form: ToolForm<Input>, name: string): ToolForm<Input> => ({
  ...form,
  name,
  listing: 'unlisted',
});

/** What a question comes to that nobody answered, in words for the model. */
export const unanswered = <PartialOutput>(
  {kind}: Exclude<QuestionReply, {kind: 'answered'}>,
  partial: PartialOutput,
  words: {readonly dismissed: string; readonly unattended: string},
): Settled<never, PartialOutput> => ({
  state: 'cancelled',
  why: {reason: kind === 'dismissed' ? 'declined' : 'denied', message: words[kind]},
  partial,
});

/** Shows nothing, unless the call lacks something: then it is a fault. */
export const previewUnless = (lack: string | false): Outcome<Preview, Settled<never, never>> =>
  lack === false ? ok(nothingToShow) : failed({state: 'error', fault: rejected(lack)});

export const textContent = (value: string): readonly TextBlock[] => [{kind: 'text', text: value}];

function issuesText(issues: readonly z.core.$ZodIssue[]): string {
  return issues
    .map(issue => (issue.path.length === 0 ? issue.message : `${issue.path.join('.')}: ${issue.message}`))
    .join('; ');
}
