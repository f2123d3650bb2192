import {Option, type Command} from 'commander';
import {readReview, reviewSchema} from '../../actions/insert-code-review-comments.ts';
import type {FileDiff} from '../../actions/preview.ts';
import {pluralize} from '../../base/clip.ts';
import type {Json} from '../../base/json.ts';
import {unreachable} from '../../base/unreachable.ts';
import {visibleText} from '../../base/visible.ts';
import {
  changeComments,
  type CommentLines,
  githubReview,
  type NewComment,
  type ReviewComment,
  reviewMarkdown,
  sarifLog,
  severities,
} from '../../domain/code-review.ts';
import {askOnce} from '../../headless/ask-once.ts';
import {endOf} from '../../headless/prompt-summary.ts';
import {connectModel, requireModel} from '../../app/choose-model.ts';
import {applyNamedAgent, composeSession, defaultDriver, structuredOutputFor} from '../../app/compose-session.ts';
import {exitCode, exiting, type ExitCode, unwrap} from '../../app/exit-code.ts';
import {commandFlags, type MainOptions} from '../../app/main-options.ts';
import {note, print} from '../../app/output.ts';
import {messageUuid} from '../../app/clock-and-ids.ts';
import {contextFor} from '../../app/run-context.ts';
import {version} from '../../app/version.ts';
import {printDocument} from '../rows.ts';
import {normalizeOptions} from '../sdk-options.ts';
import {untilStopped} from '../signals.ts';

const formats = ['markdown', 'github', 'sarif'] as const;
const limits = [...severities, 'never'] as const;

interface ReviewOptions {
  readonly format: (typeof formats)[number];
  readonly failOn: (typeof limits)[number];
}

/** `weft review [base]`. */
export function add(review: Command, program: Command): void {
  review
    .argument(
      '[base]',
      'Branch or commit to compare with, or a range such as main..feature; default: the last commit',
      '',
    )
    .addOption(new Option('--format <format>', 'Format of the review').choices(formats).default('markdown'))
    .addOption(new Option('--fail-on <severity>', 'Exit with 1 from this severity on').choices(limits).default('error'))
    .action(
      exiting((base: string, options: ReviewOptions) => runReview(base, {...program.opts<MainOptions>(), ...options})),
    );
  for (const option of program.options) if (commandFlags.plan.has(option.long)) review.addOption(option);
}

/**
 * `weft review`: the model comments on the changes since `base`, and weft prints the comments. The model may read but not change anything.
 * The exit code is 1 if a comment is severe enough.
 */
async function runReview(base: string, given: MainOptions & ReviewOptions): Promise<ExitCode> {
  const {format, failOn, ...rest} = given;
  const context = await applyNamedAgent(contextFor(normalizeOptions(rest)));
  const {makeReviewSource} = await import('../../workspace/review/review-source.ts');
  const {directory} = context;
  const source = makeReviewSource({directory, environment: process.env});
  const changes = unwrap(await source.read({repository: '', range: base}, new AbortController().signal));
  const {files, more, title} = changes;
  if (files.length === 0) {
    note(`nothing to review: no ${title}`);
    return printReview([], {format, title, files});
  }
  const chosen = await connectModel(context);
  requireModel(chosen);
  for (const notice of await context.notices()) note(notice);
  const structured = await structuredOutputFor(reviewSchema());
  if (structured.tag === 'failed') throw new Error(structured.error);
  const engine = await composeSession(chosen, context, {...defaultDriver, structured: structured.value});
  const asked = await untilStopped(engine, () => askOnce(engine, promptOf(changes), {note, uuid: messageUuid}));
  if (asked.tag === 'failed') return asked.error;
  const summary = asked.value;
  const end = endOf(summary);
  for (const line of end.notes) note(line);
  if (summary.structured.kind === 'none') return end.exitCode === exitCode.done ? exitCode.failed : end.exitCode;
  const {comments, leftOut} = readComments(summary.structured.value, files);
  if (leftOut > 0) note(`left out ${pluralize(leftOut, 'comment')} on files that did not change`);
  if (more > 0) note(`${pluralize(more, 'file')} of this change were not reviewed, because there are too many`);
  printReview(comments, {format, title, files});
  const from = limits.indexOf(failOn);
  return comments.some(({severity}) => severities.indexOf(severity) <= from && failOn !== 'never')
    ? exitCode.failed
    : exitCode.done;
}

