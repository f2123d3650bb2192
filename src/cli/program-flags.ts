import {Option} from 'commander';
import type {Effort} from '../domain/model-stream.ts';
import {countFromZero, effort, positiveNumber} from './option-values.ts';

/**
 * The flags with which the Agent SDK starts its executable, beside those that `weft --help` shows: each with what becomes of it.
 * What weft cannot do yet is taken and left alone where that only takes an extra away, and refused where going on without it would
 * lie to whoever set it.
 */
export interface ProgramFlag {
  readonly flags: string;
  readonly effect: 'works' | 'ignored' | 'refused';
  /** What it does; or why it may be ignored, or why not. */
  readonly why: string;
  readonly value?: (text: string) => number | Effort;
}

export const programFlags: readonly ProgramFlag[] = [
  {flags: '--replay-user-messages', effect: 'works', why: 'echoes each prompt when it is taken up'},
  {flags: '--include-hook-events', effect: 'works', why: 'tells of each call of a hook'},
  {flags: '--include-tool-progress', effect: 'works', why: "tool_progress messages with tools' output as it comes"},
  {flags: '--max-budget-usd <usd>', effect: 'works', why: '--max-cost by its other name', value: positiveNumber},
  {flags: '--tools <names>', effect: 'works', why: 'the only tools there are; empty for none, "default" for all'},
  {
    flags: '--permission-prompt-tool <tool>',
    effect: 'works',
    why: 'stdio: the program answers; another tool is refused',
  },
  {flags: '--permission-prompts <who>', effect: 'works', why: 'host (default), or none: what would be asked is denied'},
  {flags: '--allow-dangerously-skip-permissions', effect: 'works', why: 'bypassPermissions may be chosen later'},
  {flags: '--dangerously-skip-permissions', effect: 'works', why: 'starts in the mode bypassPermissions'},
  {flags: '--setting-sources <sources>', effect: 'works', why: 'which of user,project,local are read; empty for none'},
  {flags: '--system-prompt-file <file>', effect: 'works', why: '--system-prompt from a file'},
  {flags: '--append-system-prompt-file <file>', effect: 'works', why: '--append-system-prompt from a file'},
  {flags: '--plan-mode-instructions <text>', effect: 'works', why: 'goes into the system prompt'},
  {flags: '--max-thinking-tokens <n>', effect: 'works', why: 'how much the model may think', value: countFromZero},
  {
    flags: '--effort <level>',
    effect: 'works',
    why: 'how much the model puts into its answer, where it can be told',
    value: effort,
  },
  {flags: '--thinking <how>', effect: 'works', why: 'adaptive or disabled'},
  {flags: '--resume-session-at <uuid>', effect: 'works', why: 'what came behind that message does not count'},
  {flags: '--resume-drops-turn <uuid>', effect: 'works', why: 'the only prompt that --resume-session-at may drop'},
  {flags: '--name <title>', effect: 'works', why: 'the title of a new session'},
  {flags: '--debug-file <file>', effect: 'works', why: '--debug into a file'},
  {flags: '--await-initialize', effect: 'works', why: 'weft always waits for the first message'},
  {
    flags: '--initialize-fields <names>',
    effect: 'works',
    why: 'settings and disallowedTools come in the first message',
  },
  {flags: '--strict-mcp-config', effect: 'works', why: 'there are no MCP servers but those of the program'},
  {
    flags: '--mcp-config <configs...>',
    effect: 'works',
    why: 'accepted as long as it names no server; others are refused',
  },

  {
    flags: '--fallback-model <models>',
    effect: 'ignored',
    why: 'an overloaded model is asked again, no other in its place',
  },
  {flags: '--betas <names>', effect: 'ignored', why: "weft's requests need none"},
  {
    flags: '--task-budget <tokens>',
    effect: 'ignored',
    why: 'a hint to the model; --max-cost and --max-turns bound a run',
  },
  {flags: '--thinking-display <how>', effect: 'ignored', why: 'thinking is told as the provider gives it'},
  {flags: '--exclude-dynamic-system-prompt-sections', effect: 'ignored', why: 'only makes caches last longer'},
  {flags: '--system-prompt-snapshot <state>', effect: 'ignored', why: 'only makes caches last longer'},
  {flags: '--prompt-suggestions [state]', effect: 'ignored', why: 'weft suggests no prompts'},
  {flags: '--forward-subagent-text', effect: 'ignored', why: 'there are no subagents yet'},
  {flags: '--enable-auth-status', effect: 'ignored', why: 'there is no log-in that could have a status'},
  {flags: '--disable-slash-commands', effect: 'ignored', why: 'prompts of programs know no slash commands'},

  {flags: '--agent <name>', effect: 'refused', why: 'there are no agents to choose from yet'},
  {flags: '--agents <definitions>', effect: 'refused', why: 'there are no agents to define yet'},
  {flags: '--plugin-dir <dir>', effect: 'refused', why: 'weft has no plugins yet'},
  {flags: '--plugin-dir-no-mcp <dir>', effect: 'refused', why: 'weft has no plugins yet'},
  {flags: '--plugin-url <url>', effect: 'refused', why: 'weft has no plugins yet'},
  {
    flags: '--project-config-root <dir>',
    effect: 'refused',
    why: 'the settings of a project are read where weft starts',
  },
  {flags: '--session-mirror', effect: 'refused', why: 'sessions are kept on this machine alone'},
  {flags: '--managed-settings <json>', effect: 'refused', why: 'weft has no managed settings yet'},
  {flags: '--managed-settings-in-initialize', effect: 'refused', why: 'weft has no managed settings yet'},
  {flags: '--channels <names>', effect: 'refused', why: 'weft has no channels yet'},
  {flags: '--sdk-url <url>', effect: 'refused', why: 'weft is driven over stdin and stdout'},
];

/** Hidden: they are for programs, and `weft --help` is for people. */
export const programOptions = (): readonly Option[] =>
  programFlags.map(({flags, why, value}) => {
    const option = new Option(flags, why).hideHelp();
    return value === undefined ? option : option.argParser(value);
  });

/** The options of these flags as commander hands them over; an absent option was not given. */
export interface ProgramOptions {
  readonly replayUserMessages?: true;
  readonly includeHookEvents?: true;
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
}
