import type {QuestionResponse} from '../../agent/client.ts';
import type {FileDiff} from '../../actions/preview.ts';
import type {Question, QuestionAnswer} from '../../actions/ports.ts';
import type {ActionId} from '../../domain/ids.ts';
import {emptyDraft, draftText, isEmptyDraft, pasteText, typeText, type Draft} from '../editor/draft.ts';
import {questionKeys, type KeyPress} from '../terminal/keymap.ts';

/** An open AskUserQuestion. The user answers its questions one by one. */
export interface QuestionForm {
  readonly id: ActionId;
  readonly questions: readonly Question[];
  readonly answers: readonly QuestionAnswer[];
  /** The selected row. `none` at first. The row after the last option is the user's own answer. */
  readonly row: number | 'none';
  readonly checked: readonly string[];
  readonly other: Draft;
  readonly state: 'choosing' | 'typing';
  /** The changes that the question is about. */
  readonly files: readonly FileDiff[];
  /** The number of lines of the changes above the visible part. */
  readonly top: number;
}

type ShowsRow = (row: number) => boolean;

export type FormStep =
  | {readonly kind: 'open'; readonly form: QuestionForm}
  | {readonly kind: 'closed'; readonly response: QuestionResponse}
  | {readonly kind: 'stopped'};

/** Opens a form. Nothing is selected at first, so that Enter alone doesn't answer. */
export const openForm = (id: ActionId, questions: readonly Question[], files: readonly FileDiff[]): QuestionForm =>
  ask({id, questions, answers: [], files});

/** Returns the current question, which an open form always has. */
export const currentQuestion = (form: QuestionForm): Question | undefined => form.questions[form.answers.length];

/** Handles a press. The number of an option that the card doesn't show only selects the option, so that the card shows it. */
export function pressForm(form: QuestionForm, press: KeyPress, shows: ShowsRow): FormStep {
  const question = currentQuestion(form);
  if (question === undefined) return {kind: 'closed', response: {kind: 'answered', answers: form.answers}};
  return form.state === 'typing' ? pressTyping(form, press) : pressChoosing(form, question, {press, shows});
}

/** Lines that a page key scrolls. */
const pageLines = 6;

/** Returns the maximum number of lines that the changes can take, with headings and notes. */
const maxLinesOf = ({files}: QuestionForm): number =>
  files.reduce(
    (sum, {hunks, notes}) => sum + 1 + notes.length + hunks.reduce((all, {lines}) => all + 1 + lines.length, 0),
    0,
  );

function pressChoosing(
  form: QuestionForm,
  question: Question,
  {press, shows}: {readonly press: KeyPress; readonly shows: ShowsRow},
): FormStep {
  const rows = question.options.length + 1;
  if (press.kind === 'paste')
    return open({...form, row: rows - 1, state: 'typing', other: pasteText(form.other, press.text)});
  if (press.kind === 'text') return pressText(form, question, {text: press.text, shows});
  switch (press.name) {
    case 'up':
      return open({...form, row: form.row === 'none' ? rows - 1 : (form.row + rows - 1) % rows});
    case 'down':
    case 'complete':
      return open({...form, row: form.row === 'none' ? 0 : (form.row + 1) % rows});
    case 'page-up':
      return open({...form, top: Math.max(0, form.top - pageLines)});
    case 'page-down':
      return open({...form, top: Math.min(form.top + pageLines, maxLinesOf(form))});
    case 'escape':
      return {kind: 'stopped'};
    case 'enter':
      return enter(form, question);
    default:
      return open(form);
  }
}

function pressText(
  form: QuestionForm,
  question: Question,
  {text, shows}: {readonly text: string; readonly shows: ShowsRow},
): FormStep {
  const digit = /^[1-9]$/u.test(text) ? Number(text) - 1 : -1;
  if (digit >= 0 && digit <= question.options.length) {
    const there = {...form, row: digit};
    if (!shows(digit)) return open(there);
    return question.choice === 'many' && digit < question.options.length
      ? open(toggleOption(there, question))
      : enter(there, question);
  }
  if (text === questionKeys.toggle && question.choice === 'many') return open(toggleOption(form, question));
  if (text === questionKeys.other || form.row === question.options.length) {
    const other = text === questionKeys.other ? form.other : typeText(form.other, text);
    return open({...form, row: question.options.length, state: 'typing', other});
  }
  return open(form);
}

function pressTyping(form: QuestionForm, press: KeyPress): FormStep {
  if (press.kind !== 'key') return open(form);
  switch (press.name) {
    case 'escape':
    case 'up':
    case 'down':
      return open({...form, state: 'choosing'});
    case 'enter':
      return isEmptyDraft(form.other) ? open({...form, state: 'choosing'}) : answerQuestion(form, form.checked);
    default:
      return open(form);
  }
}

/** Answers with the selected row. Multi-select answers with the checked rows, or the selected one if none is checked. */
function enter(form: QuestionForm, question: Question): FormStep {
  if (form.row === 'none') return form.checked.length > 0 ? answerQuestion(form, form.checked) : open(form);
  const option = question.options[form.row];
  if (option === undefined) return open({...form, state: 'typing'});
  if (question.choice === 'one') return answerQuestion({...form, other: emptyDraft}, [option.label]);
  return answerQuestion(form, form.checked.length > 0 ? form.checked : [option.label]);
}

function toggleOption(form: QuestionForm, question: Question): QuestionForm {
  const label = form.row === 'none' ? undefined : question.options[form.row]?.label;
  if (label === undefined) return form;
  const checked = form.checked.includes(label)
    ? form.checked.filter(one => one !== label)
    : question.options.map(option => option.label).filter(one => one === label || form.checked.includes(one));
  return {...form, checked};
}

function answerQuestion(form: QuestionForm, selected: readonly string[]): FormStep {
  const answers = [...form.answers, {selected, other: draftText(form.other)}];
  if (answers.length >= form.questions.length) return {kind: 'closed', response: {kind: 'answered', answers}};
  return open(ask({...form, answers}));
}

const ask = ({
  id,
  questions,
  answers,
  files,
}: Pick<QuestionForm, 'id' | 'questions' | 'answers' | 'files'>): QuestionForm => ({
  id,
  questions,
  answers,
  files,
  top: 0,
  row: 'none',
  checked: [],
  other: emptyDraft,
  state: 'choosing',
});

const open = (form: QuestionForm): FormStep => ({kind: 'open', form});
