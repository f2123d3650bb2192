import * as z from 'zod/mini';
import {clip} from '../base/clip.ts';
import {isJsonObject, type Json, listOf, objectOf} from '../base/json.ts';

/** The maximum number of citations of one call: the paths and addresses that the model's action is based on. */
const maxCitations = 10;
/** The maximum number of characters of one citation. */
const maxCitationLength = 300;

/** A citation is a text, or an object with a type and what it names: a file with lines, a page, a document. `citationsIn` reads them. */
export const citationsSchema = () => z.array(z.union([z.string(), z.looseObject({})]));

/** Returns the first citations of a call of any tool, each as one line of bounded length. */
export const citationsIn = (input: Json): readonly string[] =>
  listOf(objectOf(input)['citations'])
    .map(citation => clip(citationText(citation).trim().replaceAll(/\s+/gu, ' '), maxCitationLength))
    .filter(citation => citation !== '')
    .slice(0, maxCitations);

const targetFields = ['path', 'file_path', 'url', 'uri', 'document_id', 'id', 'page', 'uid'] as const;

function citationText(citation: Json): string {
  if (typeof citation === 'string') return citation;
  if (!isJsonObject(citation)) return '';
  const text = (field: string): string => {
    const value = citation[field];
    return typeof value === 'string' || typeof value === 'number' ? String(value) : '';
  };
  const [target = ''] = targetFields.map(text).filter(value => value !== '');
  const lines = [text('start_line') || text('line'), text('end_line')].filter(line => line !== '').join('-');
  const where = [target, lines].filter(part => part !== '').join(':');
  const title = text('title');
  if (where === '') return title;
  return title === '' ? where : `${title} (${where})`;
}
