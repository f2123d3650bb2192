import type {AskForm, FormReply, ServedResult, ToolCaller} from '../../actions/served-tools.ts';
import type {JsonObject} from '../../base/json.ts';

export interface ToolRunner {
  /** Never rejects. */
  call(name: string, input: JsonObject, caller: ToolCaller): Promise<ServedResult>;
  /** Stops everything that runs. */
  close(): Promise<void>;
}

/** A call has ended, or it waits for the answer to a form. `id` names the waiting call. */
export type CallStep =
  | {readonly kind: 'ended'; readonly result: ServedResult}
  | {readonly kind: 'asks'; readonly id: string; readonly form: AskForm};

/** The part of a call that belongs to one of its requests. The next request of the call brings its own. */
export interface CallRequest {
  readonly signal: AbortSignal;
  readonly report: ToolCaller['report'];
  /** `past-the-answer`: the signal still stands for the client while the call waits for the answer to a form. */
  readonly signalHolds: 'until-the-answer' | 'past-the-answer';
}

/** How long a call waits for the answer to a form, in milliseconds. After that the answer is no. */
const maxWaitMs = 300_000;

/**
 * The calls of one client. A call that asks its client something ends the request with a form, and continues with the
 * request that brings the answer.
 */
export class ServedCalls {
  readonly #runner: ToolRunner;
  readonly #newId: () => string;
  readonly #waiting = new Map<string, WaitingCall>();

  constructor(runner: ToolRunner, newId: () => string) {
    this.#runner = runner;
    this.#newId = newId;
  }

  async begin(
    {name, input, canAsk}: {readonly name: string; readonly input: JsonObject; readonly canAsk: boolean},
    request: CallRequest,
  ): Promise<CallStep> {
    const call = new RunningCall();
    const ask = (form: AskForm): Promise<FormReply> => this.#ask(call, form);
    const caller = {signal: call.signal, report: call.report, ask: canAsk ? ask : ('cannot-ask' as const)};
    void this.#runner.call(name, input, caller).then(result => call.take({kind: 'ended', result}));
    return call.next(request);
  }

  /** Continues a call with the answer to its form. `undefined`: no call waits under this id. */
  async resume(id: string, reply: FormReply, request: CallRequest): Promise<CallStep | undefined> {
    const waiting = this.#waiting.get(id);
    if (waiting === undefined) return undefined;
    const step = waiting.call.next(request);
    waiting.answer(reply);
    return step;
  }

  async close(): Promise<void> {
    for (const {answer} of this.#waiting.values()) answer('declined');
    await this.#runner.close();
  }

  #ask(call: RunningCall, form: AskForm): Promise<FormReply> {
    const id = this.#newId();
    const answered = Promise.withResolvers<FormReply>();
    const answer = (reply: FormReply): void => {
      clearTimeout(timer);
      call.signal.removeEventListener('abort', decline);
      if (this.#waiting.delete(id)) answered.resolve(reply);
    };
    const decline = (): void => answer('declined');
    const timer = setTimeout(decline, maxWaitMs).unref();
    this.#waiting.set(id, {call, answer});
    call.signal.addEventListener('abort', decline, {once: true});
    call.take({kind: 'asks', id, form});
    return answered.promise;
  }
}

interface WaitingCall {
  readonly call: RunningCall;
  readonly answer: (reply: FormReply) => void;
}

class RunningCall {
  readonly #abort = new AbortController();
  #step = Promise.withResolvers<CallStep>();
  #report: ToolCaller['report'] = () => {};
  #detach: () => void = () => {};

  get signal(): AbortSignal {
    return this.#abort.signal;
  }

  readonly report: ToolCaller['report'] = text => this.#report(text);

  take(step: CallStep): void {
    this.#step.resolve(step);
  }

  /** Waits for the next step. An abort of the request stops the call. */
  async next({signal, report, signalHolds}: CallRequest): Promise<CallStep> {
    this.#detach();
    this.#step = Promise.withResolvers();
    this.#report = report;
    const stop = (): void => this.#abort.abort();
    const detach = (): void => signal.removeEventListener('abort', stop);
    this.#detach = detach;
    if (signal.aborted) stop();
    else signal.addEventListener('abort', stop, {once: true});
    const step = await this.#step.promise;
    this.#report = () => {};
    if (step.kind === 'ended' || signalHolds === 'until-the-answer') detach();
    return step;
  }
}
