import {grantingSettings} from '../../../../src/config/settings-schema.ts';
import {readBytes} from '../../../../src/workspace/files/regular-files.ts';
import {reasonText} from '../../../../src/domain/reason.ts';
import {listFolder} from '../../../../src/workspace/files/list-folder.ts';
import {makePaths} from '../../../../src/workspace/files/resolve-path.ts';
import {posix} from 'node:path';
import {type Action, ruleKinds, judgedAction} from '../../../../src/actions/catalogue.ts';
import {decodeAction} from '../../../../src/actions/decode-action.ts';
import type {RuleReach} from '../../../../src/domain/access.ts';
import type {ResolvedPath} from '../../../../src/domain/disk.ts';
import type {Json} from '../../../../src/base/json.ts';
import {unknownFileEffect, type PermissionMode, type Verdict} from '../../../../src/domain/risk.ts';
import type {Proof} from '../../../../src/domain/sandbox.ts';
import {weftItself} from '../../../../src/domain/executor.ts';
import type {Obligation} from '../../../../src/domain/obligation.ts';
import {type JudgeOptions, makeJudge} from '../../../../src/safety/judge.ts';
import {parseRule, type PermissionRule} from '../../../../src/safety/rules/permission-rule.ts';
import {secretNamesIn} from '../../../../src/safety/secrets/placeholders.ts';

/** All is proven, the overlay too. */
export const overlayProof: Proof = {
  provider: 'bwrap',
  works: true,
  proven: {files: true, network: true, processes: true, overlay: true},
  hosts: 'closed',
  reason: '',
};

const sampleHome = '/home/me';

/** A machine of strings: `/w` is the workspace and `/other` was added to it; `link` leads outside, `alias` to `real`. */
const resolveIn =
  (roots: readonly string[]) =>
  (path: string): ResolvedPath => {
    const absolute = posix.resolve(roots[0] ?? '/', path.replace(/^~(?=\/|$)/u, sampleHome));
    const real = absolute.replace(/^\/w\/link(?=\/|$)/u, '/secret').replace(/^\/w\/alias(?=\/|$)/u, '/w/real');
    const inside = roots.some(root => real === root || real.startsWith(root === '/' ? '/' : `${root}/`));
    return {path: real, place: inside ? 'inside-workspace' : 'outside-workspace'};
  };

export const action = (tool: string, input: Json): Action => {
  const decoded = decodeAction(tool, input);
  if (decoded.tag === 'failed') throw new Error(JSON.stringify(decoded.error));
  return decoded.value;
};

export const parsedRules = (...texts: readonly string[]): readonly PermissionRule[] =>
  texts.map(text => {
    const rule = parseRule(text, ruleKinds);
    if (rule.tag === 'failed') throw new Error(rule.error.message);
    return rule.value;
  });

export interface Given {
  readonly allow?: readonly string[];
  readonly ask?: readonly string[];
  readonly deny?: readonly string[];
  readonly mode?: PermissionMode;
  readonly proof?: Proof;
  readonly roots?: readonly string[];
  /** Commands that run in blocks, by id. */
  readonly blocks?: Readonly<Record<string, string>>;
}

/** A verdict with its obligations. */
type FullVerdict = Verdict & {readonly obligations: readonly Obligation[]};

/** A verdict with its reasons in words. */
export type VerdictInWords = Omit<FullVerdict, 'reasons'> & {readonly reasons: readonly string[]};

export const inWords = (verdict: FullVerdict): VerdictInWords => ({
  ...verdict,
  reasons: verdict.reasons.map(reasonText),
});

/** A judge of what weft itself runs from one folder. */
export interface OwnJudge {
  assess(action: Action, mode: PermissionMode, signal: AbortSignal): Promise<FullVerdict>;
  reach(condition: string, action: Action): Promise<RuleReach>;
}

function ownJudge(options: JudgeOptions, directory: string): OwnJudge {
  const judge = makeJudge(options);
  return {
    async assess(subject, mode, signal) {
      const {verdict, obligations} = await judge.assess(
        judgedAction(subject),
        {executor: weftItself(directory), mode},
        signal,
      );
      return {...verdict, obligations};
    },
    reach: (condition, subject) => judge.reach(condition, judgedAction(subject), directory),
  };
}

/** What a judge needs on a disk where `root` is the workspace: no rules, and none of weft's files. */
export function diskOptions(root: string, home: string): JudgeOptions {
  const paths = makePaths({roots: [root], home});
  return {
    sandbox: 'none',
    unasked: 'held-changes',
    excluded: [],
    ruleKinds,
    rules: {allow: [], ask: [], deny: []},
    roots: [root],
    home,
    resolve: path => paths.resolve(path),
    list: listFolder,
    read: readBytes,
    findWorkspaceProgram: () => undefined,
    effectOf: () => unknownFileEffect,
    blockCommand: () => '',
    weftFolders: {folders: [], variables: {}, grantingSettings},
    secretNames: secretNamesIn,
  };
}

/** Judges what weft itself would do there, unless `options` say otherwise. */
export const judgeOnDisk = (root: string, home: string, options: Partial<JudgeOptions> = {}): OwnJudge =>
  ownJudge({...diskOptions(root, home), ...options}, root);

export const judge = async (subject: Action, given: Given = {}): Promise<VerdictInWords> =>
  inWords(await judgeOf(given).assess(subject, given.mode ?? 'default', new AbortController().signal));

const topFolders = ['etc', 'home', 'other', 'secret', 'tmp', 'usr', 'var', 'w'].map(
  name => ({name, kind: 'folder'}) as const,
);

export function judgeOf(given: Given): OwnJudge {
  const {allow = [], ask = [], deny = [], roots = ['/w', '/other'], proof} = given;
  const kept = {allow: parsedRules(...allow), ask: parsedRules(...ask), deny: parsedRules(...deny)};
  const options: JudgeOptions = {
    sandbox: proof === undefined ? 'none' : async () => proof,
    unasked: 'held-changes',
    excluded: [],
    ruleKinds,
    rules: kept,
    roots,
    home: sampleHome,
    resolve: resolveIn(roots),
    list: folder => (folder === '/' ? topFolders : []),
    read: () => ({kind: 'missing'}),
    findWorkspaceProgram: () => undefined,
    effectOf: () => unknownFileEffect,
    weftFolders: {folders: ['/home/me/.config/weft', '/home/me/.local/share/weft'], variables: {}, grantingSettings},
    blockCommand: id => given.blocks?.[id] ?? '',
    secretNames: secretNamesIn,
  };
  return ownJudge(options, roots[0] ?? '/');
}

export const bash = (command: string, more: object = {}): Action => action('Bash', {command, ...more});
export const edit = (path: string): Action => action('Edit', {file_path: path, old_string: 'a', new_string: 'b'});
export const read = (path: string): Action => action('Read', {file_path: path});
export const grep = (path: string): Action => action('Grep', {pattern: 'x', path});
export const glob = (pattern: string, path = '.'): Action => action('Glob', {pattern, path});
