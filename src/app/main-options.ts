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
  readonly prompt?: string;
  readonly print?: true;
  readonly outputFormat?: (typeof outputFormats)[number];
  readonly inputFormat?: (typeof inputFormats)[number];
  readonly includePartialMessages?: true;
  readonly model?: string;
  readonly fallbackModel?: readonly string[];
  readonly provider?: (typeof providerChoices)[number];
  readonly baseUrl?: string;
  readonly replay?: string;
  readonly record?: string;
  readonly permissionMode?: PermissionMode;
  readonly sandbox?: SandboxChoice;
  readonly allowedTools?: readonly string[];
  readonly disallowedTools?: readonly string[];
  readonly maxTurns?: number;
  readonly maxCost?: number;
  readonly timeout?: number;
  readonly continue?: true;
  readonly resume?: string | true;
  readonly sessionId?: string;
  readonly forkSession?: true;
  /** `--no-session-persistence` makes it false. */
  readonly sessionPersistence: boolean;
  readonly cwd?: string;
  readonly addDir?: readonly string[];
  readonly systemPrompt?: string;
  readonly appendSystemPrompt?: string;
  readonly jsonSchema?: string;
  readonly settings?: string;
  readonly verbose?: true;
  readonly debug?: true;
  readonly fullscreen?: true;
  readonly accessible?: true;
  /** `--no-color` makes it false. */
  readonly color: boolean;
  readonly replayUserMessages?: true;
  readonly includeHookEvents?: true;
  readonly forwardSubagentText?: true;
  readonly includeToolProgress?: true;
  readonly maxBudgetUsd?: number;
  readonly tools?: string;
  readonly permissionPromptTool?: string;
  readonly permissionPrompts?: string;
  readonly allowDangerouslySkipPermissions?: true;
  readonly dangerouslySkipPermissions?: true;
  readonly settingSources?: string;
  readonly systemPromptFile?: string;
  readonly appendSystemPromptFile?: string;
  readonly planModeInstructions?: string;
  readonly maxThinkingTokens?: number;
  readonly thinking?: string;
  readonly effort?: Effort;
  readonly name?: string;
  readonly resumeSessionAt?: string;
  readonly resumeDropsTurn?: string;
  readonly debugFile?: string;
  readonly mcpConfig?: readonly string[];
  readonly strictMcpConfig?: true;
  /** Folders of plugins; of the second kind their MCP servers do not count. */
  readonly pluginDir?: readonly string[];
  readonly pluginDirNoMcp?: readonly string[];
  readonly disableSlashCommands?: true;
  readonly agent?: string;
  readonly agents?: string;
  readonly worktree?: string | true;
  /** The only skills that the model is told of; programs say it in their greeting, there is no flag. */
  readonly skills?: readonly string[] | 'all';
  /** Where everything is kept, if `weft serve` or `weft worker` was told; else WEFT_STORE counts. */
  readonly store?: string;
  /** A folder of skills for this run, if a program that runs a plan over HTTP has named one. */
  readonly skillsPath?: string;
}

export function thinkingOf({thinking, maxThinkingTokens}: MainOptions): Thinking {
  if (thinking === 'disabled' || maxThinkingTokens === 0) return {kind: 'disabled'};
  if (maxThinkingTokens !== undefined) return {kind: 'budget', tokens: maxThinkingTokens};
  return {kind: thinking === 'adaptive' ? 'adaptive' : 'default'};
}

export interface InFolder {
  readonly cwd?: string;
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
