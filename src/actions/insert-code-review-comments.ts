import * as z from 'zod/mini';
import {defineAction, text, toolForm} from './define-action.ts';

export interface ReviewCommentsInput {
  readonly repoPath: string;
  readonly baseBranch: string;
  readonly comments: readonly {readonly path: string; readonly line: number; readonly body: string}[];
}

export interface ReviewCommentsOutput {
  readonly inserted: number;
}

export interface ReviewCommentsCut {
  readonly comments: number;
}

export const insertCodeReviewComments = defineAction<ReviewCommentsInput, ReviewCommentsOutput, ReviewCommentsCut>({
  summary: 'Insert comments into a code review.',
  risk: 'read-only',
  scheduling: 'barrier',
  tools: [
    toolForm({
      name: 'InsertCodeReviewComments',
      description: 'Insert comments into a code review.',
      schema: () =>
        z.object({
          repo_path: z.string(),
          base_branch: z.optional(z.string()),
          comments: z.array(z.object({path: z.string(), line: z.int(), body: z.string()})),
        }),
      toInput: raw => ({repoPath: raw.repo_path, baseBranch: raw.base_branch ?? '', comments: raw.comments}),
    }),
  ],
  label: input => `Insert ${input.comments.length} code review comment(s)`,
  cancelled: input => ({comments: input.comments.length}),
  tell: output => text(`${output.inserted} inserted`),
  tellCut: () => '',
  build: {state: 'declared'},
});
