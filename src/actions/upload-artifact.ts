import * as z from 'zod/mini';
import {defineAction, text, toolForm} from './define-action.ts';

export interface UploadInput {
  readonly path: string;
  readonly description: string;
}

export interface UploadOutput {
  readonly artifact: string;
}

export interface UploadCut {
  readonly path: string;
}

export const uploadArtifact = defineAction<UploadInput, UploadOutput, UploadCut>({
  summary: 'Upload a file as an artifact of the session.',
  risk: 'external',
  scheduling: 'barrier',
  tools: [
    toolForm({
      name: 'UploadArtifact',
      description: 'Upload a file.',
      schema: () => z.object({file_path: z.string(), description: z.optional(z.string())}),
      toInput: raw => ({path: raw.file_path, description: raw.description ?? ''}),
    }),
  ],
  label: input => `Upload ${input.path}`,
  cancelled: input => ({path: input.path}),
  tell: output => text(output.artifact),
  tellCut: () => '',
  build: {state: 'declared'},
});
