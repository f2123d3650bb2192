import type {AgentEvent} from '../../actions/agent-event.ts';
import {programName} from '../../actions/block-text.ts';
import type {BlockInfo, QuestionOption} from '../../actions/ports.ts';
import {pluralize} from '../../base/clip.ts';
import {unreachable} from '../../base/unreachable.ts';
import type {ActionId} from '../../domain/ids.ts';
import type {BellEvent} from '../../domain/preferences.ts';
import {draftFromText} from '../editor/draft.ts';
import type {Effect} from '../state/effect.ts';
import {currentQuestion, type FormStep, openForm, pressForm, type QuestionForm} from '../state/question-form.ts';
import {attentionOf, directoryOf} from '../state/selectors.ts';
import type {View} from '../state/view.ts';
import type {KeyPress} from '../terminal/keymap.ts';
import type {TerminalSessions} from '../terminal/terminal-sessions.ts';
import {approvalQuestion, fileLines} from './approval-question.ts';
import {
  type AnswerStep,
  askAgain,
  askNext,
  closeWith,
  isBack,
  letterChoice,
  type LineQuestion,
  numbersIn,
} from './line-question.ts';
import {blockLine} from './panel-question.ts';
import {plainLabel, plainTextLine, sentences} from './plain-entry.ts';

/** The source of a question: the agent, with the question's id, or one of the user's commands (`own`). */
type Asker = ActionId | 'own';

/** The question that an entered line answers. Only one is open at a time; the agent's other questions wait. */
export class CurrentQuestion {
  readonly #say: (lines: readonly string[]) => void;
  /** Questions that were answered but not yet settled by an engine event. */
  readonly #answered = new Set<Asker>();
  #current: {readonly asker: Asker; readonly question: LineQuestion} | undefined;

  constructor(say: (lines: readonly string[]) => void) {
    this.#say = say;
  }

