import type {FileDiff} from '../../actions/preview.ts';
import {answerOutcome, type CodeReview} from '../../agent/client.ts';
import {pluralize} from '../../base/clip.ts';
import {visible, visibleExactLine, visibleLine} from '../../base/visible.ts';
import {
  commentPlace,
  githubReview,
  type ReviewChange,
  type ReviewComment,
  reviewMarkdown,
  reviewPrompt,
} from '../../domain/code-review.ts';
import {faultText} from '../../domain/fault.ts';
import {type CommandContext, slashCommand} from './command.ts';

export type ReviewPresenter = (review: CodeReview, context: CommandContext) => void | Promise<void>;

export const reviewCommandWith = (show: ReviewPresenter) =>
  slashCommand({
    name: 'review',
    usage: '/review [BASE | FROM..TO | answer ID TEXT | resolve ID | reopen ID | send | export FILE]',
    summary: 'Review changes in the working tree, since a branch, or between commits',
    run: (argument, context) => void runReview(argument, context, show),
  });

/** Shows a review on a full screen with files, hunks, and comments. */
export const showOnScreen: ReviewPresenter = async (review, context) => {
  const [{reviewPanel}, {grammarOfDiff, isGrammarLoaded, loadGrammar}] = await Promise.all([
    import('../scrollback/review-panel.ts'),
    import('../scrollback/syntax/highlight.ts'),
  ]);
  const grammars = [...new Set(review.files.flatMap(file => grammarOfDiff(file) ?? []))].slice(0, maxGrammars);
  await Promise.all(grammars.filter(grammar => !isGrammarLoaded(grammar)).map(loadGrammar));
  if (context.signal.aborted) return;
  let saved: readonly ReviewComment[] | undefined;
  const save = async (wanted: ReviewChange): Promise<void> => {
    saved = (await context.runQuery({query: 'change-review', change: wanted})) ?? saved;
  };
  context.openTranscript(
    reviewPanel(review, {
      kept: () => saved,
      change: wanted => void save(wanted),
      send: comments => context.writeDraft(reviewPrompt(comments)),
    }),
  );
};

/** The maximum number of grammars for syntax colors that one review loads. */
const maxGrammars = 20;

export const reviewCommand = reviewCommandWith(showOnScreen);

/** Shows the review of a range. The range may come from the agent, so it is never read as a subcommand. */
export async function openReview(range: string, context: CommandContext, show: ReviewPresenter): Promise<void> {
  const review = await context.runQuery({query: 'review', range});
  if (review === undefined) return;
  if (review.files.length === 0 && review.comments.length === 0) {
    context.notify('info', `No changes to review: ${visibleLine(review.title)}`);
  } else await show(review, context);
}

async function runReview(argument: string, context: CommandContext, show: ReviewPresenter): Promise<void> {
  const [, word = '', rest = ''] = /^(\S*)\s*([^]*)$/u.exec(argument) ?? [];
  const [, id = '', text = ''] = /^(\S*)\s*([^]*)$/u.exec(rest) ?? [];
  if (word === 'answer' && text !== '') await change({change: 'answer', id, by: 'user', text}, context);
  else if ((word === 'resolve' || word === 'reopen') && id !== '') await change({change: word, id}, context);
  else if (word === 'send' && rest === '') await send(context);
  else if (word === 'export') await exportReview(rest === '' ? 'review.md' : rest, context);
  else if (word === 'answer')
    context.notify('warning', 'Give a comment and an answer: /review answer c1 This is intended');
  else await openReview(argument, context, show);
}

async function change(wanted: Extract<ReviewChange, {readonly id: string}>, context: CommandContext): Promise<void> {
  const comments = await context.runQuery({query: 'change-review', change: wanted});
  if (comments !== undefined) context.notify('info', changeText(wanted, comments));
}

function changeText({id}: {readonly id: string}, comments: readonly ReviewComment[]): string {
  const comment = comments.find(each => each.id === id);
  return comment === undefined
    ? `No comment ${visibleExactLine(id)}`
    : `${id} is ${comment.state}, with ${pluralize(comment.answers.length, 'answer')}`;
}

async function send(context: CommandContext): Promise<void> {
  const review = await context.runQuery({query: 'review', range: ''});
  if (review === undefined) return;
  const prompt = reviewPrompt(review.comments);
  if (prompt === '') context.notify('info', 'No open comments to send');
  else context.writeDraft(prompt);
}

/** Exports the comments as Markdown, or as a GitHub review if the name ends in `.json`. Never replaces a file. */
async function exportReview(name: string, context: CommandContext): Promise<void> {
  const review = await context.runQuery({query: 'review', range: ''});
  if (review === undefined) return;
  const text = /\.json$/iu.test(name)
    ? `${JSON.stringify(githubReview(review.comments), undefined, 2)}\n`
    : reviewMarkdown(review.title, review.comments);
  const {options, signal} = context;
  const end = answerOutcome(await options.engine.query({query: 'export-text', name, text, present: 'kept'}, signal));
  if (end.tag === 'failed') context.notify('warning', visibleExactLine(faultText(end.error)));
  else if (end.value.kind === 'exists')
    context.notify('warning', `${visibleExactLine(end.value.path)} already exists. Choose another name.`);
  else
    context.notify(
      'info',
      `Exported ${pluralize(review.comments.length, 'comment')} to ${visibleExactLine(end.value.path)}`,
    );
}

export const printReview: ReviewPresenter = (review, context) => context.print(reviewLines(review));

const reviewLines = ({title, files, more, comments}: CodeReview): readonly string[] => [
  `Review: ${visibleLine(title)}. ${pluralize(files.length + more, 'changed file')}.`,
  ...files.flatMap(changedFileLines),
  ...(comments.length === 0 ? ['No comments.'] : []),
  ...comments.map(
    comment =>
      `Comment ${comment.id}, ${comment.severity}, ${comment.state}, on ${visibleLine(commentPlace(comment))}, by ${comment.by === 'user' ? 'you' : 'the agent'}: ${visibleLine(comment.text)}${comment.answers.map(({by, text}) => ` ${by === 'user' ? 'You' : 'The agent'}: ${visibleLine(text)}`).join('')}`,
  ),
];

/** Returns the changes of a file in words, for a screen reader. */
export const changedFileLines = (file: FileDiff): readonly string[] => [
  `File ${visibleLine(file.path)}: ${file.added} added, ${file.removed} removed${file.notes.map(note => `, ${visibleLine(note)}`).join('')}.`,
  ...file.hunks.flatMap(({newStart, lines}) => [
    `From line ${newStart}:`,
    ...lines.filter(({kind}) => kind !== 'context').map(({kind, text}) => `${kind}: ${visible(text)}`),
  ]),
];
