import {unreachable} from '../base/unreachable.ts';

/** How severe a comment is, most severe first. */
export const severities = ['error', 'warning', 'note'] as const;
export type Severity = (typeof severities)[number];

/** The lines of a file's new text that a comment is about (1-based, inclusive), or the whole file. */
export type CommentLines = 'file' | {readonly first: number; readonly last: number};

export interface NewComment {
  /** The path relative to the repository, with slashes. */
  readonly path: string;
  readonly lines: CommentLines;
  readonly text: string;
  readonly severity: Severity;
}

export interface ReviewComment extends NewComment {
  /** `c1`, `c2`: short, so that people can type it. */
  readonly id: string;
  readonly by: 'agent' | 'user';
  readonly state: 'open' | 'resolved';
  readonly answers: readonly ReviewAnswer[];
}

export interface ReviewAnswer {
  readonly by: 'agent' | 'user';
  readonly text: string;
}

/** A change to the comments of a session's review. A change to a comment that does not exist has no effect. */
export type ReviewChange =
  | {readonly change: 'add'; readonly by: 'agent' | 'user'; readonly comments: readonly NewComment[]}
  | {readonly change: 'answer'; readonly id: string; readonly by: 'agent' | 'user'; readonly text: string}
  | {readonly change: 'resolve' | 'reopen'; readonly id: string};

/** Returns the comments after one change. Ids are assigned in order and never reused. */
export function changeComments(comments: readonly ReviewComment[], change: ReviewChange): readonly ReviewComment[] {
  switch (change.change) {
    case 'add':
      return [
        ...comments,
        ...change.comments.map((comment, at): ReviewComment => ({
          ...comment,
          id: `c${comments.length + at + 1}`,
          by: change.by,
          state: 'open',
          answers: [],
        })),
      ];
    case 'answer':
      return withComment(comments, change.id, comment => ({
        ...comment,
        answers: [...comment.answers, {by: change.by, text: change.text}],
      }));
    case 'resolve':
      return withComment(comments, change.id, comment => ({...comment, state: 'resolved'}));
    case 'reopen':
      return withComment(comments, change.id, comment => ({...comment, state: 'open'}));
    default:
      return unreachable(change);
  }
}

const withComment = (
  comments: readonly ReviewComment[],
  id: string,
  to: (comment: ReviewComment) => ReviewComment,
): readonly ReviewComment[] => comments.map(comment => (comment.id === id ? to(comment) : comment));

export function commentPlace({path, lines}: Pick<NewComment, 'path' | 'lines'>): string {
  if (lines === 'file') return path;
  return lines.first === lines.last ? `${path}:${lines.first}` : `${path}:${lines.first}-${lines.last}`;
}

/** Returns a prompt that asks the agent to address the open comments. Empty if there are none. */
export function reviewPrompt(comments: readonly ReviewComment[]): string {
  const open = comments.filter(({state}) => state === 'open');
  if (open.length === 0) return '';
  const rows = open.map(
    comment => `- ${commentPlace(comment)} (${comment.severity}, ${comment.id}): ${oneText(comment)}`,
  );
  return ['Please address these review comments:', ...rows].join('\n');
}

const oneText = ({text, answers}: ReviewComment): string =>
  [text, ...answers.map(answer => `${answer.by === 'user' ? 'Me' : 'You'}: ${answer.text}`)]
    .map(said => said.replaceAll(/\s+/gu, ' ').trim())
    .join(' — ');

/** Returns the comments as a Markdown document, file by file. Resolved comments are checked off. */
export function reviewMarkdown(title: string, comments: readonly ReviewComment[]): string {
  const paths = [...new Set(comments.map(({path}) => path))];
  const sections = paths.flatMap(path => [
    '',
    `## ${path}`,
    '',
    ...comments
      .filter(comment => comment.path === path)
      .flatMap(comment => [
        `- [${comment.state === 'resolved' ? 'x' : ' '}] **${comment.severity}** ${linesText(comment.lines)}${indented(comment.text)}`,
        ...comment.answers.map(({by, text}) => `  - ${by}: ${indented(text, '    ')}`),
      ]),
  ]);
  return `${[`# Review: ${title}`, ...sections].join('\n')}\n`;
}

function linesText(lines: CommentLines): string {
  if (lines === 'file') return '';
  return lines.first === lines.last ? `line ${lines.first}: ` : `lines ${lines.first}–${lines.last}: `;
}

const indented = (text: string, by = '  '): string => text.trim().replaceAll('\n', `\n${by}`);

/** Returns the open comments as a SARIF 2.1.0 log, which code scanning and editors read. */
export const sarifLog = (comments: readonly ReviewComment[], version: string): object => ({
  $schema: 'https://json.schemastore.org/sarif-2.1.0.json',
  version: '2.1.0',
  runs: [
    {
      tool: {driver: {name: 'weft', version, rules: [{id: 'review'}]}},
      results: comments
        .filter(({state}) => state === 'open')
        .map(({path, lines, severity, text}) => ({
          ruleId: 'review',
          level: severity,
          message: {text},
          locations: [
            {
              physicalLocation: {
                artifactLocation: {uri: encodeURI(path)},
                ...(lines !== 'file' && {region: {startLine: lines.first, endLine: lines.last}}),
              },
            },
          ],
        })),
    },
  ],
});

/**
 * Returns the open comments in the form of GitHub's "create a review for a pull request". GitHub has no comments on
 * whole files there, so they go into the body. It refuses an empty body.
 */
export function githubReview(comments: readonly ReviewComment[]): object {
  const open = comments.filter(({state}) => state === 'open');
  const body = open.flatMap(({path, lines, severity, text}) =>
    lines === 'file' ? [`**${path}** (${severity}): ${text}`] : [],
  );
  return {
    event: 'COMMENT',
    body: body.length > 0 ? body.join('\n\n') : open.length > 0 ? 'weft commented on lines.' : 'weft has no comments.',
    comments: open.flatMap(({path, lines, severity, text}) =>
      lines === 'file'
        ? []
        : [
            {
              path,
              ...(lines.first === lines.last ? {} : {start_line: lines.first, start_side: 'RIGHT'}),
              line: lines.last,
              side: 'RIGHT',
              body: `**${severity}**: ${text}`,
            },
          ],
    ),
  };
}
