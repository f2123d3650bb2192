import {clip} from '../base/clip.ts';
import {isJsonList, isJsonObject, type Json, type JsonObject, textOf} from '../base/json.ts';
import type {Elicitation, ElicitationReply} from './mcp-port.ts';
import type {ActionPorts, Question, QuestionAnswer, QuestionOption} from './ports.ts';

/** The maximum number of fields of a form. A longer form is declined. */
const maxFields = 10;

const declined: ElicitationReply = {action: 'decline', content: undefined};

/**
 * Asks the user for an MCP server, one question for each field of its form. Declines a form that weft can't show, answers that don't
 * fit, and everything if no one can be asked. The server gets nothing that it didn't ask for.
 */
export async function elicitByQuestions(
  elicitation: Elicitation,
  questions: ActionPorts['questions'],
  signal: AbortSignal,
): Promise<ElicitationReply> {
  const fields = elicitation.mode === 'url' ? [urlField(elicitation)] : fieldsOf(elicitation);
  if (fields.length === 0 || fields.length > maxFields) return declined;
  const reply = await questions.ask(
    fields.map(({question}) => question),
    signal,
  );
  if (signal.aborted) return {action: 'cancel', content: undefined};
  if (reply.kind !== 'answered') return reply.kind === 'dismissed' ? {action: 'cancel', content: undefined} : declined;
  const content: Record<string, Json> = {};
  for (const [at, field] of fields.entries()) {
    const answer = reply.answers[at];
    const value = answer === undefined ? 'none' : field.valueOf(answer);
    if (value === 'refused' || (value === 'none' && field.need === 'required')) return declined;
    if (value !== 'none') content[field.name] = value.json;
  }
  return {action: 'accept', content: elicitation.mode === 'url' ? undefined : content};
}

interface Field {
  readonly name: string;
  readonly need: 'required' | 'optional';
  readonly question: Question;
  /** `none`: the user skipped the field. `refused`: the answer doesn't fit, or the user declined. */
  readonly valueOf: (answer: QuestionAnswer) => {readonly json: Json} | 'none' | 'refused';
}

const option = (label: string, description = ''): QuestionOption => ({label, description, recommended: 'plain'});

const doneLabel = 'Done';

/** Asks the user to open an address. Shows all of it, so that the user sees where it leads. weft never opens it. */
function urlField({server, message, url}: Elicitation): Field {
  return {
    name: '',
    need: 'required',
    question: {
      question: `The MCP server ${server} asks you to open ${url}\n${clip(message, 2000)}`,
      header: 'Open link',
      options: [option(doneLabel), option('No')],
      choice: 'one',
    },
    valueOf: ({selected}) => (selected.includes(doneLabel) ? {json: true} : 'refused'),
  };
}

function fieldsOf({server, message, requestedSchema}: Elicitation): readonly Field[] {
  const properties = requestedSchema?.['properties'];
  const who = `The MCP server ${server} asks: ${clip(message, 2000)}`;
  if (!isJsonObject(properties)) return [];
  const required = requestedSchema?.['required'];
  const names = Object.keys(properties);
  if (names.length === 0) return [confirmField(who)];
  return names.flatMap(name => {
    const schema = properties[name];
    const need = isJsonList(required) && required.includes(name) ? ('required' as const) : ('optional' as const);
    return isJsonObject(schema) ? [fieldOf({name, schema, need, who})] : [];
  });
}

const confirmField = (who: string): Field => ({
  name: '',
  need: 'optional',
  question: {question: who, header: 'Confirm', options: [option('Yes'), option('No')], choice: 'one'},
  valueOf: ({selected}) => (selected.includes('Yes') ? 'none' : 'refused'),
});

function fieldOf(field: {
  readonly name: string;
  readonly schema: JsonObject;
  readonly need: Field['need'];
  readonly who: string;
}): Field {
  const {name, schema, need, who} = field;
  const {type, title, description, default: given} = schema;
  const choices = choicesOf(type === 'array' ? schema['items'] : schema);
  const words = [textOf(title) === '' ? name : textOf(title), textOf(description)]
    .filter(part => part !== '')
    .join(': ');
  const options =
    type === 'boolean'
      ? [option('Yes'), option('No')]
      : choices.length > 0
        ? choices.map(({label}) => option(label))
        : given === undefined || typeof given === 'object'
          ? []
          : [option(String(given), 'what the server proposes')];
  const left = need === 'optional' ? [option(skipLabel)] : [];
  const no = option(declineLabel, 'tell the server that you decline');
  return {
    name,
    need,
    question: {
      question: `${who}\n${clip(words, 500)}`,
      header: clip(name, 12),
      options: [...options, ...left, no],
      choice: type === 'array' ? 'many' : 'one',
    },
    valueOf(answer) {
      if (answer.selected.includes(declineLabel)) return 'refused';
      if (answer.selected.includes(skipLabel)) return 'none';
      const said = [...answer.selected, ...(answer.other.trim() === '' ? [] : [answer.other.trim()])];
      if (said.length === 0) return 'none';
      const values = said.map(text => choices.find(({label}) => label === text)?.value ?? text);
      return type === 'array'
        ? {json: values}
        : valueIn(values[0] ?? '', {type, isClosed: choices.length > 0, choices});
    },
  };
}

const skipLabel = 'Skip';
const declineLabel = 'Decline';

function valueIn(
  text: string,
  {
    type,
    isClosed,
    choices,
  }: {readonly type: Json | undefined; readonly isClosed: boolean; readonly choices: readonly Choice[]},
): {readonly json: Json} | 'refused' {
  switch (type) {
    case 'boolean':
      return /^(?:yes|true)$/iu.test(text) ? {json: true} : /^(?:no|false)$/iu.test(text) ? {json: false} : 'refused';
    case 'integer':
    case 'number': {
      const number = Number(text);
      return Number.isFinite(number) && (type === 'number' || Number.isInteger(number)) ? {json: number} : 'refused';
    }
    default:
      return isClosed && !choices.some(({value}) => value === text) ? 'refused' : {json: text};
  }
}

interface Choice {
  readonly label: string;
  readonly value: string;
}

/** Returns the values of an enumeration, in every form that servers use. */
function choicesOf(schema: Json | undefined): readonly Choice[] {
  if (!isJsonObject(schema)) return [];
  const titled = schema['oneOf'] ?? schema['anyOf'];
  if (isJsonList(titled)) {
    return titled.flatMap(each =>
      isJsonObject(each) && typeof each['const'] === 'string'
        ? [{label: textOf(each['title']) || each['const'], value: each['const']}]
        : [],
    );
  }
  const {enum: values, enumNames} = schema;
  if (!isJsonList(values)) return [];
  return values.flatMap((value, at) => {
    const name = isJsonList(enumNames) ? textOf(enumNames[at]) : '';
    return typeof value === 'string' ? [{label: name === '' ? value : name, value}] : [];
  });
}
