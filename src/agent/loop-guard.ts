import type {SettledCall} from '../actions/agent-event.ts';
import {accessOf, definitions} from '../actions/catalogue.ts';
import {firstLine} from '../base/clip.ts';
import {isJsonObject} from '../base/json.ts';
import {blockTexts, type Message, type ToolCallBlock, type ToolResultBlock} from '../domain/conversation.ts';
import {type Fault, sentence, needsUser} from '../domain/fault.ts';
import type {ActionId} from '../domain/ids.ts';
import {checksum} from '../domain/mcp-tool-name.ts';
import {reminderBlock} from '../domain/reminder.ts';
import type {RiskLevel} from '../domain/risk.ts';

/** The number of failures of the same call from which the result asks the model to change its approach. */
const warnedFailures = 3;
/** The number of failures of the same call that ends the prompt. */
const maxFailures = 5;
/** The number of consecutive turns in which no call fits the catalog. The guard can't be turned off for these. */
const maxInvalidTurns = 10;
/** The number of consecutive turns that bring nothing new, after which the prompt ends. Waiting for something may take some. */
const maxIdleTurns = 30;
/** The maximum number of characters of a result that is repeated, because the note that would replace it is hardly shorter. */
const maxRepeated = 300;

/** The seconds that weft adds to the result of a command. They differ although nothing has changed. */
const duration = /(?<=\bafter )\d+\.\d(?= s in )|\d+\.\d(?= s after its start)/gu;

/** A call that has settled. `content` is its result for the model. */
interface SettledToolCall {
  readonly call: ToolCallBlock;
  readonly result: SettledCall;
  readonly risk: RiskLevel;
  readonly content: ToolResultBlock;
}

/** Watches the calls of one prompt for a model that does the same again and again. */
export class LoopGuard {
  readonly #state: 'on' | 'off';
  readonly #failures = new Map<string, {count: number; readonly isRead: boolean}>();
  /** The first results of reads, by call. */
  readonly #reads = new Map<string, ActionId>();
  /** Calls of this turn that failed. The model has not read their results yet, so repeating them is not a loop. */
  readonly #failedNow = new Set<string>();
  /** The length and checksum of each call's latest result. */
  readonly #results = new Map<string, string>();
  #calls = 0;
  #invalidCalls = 0;
  #invalidTurns = 0;
  /** Calls of this turn that were denied, or that had the same result before. */
  #idleCalls = 0;
  #idleTurns = 0;
  #end: Fault | undefined;

  constructor(state: 'on' | 'off') {
    this.#state = state;
  }

  /** Returns why the prompt has to end, or `undefined`. Called after the calls of a turn. */
  afterTurn(): Fault | undefined {
    if (this.#calls > 0) this.#invalidTurns = this.#calls === this.#invalidCalls ? this.#invalidTurns + 1 : 0;
    if (this.#calls > 0) this.#idleTurns = this.#calls === this.#idleCalls ? this.#idleTurns + 1 : 0;
    this.#calls = 0;
    this.#invalidCalls = 0;
    this.#idleCalls = 0;
    this.#failedNow.clear();
    if (this.#invalidTurns >= maxInvalidTurns)
      return endFault(`The model made only invalid tool calls ${maxInvalidTurns} times in a row.`);
    if (this.#idleTurns >= maxIdleTurns)
      return endFault(
        `The model made only calls that were denied or brought nothing new, ${maxIdleTurns} turns in a row.`,
      );
    return this.#end;
  }

  /** Returns a call's result as the model is to read it. */
  afterCall(settled: SettledToolCall, messages: readonly Message[]): ToolResultBlock {
    const {call, result, content, risk} = settled;
    this.#calls += 1;
    if (result.tag === 'undecodable') this.#invalidCalls += 1;
    if (this.#state === 'off') return content;
    const key = keyOf(call);
    const isDenied = content.outcome === 'cancelled' && content.reason === 'denied';
    const text = JSON.stringify(content.content);
    const compared = text.replaceAll(duration, '');
    const digest = `${compared.length} ${checksum(compared)}`;
    if (isDenied || this.#results.get(key) === digest) this.#idleCalls += 1;
    this.#results.set(key, digest);
    if (content.outcome === 'success') {
      this.#forgetFailures(result, risk);
      return isRepeatableRead(result)
        ? this.#withoutRepetition({key, content, length: text.length}, messages)
        : content;
    }
    return content.outcome === 'error' || isDenied ? this.#countFailure(key, settled) : content;
  }

  /** Other changes may help a failed call. A command may also have waited for what a failed read looks for. */
  #forgetFailures(result: SettledCall, risk: RiskLevel): void {
    if (result.tag === 'action' && definitions[result.result.name].scheduling === 'parallel') return;
    for (const [key, {isRead}] of this.#failures) if (isRead || risk !== 'read-only') this.#failures.delete(key);
  }

  /** The errors may differ: weft itself says more when an edit fails again. */
  #countFailure(key: string, {call, result, content}: SettledToolCall): ToolResultBlock {
    const failure = this.#failures.get(key) ?? {count: 0, isRead: isRepeatableRead(result)};
    this.#failures.set(key, failure);
    if (!this.#failedNow.has(key)) failure.count += 1;
    this.#failedNow.add(key);
    const {count} = failure;
    if (count >= maxFailures)
      this.#end = endFault(
        `${call.name} failed ${count} times with the same input: ${firstLine(blockTexts(content.content).join('\n'), 200)}`,
      );
    if (count < warnedFailures) return content;
    const text = `This call has failed ${count} times with the same input. Do not repeat it: change the input, or do it another way.`;
    return {...content, content: [...content.content, reminderBlock(text)]};
  }

  /** Replaces a result that the conversation still holds word for word. */
  #withoutRepetition(
    {key, content, length}: {readonly key: string; readonly content: ToolResultBlock; readonly length: number},
    messages: readonly Message[],
  ): ToolResultBlock {
    const before = this.#reads.get(key);
    const isSame = before !== undefined && hasResult(messages, before, content);
    if (!isSame) {
      this.#reads.set(key, content.id);
      return content;
    }
    const note = reminderBlock(
      'The same as the result of the identical call before: nothing has changed. Use that result, and do not repeat the call.',
    );
    return {...content, content: length > maxRepeated ? [note] : [...content.content, note]};
  }
}

/** Calls with the same key do the same. Models describe the same command in other words. */
function keyOf({name, input}: ToolCallBlock): string {
  const {description: _, ...rest} = isJsonObject(input) ? input : {input};
  return `${name} ${JSON.stringify(name === 'Bash' ? rest : input)}`;
}

/** True for a read or a search of files, whose unchanged result need not be repeated. */
function isRepeatableRead(result: SettledCall): boolean {
  if (result.tag === 'undecodable' || definitions[result.result.name].risk !== 'read-only') return false;
  const {kind} = accessOf(result.result);
  return kind === 'read' || kind === 'search';
}

/** True if the messages hold this content as the result of the call. Reminders may follow it. */
function hasResult(messages: readonly Message[], id: ActionId, {content}: ToolResultBlock): boolean {
  const wanted = content.map(block => JSON.stringify(block));
  return messages.some(({blocks}) =>
    blocks.some(
      block =>
        block.kind === 'tool-result' &&
        block.id === id &&
        wanted.every((text, at) => JSON.stringify(block.content[at]) === text),
    ),
  );
}

const endFault = (message: string): Fault =>
  needsUser(`${sentence(message)} weft stopped the prompt.`, 'Say how to go on.');
