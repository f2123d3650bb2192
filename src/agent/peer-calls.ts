import type {Action} from '../actions/catalogue.ts';
import {decodeAction, ownField, type ToolSources} from '../actions/decode-action.ts';
import {isPatchCommand, ownCall, ownToolName} from '../actions/peer-tools.ts';
import {isCallQuery} from '../actions/search-tools.ts';
import {offeredFields} from '../actions/tool-offers.ts';
import {isDeeperThan, maxJsonDepth, objectOf} from '../base/json.ts';
import {failed, type Outcome} from '../base/outcome.ts';
import {omittedInputReason, type ToolCallBlock, type WrittenCall} from '../domain/conversation.ts';
import {rejected, type Fault} from '../domain/fault.ts';
import type {ModelEvent} from '../domain/model-stream.ts';

/**
 * Translates the calls of one answer into calls of weft's own tools, so that rules, hooks, programs and people see only these. The input of
 * a translated call comes in one piece at its end.
 */
export class CallTranslator {
  /** The names that need no translation. */
  readonly #isOwn: (name: string) => boolean;
  /** Indexes of the translated calls that are growing. */
  readonly #open = new Set<number>();

  constructor(isOwn: (name: string) => boolean) {
    this.#isOwn = isOwn;
  }

  take(event: ModelEvent): readonly ModelEvent[] {
    if (event.event === 'block-started' && event.block.kind === 'tool-call') {
      const name = this.#isOwn(event.block.name) ? undefined : ownToolName(event.block.name);
      if (name === undefined) return [event];
      this.#open.add(event.index);
      return [{...event, block: {...event.block, name}}];
    }
    if (event.event === 'block-delta' && this.#open.has(event.index)) return [];
    if (event.event !== 'block-finished' || event.block.kind !== 'tool-call') return [event];
    const block = this.#isOwn(event.block.name) ? withInnerCall(event.block) : translated(event.block);
    if (!this.#open.delete(event.index)) return [{...event, block}];
    const delta = {kind: 'tool-input', json: JSON.stringify(block.input)} as const;
    return [
      {event: 'block-delta', index: event.index, delta},
      {...event, block},
    ];
  }
}

function translated(call: ToolCallBlock): ToolCallBlock {
  const {name, input} = call;
  const own = ownToolName(name);
  if (own === undefined) return call;
  // The engine leaves out such an input.
  if (isDeeperThan(input, maxJsonDepth)) return {...call, name: own};
  const done = ownCall(name, input);
  return {...call, ...(done?.tag === 'ok' ? done.value : {name: own, input}), written: {name, input}};
}

/** A patch in a command of weft's own shell tool, or a call in a query for ToolSearch. */
function withInnerCall(call: ToolCallBlock): ToolCallBlock {
  const {name, input} = call;
  const {command, query} = objectOf(input);
  const isCall = name === 'ToolSearch' && isCallQuery(query);
  if (!isCall && (typeof command !== 'string' || !isPatchCommand(command))) return call;
  const done = ownCall(name, input);
  if (done?.tag === 'ok') return {...call, ...done.value, written: {name, input}};
  return isCall ? {...call, written: {name, input}} : call;
}

/** Decodes a call as the model wrote it. The error is in the model's own words for the tool and its fields. */
export function decodeWritten({name, input}: WrittenCall, sources: ToolSources): Outcome<Action, Fault> {
  const own = omittedInputReason(input) === undefined ? ownCall(name, input) : undefined;
  if (own?.tag === 'failed') return failed(rejected(`${name}: ${own.error}.`));
  const {value} = own ?? {value: {name, input}};
  const decoded = decodeAction(value.name, value.input, sources);
  if (decoded.tag === 'ok' || decoded.error.kind !== 'rejected') return decoded;
  return failed({...decoded.error, message: inWordsOf({name, input}, value.name, decoded.error.message)});
}

/** Replaces the names of weft's tool and of its fields by those that the model knows. */
function inWordsOf({name, input}: WrittenCall, own: string, message: string): string {
  const [, problem] = new RegExp(`^The input of ${own} is invalid: (.*)$`, 'su').exec(message) ?? [];
  if (problem === undefined) return message;
  const offered = offeredFields(name);
  let said = offered.length === 0 ? problem : problem.replace(/(?<=The fields here are )[^.]*/u, offered.join(', '));
  for (const field of [...offered, ...Object.keys(objectOf(input))]) {
    const other = ownField(own, field);
    if (other !== undefined && other !== field)
      said = said.replaceAll(new RegExp(`(?<=^|; |\\. )${other}(?= (?:is|must)\\b|:)`, 'gu'), field);
  }
  return `The input of ${name} is invalid: ${said}`;
}
