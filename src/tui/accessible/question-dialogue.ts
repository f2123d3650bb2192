import type {Question, QuestionAnswer, QuestionOption} from '../../actions/ports.ts';
import type {QuestionResponse} from '../../agent/engine.ts';
import type {ActionId} from '../../domain/ids.ts';
import {closes, goesOn, isBack, rowOf, waits, type Dialogue, type DialogueStep} from './dialogue.ts';
import {spokenLine} from './plain-markdown.ts';

interface Asked {
  readonly id: ActionId;
  readonly questions: readonly Question[];
  readonly answers: readonly QuestionAnswer[];
}

/** The questions of one call, one after the other: options by number, or words of the user's own. */
export const questionDialogue = (id: ActionId, questions: readonly Question[]): Dialogue =>
  dialogueOf({id, questions, answers: []});

function dialogueOf(asked: Asked): Dialogue {
  const {questions, answers} = asked;
  const question = questions[answers.length];
  if (question === undefined) return {lines: [], answer: () => finished(asked)};
  const count = questions.length > 1 ? ` ${answers.length + 1} of ${questions.length}` : '';
  const how =
    question.choice === 'many'
      ? 'Type one or more numbers, such as 1 2, or an answer of your own, and Enter. 0 does not answer.'
      : 'Type a number, or an answer of your own, and Enter. 0 does not answer.';
  return {
    lines: ['', `Question${count}: ${spokenLine(question.question)}`, ...question.options.map(optionLine), how],
    answer(line) {
      if (line === '') return waits(`An empty line answers nothing. ${how}`);
      if (isBack(line)) return closed(asked, {kind: 'dismissed'});
      const given = answerOf(line, question);
      return given === undefined
        ? waits(`There is no such number here. ${how}`)
        : next({...asked, answers: [...answers, given]});
    },
  };
}

const optionLine = ({label, description, recommended}: QuestionOption, at: number): string => {
  const told = description === '' ? '' : `: ${spokenLine(description)}`;
  return `${at + 1}. ${spokenLine(label)}${recommended === 'recommended' ? ' (recommended)' : ''}${told}`;
};

/** A line of numbers is about the options; `undefined` where one of them is none of theirs. */
function answerOf(line: string, {options, choice}: Question): QuestionAnswer | undefined {
  const words = line.split(/[\s,;]+/u).filter(word => word !== '');
  if (!words.every(word => /^\d+$/u.test(word))) return {selected: [], other: line};
  const rows = words.map(word => rowOf(word, options.length));
  if (rows.includes(undefined) || (choice === 'one' && rows.length > 1)) return undefined;
  return {selected: options.filter((_, at) => rows.includes(at)).map(({label}) => label), other: ''};
}

const next = (asked: Asked): DialogueStep =>
  asked.answers.length < asked.questions.length ? goesOn(dialogueOf(asked)) : finished(asked);

const finished = (asked: Asked): DialogueStep => closed(asked, {kind: 'answered', answers: asked.answers});

const closed = ({id}: Asked, response: QuestionResponse): DialogueStep =>
  closes({do: 'op', op: {op: 'answer-question', id, answer: response}});
