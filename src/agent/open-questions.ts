import type {AgentEvent} from '../actions/agent-event.ts';
import type {ActionPorts, HandOverEnd, QuestionReply} from '../actions/ports.ts';
import {unreachable} from '../base/unreachable.ts';
import type {ActionId} from '../domain/ids.ts';
import {concealApproval, concealReply} from './conceal-answer.ts';
import type {ApprovalAnswer, Op} from './engine.ts';
import {PendingAnswers} from './pending-answers.ts';
import type {SecretsPort} from './ports.ts';

/** Who is asked, and how. */
export interface Asking {
  readonly asking: 'somebody' | 'nobody';
  readonly secrets: SecretsPort;
  readonly publish: (events: readonly AgentEvent[]) => void;
}

/** An op by which somebody answers. */
export type AnswerOp = Extract<Op, {op: 'answer-approval' | 'answer-question' | 'answer-hand-over'}>;

/** All that waits for a person, by the action that asks. */
export class OpenQuestions {
  readonly approvals = new PendingAnswers<ApprovalAnswer | 'aborted'>();
  readonly #questions = new PendingAnswers<QuestionReply>();
  readonly #handOvers = new PendingAnswers<HandOverEnd>();
  readonly #asking: Asking;

  constructor(asking: Asking) {
    this.#asking = asking;
  }

  /** Kept and told without secrets. An answer to something not open, or open no longer, changes nothing. */
  answer(op: AnswerOp): void {
    const {secrets} = this.#asking;
    switch (op.op) {
      case 'answer-approval':
        this.approvals.answer(op.id, concealApproval(op.answer, secrets));
        return;
      case 'answer-question':
        this.#questions.answer(op.id, concealReply(op.answer, secrets));
        return;
      case 'answer-hand-over':
        this.#handOvers.answer(op.id, op.end);
        return;
      default:
        unreachable(op);
    }
  }

  /** The ports through which one action asks a person, under its id. The wait begins before the question is told. */
  portsFor(id: ActionId): Pick<ActionPorts, 'questions' | 'handOvers'> {
    const {asking, publish} = this.#asking;
    return {
      questions: {
        ask: async (questions, signal) => {
          if (asking === 'nobody') return {kind: 'nobody'};
          const waiting = this.#questions.wait(id, {kind: 'dismissed'}, signal);
          publish([{event: 'question-asked', id, questions}]);
          const reply = await waiting;
          publish([{event: 'question-settled', id}]);
          return reply;
        },
      },
      handOvers: {
        handOver: async (request, signal) => {
          if (asking === 'nobody') return 'nobody';
          const waiting = this.#handOvers.wait(id, 'declined', signal);
          publish([{event: 'hand-over-asked', id, block: request.id, reason: request.reason}]);
          const end = await waiting;
          publish([{event: 'hand-over-settled', id}]);
          return end;
        },
      },
    };
  }
}
