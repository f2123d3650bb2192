import type {Reason} from './reason.ts';

/** The effects that an action can have outside of weft, mildest first. `unknown` is treated like the worst level. */
export const riskLevels = ['read-only', 'local-change', 'external', 'destructive', 'unknown'] as const;
export type RiskLevel = (typeof riskLevels)[number];

/** The one who allowed or refused a call. `nobody`: no one could be asked. */
export type Decider = 'user' | 'rule' | 'hook' | 'nobody';

/** The judge's verdict on one action: the decision, the risk and the reasons. */
export interface Verdict {
  readonly decision: 'allow' | 'ask' | 'deny';
  readonly risk: RiskLevel;
  readonly reasons: readonly Reason[];
  /**
   * The reach of an approval "for this session". `kind`: all similar actions. For an edit, these are
   * all ordinary edits inside the workspace; for input, all input to the running interpreter. For a test or script, they
   * are its runs with any arguments; for a page, all pages of the host. `exact`: only the same action again, even if an ask rule matches the action.
   * `none`: nothing, so weft asks again the next time.
   */
  readonly sessionApproval: 'kind' | 'exact' | 'none';
  readonly detail: VerdictDetail;
}

/** Details of a verdict that approvals and actions use; `noDetail` if there are none. */
export interface VerdictDetail {
  /** The ranges of the command that the reasons are about, in order, not overlapping. */
  readonly highlights: readonly TextRange[];
  /** The ranges of the command that must have been on the screen before the user can allow it, worst first. They may overlap. */
  readonly criticalRanges: readonly TextRange[];
  /** Rules that the user could store so that similar actions are allowed without asking, narrowest first. */
  readonly rules: readonly string[];
  /** The destructive commands; their impact is determined before the user is asked. */
  readonly destructiveCommands: readonly ResolvedCommand[];
  /** The word that the user must type to allow a command that destroys or sends something; empty if a key press is enough. */
  readonly confirmWord: string;
  /** Parts of the command that open a pager or take over the terminal if they can, such as `git log` or `man ls`. */
  readonly pagers: readonly string[];
  /** True if the command may end in another folder, in which the next command then starts. */
  readonly mayMove: boolean;
}

/**
 * The confinement of a command. `chosen`: the sandbox that the user configured, or no sandbox if none is configured.
 * `sandbox`: only a proven sandbox, with no network access except to hosts that the user's rules allow. `read-only`: as
 * `sandbox`, but the command can't change the workspace or send data. `outside`: no sandbox, because a person allowed
 * that for this very command.
 */
export type Confinement = 'chosen' | 'sandbox' | 'read-only' | 'outside';

/**
 * The environment variables and git settings of a command. `inherited`: the user's, unchanged. `restricted`: without the
 * workspace's folders in PATH, and with git's hooks and file monitors disabled. Commands that no person allowed run restricted.
 */
export type CommandEnvironment = 'inherited' | 'restricted';

export const noDetail: VerdictDetail = {
  highlights: [],
  criticalRanges: [],
  rules: [],
  destructiveCommands: [],
  confirmWord: '',
  pagers: [],
  mayMove: false,
};

/** A range of the command's text: half open, in UTF-16 units. */
export interface TextRange {
  readonly from: number;
  readonly to: number;
}

/** A command whose shell syntax has been resolved, and the directory that it would run in. */
export interface ResolvedCommand {
  readonly argv: readonly [string, ...string[]];
  readonly directory: string;
  /** The files that redirections would make it write, as written. */
  readonly overwrites: readonly string[];
  /** The new content of the files in `overwrites`, if the command itself shows it: `echo text`, `cat <<EOF`. */
  readonly content: WrittenContent;
}

/** A simple command, read according to the table of programs. */
export interface CommandReading {
  /** The options: each letter separately, and known long names in full. */
  readonly options: readonly {readonly name: string; readonly value: string | undefined}[];
  readonly operands: readonly string[];
  /** The command's effects on files. `undefined` if they are unknown. */
  readonly changes: readonly FileChange[] | undefined;
}

/** The effect of a command on a file that one of its words names, as written. */
export type FileChange =
  /** `creates`: an existing file keeps its content. `renames`: no file can exist at this path. */
  | {readonly does: 'creates' | 'writes' | 'truncates' | 'renames' | 'edits' | 'shreds'; readonly word: string}
  | {
      readonly does: 'moves' | 'copies' | 'links';
      readonly word: string;
      readonly target: string;
      /** When the source goes inside the target: if the target is a folder, if it is a folder and not a link to one, or never. */
      readonly into: 'a folder' | 'a real folder' | 'never';
      readonly folders: 'laid-over' | 'left-out';
    }
  | {readonly does: 'removes'; readonly word: string; readonly extent: 'files' | 'folders' | 'trees' | 'empty folders'};

export type WrittenContent = {readonly kind: 'unknown'} | {readonly kind: 'text'; readonly text: string};

export const unknownContent: WrittenContent = {kind: 'unknown'};

/** The effect of a command that creates or replaces files on the files that exist now. */
export interface FileEffect {
  /** Whether existing content would be lost. */
  readonly loses: 'nothing' | 'something' | 'unknown';
  /** The absolute paths that it would create or replace. */
  readonly touches: readonly string[];
  /** The paths in `touches` to which it would move an existing file. */
  readonly moves: readonly string[];
}

export const unknownFileEffect: FileEffect = {loses: 'unknown', touches: [], moves: []};

/** The modes that can be chosen anywhere. `bypassPermissions` can only be chosen when weft starts. */
export const offeredModes = ['default', 'acceptEdits', 'plan', 'dontAsk'] as const;

/** The permission modes, which decide which actions run without asking. Names and meanings are those of the Agent SDK. */
export const permissionModes = [...offeredModes, 'bypassPermissions'] as const;
export type PermissionMode = (typeof permissionModes)[number];

/** The permission modes from the narrowest to the widest. */
const byWidth: readonly PermissionMode[] = ['plan', 'dontAsk', 'default', 'acceptEdits', 'bypassPermissions'];

/** Returns the stricter of the two modes. */
export const narrowerMode = (one: PermissionMode, other: PermissionMode): PermissionMode =>
  byWidth.indexOf(one) < byWidth.indexOf(other) ? one : other;

/** The lists of permission rules, from the weakest to the strongest. */
export const ruleLists = ['allow', 'ask', 'deny'] as const;
export type RuleList = (typeof ruleLists)[number];

/** A change to the permission rules. `remove` and `replace` only affect rules that were added while weft runs. */
export type RuleChange =
  | {readonly change: 'add'; readonly list: RuleList; readonly rule: string; readonly scope: RuleScope}
  | {readonly change: 'remove'; readonly list: RuleList; readonly rule: string}
  | {readonly change: 'replace'; readonly list: RuleList; readonly rules: readonly string[]}
  /** Replaces the rules that allow actions during the running prompt. They end with the prompt. Invalid rules are left out. */
  | {readonly change: 'prompt'; readonly rules: readonly string[]};

/**
 * The scope of a rule. `session`: until weft ends. The others are stored: `user` for all projects of the user,
 * `project` for everyone who works in this project, `local` for this user in this project.
 */
export type RuleScope = 'session' | 'user' | 'project' | 'local';
