import type {CommandAnalysis, JudgedInvocation} from '../commands/analyze-command.ts';
import type {Finding} from '../commands/command-finding.ts';
import {actingOptionsOf, mayOnlyRead, rowFor} from '../commands/known-programs.ts';
import {plainText} from '../commands/only-reads.ts';
import type {PathContext} from '../paths/path-context.ts';
import {matchesDomain} from '../rules/domain-pattern.ts';
import {type PermissionRules, trustRuleTool} from '../rules/permission-rule.ts';
import type {OutsidePart, OutsideText} from './outside-text.ts';
import type {TextSource} from './text-source.ts';

/** The user's own texts. A text from outside that one of them contains does not count. */
export interface OwnTexts {
  /** Returns the user's prompts of this session. */
  readonly said: () => readonly string[];
  /** Returns the texts of the workspace's files that contain a word and have not changed since that time. */
  readonly oldTexts: (word: string, before: number) => Promise<readonly string[]>;
  readonly isExecutable: (path: string) => boolean;
  /** Returns the workspace's files that have changed since that time. */
  readonly changedFiles: (since: number) => Promise<readonly string[]>;
  /** Returns when a file's state changed, which no program can set back. `undefined` for folders and missing files. */
  readonly changedAt: (path: string) => number | undefined;
}

export interface OutsideEvidence {
  readonly text: OutsideText;
  readonly own: OwnTexts;
  readonly rules: PermissionRules;
  readonly context: PathContext;
  readonly analysis: CommandAnalysis | undefined;
  readonly finding: Finding;
}

/** Finds text from outside in a text, and in pieces that may belong together. */
export type Find = (text: string, pieces?: readonly string[]) => readonly OutsidePart[];

/** True if a rule of the user trusts the source. */
export function isTrusted({name, host}: TextSource, {allow, ask, deny}: PermissionRules): boolean {
  const hostname = URL.parse(`http://${host}`)?.hostname.replace(/^\[(.*)\]$/su, '$1') ?? '';
  const covers = (rules: PermissionRules['allow']): boolean =>
    rules.some(
      ({tool, about}) =>
        tool === trustRuleTool &&
        ((about.kind === 'domains' && hostname !== '' && matchesDomain(about.pattern, hostname)) ||
          (about.kind === 'names' && about.name === name)),
    );
  return covers(allow) && !covers(ask) && !covers(deny);
}

/** Returns the text of a file, empty if there is none. */
export function contentOf(path: string, context: PathContext): string {
  const file = context.read(context.resolve(path).path);
  // The bytes of a file come as one character each.
  return file.kind === 'text' ? Buffer.from(file.text, 'latin1').toString() : '';
}

/** True if a call prints, keeps or names what it is given, and runs none of it. Its row lets it do nothing else. */
export function isData(call: readonly string[]): boolean {
  const row = rowFor(call)?.row;
  return (
    row !== undefined &&
    (row.is.has('data') || mayOnlyRead(call)) &&
    [row.checks, row.can, row.wraps].every(more => more === undefined) &&
    !(['removes', 'restores', 'runs-given'] as const).some(trait => row.is.has(trait)) &&
    actingOptionsOf(call).every(({act}) => act !== 'runs')
  );
}

/** A command in a command, with its words as text. */
export interface Call {
  readonly invocation: JudgedInvocation;
  readonly words: readonly string[];
  readonly text: string;
}

/** Returns a call with its words. A word that the shell computes stays as it is written. */
export function callOf(invocation: JudgedInvocation, command: string): Call {
  const words = invocation.words.map(word => plainText(word) ?? command.slice(word.range.from, word.range.to));
  return {invocation, words, text: words.join(' ')};
}
