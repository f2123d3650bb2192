import * as z from 'zod/mini';
import {maxTimeoutSeconds} from '../base/timer-limits.ts';
import type {HookWork} from '../domain/hook.ts';
import {rightsOf, rightsSchema, rightsText} from './project-rights.ts';

/** The events at which weft calls hooks. A broken hook blocks any of the first four events, unless its settings say otherwise. */
export const hookEvents = [
  'PreToolUse',
  'PermissionRequest',
  'UserPromptSubmit',
  'Stop',
  'PostToolUse',
  'PostToolUseFailure',
  'PermissionDenied',
  'SessionStart',
  'SessionEnd',
  'Notification',
  'SubagentStart',
  'SubagentStop',
  'PreCompact',
  'PostCompact',
] as const;
export type HookEvent = (typeof hookEvents)[number];

/** The events about tool calls. */
const eventsOfCalls: ReadonlySet<HookEvent> = new Set([
  'PreToolUse',
  'PermissionRequest',
  'PostToolUse',
  'PostToolUseFailure',
  'PermissionDenied',
]);

/** One hook of the settings. */
export interface HookSetting {
  readonly event: HookEvent;
  /** The tools or causes for which the hook is called; empty for all. */
  readonly matcher: string;
  readonly work: HookWork;
  readonly timeoutMs: number;
  /** `async`: weft doesn't wait for the hook and ignores its answer. */
  readonly wait: 'for-answer' | 'async';
  /** The effect of a failure if the hook guards something. */
  readonly onFailure: 'block' | 'allow';
  /** A permission rule (`if`) that limits the hook to matching calls. Empty for all calls. */
  readonly condition: string;
}

const defaultSeconds = 60;

const shared = {
  timeout: z.optional(z.number().check(z.gt(0), z.maximum(maxTimeoutSeconds))),
  onFailure: z.optional(z.enum(['block', 'allow', 'continue'])),
  async: z.optional(z.boolean()),
  if: z.optional(z.string()),
};

const hook = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('command'),
    command: z.string().check(z.minLength(1)),
    args: z.optional(z.array(z.string())),
    sandbox: rightsSchema,
    ...shared,
  }),
  z.object({
    type: z.literal('http'),
    url: z.url({protocol: /^https?$/u}),
    headers: z.optional(z.record(z.string(), z.string())),
    allowedEnvVars: z.optional(z.array(z.string())),
    ...shared,
  }),
]);

/** `hooks` of a settings file, or of a plugin's `hooks.json`: Claude Code's format. */
export const hooksSchema = z.record(
  z.string(),
  z.array(z.object({matcher: z.optional(z.string().check(z.refine(isPattern))), hooks: z.array(hook)})),
);
/** True if a matcher is valid: names, or a regular expression. */
function isPattern(matcher: string): boolean {
  try {
    // An invalid regular expression throws.
    if (matcher !== '*') new RegExp(matcher, 'u').test('');
    return true;
  } catch {
    return false;
  }
}

type HooksFile = z.infer<typeof hooksSchema>;

export const hookWords =
  'events with lists of hooks (type command or http, timeout in seconds, onFailure block or allow)';

export const hookExample =
  '{"PreToolUse": [{"matcher": "Bash", "hooks": [{"type": "command", "command": "./check.sh"}]}]}';

/**
 * Reads the hooks of a file, in order, and writes one sentence for each entry that has no effect. `source` is the
 * file's layer: see `rightsOf`.
 */
export function readHooks(
  file: HooksFile,
  source: string,
): {
  readonly hooks: readonly HookSetting[];
  readonly warnings: readonly string[];
} {
  const warnings: string[] = [];
  const hooks: HookSetting[] = [];
  for (const [name, groups] of Object.entries(file)) {
    const event = hookEvents.find(each => each === name);
    if (event === undefined) {
      warnings.push(`"hooks.${name}" is not an event at which weft calls hooks: its hooks do not run.`);
      continue;
    }
    for (const {matcher = '', hooks: entries} of groups) {
      for (const entry of entries) {
        const condition = (entry.if ?? '').trim();
        if (condition !== '' && !eventsOfCalls.has(event)) {
          warnings.push(`A ${event} hook with "if" never runs: "if" is about the call of a tool.`);
        }
        hooks.push({
          event,
          matcher,
          work:
            entry.type === 'command'
              ? {
                  type: 'command',
                  command: entry.command,
                  args: entry.args ?? 'shell',
                  environment: {},
                  rights: rightsOf(entry.sandbox, source),
                }
              : {
                  type: 'http',
                  url: entry.url,
                  headers: entry.headers ?? {},
                  variables: entry.allowedEnvVars ?? [],
                },
          timeoutMs: Math.max(1, Math.round((entry.timeout ?? defaultSeconds) * 1000)),
          wait: entry.async === true ? 'async' : 'for-answer',
          onFailure: entry.onFailure === undefined || entry.onFailure === 'block' ? 'block' : 'allow',
          condition,
        });
      }
    }
  }
  return {hooks, warnings};
}

/** Returns the line about a hook in the list of what trust in a project grants. */
export const hookRequest = (setting: HookSetting): string => {
  const {event, work} = setting;
  return `run on ${event}: ${hookText(setting)}${work.type === 'http' ? '' : ` (${rightsText(work.rights)})`}`;
};

/** Returns the command or URL of a hook, as written in the settings. */
export const hookText = ({work}: HookSetting): string =>
  work.type === 'http' ? work.url : [work.command, ...(work.args === 'shell' ? [] : work.args)].join(' ');
