import {defineAction} from './define-action.ts';
import {fileGlobV2, type GlobCut} from './file-glob-v2.ts';
import type {GlobReport, GlobRequest} from './ports.ts';

/** The task protocol's older form of the search: the same work under its own name. Models are offered `Glob` once, by v2. */
export const fileGlob = defineAction<GlobRequest, GlobReport, GlobCut>({
  ...fileGlobV2,
  summary: 'Find files by name pattern.',
  tools: [],
});
