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

export type ShowReview = (review: CodeReview, context: CommandContext) => void | Promise<void>;

export const reviewCommandWith = (show: ShowReview) =>
  slashCommand({
    name: 'review',
    usage: '/review [BASE | FROM..TO | answer ID TEXT | resolve ID | reopen ID | send | export FILE]',
    summary: 'look at the changes and comment on them: the working tree, since a branch, between commits',
    run: (argument, context) => void runReview(argument, context, show),
  });

/** The screen's: files, hunks and comments to go through. */
export const showOnScreen: ShowReview = async (review, context) => {
  const [{reviewPanel}, {grammarOfDiff, isGrammarLoaded, loadGrammar}] = await Promise.all([
    import('../scrollback/review-panel.ts'),
    import('../scrollback/syntax/highlight.ts'),
  ]);
  const grammars = [...new Set(review.files.flatMap(file => grammarOfDiff(file) ?? []))].slice(0, maxGrammars);
  await Promise.all(grammars.filter(grammar => !isGrammarLoaded(grammar)).map(loadGrammar));
  if (context.signal.aborted) return;
  let kept: readonly ReviewComment[] | undefined;
  const keep = async (wanted: ReviewChange): Promise<void> => {
    kept = (await context.answerTo({query: 'change-review', change: wanted})) ?? kept;
  };
  context.openTranscript(
    reviewPanel(review, {
      kept: () => kept,
      change: wanted => void keep(wanted),
      send: comments => context.writeDraft(reviewPrompt(comments)),
    }),
  );
};

/** Languages whose colours are loaded for one review. */
const maxGrammars = 20;

export const reviewCommand = reviewCommandWith(showOnScreen);

/** Shows the review of a range, which may come from the agent: no word of it is a command. */
export async function openReview(range: string, context: CommandContext, show: ShowReview): Promise<void> {
  const review = await context.answerTo({query: 'review', range});
  if (review === undefined) return;
  if (review.files.length === 0 && review.comments.length === 0) {
    context.notify('info', `Nothing to review: ${visibleLine(review.title)}`);
  } else await show(review, context);
}

async function runReview(argument: string, context: CommandContext, show: ShowReview): Promise<void> {
  const [, word = '', rest = ''] = /^(\S*)\s*([^]*)$/u.exec(argument) ?? [];
  const [, id = '', text = ''] = /^(\S*)\s*([^]*)$/u.exec(rest) ?? [];
  if (word === 'answer' && text !== '') await change({change: 'answer', id, by: 'user', text}, context);
  else if ((word === 'resolve' || word === 'reopen') && id !== '') await change({change: word, id}, context);
  else if (word === 'send' && rest === '') await send(context);
  else if (word === 'export') await exportReview(rest === '' ? 'review.md' : rest, context);
  else if (word === 'answer')
    context.notify('warning', 'Write the comment and the answer: /review answer c1 It is meant so');
  else await openReview(argument, context, show);
}

async function change(wanted: Extract<ReviewChange, {readonly id: string}>, context: CommandContext): Promise<void> {
  const comments = await context.answerTo({query: 'change-review', change: wanted});
  if (comments !== undefined) context.notify('info', changed(wanted, comments));
}

function changed({id}: {readonly id: string}, comments: readonly ReviewComment[]): string {
  const comment = comments.find(each => each.id === id);
  return comment === undefined
    ? `There is no comment ${visibleExactLine(id)}`
    : `${id} is ${comment.state}, with ${pluralize(comment.answers.length, 'answer')}`;
}

async function send(context: CommandContext): Promise<void> {
  const review = await context.answerTo({query: 'review', range: ''});
  if (review === undefined) return;
  const prompt = reviewPrompt(review.comments);
  if (prompt === '') context.notify('info', 'There is no open comment to send');
  else context.writeDraft(prompt);
}

/** A file that is there stays. */
async function exportReview(name: string, context: CommandContext): Promise<void> {
  const review = await context.answerTo({query: 'review', range: ''});
  if (review === undefined) return;
  const text = /\.json$/iu.test(name)
    ? `${JSON.stringify(githubReview(review.comments), undefined, 2)}\n`
    : reviewMarkdown(review.title, review.comments);
  const {options, signal} = context;
  const end = answerOutcome(await options.engine.query({query: 'export-text', name, text, present: 'kept'}, signal));
  if (end.tag === 'failed') context.notify('warning', visibleExactLine(faultText(end.error)));
  else if (end.value.kind === 'exists')
    context.notify('warning', `${visibleExactLine(end.value.path)} is there already: give another name`);
  else
    context.notify(
      'info',
      `Exported ${pluralize(review.comments.length, 'comment')} to ${visibleExactLine(end.value.path)}`,
    );
}

export const printReview: ShowReview = (review, context) => context.print(reviewLines(review));

const reviewLines = ({title, files, more, comments}: CodeReview): readonly string[] => [
  `Review: ${visibleLine(title)}. ${pluralize(files.length + more, 'changed file')}.`,
  ...files.flatMap(file => [
    `File ${visibleLine(file.path)}: ${file.added} added, ${file.removed} removed${file.notes.map(note => `, ${visibleLine(note)}`).join('')}.`,
    ...file.hunks.flatMap(({newStart, lines}) => [
      `From line ${newStart}:`,
      ...lines.filter(({kind}) => kind !== 'context').map(({kind, text}) => `${kind}: ${visible(text)}`),
    ]),
  ]),
  ...(comments.length === 0 ? ['There are no comments.'] : []),
  ...comments.map(
    comment =>
      `Comment ${comment.id}, ${comment.severity}, ${comment.state}, on ${visibleLine(commentPlace(comment))}, by ${comment.by === 'user' ? 'you' : 'the agent'}: ${visibleLine(comment.text)}${comment.answers.map(({by, text}) => ` ${by === 'user' ? 'You' : 'The agent'}: ${visibleLine(text)}`).join('')}`,
  ),
];
