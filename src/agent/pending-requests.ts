import type {ApprovalAnswer, CompactionAnswer, Op, QuestionResponse} from './client.ts';
import type {AgentEvent, CompactionOffer} from '../actions/agent-event.ts';
import type {ActionPorts, HandOverEnd, QuestionReply} from '../actions/ports.ts';
import {byKind, unreachable} from '../base/unreachable.ts';
import {raceAbort} from '../base/race.ts';
import type {ActionId} from '../domain/ids.ts';
import type {Asker} from '../domain/sub-agent.ts';
import type {ClockPort, SecretsPort} from './ports.ts';

/** Whether a person or a program can answer approvals and questions. */
export type Interaction = 'interactive' | 'unattended';

interface RequestDeps {
  readonly interaction: Interaction;
  readonly secrets: SecretsPort;
  readonly clock: Pick<ClockPort, 'now'>;
  readonly publish: (events: readonly AgentEvent[]) => void;
}

type AnswerOp = Extract<Op, {op: 'answer-approval' | 'answer-question' | 'answer-hand-over' | 'answer-compaction'}>;

/** All open requests to the user by the id of their action: approvals, questions and terminal hand-overs. */
export class PendingRequests {
  readonly approvals: PendingAnswers<ApprovalAnswer | 'aborted'>;
  /** `everything`: includes what rules, modes and hooks would allow, for all agents of the session. */
  askScope: 'what-is-not-allowed' | 'everything' = 'what-is-not-allowed';
  readonly #questions: PendingAnswers<QuestionReply>;
  readonly #handOvers: PendingAnswers<HandOverEnd>;
  readonly #compactions: PendingAnswers<CompactionAnswer>;
  readonly #deps: RequestDeps;
  readonly #waiting: WaitingTime;
  /** Settles when no one is waiting for a turn to ask. */
  #lastTurn: Promise<unknown> | undefined;
  #listener: AskingListener = () => {};

  constructor(deps: RequestDeps) {
    this.#deps = deps;
    this.#waiting = new WaitingTime(() => deps.clock.now());
    this.approvals = new PendingAnswers(this.#waiting);
    this.#questions = new PendingAnswers(this.#waiting);
    this.#handOvers = new PendingAnswers(this.#waiting);
    this.#compactions = new PendingAnswers(this.#waiting);
  }

  /** Milliseconds for which at least one request was open since the engine started. */
  get waitedMs(): number {
    return this.#waiting.milliseconds;
  }

  /** Takes an answer and redacts its secrets. Ignores an answer to a request that is not open. */
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
      case 'answer-compaction':
        this.#compactions.answer(op.id, op.answer);
        return;
      default:
        unreachable(op);
    }
  }

  /** Publishes to the front ends of the session, whichever agent asks. */
  publish(events: readonly AgentEvent[]): void {
    this.#deps.publish(events);
  }

  /** Calls the listener when someone begins to ask, and with `undefined` when that is settled. */
  onAsking(listener: AskingListener): void {
    this.#listener = listener;
  }

  /**
   * Runs `ask` when no one else is asking: the user sees one question at a time, although sub-agents run side by side.
   * Returns `aborted` if the signal fires before that.
   */
  async runInTurn<T>(
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
    const reply = await this.runInTurn({asker, on: questions[0]?.question ?? ''}, ask, signal);
    return reply === 'aborted' ? {kind: 'dismissed'} : reply;
  }

  async offerCompaction(offer: CompactionOffer, signal: AbortSignal): Promise<CompactionAnswer> {
    const {publish} = this.#deps;
    const ask = async (): Promise<CompactionAnswer> => {
      const waiting = this.#compactions.wait(offer.id, {kind: 'stop'}, signal);
      publish([{event: 'compaction-offered', ...offer}]);
      const answer = await waiting;
      publish([{event: 'compaction-answered', id: offer.id}]);
      return answer;
    };
    const answer = await this.runInTurn({asker: 'main', on: offer.reason}, ask, signal);
    return answer === 'aborted' ? {kind: 'stop'} : answer;
  }

  /** Returns the ports through which one action asks the user. The wait begins before the question is published. */
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
          const end = await this.runInTurn({asker, on: request.reason}, asked, signal);
          return end === 'aborted' ? 'declined' : end;
        },
      },
    };
  }
}

type AskingListener = (asker: Asker, on: string | undefined) => void;

/** Measures how long anything has waited for the user. Overlapping waits count once. */
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

/** Open requests of one kind. Each settles exactly once: by the first answer, or by the abort of its action. */
class PendingAnswers<Answer> {
  readonly #open = new Map<ActionId, (answer: Answer) => void>();
  readonly #waiting: WaitingTime;

  constructor(waiting: WaitingTime) {
    this.#waiting = waiting;
  }

  /** Resolves with the first answer, or with `onAbort` if the signal fires first. */
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

/** Redacts a typed answer, which may hold a secret, before it reaches the model and the journal. */
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
    dismissed: ({kind, reason}) => (reason === undefined ? {kind} : {kind, reason: redact(reason)}),
  });
