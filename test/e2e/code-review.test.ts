import {writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {describe, expect, test} from 'vitest';
import {call, say} from '../support/model-script.ts';
import {openScene, type Scene, toldResults} from '../support/scene.ts';

const on = (path: string) => ({path, line: 1, text: 'Why?', severity: 'warning'});

test('review comments go onto files that git says have changed', async () => {
  await using scene = await openScene([
    [
      call('InsertCodeReviewComments', {comments: [on('a.txt')]}),
      call('InsertCodeReviewComments', {comments: [on('b.txt')]}),
      call('OpenCodeReview', {}),
    ],
    say('Done.'),
  ]);
  const {stdout} = await scene.shell('git init -q . && echo one > a.txt && weft --prompt "Review it."');
  expect(stdout).toBe('Done.\n');
  expect(toldResults(scene.server.requests[1])).toEqual([
    'Inserted c1 (a.txt:1).',
    'Nothing was inserted: b.txt is not among the changed files. Changed: a.txt.',
    'No code review can be opened here. Report your findings in your answer.',
  ]);
});

const comment = (path: string, rest: object) => ({path, severity: 'warning', text: 'Why?', ...rest});

/** A repository with a branch `main` and a change of line 20 of 30, whose review has these comments. */
async function openReview(comments: readonly object[]): Promise<Scene> {
  const scene = await openScene([call('StructuredOutput', {comments}), say('Done.')]);
  const lines = Array.from({length: 30}, (_, at) => `line ${at + 1}`);
  const put = (text: string): void => writeFileSync(join(scene.place.work, 'a.txt'), text);
  put(lines.join('\n'));
  await scene.shell('git init -qb main . && git add . && git -c user.name=a -c user.email=a@b commit -qm one');
  put(lines.with(19, 'changed').join('\n'));
  return scene;
}

const many = [
  comment('./a.txt', {line: 20}),
  comment('b.txt', {line: 1}),
  comment('a.txt', {line: 2, end_line: 3, severity: 'error', text: 'No.'}),
  comment('a.txt', {severity: 'note'}),
];

describe('weft review', () => {
  test('prints comments as Markdown in the order of the lines, and fails if one is an error', async () => {
    await using scene = await openReview(many);
    const {code, stdout, stderr} = await scene.run(['review', 'main']);
    expect({code, stdout, stderr}).toEqual({
      code: 1,
      stdout:
        '# Review: changes since main\n\n## a.txt\n\n- [ ] **note** Why?\n- [ ] **error** lines 2–3: No.\n- [ ] **warning** line 20: Why?\n',
      stderr: 'weft: left out 1 comment on files that did not change\n',
    });
    expect(JSON.stringify(scene.server.requests[0]?.body.messages)).toContain('   20 + changed');
  });

  test('for GitHub, a comment on a line that is not shown goes into the text', async () => {
    await using scene = await openReview(many);
    const {code, stdout} = await scene.run(['review', '--format', 'github', '--fail-on', 'never']);
    expect({code, review: JSON.parse(stdout)}).toEqual({
      code: 0,
      review: {
        event: 'COMMENT',
        body: '**a.txt** (note): Why?\n\n**a.txt** (error): Lines 2 to 3: No.',
        comments: [{path: 'a.txt', line: 20, side: 'RIGHT', body: '**warning**: Why?'}],
      },
    });
  });

  test('for GitHub, a review without comments has a body, because GitHub refuses it otherwise', async () => {
    await using scene = await openReview([]);
    const {code, stdout} = await scene.run(['review', '--format', 'github']);
    expect({code, review: JSON.parse(stdout)}).toEqual({
      code: 0,
      review: {event: 'COMMENT', body: 'weft has no comments.', comments: []},
    });
  });

  test('as SARIF', async () => {
    await using scene = await openReview([comment('a.txt', {line: 20})]);
    const {code, stdout} = await scene.run(['review', '--format', 'sarif', '--fail-on', 'warning']);
    expect({code, log: JSON.parse(stdout)}).toMatchObject({
      code: 1,
      log: {
        version: '2.1.0',
        runs: [
          {
            results: [
              {
                level: 'warning',
                message: {text: 'Why?'},
                locations: [
                  {
                    physicalLocation: {
                      artifactLocation: {uri: 'a.txt'},
                      region: {startLine: 20, endLine: 20},
                    },
                  },
                ],
              },
            ],
          },
        ],
      },
    });
  });

  test('without changes, asks no model and succeeds', async () => {
    await using scene = await openReview([]);
    await scene.shell('git checkout -q .');
    const {code, stdout} = await scene.run(['review']);
    expect({code, stdout, requests: scene.server.requests.length}).toEqual({
      code: 0,
      stdout: '# Review: working tree\n\nNo comments.\n',
      requests: 0,
    });
  });

  test('an unknown branch, and a folder without a repository, are errors', async () => {
    await using scene = await openReview([]);
    expect(await scene.run(['review', 'nowhere'])).toMatchObject({
      code: 1,
      stderr: 'weft: There is no branch or commit "nowhere" here.\n',
    });
    await scene.shell('rm -rf .git');
    expect(await scene.run(['review'])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('not in a git repository'),
    });
  });

  test('words after it are a prompt', async () => {
    await using scene = await openScene([say('The answer.')]);
    expect(await scene.run(['review', 'the', 'code', '--print'])).toMatchObject({code: 0, stdout: 'The answer.\n'});
  });
});
