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
import {attentionOf} from '../state/selectors.ts';
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
import {plainLabel, plainTextLine, sentences} from './spoken-entry.ts';

/** Who asks: the agent, with the id of its question, or a command of the user's (`own`). */
type Asker = ActionId | 'own';

/** The question that an entered line answers. Only one is asked at a time; the agent's other open questions come after it. */
export class CurrentQuestion {
  readonly #say: (lines: readonly string[]) => void;
  /** Questions whose answers are on the way; the engine's events will settle them. */
  readonly #answered = new Set<Asker>();
  #now: {readonly asker: Asker; readonly question: LineQuestion} | undefined;

  constructor(say: (lines: readonly string[]) => void) {
    this.#say = say;
  }

  get of(): 'none' | 'agent' | 'user' {
    if (this.#now === undefined) return 'none';
    return this.#now.asker === 'own' ? 'user' : 'agent';
  }

  ask(asker: Asker, question: LineQuestion): void {
    this.#now = {asker, question};
    this.#say(question.lines);
  }

  repeat(): void {
    this.#say(this.#now?.question.lines ?? ['Nothing is asked.']);
  }

  drop(): void {
    this.#now = undefined;
  }

  /** The question of the agent's that comes next, if none is asked now. */
  next(view: View, terminals: TerminalSessions): NextQuestion | undefined {
    return this.#now === undefined ? nextQuestion(view, this.#answered, terminals) : undefined;
  }

  /** Takes all events. A question that was settled elsewhere is closed; one that is asked anew is a new one. */
  follow(events: readonly AgentEvent[], view: View): void {
    for (const event of events) {
      const id = askedIn(event);
      if (id === undefined) continue;
      this.#answered.delete(id);
      if (this.#now?.asker === id) this.#now = undefined;
    }
    if (this.#now === undefined || this.#now.asker === 'own' || isOpen(view, this.#now.asker)) return;
    this.#now = undefined;
    this.#say(['The question is no longer open.']);
  }

  answer(line: string): readonly Effect[] {
    if (this.#now === undefined) return [];
    const {asker, question} = this.#now;
    const {next, say, effects} = question.answer(line);
    this.#say(say.filter(text => text !== ''));
    if (next === 'closed') {
      this.#now = undefined;
      if (asker !== 'own') this.#answered.add(asker);
    } else if (next !== 'same') {
      this.ask(asker, next);
    }
    return effects;
  }
}

function askedIn(event: AgentEvent): ActionId | undefined {
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

/** The first open question of the agent's that is not among `answered`. */
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
      const workspace = view.session.tag === 'open' ? view.session.info.directory : '';
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

/** Whether the question of that id still waits for an answer. */
const isOpen = ({approvals, questions, handOvers}: View, id: ActionId): boolean =>
  [...approvals, ...questions, ...handOvers].some(open => open.id === id);

/** The questions of one call, one after the other; each is answered by the numbers of options, or by the user's own words. */
function formQuestion(form: QuestionForm): LineQuestion {
  const question = currentQuestion(form);
  if (question === undefined) return {lines: [], answer: () => stepOf(form, pressForm(form, enter))};
  const {choice, options} = question;
  const count = form.questions.length > 1 ? ` ${form.answers.length + 1} of ${form.questions.length}` : '';
  const numbers = choice === 'many' ? 'one or more numbers, such as 1 2,' : 'a number,';
  const how = `Type ${numbers} or an answer of your own, and Enter. 0 does not answer.`;
  return {
    lines: [
      '',
      `Question${count}: ${plainTextLine(question.question)}`,
      ...changeLines(form),
      ...options.map(optionLine),
      how,
    ],
    answer(line) {
      if (line === '') return askAgain(`An empty line answers nothing. ${how}`);
      if (isBack(line)) return stepOf(form, {kind: 'closed', response: {kind: 'dismissed'}});
      const rows = numbersIn(line, options.length);
      if (rows === undefined) {
        return stepOf(form, pressForm({...form, state: 'typing', other: draftFromText(line)}, enter));
      }
      const row = rows[0];
      if (rows === 'out-of-range' || typeof row !== 'number' || (choice === 'one' && rows.length > 1)) {
        return askAgain(`There is no such number here. ${how}`);
      }
      const checked = choice === 'one' ? [] : options.filter((_, at) => rows.includes(at)).map(({label}) => label);
      return stepOf(form, pressForm({...form, row, checked}, enter));
    },
  };
}

const maxSaid = 100;

function changeLines({files}: QuestionForm): readonly string[] {
  const lines = files.flatMap(fileLines);
  const more = lines.length - maxSaid;
  return more <= 0 ? lines : [...lines.slice(0, maxSaid), `${pluralize(more, 'more line')}.`];
}

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

/** The agent offers the user the terminal of a block. */
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
