import type {ApprovalAnswer, Op, QuestionResponse} from './client.ts';
import type {AgentEvent} from '../actions/agent-event.ts';
import type {ActionPorts, HandOverEnd, QuestionReply} from '../actions/ports.ts';
import {byKind, unreachable} from '../base/unreachable.ts';
import {raceAbort} from '../base/race.ts';
import type {ActionId} from '../domain/ids.ts';
import type {Asker} from '../domain/sub-agent.ts';
import type {ClockPort, SecretsPort} from './ports.ts';

/** Whether a person or a program answers approvals and questions, or nobody does. */
export type Interaction = 'interactive' | 'unattended';

interface RequestDeps {
  readonly interaction: Interaction;
  readonly secrets: SecretsPort;
  readonly clock: Pick<ClockPort, 'now'>;
  readonly publish: (events: readonly AgentEvent[]) => void;
}

type AnswerOp = Extract<Op, {op: 'answer-approval' | 'answer-question' | 'answer-hand-over'}>;

/** All requests to the user that wait for an answer, by the id of the action that asks: approvals, questions, hand-overs of a terminal. */
export class PendingRequests {
  readonly approvals: PendingAnswers<ApprovalAnswer | 'aborted'>;
  /** `everything`: also what rules, modes and hooks would let through, of all agents of the session. */
  asksAbout: 'what-is-not-allowed' | 'everything' = 'what-is-not-allowed';
  readonly #questions: PendingAnswers<QuestionReply>;
  readonly #handOvers: PendingAnswers<HandOverEnd>;
  readonly #deps: RequestDeps;
  readonly #waiting: WaitingTime;
  /** Settles when nobody has a turn to ask any more. */
  #lastTurn: Promise<unknown> | undefined;
  #listener: AskingListener = () => {};

