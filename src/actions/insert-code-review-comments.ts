import * as z from 'zod/mini';
import {pluralize} from '../base/clip.ts';
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
            comments: z
              .array(
                z.object({
                  path: z.string().check(z.minLength(1)),
                  line: z.optional(z.int().check(z.minimum(1), z.describe('In the new text; omit for the whole file'))),
                  end_line: z.optional(z.int().check(z.minimum(1))),
                  text: z.string().check(z.minLength(1), z.maxLength(4000)),
                  severity: z.optional(z.enum(severities)),
                }),
              )
              .check(z.minLength(1), z.maxLength(100)),
          }),
        toInput: (raw): InsertCommentsInput => ({
          repository: raw.repo_path ?? '',
          base: raw.base_branch ?? '',
          comments: raw.comments.map(({path, line, end_line, text, severity}) => ({
            path,
            lines: line === undefined ? 'file' : {first: line, last: end_line ?? line},
            text,
            severity: severity ?? 'note',
          })),
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
