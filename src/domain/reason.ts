import {clip, clipStart, pluralize} from '../base/clip.ts';
import {byKind, type ByKind} from '../base/unreachable.ts';
import type {Obligation} from './obligation.ts';

/**
 * Why an action needs an approval or is denied. A reason is data until it is shown. A front end that lets a program
 * decide passes on the reason's kind, and all others show `reasonText`.
 */
export type Reason =
  | {readonly kind: 'rule'; readonly behaviour: 'ask' | 'deny'; readonly rule: string}
  | {readonly kind: 'possible-denial'; readonly why: DenyRuleBypass}
  | {readonly kind: 'mode'; readonly mode: 'default' | 'plan'}
  | {readonly kind: 'reads-outside' | 'reads-secrets'; readonly paths: readonly string[]}
  /** The patterns of a search whose starting folder is not known. */
  | {readonly kind: 'unclear-search'; readonly patterns: readonly string[]}
  /** `paths` is empty if weft only knows that the command as a whole changes such a file. */
  | {
      readonly kind: 'writes-outside' | 'writes-secrets' | 'writes-protected' | 'writes-weft-files';
      readonly paths: readonly string[];
    }
  | {readonly kind: 'weft-files'; readonly change: WeftFileChange}
  | {readonly kind: 'program-input'}
  | {readonly kind: 'mcp-tool' | 'mcp-tool-changed' | 'mcp-resource'; readonly server: string}
  | {readonly kind: 'web-page' | 'web-loopback'; readonly host: string}
  | {readonly kind: 'web-port'; readonly port: number}
  | {readonly kind: 'web-refused'; readonly why: string}
  | {readonly kind: 'web-query'}
  | {readonly kind: 'secret'; readonly name: string; readonly to: SecretRecipient}
  /** The action sends paths or other private data. A rule or an approval for the session never covers it. */
  | {readonly kind: 'sends'; readonly what: readonly string[]; readonly host: string}
  /** The action contains text that came from outside. `span` is that text, perhaps cut off. No rule or grant for other actions covers it. */
  | {readonly kind: 'tainted-data'; readonly source: string; readonly span: string}
  | {readonly kind: 'model-claim'; readonly claim: 'risky' | 'not-read-only'}
  /** `part` is quoted for display. `alike` counts the other parts of the command that have the same effect. */
  | {readonly kind: 'command-part'; readonly part: string; readonly effect: PartEffect; readonly alike: number}
  | {readonly kind: 'more-command-parts'; readonly count: number}
  | {readonly kind: 'unparsed'; readonly what: string}
  | {readonly kind: 'readings-differ'}
  /** A dry run can't hold the effects of the action back. */
  | {readonly kind: 'dry-run'}
  | {readonly kind: 'judge-failed'; readonly cause: string}
  /** The command runs without asking, because the sandbox holds its changes until the user decides. */
  | {readonly kind: 'sandboxed'; readonly changes: 'ask' | 'count as edits' | 'are dropped'}
  | {readonly kind: 'plan'}
  | {readonly kind: 'computer'}
  /** The client that started the work wants to approve all of it. */
  | {readonly kind: 'delegated'}
  /** The judge would allow the action on a condition that the executor can't meet. */
  | {readonly kind: 'obligation'; readonly executor: string; readonly obligation: Obligation}
  | {readonly kind: 'hook'; readonly text: string}
  | {readonly kind: 'not-undoable'; readonly text: string}
  /** The expected cost of the action. */
  | {readonly kind: 'cost'; readonly text: string};

/**
 * The effect of a part of a command, or the reason why it is unknown. A string is the predicate of a sentence, from the
 * tables of programs ("changes files"). Access outside the workspace is data, because programs that drive weft receive
 * it as a kind of reason.
 */
export type PartEffect = string | CodeEffect | WrittenFile | OutsideEffect;

/**
 * The part may run code, and the code may change files. There is no other reason to ask about the part. `does` is the
 * predicate of a sentence.
 */
export interface CodeEffect {
  readonly kind: 'runs-code';
  readonly does: string;
}

export const runsCode = (does: string): CodeEffect => ({kind: 'runs-code', does});