  constructor(deps: RequestDeps) {
    this.#deps = deps;
    this.#waiting = new WaitingTime(() => deps.clock.now());
    this.approvals = new PendingAnswers(this.#waiting);
    this.#questions = new PendingAnswers(this.#waiting);
    this.#handOvers = new PendingAnswers(this.#waiting);
  }

  /** Milliseconds for which at least one request was open, since the engine started. */
  get waitedMs(): number {
    return this.#waiting.milliseconds;
  }

  /** Takes an answer, with secrets redacted. An answer to a request that is not open, or open no longer, changes nothing. */
  answer(op: AnswerOp): void {
    const {secrets} = this.#deps;
    switch (op.op) {
      case 'answer-approval':
        this.approvals.answer(op.id, redactApproval(op.answer, secrets));
        return;
      case 'answer-question':
        this.#questions.answer(op.id, redactReply(op.answer, secrets));
        return;
      case 'answer-hand-over':
        this.#handOvers.answer(op.id, op.end);
        return;
      default:
        unreachable(op);
    }
  }

  /** Publishes to the front ends of the session, whoever asks. */
  publish(events: readonly AgentEvent[]): void {
    this.#deps.publish(events);
  }

  /** Hears who begins to ask for what, and that it is settled (`undefined`). */
  whenAsking(listener: AskingListener): void {
    this.#listener = listener;
  }

  /**
   * Runs `ask` when nobody else asks: the user has one question at a time before him, although sub-agents ask beside the agent.
   * `aborted` where the signal fires before that.
   */
  async inTurn<T>(
    {asker, on}: {readonly asker: Asker; readonly on: string},
    ask: () => Promise<T>,
    signal: AbortSignal,
  ): Promise<T | 'aborted'> {
    const turn = Promise.withResolvers<void>();
    const before = this.#lastTurn;
    const own = before === undefined ? turn.promise : before.then(() => turn.promise);
    this.#lastTurn = own;
    try {
      if (before !== undefined && (await raceAbort(before, signal)) === 'aborted') return 'aborted';
      this.#listener(asker, on);
      try {
        return await ask();
      } finally {
        this.#listener(asker, undefined);
      }
    } finally {
      turn.resolve();
      if (this.#lastTurn === own) this.#lastTurn = undefined;
    }
  }

  async ask(
    asked: Omit<Extract<AgentEvent, {event: 'question-asked'}>, 'event'>,
    signal: AbortSignal,
  ): Promise<QuestionReply> {
    const {interaction, publish} = this.#deps;
    const {id, asker, questions} = asked;
    if (interaction === 'unattended') return {kind: 'unattended'};
    const ask = async (): Promise<QuestionReply> => {
      const waiting = this.#questions.wait(id, {kind: 'dismissed'}, signal);
      publish([{event: 'question-asked', ...asked}]);
      const reply = await waiting;
      publish([{event: 'question-settled', id}]);
      return reply;
    };
    const reply = await this.inTurn({asker, on: questions[0]?.question ?? ''}, ask, signal);
    return reply === 'aborted' ? {kind: 'dismissed'} : reply;
  }

  /** The ports through which one action asks the user, under its id. The wait begins before the question is published. */
  portsFor(id: ActionId, asker: Asker): Pick<ActionPorts, 'questions' | 'handOvers'> {
    const {interaction, publish} = this.#deps;
    return {
      questions: {
        ask: (questions, signal) => this.ask({id, asker, questions, files: []}, signal),
      },
      handOvers: {
        handOver: async (request, signal) => {
          if (interaction === 'unattended') return 'unattended';
          const asked = async (): Promise<HandOverEnd> => {
            const waiting = this.#handOvers.wait(id, 'declined', signal);
            publish([{event: 'hand-over-asked', id, block: request.id, reason: request.reason}]);
            const end = await waiting;
            publish([{event: 'hand-over-settled', id}]);
            return end;
          };
          const end = await this.inTurn({asker, on: request.reason}, asked, signal);
          return end === 'aborted' ? 'declined' : end;
        },
      },
    };
  }
}

type AskingListener = (asker: Asker, on: string | undefined) => void;

/** How long anything has waited for the user; what waits at the same time counts once. */
class WaitingTime {
  readonly #now: () => number;
  #open = 0;
  #since = 0;
  #before = 0;

  constructor(now: () => number) {
    this.#now = now;
  }

  get milliseconds(): number {
    return this.#before + (this.#open > 0 ? this.#now() - this.#since : 0);
  }

  begin(): void {
    if (this.#open === 0) this.#since = this.#now();
    this.#open += 1;
  }

  end(): void {
    this.#open -= 1;
    if (this.#open === 0) this.#before += this.#now() - this.#since;
  }
}

/** Requests of one kind that wait for the user. Each settles exactly once: by the first answer, or by the abort of the action. */
class PendingAnswers<Answer> {
  readonly #open = new Map<ActionId, (answer: Answer) => void>();
  readonly #waiting: WaitingTime;

  constructor(waiting: WaitingTime) {
    this.#waiting = waiting;
  }

  /** Resolves with the first answer, or with `onAbort` when the signal fires first. */
  async wait(id: ActionId, onAbort: Answer, signal: AbortSignal): Promise<Answer> {
    if (signal.aborted) return onAbort;
    return new Promise<Answer>(resolve => {
      const settle = (answer: Answer): void => {
        signal.removeEventListener('abort', abort);
        this.#open.delete(id);
        this.#waiting.end();
        resolve(answer);
      };
      const abort = (): void => settle(onAbort);
      signal.addEventListener('abort', abort, {once: true});
      this.#open.set(id, settle);
      this.#waiting.begin();
    });
  }

  answer(id: ActionId, answer: Answer): void {
    this.#open.get(id)?.(answer);
  }
}

/** An answer that the user types may hold a secret, and both the model and the journal would get it. */
function redactApproval(answer: ApprovalAnswer, {redactDeep}: SecretsPort): ApprovalAnswer {
  switch (answer.decision) {
    case 'allow':
    case 'allow-rule':
    case 'allow-files':
      return answer;
    case 'allow-updated':
      return {...answer, ...redactDeep({input: answer.input})};
    case 'allow-edited':
    case 'allow-with-changes':
    case 'refuse':
      return redactDeep(answer);
    default:
      return unreachable(answer);
  }
}

const redactReply = (reply: QuestionResponse, {redact}: SecretsPort): QuestionResponse =>
  byKind<QuestionResponse, QuestionResponse>(reply, {
    answered: ({kind, answers}) => ({kind, answers: answers.map(answer => ({...answer, other: redact(answer.other)}))}),
    dismissed: dismissed => dismissed,
  });
