import * as z from 'zod/mini';
import type {HookFailureKind, HookRun} from '../../actions/hooks-port.ts';
import {clip} from '../../base/clip.ts';
import {isJsonObject, type Json, type JsonObject} from '../../base/json.ts';
import {failed, ok, type Outcome} from '../../base/outcome.ts';
import type {RuleChange} from '../../domain/risk.ts';
import {readPermissionUpdates} from '../../protocol/rpc/permission-updates.ts';

/** The answer of one hook, in the same form for all events. Texts may be empty. */
export interface HookAnswer {
  /** `deny` also means "block" for events that have no other decision. */
  readonly permission: 'none' | 'allow' | 'deny' | 'ask';
  readonly reason: string;
  readonly updatedInput: JsonObject | undefined;
  readonly context: string;
  /** The text that replaces a tool's result for the model. */
  readonly updatedOutput: Json | undefined;
  /** Permission rules that a hook adds when it allows a call. */
  readonly rules: readonly RuleChange[];
  /** Whether a denial also ends the prompt. */
  readonly next: 'go-on' | 'interrupt';
  readonly message: string;
  readonly flow: {readonly kind: 'go-on'} | {readonly kind: 'stop'; readonly reason: string};
}

export const noObjection: HookAnswer = {
  permission: 'none',
  reason: '',
  updatedInput: undefined,
  updatedOutput: undefined,
  context: '',
  rules: [],
  next: 'go-on',
  message: '',
  flow: {kind: 'go-on'},
};

export const emptyOutput = {exitCode: 'unknown', stdout: '', stderr: ''} as const;

/** Describes a failed run. By default the hook printed nothing. */
export const makeFailedRun = (
  how: HookFailureKind,
  why: string,
  printed: Omit<HookRun, 'outcome'> = emptyOutput,
): HookRun => ({
  outcome: {kind: 'failed', how, why},
  ...printed,
});

const text = z.optional(z.nullable(z.string()));
const object = z.custom<JsonObject>(isJsonObject);

const hookOutput = z.looseObject({
  async: z.optional(z.boolean()),
  continue: z.optional(z.boolean()),
  stopReason: text,
  decision: z.optional(z.nullable(z.enum(['approve', 'block']))),
  reason: text,
  systemMessage: text,
  hookSpecificOutput: z.optional(
    z.nullable(
      z.looseObject({
        hookEventName: z.optional(z.string()),
        permissionDecision: z.optional(z.nullable(z.enum(['allow', 'deny', 'ask', 'defer']))),
        permissionDecisionReason: text,
        updatedInput: z.optional(z.nullable(object)),
        additionalContext: text,
        updatedToolOutput: z.optional(z.custom<Json>(() => true)),
        updatedMCPToolOutput: z.optional(z.custom<Json>(() => true)),
        decision: z.optional(
          z.nullable(
            z.looseObject({
              behavior: z.enum(['allow', 'deny']),
              updatedInput: z.optional(z.nullable(object)),
              updatedPermissions: z.optional(z.nullable(z.array(object))),
              message: text,
              interrupt: z.optional(z.nullable(z.boolean())),
            }),
          ),
        ),
      }),
    ),
  ),
});

/** The longest text that a hook can give to the model or the user, in UTF-16 units. */
const maxText = 30_000;

/**
 * Reads a hook's answer to an event. The error says which field is invalid. A hook that answers `{"async": true}` has
 * no objection. `redact` replaces secrets with placeholders.
 */
export function parseHookAnswer(
  payload: JsonObject,
  {event, redact}: {readonly event: string; readonly redact: (text: string) => string},
): Outcome<HookAnswer, string> {
  const read = z.safeParse(hookOutput, payload);
  if (!read.success) {
    const [issue] = read.error.issues;
    return failed(issue === undefined ? 'it is invalid' : `"${issue.path.join('.')}" is invalid`);
  }
  const {data} = read;
  if (data.async === true) return ok(noObjection);
  const specific = data.hookSpecificOutput ?? {};
  const named = specific.hookEventName ?? event;
  if (named !== event) return failed(`its "hookEventName" is ${JSON.stringify(named)}, not ${JSON.stringify(event)}`);
  const {decision} = specific;
  const words = (...texts: readonly (string | null | undefined)[]): string =>
    clip(redact(texts.find(each => each !== undefined && each !== null && each !== '') ?? ''), maxText);
  const updatedInput = specific.updatedInput ?? decision?.updatedInput ?? undefined;
  const output = specific.updatedToolOutput ?? specific.updatedMCPToolOutput ?? undefined;
  const older = data.decision === 'approve' ? 'allow' : data.decision === 'block' ? 'deny' : 'none';
  const newer = decision?.behavior ?? specific.permissionDecision ?? undefined;
  return ok({
    permission: newer === undefined ? older : newer === 'defer' ? 'none' : newer,
    reason: words(decision?.message, specific.permissionDecisionReason, data.reason, data.stopReason),
    updatedInput: updatedInput === undefined ? undefined : redactObject(updatedInput, redact),
    updatedOutput: output === undefined ? undefined : redactJson(output, redact),
    context: words(specific.additionalContext),
    rules: decision?.behavior === 'allow' ? readPermissionUpdates(decision.updatedPermissions ?? []).rules : [],
    next: decision?.interrupt === true ? 'interrupt' : 'go-on',
    message: words(data.systemMessage),
    flow: data.continue === false ? {kind: 'stop', reason: words(data.stopReason, data.reason)} : {kind: 'go-on'},
  });
}

/** Replaces the secrets in all texts of a value with placeholders. */
export function redactJson(value: Json, redact: (text: string) => string): Json {
  if (typeof value === 'string') return redact(value);
  if (Array.isArray(value)) return value.map((item: Json) => redactJson(item, redact));
  return isJsonObject(value) ? redactObject(value, redact) : value;
}

const redactObject = (value: JsonObject, redact: (text: string) => string): JsonObject =>
  Object.fromEntries(Object.entries(value).map(([key, item]) => [key, redactJson(item, redact)]));
