import * as z from 'zod/mini';
import {pluralize} from '../base/clip.ts';
import type {Json} from '../base/json.ts';
import {failed, ok} from '../base/outcome.ts';
import {commentPlace, type NewComment, type ReviewComment, severities} from '../domain/code-review.ts';
import {interrupted, settledBy} from '../domain/settled.ts';
import {checkedForm, defineAction, needsNoPermission, textContent, toolForm} from './define-action.ts';

export interface InsertCommentsInput {
  /** A path in the repository. Empty for the workspace. */
  readonly repository: string;
  /** The revision that the review compares with. Empty for the last commit. */
  readonly base: string;
  readonly comments: readonly NewComment[];
}

const commentSchema = () =>
  z.object({
    path: z.string().check(z.minLength(1)),
    line: z.optional(z.int().check(z.minimum(1), z.describe('In the new text; omit for the whole file'))),
    end_line: z.optional(z.int().check(z.minimum(1))),
    text: z.string().check(z.minLength(1), z.maxLength(4000)),
    severity: z.optional(z.enum(severities)),
  });

const commentFrom = ({
  path,
  line,
  end_line: end,
  text,
  severity,
}: z.infer<ReturnType<typeof commentSchema>>): NewComment => ({
  path,
  lines: line === undefined ? 'file' : {first: line, last: end ?? line},
  text,
  severity: severity ?? 'note',
});

const commentList = () => z.object({comments: z.array(commentSchema())});

/** Returns the JSON schema of a review as an answer of the model. */
// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- JSON Schema is JSON; the library types it with `unknown` leaves
export const reviewSchema = (): Json => z.toJSONSchema(commentList(), {io: 'input'}) as Json;

/** Returns the comments of a review that fits `reviewSchema`. A range that ends before it begins is its first line. */
export const readReview = (answer: Json): readonly NewComment[] =>
  commentList()
    .parse(answer)
    .comments.map(raw => commentFrom({...raw, end_line: Math.max(raw.line ?? 1, raw.end_line ?? 1)}));

export const insertCodeReviewComments = defineAction<
  InsertCommentsInput,
  {readonly comments: readonly ReviewComment[]},
  {readonly comments: number}
>({
  summary: 'Comment on changed code for the user to review.',
  ...needsNoPermission,
  offered: 'when-found',
  tools: [
    // A range that ends before it begins is a fault of the call.
    checkedForm(
      toolForm({
        name: 'InsertCodeReviewComments',
        description:
          "Add comments on lines of changed files to the session's code review. The user opens it with /review and answers.",
        aliases: {file_path: 'path', line_number: 'line', start_line: 'line', body: 'text', comment: 'text'},
        schema: () =>
          z.object({
            repo_path: z.optional(z.string().check(z.describe('Default: the workspace'))),
            base_branch: z.optional(z.string().check(z.describe('What to compare with; default HEAD'))),
            comments: z.array(commentSchema()).check(z.minLength(1), z.maxLength(100)),
          }),
        toInput: (raw): InsertCommentsInput => ({
          repository: raw.repo_path ?? '',
          base: raw.base_branch ?? '',
          comments: raw.comments.map(commentFrom),
        }),
      }),
      value => {
        const wrong = value.comments.findIndex(({lines}) => lines !== 'file' && lines.last < lines.first);
        return wrong === -1 ? ok(value) : failed(`comments.${wrong}.end_line: it must not be before line`);
      },
    ),
  ],
  label: ({comments}) => `Insert ${pluralize(comments.length, 'review comment')}`,
  cancelled: ({comments}) => ({comments: comments.length}),
  modelContent: ({comments}) =>
    textContent(`Inserted ${comments.map(comment => `${comment.id} (${commentPlace(comment)})`).join(', ')}.`),
  outcome: ({comments}) => [comments.map(({id}) => id).join(', ')],
  past: 'as-it-is',
  async run(input, {ports, signal}) {
    const inserted = await ports.review.insert(input, signal);
    if (signal.aborted) {
      const partial = {comments: input.comments.length};
      return interrupted(partial);
    }
    return settledBy(inserted.tag === 'ok' ? ok({comments: inserted.value}) : inserted);
  },
});
