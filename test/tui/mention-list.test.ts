import {describe, expect, test} from 'vitest';
import {draftFromText, type Draft} from '../../src/tui/editor/draft.ts';
import {parseDraft} from '../../src/tui/commands/command-line.ts';
import {parseImagePaths} from '../../src/tui/state/press-composer.ts';
import {
  completedMention,
  updateMentions,
  type MentionList,
  mentionQuery,
  closedMentionList,
  pressMentionList,
  withFoundFiles,
} from '../../src/tui/state/mention-list.ts';

/** A draft with the cursor where `|` stands. */
const draftAt = (marked: string): Draft => ({
  ...draftFromText(''),
  buffer: {text: marked.replace('|', ''), cursor: marked.indexOf('|')},
});
const marked = ({buffer: {text, cursor}}: Draft): string => `${text.slice(0, cursor)}|${text.slice(cursor)}`;

describe('the mention at the cursor', () => {
  test.each<readonly [string, string | undefined]>([
    ['@|', ''],
    ['see @src/a|', 'src/a'],
    ['see @src/a.ts:10|', 'src/a.ts'],
    ['see @src/a.ts:10-|', 'src/a.ts'],
    ['(@a|', 'a'],
    ['@"my fi|', 'my fi'],
    [String.raw`@my\ fi|`, 'my fi'],
    ['@src/a |', undefined],
    ['me@exam|', undefined],
    ['no mention|', undefined],
    ['@a\n|', undefined],
    ['|@a', undefined],
    ['@日本|', '日本'],
  ])('%s', (text, letters) => {
    expect(mentionQuery(draftAt(text).buffer)?.letters).toBe(letters);
  });

  test.each<readonly [string, string, string]>([
    ['see @src|', 'src/a.ts', 'see @src/a.ts |'],
    ['see @src| please', 'src/a.ts', 'see @src/a.ts | please'.replace(' | please', ' |please')],
    ['see @s|rc/old', 'src/a.ts', 'see @src/a.ts |'],
    ['@a:10-20|', 'src/a.ts', '@src/a.ts:10-20 |'],
    ['@my|', 'my docs/a.txt', '@"my docs/a.txt" |'],
    ['@"my d|', 'my docs/a.txt', '@"my docs/a.txt" |'],
    ['@s|', 'src/', '@src/|'],
    ['@my|', 'my docs/', '@"my docs/|'],
    ['@notes:|', 'notes:mem://a', '@notes:mem://a |'],
  ])('%s becomes %s', (text, path, expected) => {
    const draft = draftAt(text);
    const query = mentionQuery(draft.buffer);
    expect(query === undefined ? 'no mention' : marked(completedMention(draft, query, path))).toBe(expected);
  });
});

describe('the list of files', () => {
  const found = {paths: ['src/a.ts', 'src/b.ts'], state: 'complete'} as const;
  const open = (draft: Draft): MentionList => withFoundFiles(updateMentions(draft, closedMentionList), 's', found);

  test('goes up and down around its ends, and Tab or Enter takes the chosen one', () => {
    const draft = draftAt('@s|');
    const list = open(draft);
    const down = pressMentionList({draft, list}, {kind: 'key', name: 'up'});
    expect(down?.list).toMatchObject({row: 1});
    const taken = pressMentionList({draft, list: down?.list ?? closedMentionList}, {kind: 'key', name: 'enter'});
    expect(taken === undefined ? '' : marked(taken.draft)).toBe('@src/b.ts |');
  });

  test('Enter sends what is written whole already', () => {
    const draft = draftAt('@src/a.ts|');
    const list = withFoundFiles(updateMentions(draft, closedMentionList), 'src/a.ts', found);
    expect(pressMentionList({draft, list}, {kind: 'key', name: 'enter'})).toBeUndefined();
  });

  test('stays away for a mention where the user did not want it', () => {
    const draft = draftAt('@s|');
    const gone = pressMentionList({draft, list: open(draft)}, {kind: 'key', name: 'escape'})?.list ?? closedMentionList;
    expect(updateMentions(draftAt('@sr|'), gone)).toEqual(gone);
    expect(updateMentions(draftAt('@sr x @|'), gone)).toMatchObject({kind: 'open', from: 6});
  });

  test('what was found for other letters changes nothing', () => {
    const list = updateMentions(draftAt('@sr|'), closedMentionList);
    expect(withFoundFiles(list, 's', found)).toBe(list);
  });
});

describe('what a draft means', () => {
  test.each<readonly [string, ReturnType<typeof parseDraft>]>([
    ['hello', {kind: 'prompt'}],
    ['!npm test', {kind: 'shell', command: 'npm test'}],
    ['!', {kind: 'shell', command: ''}],
    ['#use pnpm', {kind: 'note', note: 'use pnpm'}],
    ['# use pnpm', {kind: 'note', note: 'use pnpm'}],
    ['#', {kind: 'prompt'}],
    ['## Heading', {kind: 'prompt'}],
    ['# Heading\nand text', {kind: 'prompt'}],
    ['#123 is broken', {kind: 'prompt'}],
    ['#!/bin/sh', {kind: 'prompt'}],
    [' # indented', {kind: 'prompt'}],
  ])('%j', (text, meaning) => {
    expect(parseDraft(text)).toEqual(meaning);
  });
});

describe('paths of images in what is pasted', () => {
  test.each<readonly [string, readonly string[]]>([
    ['/tmp/shot.png', ['/tmp/shot.png']],
    ['/tmp/my shot.PNG', ['/tmp/my shot.PNG']],
    [String.raw`/tmp/my\ shot.png `, ['/tmp/my shot.png']],
    ["'/tmp/my shot.jpg' '/tmp/b.webp'", ['/tmp/my shot.jpg', '/tmp/b.webp']],
    ['"/tmp/a.gif"', ['/tmp/a.gif']],
    ['/tmp/a.png /tmp/b.png', ['/tmp/a.png', '/tmp/b.png']],
    ['file:///tmp/my%20shot.png', ['file:///tmp/my%20shot.png']],
    [String.raw`C:\Users\me\shot.png`, [String.raw`C:\Users\me\shot.png`]],
    ['~/shot.jpeg', ['~/shot.jpeg']],
    ['look at /tmp/shot.png', []],
    ['/tmp/notes.txt', []],
    ['shot.png', []],
    ["'/tmp/open.png", []],
    ['/tmp/a.png\nand more', []],
    ['', []],
  ])('%s', (text, paths) => {
    expect(parseImagePaths(text)).toEqual(paths);
  });
});