/** A redirection to a file. `path` is relative to the workspace if it is inside. */
export interface WrittenFile {
  readonly kind: 'writes-file';
  readonly change: 'creates' | 'overwrites' | 'writes' | 'appends';
  readonly path: string;
  /** The file's current number of lines; 0 if it is not known. */
  readonly lines: number;
}

export type OutsideEffect =
  | {readonly kind: 'reads-outside' | 'may-lie-outside' | 'leaves-workspace'; readonly path: string}
  | {readonly kind: 'leaves-for-home'}
  | {readonly kind: 'repository-outside'; readonly reads: 'objects' | 'repository' | 'settings'; readonly path: string}
  | {readonly kind: 'runs-program'; readonly program: string; readonly effect: OutsideEffect};

/** Returns the effect of a part that runs `program`. `effect` is what the program does. */
export function effectOfRunning(program: string, effect: PartEffect): PartEffect {
  if (isOutside(effect)) return {kind: 'runs-program', program, effect};
  const text = `runs ${program}, which ${effectText(effect)}`;
  return isCode(effect) ? runsCode(text) : text;
}

/** True if the part only runs code and changes files, as far as weft knows. */
export const isCode = (effect: PartEffect): effect is CodeEffect =>
  typeof effect !== 'string' && effect.kind === 'runs-code';

const isOutside = (effect: PartEffect): effect is OutsideEffect =>
  typeof effect !== 'string' && effect.kind !== 'runs-code' && effect.kind !== 'writes-file';

/**
 * How a command may run something that a deny rule forbids, although its words do not match the rule. `command` is the
 * command that the rule names.
 */
export type DenyRuleBypass =
  | {readonly kind: 'unparsed'; readonly what: string}
  | {readonly kind: 'in-variable' | 'word-splitting' | 'in-code' | 'same-options'; readonly command: string}
  | {readonly kind: 'unknown-program' | 'program-from-input'}
  | {readonly kind: 'unknown-script' | 'unknown-text' | 'unknown-subcommand'; readonly program: string}
  | {readonly kind: 'own-program' | 'in-arguments'; readonly command: string; readonly program: string};

/** How a command may change weft's own settings and grants. */
export type WeftFileChange =
  | {readonly kind: 'changes' | 'replaces-folder'; readonly path: string}
  | {readonly kind: 'calls-weft' | 'changes-run-limit' | 'too-many-names'};

export type SecretRecipient =
  | {readonly kind: 'program'}
  | {readonly kind: 'file'; readonly path: string}
  | {readonly kind: 'mcp-server'; readonly server: string}
  | {readonly kind: 'host'; readonly host: string}
  | {readonly kind: 'search-engine'}
  | {readonly kind: 'screen'};

/** Writes a reason for people: what happens, in sentence case and without a period, such as "Reads outside the workspace: /etc/hosts". */
export const reasonText = (reason: Reason): string => byKind(reason, reasonTexts);

