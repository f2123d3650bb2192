import {posix} from 'node:path';
import type {Action} from '../../../../src/actions/catalogue.ts';
import {decodeAction} from '../../../../src/actions/decode-action.ts';
import type {ResolvedPath} from '../../../../src/actions/files-port.ts';
import type {Json} from '../../../../src/base/json.ts';
import {unknownEffect, type PermissionMode, type Verdict} from '../../../../src/domain/risk.ts';
import {makeJudge} from '../../../../src/safety/judge.ts';
import {parseRule, type PermissionRule} from '../../../../src/safety/rules.ts';

const home = '/home/me';

/** A machine of strings: `/w` is the workspace and `/other` was added to it; `link` leads outside, `alias` to `real`. */
const resolveIn =
  (roots: readonly string[]) =>
  (path: string): ResolvedPath => {
    const absolute = posix.resolve(roots[0] ?? '/', path.replace(/^~(?=\/|$)/u, home));
    const real = absolute.replace(/^\/w\/link(?=\/|$)/u, '/secret').replace(/^\/w\/alias(?=\/|$)/u, '/w/real');
    const inside = roots.some(root => real === root || real.startsWith(root === '/' ? '/' : `${root}/`));
    return {path: real, place: inside ? 'inside-workspace' : 'outside-workspace'};
  };

export const action = (tool: string, input: Json): Action => {
  const decoded = decodeAction(tool, input);
  if (decoded.tag === 'failed') throw new Error(JSON.stringify(decoded.error));
  return decoded.value;
};

const rules = (...texts: readonly string[]): readonly PermissionRule[] =>
  texts.map(text => {
    const rule = parseRule(text);
    if (rule.tag === 'failed') throw new Error(rule.error.message);
    return rule.value;
  });

export interface Given {
  readonly allow?: readonly string[];
  readonly ask?: readonly string[];
  readonly deny?: readonly string[];
  readonly mode?: PermissionMode;
  readonly roots?: readonly string[];
  /** Commands that run in blocks, by id. */
  readonly blocks?: Readonly<Record<string, string>>;
}

export const judge = async (subject: Action, given: Given = {}): Promise<Verdict> => {
  const {allow = [], ask = [], deny = [], mode = 'default', roots = ['/w', '/other']} = given;
  const kept = {allow: rules(...allow), ask: rules(...ask), deny: rules(...deny)};
  return makeJudge({
    rules: kept,
    roots,
    home,
    resolve: resolveIn(roots),
    list: () => [],
    read: () => ({kind: 'missing'}),
    strayProgram: () => undefined,
    effectOf: () => unknownEffect,
    own: {folders: ['/home/me/.config/weft', '/home/me/.local/share/weft'], variables: {}},
    directory: () => roots[0] ?? '/',
    blockCommand: id => given.blocks?.[id] ?? '',
  }).assess(subject, mode, new AbortController().signal);
};

export const bash = (command: string, more: object = {}): Action => action('Bash', {command, ...more});
export const edit = (path: string): Action => action('Edit', {file_path: path, old_string: 'a', new_string: 'b'});
export const read = (path: string): Action => action('Read', {file_path: path});
export const grep = (path: string): Action => action('Grep', {pattern: 'x', path});
export const glob = (pattern: string, path = '.'): Action => action('Glob', {pattern, path});
