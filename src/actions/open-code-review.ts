import * as z from 'zod/mini';
import {defineAction, text, toolForm} from './define-action.ts';

export interface ReviewOpeningOutput {
  readonly opened: 'opened';
}

export const openCodeReview = defineAction<Record<string, never>, ReviewOpeningOutput, Record<string, never>>({
  summary: 'Open the code review view.',
  risk: 'read-only',
  scheduling: 'barrier',
  tools: [
    toolForm({
      name: 'OpenCodeReview',
      description: 'Open the code review view.',
      schema: () => z.object({}),
      toInput: () => ({}),
    }),
  ],
  label: () => 'Open code review',
  cancelled: () => ({}),
  tell: output => text(output.opened),
  tellCut: () => '',
  build: {state: 'declared'},
});