const reasonTexts: ByKind<Reason, string> = {
  rule: reason =>
    reason.behaviour === 'deny' ? `Denied by the rule ${reason.rule}` : `The rule ${reason.rule} asks first`,
  'possible-denial': reason => byKind(reason.why, possibleDenialTexts),
  mode: reason => (reason.mode === 'plan' ? 'Plan mode changes and runs nothing' : 'Edits ask first in this mode'),
  plan: () => 'Approving it ends plan mode',
  computer: () => 'The agent sees your whole screen and uses your mouse and keyboard; Esc or /computer off ends it',
  delegated: () => 'The client that started this work approves all of it',
  obligation: ({executor, obligation}) => byKind({...obligation, executor}, unmetObligationTexts),
  'reads-outside': reason => `Reads outside the workspace: ${reason.paths.join(', ')}`,
  'reads-secrets': reason => `Reads files that may hold secrets: ${reason.paths.join(', ')}`,
  'unclear-search': reason => `Searches in an unknown folder: ${reason.patterns.join(', ')}`,
  'writes-outside': reason => withPaths('Changes files outside the workspace', reason.paths),
  'writes-secrets': reason => withPaths('Changes files that may hold secrets', reason.paths),
  'writes-protected': reason => withPaths('Changes files that can run code or grant permissions', reason.paths),
  'writes-weft-files': reason => withPaths("Changes weft's own settings and permissions", reason.paths),
  'weft-files': reason => sentenceCase(byKind(reason.change, weftFileChangeTexts)),
  'program-input': () => 'Types into a running program',
  'mcp-tool': reason => `Calls a tool of the MCP server ${reason.server}`,
  'mcp-tool-changed': reason =>
    `The MCP server ${reason.server} now describes this tool differently, so earlier permissions do not cover it`,
  'mcp-resource': reason => `Reads from the MCP server ${reason.server}`,
  'web-page': reason => `Reads from ${reason.host}`,
  'web-loopback': reason => `Reads from this machine: ${reason.host}`,
  'web-port': reason => `Port ${reason.port} is not one of the web's (80, 443)`,
  'web-refused': reason => `weft can't read this address: ${reason.why}`,
  'web-query': () => 'Sends the query to a search engine',
  secret: ({name, to}) => byKind({...to, name}, secretTexts),
  sends: reason => {
    const more = reason.what.length > maxSentNamed ? ` and ${reason.what.length - maxSentNamed} more` : '';
    return `Sends ${reason.what.slice(0, maxSentNamed).join(', ')}${more} to ${reason.host}`;
  },
  'tainted-data': ({source, span}) => {
    const shown = source.startsWith('/') ? clipStart(source, longestSource) : clip(source, longestSource);
    return `Contains text from ${shown}: \`${span}\``;
  },
  'model-claim': reason =>
    reason.claim === 'risky' ? 'The model calls it risky' : 'The model says it may change files',
  'command-part': reason => {
    const text = sentenceCase(effectText(reason.effect));
    const more = reason.alike === 0 ? '' : `and ${reason.alike} more like it`;
    // The text already contains the path of a written file.
    const named = typeof reason.effect !== 'string' && reason.effect.kind === 'writes-file' ? '' : reason.part;
    const notes = [named, more].filter(note => note !== '').join(', ');
    return notes === '' ? text : `${text} (${notes})`;
  },
  'more-command-parts': reason => `${reason.count} more reasons to ask`,
  unparsed: reason =>
    reason.what === '' ? 'weft cannot read this command' : `weft cannot read all of it: ${reason.what}`,
  'readings-differ': () => 'Can be read in two ways',
  'dry-run': () => 'A dry run changes nothing outside the workspace and has no network, and weft refuses what may',
  'judge-failed': reason => `weft could not check it: ${reason.cause} (a bug in weft)`,
  sandboxed: reason => `Runs in the sandbox without asking; ${heldChangesTexts[reason.changes]}`,
  hook: reason => (reason.text === '' ? 'A hook asks first' : reason.text),
  'not-undoable': reason => reason.text,
  cost: reason => reason.text,
};

const heldChangesTexts = {
  ask: 'weft asks about its changes',
  'count as edits': 'its changes count as edits',
  'are dropped': 'its changes are dropped',
} as const satisfies Record<Extract<Reason, {kind: 'sandboxed'}>['changes'], string>;

const unmetObligationTexts: ByKind<Obligation & {readonly executor: string}, string> = {
  'restricted-environment': ({executor}) => `${executor} runs it with the workspace's own programs and git hooks`,
  confined: ({executor}) => `${executor} runs it, outside of the sandbox`,
  directory: ({executor, path}) => `${executor} may run it in a folder other than ${path}`,
  paths: ({executor, links}) => `${executor} follows links that may change in the meantime: ${links.join(', ')}`,
  'left-out': ({executor, rules}) => `${executor} also searches files that a rule forbids to read: ${rules.join(', ')}`,
};

/** The most characters of a source in a sentence, so that a small card shows the text, too. */
const longestSource = 60;

/** The maximum number of sent items that a sentence names. */
const maxSentNamed = 3;

const sentenceCase = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

/** Writes all reasons in one line, separated by semicolons. */
export const reasonsText = (reasons: readonly Reason[]): string => reasons.map(reasonText).join('; ');

/** Text from outside as a reason, as programs that drive weft receive it. */
export type TaintedData = Extract<Reason, {kind: 'tainted-data'}>;

/** Returns the reasons about text from outside. */
export const taintIn = (reasons: readonly Reason[]): readonly TaintedData[] =>
  reasons.filter(reason => reason.kind === 'tainted-data');

