import * as z from 'zod/mini';
import {defineAction, text, toolForm} from './define-action.ts';

export interface ProjectInitOutput {
  readonly path: string;
}

export const initProject = defineAction<Record<string, never>, ProjectInitOutput, Record<string, never>>({
  summary: 'Write project instructions (AGENTS.md).',
  risk: 'local-change',
  scheduling: 'barrier',
  tools: [
    toolForm({
      name: 'InitProject',
      description: 'Write the instructions of a project.',
      schema: () => z.object({}),
      toInput: () => ({}),
    }),
  ],
  label: () => 'Set up the project',
  cancelled: () => ({}),
  tell: output => text(output.path),
  tellCut: () => '',
  build: {state: 'declared'},
});
