import * as z from 'zod/mini';
import {clip} from '../base/clip.ts';

/** What a model may say that an action is based on: paths, addresses. */
const maxCitations = 10;
const longestCitation = 300;

export const citationsSchema = () => z.optional(z.array(z.string()));

/** The first ones, each in one line of bounded length. */
export const boundedCitations = (given: readonly string[] | undefined): readonly string[] =>
  (given ?? [])
    .map(citation => clip(citation.trim().replaceAll(/\s+/gu, ' '), longestCitation))
    .filter(citation => citation !== '')
    .slice(0, maxCitations);
