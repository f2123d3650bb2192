import {expect, test} from 'vitest';
import {actionOf, modelContent, resultOf} from '../../../src/actions/catalogue.ts';
import {explorationItems, pastExplorationItems, explorationTargets} from '../../../src/actions/exploration.ts';
import {outcomeOf} from '../../../src/actions/outcome.ts';
import type {CodebaseReport} from '../../../src/actions/ports.ts';

const action = actionOf('search-codebase', {query: 'where is it\nretried?', path: 'src', filters: [], limit: 10});
const place = {path: 'src/a.js', from: 1, to: 4, within: 'send', lines: [{line: 1, text: 'function send() {'}]};

/** What is said of a search with this report: in the transcript, there after `--continue`, and in plain front ends. */
function said(report: CodebaseReport) {
  const result = resultOf(action, {state: 'success', output: report});
  const text = modelContent(result)
    .map(block => (block.kind === 'text' ? block.text : ''))
    .join('');
  const plain = outcomeOf({tag: 'action', result}).words;
  return {now: explorationItems(result), later: pastExplorationItems(action, 'success', text), plain};
}

test('a search for code says what it searches for and how many places it found, then and after --continue', () => {
  const target = {verb: 'searched', target: '"where is it …" in src', failed: false};
  expect(explorationTargets(action)).toEqual([{...target, found: ''}]);
  const none = {places: [], terms: ['retr'], files: 0, searched: 'cut'} as const;
  const two = {places: [place, {...place, within: ''}], terms: ['retr'], files: 9, searched: 'whole'} as const;
  expect(said(none)).toEqual({
    now: [{...target, found: 'no places'}],
    later: [{...target, found: 'no places'}],
    plain: ['nothing found'],
  });
  expect(said(two)).toEqual({
    now: [{...target, found: '2 places'}],
    later: [{...target, found: '2 places'}],
    plain: ['src/a.js:1-4 in send, src/a.js:1-4'],
  });
});
