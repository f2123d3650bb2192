import {firstLine, pluralize} from '../base/clip.ts';
import type {ToolResultBlock} from '../domain/conversation.ts';
import {faultText} from '../domain/fault.ts';
import type {Action, ActionResult} from './catalogue.ts';
import {cancelReasonText} from './outcome.ts';
import {pastResult} from './past-result.ts';
import type {GrepReport, GrepRequest} from './ports.ts';

/** One line of a summary of exploration: `read` `src/a.ts`, or `searched` `"x"` with what was found. */
export interface ExplorationItem {
  readonly verb: 'read' | 'searched' | 'listed';
  readonly target: string;
  readonly found: string;
  readonly failed: boolean;
}

export const isExploration = ({name}: Pick<Action, 'name'>): boolean =>
  name === 'read-files' || name === 'grep' || name === 'file-glob-v2' || name === 'search-codebase';

export function explorationItems(result: ActionResult): readonly ExplorationItem[] {
  const targets = explorationTargets(result);
  const {settled} = result;
  if (settled.state === 'error') return failedItems(targets, faultText(settled.fault));
  if (settled.state === 'cancelled')
    return failedItems(
      targets,
      [cancelReasonText(result.name, settled.why.reason), settled.why.message].filter(words => words !== '').join(': '),
    );
  if (result.name === 'read-files' && result.settled.state === 'success') {
    return result.settled.output.files.map((entry): ExplorationItem => {
      if (entry.state === 'failed') {
        return {verb: 'read', target: entry.path, found: faultText(entry.fault), failed: true};
      }
      const {kind, path} = entry.file;
      return {verb: kind === 'directory' ? 'listed' : 'read', target: path, found: '', failed: false};
    });
  }
  if (result.name === 'grep' && result.settled.state === 'success') {
    const found = matchesText(result.input, result.settled.output);
    return targets.map(target => ({...target, found}));
  }
  if (result.name === 'file-glob-v2' && result.settled.state === 'success') {
    const {paths, omitted} = result.settled.output;
    return targets.map(target => ({...target, found: countText(paths.length + omitted, 'file')}));
  }
  if (result.name === 'search-codebase' && result.settled.state === 'success') {
    const found = countText(result.settled.output.places.length, 'place');
    return targets.map(target => ({...target, found}));
  }
  return targets;
}

/** Returns what an action of an earlier session explored. `resultText` is what the model read. */
export function pastExplorationItems(
  action: Action,
  outcome: ToolResultBlock['outcome'],
  resultText: string,
): readonly ExplorationItem[] {
  const targets = explorationTargets(action);
  const {notes, output} = pastResult(action, outcome, resultText);
  if (outcome !== 'success') {
    const why = [...notes, output.split('\n', 1)[0] ?? ''].filter(words => words !== '').join(': ');
    return failedItems(targets, why);
  }
  const lines = output.split('\n').filter(line => line !== '');
  const found = /^(?:No (?:matches|files found)\.$|Nothing found for )/u.test(resultText) ? [] : lines;
  if (action.name === 'grep') {
    const text = matchesText(action.input, {lines: found, omitted: {count: 0, exact: 'exact'}});
    return targets.map(target => ({...target, found: text}));
  }
  if (action.name === 'search-codebase') {
    const places = found.filter(line => /^\S/u.test(line)).length;
    return targets.map(target => ({...target, found: countText(places, 'place')}));
  }
  if (action.name !== 'file-glob-v2') return targets;
  return targets.map(target => ({...target, found: countText(found.length, 'file')}));
}

const failedItems = (targets: readonly ExplorationItem[], why: string): readonly ExplorationItem[] =>
  targets.map(target => {
    const lead = `${target.target}: `;
    return {...target, found: why.startsWith(lead) ? why.slice(lead.length) : why, failed: true};
  });

const within = (words: string, path: string): string => (path === '.' ? words : `${words} in ${path}`);

export function explorationTargets(action: Action): readonly ExplorationItem[] {
  const plain = {found: '', failed: false} as const;
  switch (action.name) {
    case 'read-files':
      return action.input.requests.map(({path}) => ({...plain, verb: 'read', target: path}));
    case 'grep': {
      const {queries, path} = action.input;
      const words = queries.map(query => JSON.stringify(query)).join(', ');
      return [{...plain, verb: 'searched', target: within(words, path)}];
    }
    case 'file-glob-v2': {
      const {patterns, path} = action.input;
      return [{...plain, verb: 'listed', target: within(patterns.join(', '), path)}];
    }
    case 'search-codebase': {
      const {query, path} = action.input;
      return [{...plain, verb: 'searched', target: within(JSON.stringify(firstLine(query, 80)), path)}];
    }
    default:
      return [];
  }
}

function matchesText({mode}: GrepRequest, {lines, omitted}: GrepReport): string {
  if (lines.length === 0) return 'no matches';
  const least = omitted.count > 0 ? 'at least ' : '';
  if (mode === 'files') return least + countText(lines.length, 'file');
  const places = lines.flatMap(line => {
    const [, path = '', number = ''] = /^(.+?):(\d+)(?::|$)/u.exec(line) ?? [];
    return path === '' ? [] : [{path, count: mode === 'count' ? Number(number) : 1}];
  });
  const matches = places.reduce((sum, {count}) => sum + count, 0);
  const files = new Set(places.map(({path}) => path)).size;
  return `${least}${pluralize(matches, 'match').replace(/matchs$/u, 'matches')} in ${pluralize(files, 'file')}`;
}

const countText = (count: number, thing: string): string => (count === 0 ? `no ${thing}s` : pluralize(count, thing));
