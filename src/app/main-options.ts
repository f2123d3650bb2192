import {readFileSync} from 'node:fs';
import {causeText} from '../domain/fault.ts';
import type {Effort, Thinking} from '../domain/model-stream.ts';
import type {PermissionMode} from '../domain/risk.ts';
import type {SandboxChoice} from '../domain/sandbox.ts';
import {UsageError} from './exit-code.ts';

export const inputFormats = ['text', 'stream-json'] as const;
export const outputFormats = ['text', 'json', 'stream-json'] as const;
export const providerChoices = ['anthropic', 'openai', 'gemini', 'replay'] as const;

/** The flags of weft without a command, as commander hands them over; an absent one was not given. */
export interface MainOptions {
  readonly prompt?: string | undefined;
  readonly print?: true | undefined;
  readonly outputFormat?: (typeof outputFormats)[number] | undefined;
  readonly inputFormat?: (typeof inputFormats)[number] | undefined;
  readonly includePartialMessages?: true | undefined;
  readonly model?: string | undefined;
  readonly fallbackModel?: readonly string[] | undefined;
  readonly provider?: (typeof providerChoices)[number] | undefined;
  readonly baseUrl?: string | undefined;
  readonly replay?: string | undefined;
  readonly record?: string | undefined;
  readonly permissionMode?: PermissionMode | undefined;
  readonly sandbox?: SandboxChoice | undefined;
  readonly allowedTools?: readonly string[] | undefined;
  readonly disallowedTools?: readonly string[] | undefined;
  readonly maxTurns?: number | undefined;
  readonly maxCost?: number | undefined;
  readonly timeout?: number | undefined;
  readonly continue?: true | undefined;
  readonly resume?: string | true | undefined;
  readonly sessionId?: string | undefined;
  readonly forkSession?: true | undefined;
  /** `--no-session-persistence` makes it false. */
  readonly sessionPersistence: boolean;
  readonly cwd?: string | undefined;
  readonly addDir?: readonly string[] | undefined;
  readonly systemPrompt?: string | undefined;
  readonly appendSystemPrompt?: string | undefined;
  readonly jsonSchema?: string | undefined;
  readonly settings?: string | undefined;
  readonly verbose?: true | undefined;
  readonly debug?: true | undefined;
  readonly fullscreen?: true | undefined;
  readonly accessible?: true | undefined;
  /** `--no-color` makes it false. */
  readonly color: boolean;
  readonly replayUserMessages?: true | undefined;
  readonly includeHookEvents?: true | undefined;
  readonly forwardSubagentText?: true | undefined;
  readonly includeToolProgress?: true | undefined;
  readonly maxBudgetUsd?: number | undefined;
  readonly tools?: string | undefined;
  readonly permissionPromptTool?: string | undefined;
  readonly permissionPrompts?: string | undefined;
  readonly allowDangerouslySkipPermissions?: true | undefined;
  readonly dangerouslySkipPermissions?: true | undefined;
  readonly settingSources?: string | undefined;
  readonly systemPromptFile?: string | undefined;
  readonly appendSystemPromptFile?: string | undefined;
  readonly planModeInstructions?: string | undefined;
  readonly maxThinkingTokens?: number | undefined;
  readonly thinking?: string | undefined;
  readonly effort?: Effort | undefined;
  readonly name?: string | undefined;
  readonly resumeSessionAt?: string | undefined;
  readonly resumeDropsTurn?: string | undefined;
  readonly debugFile?: string | undefined;
  readonly mcpConfig?: readonly string[] | undefined;
  readonly strictMcpConfig?: true | undefined;
  /** Folders of plugins; of the second kind their MCP servers do not count. */
  readonly pluginDir?: readonly string[] | undefined;
  readonly pluginDirNoMcp?: readonly string[] | undefined;
  readonly disableSlashCommands?: true | undefined;
  readonly agent?: string | undefined;
  readonly agents?: string | undefined;
  readonly worktree?: string | true | undefined;
  /** The only skills that the model is told of; programs say it in their greeting, there is no flag. */
  readonly skills?: readonly string[] | 'all' | undefined;
  /** Where everything is kept, if `weft serve` or `weft worker` was told; else WEFT_STORE counts. */
  readonly store?: string | undefined;
  /** A folder of skills for this run, if a program that runs a plan over HTTP has named one. */
  readonly skillsPath?: string | undefined;
}

export function thinkingOf({thinking, maxThinkingTokens}: MainOptions): Thinking {
  if (thinking === 'disabled' || maxThinkingTokens === 0) return {kind: 'disabled'};
  if (maxThinkingTokens !== undefined) return {kind: 'budget', tokens: maxThinkingTokens};
  return {kind: thinking === 'adaptive' ? 'adaptive' : 'default'};
}

export interface InFolder {
  readonly cwd?: string | undefined;
}

/** Which settings file is meant; the user's where none is named. */
export interface InFile extends InFolder {
  readonly user?: true;
  readonly project?: true;
  readonly local?: true;
}

/** True for the value of a flag that is JSON itself and not the path of a file with it. */
export const isInline = (given: string): boolean => given.trimStart().startsWith('{');

/** The text that a flag gives: JSON, or the path of a file. The usage error of a file that cannot be read is made of why. */
export function givenText(given: string, unreadable: (why: string) => string): string {
  return isInline(given) ? given : fileText(given, unreadable);
}

/** The text of a file that a flag names. */
export function fileText(path: string, unreadable: (why: string) => string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (cause) {
    throw new UsageError(unreadable(causeText(cause)));
  }
}
