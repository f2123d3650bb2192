import {expect, test} from 'vitest';
import {actionOf, modelContent, resultOf} from '../../../src/actions/catalogue.ts';
import {glancesAt, pastGlances, targetsOf} from '../../../src/actions/exploration.ts';
import type {CodebaseReport} from '../../../src/actions/ports.ts';

const action = actionOf('search-codebase', {query: 'where is it\nretried?', path: 'src', limit: 10});
const place = {path: 'src/a.js', from: 1, to: 4, within: 'send', lines: [{line: 1, text: 'function send() {'}]};

/** What the transcript says of a search with this report: while weft runs, and after `--continue`. */
function said(report: CodebaseReport) {
  const result = resultOf(action, {state: 'success', output: report});
  const text = modelContent(result)
    .map(block => (block.kind === 'text' ? block.text : ''))
    .join('');
  return {now: glancesAt(result), later: pastGlances(action, 'success', text)};
}

test('a search for code says what it searches for and how many places it found, then and after --continue', () => {
  const target = {verb: 'searched', target: '"where is it …" in src', failed: false};
  expect(targetsOf(action)).toEqual([{...target, found: ''}]);
  const none = {places: [], terms: ['retr'], files: 0, searched: 'cut'} as const;
  const two = {places: [place, {...place, within: ''}], terms: ['retr'], files: 9, searched: 'whole'} as const;
  expect(said(none)).toEqual({now: [{...target, found: 'no places'}], later: [{...target, found: 'no places'}]});
  expect(said(two)).toEqual({now: [{...target, found: '2 places'}], later: [{...target, found: '2 places'}]});
});
