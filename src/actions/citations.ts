import * as z from 'zod/mini';
import {clip} from '../base/clip.ts';

/** The maximum number of citations of one call: the paths and addresses that the model's action is based on. */
const maxCitations = 10;
/** The maximum number of characters of one citation. */
const maxCitationLength = 300;

export const citationsSchema = () => z.optional(z.array(z.string()));

/** Returns the first citations, each as one line of bounded length. */
export const boundedCitations = (given: readonly string[] | undefined): readonly string[] =>
  (given ?? [])
    .map(citation => clip(citation.trim().replaceAll(/\s+/gu, ' '), maxCitationLength))
    .filter(citation => citation !== '')
    .slice(0, maxCitations);
