import * as z from 'zod/mini';
import {clip} from '../base/clip.ts';

/** Citations of one call, at most: the paths and addresses that the model's action is based on. */
const maxCitations = 10;
/** Characters of one citation, at most. */
const maxCitationLength = 300;

export const citationsSchema = () => z.optional(z.array(z.string()));

/** Returns the first citations, each as one line of bounded length. */
export const boundedCitations = (given: readonly string[] | undefined): readonly string[] =>
  (given ?? [])
    .map(citation => clip(citation.trim().replaceAll(/\s+/gu, ' '), maxCitationLength))
    .filter(citation => citation !== '')
    .slice(0, maxCitations);