/** True if the reasons are equal. */
export const sameReason = (a: Reason, b: Reason): boolean => JSON.stringify(a) === JSON.stringify(b);

/** True if the reason is an access outside the workspace. */
export function isAboutOutsideWorkspace(reason: Reason): boolean {
  if (reason.kind === 'command-part') return isOutside(reason.effect);
  return reason.kind === 'reads-outside' || reason.kind === 'writes-outside';
}

/** True if the user's own rules ask about the action or may forbid it, or others wrote it, so that a hook can't skip the question. */
export const mustAskUser = ({kind}: Reason): boolean => aboveHooks.has(kind);

const aboveHooks: ReadonlySet<Reason['kind']> = new Set([
  'rule',
  'possible-denial',
  'web-loopback',
  'plan',
  'computer',
  'delegated',
  'tainted-data',
]);

function effectText(effect: PartEffect): string {
  if (typeof effect === 'string') return effect;
  return byKind(effect, effectTexts);
}

const effectTexts: ByKind<Exclude<PartEffect, string>, string> = {
  'runs-code': effect => effect.does,
  'writes-file': effect => writtenFileText(effect),
  'reads-outside': effect => `reads outside the workspace: ${effect.path}`,
  'leaves-workspace': effect => `leaves the workspace: ${effect.path}`,
  'leaves-for-home': () => 'leaves the workspace for the home folder',
  'may-lie-outside': effect => `may reach outside the workspace: ${effect.path}`,
  'repository-outside': effect => `${repositoryReads[effect.reads]} outside the workspace: ${effect.path}`,
  'runs-program': effect => `runs ${effect.program}, which ${effectText(effect.effect)}`,
};

function writtenFileText({change, path, lines}: WrittenFile): string {
  const length = lines === 0 ? '' : ` (${pluralize(lines, 'line')})`;
  return `${change === 'appends' ? 'appends to' : change} ${path}${length}`;
}

const repositoryReads = {
  objects: 'reads git objects',
  repository: 'reads a git repository',
  settings: 'takes git settings from',
} as const;

const possibleDenialTexts: ByKind<DenyRuleBypass, string> = {
  unparsed: why => `A deny rule may apply; weft cannot read all of it: ${why.what}`,
  'in-variable': why => `A rule denies ${why.command}, and a variable is set to it`,
  'word-splitting': why => `A rule denies ${why.command}, and IFS is set`,
  'in-code': why => `A rule denies ${why.command}, which code in this command may run`,
  'same-options': why => `A rule denies ${why.command}, and these are its options`,
  'unknown-program': () => 'A deny rule may apply to the program, which is only known when it runs',
  'program-from-input': () => 'A deny rule may apply to the program, which comes from the input',
  'unknown-script': why => `A deny rule may apply to the script that ${why.program} runs`,
  'unknown-text': why => `A deny rule may apply to the code that ${why.program} runs`,
  'unknown-subcommand': why => `A deny rule may apply to this use of ${why.program}`,
  'own-program': why => `A rule denies ${why.command}, and ${why.program} is that program`,
  'in-arguments': why => `A rule denies ${why.command}, and ${why.program} is given it`,
};

const weftFileChangeTexts: ByKind<WeftFileChange, string> = {
  changes: change => `may change weft's own settings and permissions: ${change.path}`,
  'replaces-folder': change => `moves or replaces ${change.path}, which holds weft's own settings and permissions`,
  'calls-weft': () => 'calls weft to change its own permissions, which only you may change',
  'changes-run-limit': () => "changes the limit that marks weft's own commands",
  'too-many-names': () => 'names more files than weft checks',
};

const secretTexts: ByKind<SecretRecipient & {readonly name: string}, string> = {
  program: ({name}) => `Gets the secret ${name}`,
  file: ({name, path}) => `Writes the secret ${name} to ${path}`,
  'mcp-server': ({name, server}) => `Sends the secret ${name} to the MCP server ${server}`,
  host: ({name, host}) => `Sends the secret ${name} to ${host}`,
  'search-engine': ({name}) => `Sends the secret ${name} to a search engine`,
  screen: ({name}) => `Types the secret ${name} into the window with the keyboard focus`,
};

const withPaths = (text: string, paths: readonly string[]): string =>
  paths.length === 0 ? text : `${text}: ${paths.join(', ')}`;