/** Returns the comments on changed files in the order of the files, and the number of the others. */
function readComments(
  value: Json,
  files: readonly FileDiff[],
): {readonly comments: readonly ReviewComment[]; readonly leftOut: number} {
  const paths = files.map(({path}) => path);
  // Models write paths of patches and shells, too.
  const all = readReview(value).map(comment => ({
    ...comment,
    path: paths.find(path => [path, `./${path}`, `b/${path}`].includes(comment.path)) ?? comment.path,
  }));
  const placed = all.filter(({path}) => paths.includes(path));
  const sorted = placed.toSorted(
    (one, other) => paths.indexOf(one.path) - paths.indexOf(other.path) || startOf(one) - startOf(other),
  );
  return {
    comments: changeComments([], {change: 'add', by: 'agent', comments: sorted}),
    leftOut: all.length - placed.length,
  };
}

const startOf = ({lines}: NewComment): number => (lines === 'file' ? 0 : lines.first);

function printReview(
  comments: readonly ReviewComment[],
  {format, title, files}: Pick<ReviewOptions, 'format'> & {readonly title: string; readonly files: readonly FileDiff[]},
): ExitCode {
  switch (format) {
    case 'markdown':
      print(
        visibleText(comments.length === 0 ? `# Review: ${title}\n\nNo comments.\n` : reviewMarkdown(title, comments)),
      );
      return exitCode.done;
    case 'github':
      return printDocument(githubReview(comments.map(comment => onShownLines(comment, files))));
    case 'sarif':
      return printDocument(sarifLog(comments, version));
    default:
      return unreachable(format);
  }
}

/** Moves a comment to its file if GitHub would refuse its lines, because a pull request does not show them. */
function onShownLines(comment: ReviewComment, files: readonly FileDiff[]): ReviewComment {
  const {lines, path, text} = comment;
  if (lines === 'file') return comment;
  const hunks = files.find(file => file.path === path)?.hunks ?? [];
  const isShown = hunks.some(({newStart, lines: shown}) => {
    const end = newStart + shown.filter(({kind}) => kind !== 'removed').length;
    return newStart <= lines.first && lines.last < end;
  });
  return isShown ? comment : {...comment, lines: 'file', text: `${linesName(lines)}: ${text}`};
}

const linesName = ({first, last}: Exclude<CommentLines, 'file'>): string =>
  first === last ? `Line ${first}` : `Lines ${first} to ${last}`;

/** The maximum number of UTF-16 units of changes in the prompt. The model reads further changes itself. */
const maxShown = 200_000;

function promptOf({files, title}: {readonly files: readonly FileDiff[]; readonly title: string}): string {
  let room = maxShown;
  const shown: string[] = [];
  const others: string[] = [];
  for (const file of files) {
    const text = diffText(file);
    if (text.length > room) others.push(file.path);
    else shown.push(text);
    room -= text.length > room ? 0 : text.length;
  }
  return [
    `Review these changes (${title}). Look for bugs, security problems, data loss, broken contracts and missing tests. Read the code around a change before you judge it. Don't comment on taste, and don't praise.`,
    'Write a comment only where the author should act. "error": it is wrong or dangerous. "warning": it probably needs a change. "note": a suggestion. Use the line numbers of the new text, which stand before each line. No comments is a valid review.',
    ...(others.length === 0 ? [] : [`These files are too long to show here. Read them: ${others.join(', ')}`]),
    '',
    ...shown,
  ].join('\n');
}

/** Returns the changes of a file with the line numbers of its new text. */
function diffText({path, movedFrom, before, after, hunks, notes}: FileDiff): string {
  const state = before === 'absent' ? ' (new)' : after === 'absent' ? ' (deleted)' : '';
  const from = movedFrom === undefined ? '' : ` (was ${movedFrom})`;
  const lines = hunks.flatMap(({newStart, lines: changed}) => {
    let number = newStart;
    return [
      '…',
      ...changed.map(({kind, text}) =>
        kind === 'removed'
          ? `${' '.repeat(5)} - ${text}`
          : `${String(number++).padStart(5)} ${kind === 'added' ? '+' : ' '} ${text}`,
      ),
    ];
  });
  return [`### ${path}${state}${from}`, ...notes, ...lines.slice(1), ''].join('\n');
}
