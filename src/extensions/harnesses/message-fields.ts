import type {Question, QuestionReply} from '../../actions/ports.ts';
import {isJsonObject, type Json, type JsonObject, parseJson, listOf, objectOf, textOf} from '../../base/json.ts';
import type {TodoStatus} from '../../domain/todo.ts';

/*
 * What harnesses send is read field by field: a message of which one field does not fit still says the others.
 */

/** A count of tokens or an amount of money; 0 if it is none. */
export const countOf = (value: Json | undefined): number =>
  typeof value === 'number' && Number.isFinite(value) && value > 0 ? value : 0;

export const objectsOf = (value: Json | undefined): readonly JsonObject[] =>
  listOf(value).filter(each => isJsonObject(each));

export const textsOf = (value: Json | undefined): readonly string[] =>
  listOf(value).filter(each => typeof each === 'string');

/** The texts of content blocks (`{"type":"text","text":…}`), or of a plain text. */
export const contentText = (value: Json | undefined): string =>
  typeof value === 'string'
    ? value
    : objectsOf(value)
        .map(block => textOf(block['text']))
        .filter(text => text !== '')
        .join('\n');

/** The words of an error of a model's server, which many programs pass on as JSON behind their own; any other text as it is. */
export function spokenError(message: string): string {
  const at = message.indexOf('{');
  const json = parseJson(message.slice(Math.max(0, at)));
  if (at < 0 || json.tag === 'failed') return message;
  const {error, message: plain} = objectOf(json.value);
  const words = textOf(objectOf(error)['message']) || textOf(error) || textOf(plain);
  return words === '' ? message : `${message.slice(0, at)}${words}`;
}

/** The status of a plan's step, as ACP (`in_progress`) or Codex (`inProgress`) writes it; what is unknown is pending. */
export function stepStatus(word: string): TodoStatus {
  if (word === 'completed' || word === 'cancelled') return word;
  return word === 'in_progress' || word === 'inProgress' ? 'in_progress' : 'pending';
}

export const questionOf = (question: JsonObject): Question => ({
  question: textOf(question['question']),
  header: textOf(question['header']),
  choice: 'one',
  options: objectsOf(question['options']).map(option => ({
    label: textOf(option['label']),
    description: textOf(option['description']),
    recommended: 'plain',
  })),
});

/** What was chosen of a question, and written besides. */
export function selectedIn({answers}: Extract<QuestionReply, {kind: 'answered'}>, index: number): readonly string[] {
  const {selected = [], other = ''} = answers[index] ?? {};
  return [...selected, ...(other === '' ? [] : [other])];
}