  get askedBy(): 'none' | 'agent' | 'user' {
    if (this.#current === undefined) return 'none';
    return this.#current.asker === 'own' ? 'user' : 'agent';
  }

  ask(asker: Asker, question: LineQuestion): void {
    this.#current = {asker, question};
    this.#say(question.lines);
  }

  repeat(): void {
    this.#say(this.#current?.question.lines ?? ['No question is open.']);
  }

  drop(): void {
    this.#current = undefined;
  }

  /** Returns the agent's next question if no question is open. */
  next(view: View, terminals: TerminalSessions): NextQuestion | undefined {
    return this.#current === undefined ? nextQuestion(view, this.#answered, terminals) : undefined;
  }

  /** Updates the question from events. Closes a question that was settled elsewhere. A question that is asked again counts as new. */
  follow(events: readonly AgentEvent[], view: View): void {
    for (const event of events) {
      const id = requestIdOf(event);
      if (id === undefined) continue;
      this.#answered.delete(id);
      if (this.#current?.asker === id) this.#current = undefined;
    }
    if (this.#current === undefined || this.#current.asker === 'own' || isOpen(view, this.#current.asker)) return;
    this.#current = undefined;
    this.#say(['The question is no longer open.']);
  }

  answer(line: string): readonly Effect[] {
    if (this.#current === undefined) return [];
    const {asker, question} = this.#current;
    const {next, say, effects} = question.answer(line);
    this.#say(say.filter(text => text !== ''));
    if (next === 'closed') {
      this.#current = undefined;
      if (asker !== 'own') this.#answered.add(asker);
    } else if (next !== 'same') {
      this.ask(asker, next);
    }
    return effects;
  }
}

function requestIdOf(event: AgentEvent): ActionId | undefined {
  switch (event.event) {
    case 'approval-requested':
      return event.approval.id;
    case 'question-asked':
    case 'hand-over-asked':
      return event.id;
    default:
      return undefined;
  }
}

export interface NextQuestion {
  readonly id: Asker;
  readonly question: LineQuestion;
  readonly bell: BellEvent;
}

/** Returns the agent's first open question that is not in `answered`. */
function nextQuestion(view: View, answered: ReadonlySet<Asker>, terminals: TerminalSessions): NextQuestion | undefined {
  const fresh = <Open extends {readonly id: ActionId}>(all: readonly Open[]): readonly Open[] =>
    all.filter(({id}) => !answered.has(id));
  const attention = attentionOf({
    ...view,
    approvals: fresh(view.approvals),
    questions: fresh(view.questions),
    handOvers: fresh(view.handOvers),
  });
  switch (attention.kind) {
    case 'composer':
      return undefined;
    case 'approval': {
      const {approval, waiting} = attention;
      const workspace = directoryOf(view);
      return {id: approval.id, question: approvalQuestion(approval, {waiting, workspace}), bell: 'approval'};
    }
    case 'question': {
      const {id, questions, files} = attention.open;
      return {id, question: formQuestion(openForm(id, questions, files)), bell: 'question'};
    }
    case 'hand-over': {
      const {open} = attention;
      const info = terminals.list().find(({id}) => id === open.block);
      return {id: open.id, question: handOverQuestion(open, info), bell: 'question'};
    }
    default:
      return unreachable(attention);
  }
}

/** True if the question with this id still needs an answer. */
const isOpen = ({approvals, questions, handOvers}: View, id: ActionId): boolean =>
  [...approvals, ...questions, ...handOvers].some(open => open.id === id);

/** Asks the questions of one call in turn. The user answers with option numbers or in their own words. */
function formQuestion(form: QuestionForm): LineQuestion {
  const question = currentQuestion(form);
  if (question === undefined) return {lines: [], answer: () => stepOf(form, pressForm(form, enter, showsAll))};
  const {choice, options} = question;
  const count = form.questions.length > 1 ? ` ${form.answers.length + 1} of ${form.questions.length}` : '';
  const numbers = choice === 'many' ? 'one or more numbers, such as 1 2,' : 'a number,';
  const how = `Type ${numbers} or your own answer, and press Enter. 0 dismisses the question.`;
  return {
    lines: [
      '',
      `Question${count}: ${plainTextLine(question.question)}`,
      ...changeLines(form),
      ...options.map(optionLine),
      how,
    ],
    answer(line) {
      if (line === '') return askAgain(`An empty line is not an answer. ${how}`);
      if (isBack(line)) return stepOf(form, {kind: 'closed', response: {kind: 'dismissed'}});
      const rows = numbersIn(line, options.length);
      if (rows === undefined) {
        return stepOf(form, pressForm({...form, state: 'typing', other: draftFromText(line)}, enter, showsAll));
      }
      const row = rows[0];
      if (rows === 'out-of-range' || typeof row !== 'number' || (choice === 'one' && rows.length > 1)) {
        return askAgain(`No such number. ${how}`);
      }
      const checked = choice === 'one' ? [] : options.filter((_, at) => rows.includes(at)).map(({label}) => label);
      return stepOf(form, pressForm({...form, row, checked}, enter, showsAll));
    },
  };
}

const maxChangeLines = 100;

function changeLines({files}: QuestionForm): readonly string[] {
  const lines = files.flatMap(fileLines);
  const more = lines.length - maxChangeLines;
  return more <= 0 ? lines : [...lines.slice(0, maxChangeLines), `${pluralize(more, 'more line')}.`];
}

/** The lines of a question name every option. */
const showsAll = (): boolean => true;

const enter: KeyPress = {kind: 'key', name: 'enter'};

function stepOf({id}: QuestionForm, step: FormStep): AnswerStep {
  switch (step.kind) {
    case 'open':
      return askNext(formQuestion(step.form));
    case 'closed':
      return closeWith({do: 'op', op: {op: 'answer-question', id, answer: step.response}});
    case 'stopped':
      return closeWith({do: 'op', op: {op: 'interrupt'}});
    default:
      return unreachable(step);
  }
}

const optionLine = ({label, description, recommended}: QuestionOption, at: number): string => {
  const detail = description === '' ? '' : `: ${plainTextLine(description)}`;
  return `${at + 1}. ${plainTextLine(label)}${recommended === 'recommended' ? ' (recommended)' : ''}${detail}`;
};

/** Asks whether the user wants to take over the terminal of a background command. */
const handOverQuestion = ({id, block, reason}: View['handOvers'][number], info: BlockInfo | undefined): LineQuestion =>
  letterChoice(
    [
      '',
      info === undefined
        ? 'The program has ended.'
        : `${plainLabel(programName(info.command))} is yours. ${blockLine(info)}`,
      sentences([`Why: ${plainTextLine(reason)}`]),
    ],
    [
      {letter: 'y', label: 'Take over its terminal'},
      {letter: 'n', label: 'No'},
    ],
    letter =>
      closeWith(letter === 'y' ? {do: 'attach', block} : {do: 'op', op: {op: 'answer-hand-over', id, end: 'declined'}}),
  );
