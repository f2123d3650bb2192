import * as z from 'zod/mini';
import {ok} from '../base/outcome.ts';
import {readingAsks} from '../domain/access.ts';
import type {Artifact} from './artifacts-port.ts';
import {interrupted, settledBy} from '../domain/settled.ts';
import {defineAction, textContent, toolForm} from './define-action.ts';

export interface UploadArtifactInput {
  readonly path: string;
  /** A description of the file for the user. May be empty. */
  readonly description: string;
}

/** Keeps a copy of a file with the session, such as a report, a picture or a build. The copy never leaves the machine. */
export const uploadArtifact = defineAction<
  UploadArtifactInput,
  {readonly artifact: Artifact; readonly description: string},
  {readonly path: string}
>({
  summary: 'Keep a file with the session.',
  risk: 'read-only',
  offered: 'when-found',
  access: ({path}) => ({kind: 'read', paths: [path]}),
  ruleKind: 'reading',
  asks: readingAsks,
  tools: [
    toolForm({
      name: 'UploadArtifact',
      description:
        'Keep a copy of a file (report, picture, build) with this session, so the user still has it if the file is deleted. It stays on this machine.',
      aliases: {path: 'file_path'},
      schema: () =>
        z.object({
          file_path: z.string().check(z.minLength(1)),
          description: z.optional(z.string().check(z.maxLength(500))),
        }),
      toInput: raw => ({path: raw.file_path, description: raw.description ?? ''}),
    }),
  ],
  label: ({path}) => `Keep ${path} as an artifact`,
  cancelled: ({path}) => ({path}),
  modelContent: ({artifact: {name, sha256, bytes, path, url}}) => {
    const download = url === '' ? '' : `; with the server's token it can be downloaded from ${url}`;
    return textContent(`Kept ${name} (${bytes} bytes, sha256 ${sha256}) at ${path}${download}`);
  },
  outcome: ({artifact: {path, url}}) => (url === '' ? [path] : [path, url]),
  past: 'as-it-is',
  async run({path, description}, {ports, terms, signal}) {
    const judged = terms.paths.find(({written}) => written === path);
    const kept = await ports.artifacts.keep(judged?.path ?? ports.files.resolve(path).path, signal);
    if (signal.aborted) return interrupted({path});
    return settledBy(kept.tag === 'ok' ? ok({artifact: kept.value, description}) : kept);
  },
});
