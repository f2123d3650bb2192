import * as z from 'zod/mini';
import {isJsonObject, type Json, type JsonObject} from '../../base/json.ts';
import {failed, ok, type Outcome} from '../../base/outcome.ts';

/** What one hook said, in one form for all events. Texts may be empty. */
export interface HookAnswer {
  /** For events that can only be let through or not, `deny` stands for the block. */
  readonly permission: 'none' | 'allow' | 'deny' | 'ask';
  readonly reason: string;
  readonly updatedInput: JsonObject | undefined;
  /** For the model. */
  readonly context: string;
  /** What the model is told in the place of a tool's result. */
  readonly updatedOutput: Json | undefined;
  /** For the person. */
  readonly message: string;
  readonly flow: {readonly kind: 'go-on'} | {readonly kind: 'stop'; readonly reason: string};
}

const text = z.optional(z.nullable(z.string()));

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
        permissionDecision: z.optional(z.nullable(z.enum(['allow', 'deny', 'ask', 'defer']))),
        permissionDecisionReason: text,
        updatedInput: z.optional(z.nullable(z.custom<JsonObject>(isJsonObject))),
        additionalContext: text,
        updatedToolOutput: z.optional(z.custom<Json>(() => true)),
        updatedMCPToolOutput: z.optional(z.custom<Json>(() => true)),
      }),
    ),
  ),
});

/** Reads a hook's answer; the error says what of it does not fit. One that goes on by itself says nothing now. */
export function hookAnswer(payload: JsonObject): Outcome<HookAnswer, string> {
  const read = z.safeParse(hookOutput, payload);
  if (!read.success) {
    const [issue] = read.error.issues;
    return failed(issue === undefined ? 'it does not fit' : `"${issue.path.join('.')}" does not fit`);
  }
  const {data} = read;
  if (data.async === true) return ok(silent);
  const specific = data.hookSpecificOutput ?? {};
  const {permissionDecision, permissionDecisionReason, updatedInput, additionalContext} = specific;
  return ok({
    permission: permissionOf(permissionDecision ?? undefined, data.decision ?? undefined),
    reason: permissionDecisionReason ?? data.reason ?? data.stopReason ?? '',
    updatedInput: updatedInput ?? undefined,
    updatedOutput: specific.updatedToolOutput ?? specific.updatedMCPToolOutput ?? undefined,
    context: additionalContext ?? '',
    message: data.systemMessage ?? '',
    flow: data.continue === false ? {kind: 'stop', reason: data.stopReason ?? data.reason ?? ''} : {kind: 'go-on'},
  });
}

const silent: HookAnswer = {
  permission: 'none',
  reason: '',
  updatedInput: undefined,
  updatedOutput: undefined,
  context: '',
  message: '',
  flow: {kind: 'go-on'},
};

/** `decision` is the older way to say it. */
function permissionOf(
  newer: 'allow' | 'deny' | 'ask' | 'defer' | undefined,
  older: 'approve' | 'block' | undefined,
): HookAnswer['permission'] {
  if (newer !== undefined) return newer === 'defer' ? 'none' : newer;
  if (older === undefined) return 'none';
  return older === 'approve' ? 'allow' : 'deny';
}
