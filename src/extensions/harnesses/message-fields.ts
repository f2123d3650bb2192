import type {HarnessAccess} from '../../actions/harness-port.ts';
import type {Question, QuestionReply} from '../../actions/ports.ts';
import {isJsonObject, type Json, type JsonObject, parseJson, listOf, objectOf, textOf} from '../../base/json.ts';
import type {TodoStatus} from '../../domain/todo.ts';

/*
 * Messages of harnesses are read field by field: an invalid field does not make the others unreadable.
 */

/** Returns a number of tokens or an amount of money, or 0 if the value is not one. */
export const countOf = (value: Json | undefined): number =>
  typeof value === 'number' && Number.isFinite(value) && value > 0 ? value : 0;

export const objectsOf = (value: Json | undefined): readonly JsonObject[] =>
  listOf(value).filter(each => isJsonObject(each));

export const textsOf = (value: Json | undefined): readonly string[] =>
  listOf(value).filter(each => typeof each === 'string');

/** Returns the texts of content blocks (`{"type":"text","text":…}`), or a plain text unchanged. */
export const contentText = (value: Json | undefined): string =>
  typeof value === 'string'
    ? value
    : objectsOf(value)
        .map(block => textOf(block['text']))
        .filter(text => text !== '')
        .join('\n');

/** Returns the message in a model server's JSON error, which many programs append to their own text. Returns any other text unchanged. */
export function extractErrorMessage(message: string): string {
  const at = message.indexOf('{');
  const json = parseJson(message.slice(Math.max(0, at)));
  if (at < 0 || json.tag === 'failed') return message;
  const {error, message: plain} = objectOf(json.value);
  const words = textOf(objectOf(error)['message']) || textOf(error) || textOf(plain);
  return words === '' ? message : `${message.slice(0, at)}${words}`;
}

/** Converts the status of a plan's step from ACP (`in_progress`) or Codex (`inProgress`). Unknown values become pending. */
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

/** Returns the selected options of a question, and the text typed instead or in addition. */
export function selectionOf({answers}: Extract<QuestionReply, {kind: 'answered'}>, index: number): readonly string[] {
  const {selected = [], other = ''} = answers[index] ?? {};
  return [...selected, ...(other === '' ? [] : [other])];
}

/** Returns the access of a search for files by a pattern below `path`. A pattern may start outside its folder. */
export function globAccess(tool: string, path: string, input: JsonObject): HarnessAccess {
  const pattern = textOf(input['pattern']);
  if (/(?:^|[/{,])\.\.|[{,][/~]/u.test(pattern)) return {kind: 'other', title: tool, input};
  const start = pattern.replace(/[^/]*[*?[{].*$/u, '');
  return {
    kind: 'search',
    text: pattern,
    paths: [path === '' ? '.' : path, ...(/^[/~]/u.test(start) ? [start] : [])],
  };
}
