import {unreachable} from '../base/unreachable.ts';
import {type JsonObject, listOf, objectOf} from '../base/json.ts';
import type {
  AssistantBlock,
  BlockAddress,
  DocumentBlock,
  ImageBlock,
  Message,
  ResultContent,
  UserBlock,
} from '../domain/conversation.ts';
import {withoutMedia} from '../domain/history.ts';
import type {MessageId} from '../domain/ids.ts';
import type {ModelRequest, Repaired} from '../domain/model-stream.ts';
import {isLasting, type JudgedRefusal, type KnownRefusal, type RefusalClass, takesAway} from './refusals.ts';
import type {BodyChange, Loss, SessionRefusalChanges, RequestChange} from './send-request.ts';
import {
  imagesInWords,
  inTurn,
  isDroppable,
  mediaInWords,
  messagesField,
  otherNames,
  renamed,
  withCallSignatures,
  withFunctionTools,
  withMaxTokens,
  withOtherThinking,
  withPlainRoles,
  withReasoning,
  withRoleOrder,
  withShortIds,
  withSimpleSchemas,
  without,
  withoutRole,
} from './body-changes.ts';
import {imageFollowsText} from './openai-request.ts';

/** The repair of one refusal, or `undefined` if nothing in the request can be repaired. Lessons for later requests go into `learned`. */
export interface Repair {
  /** Identifies the refusal. If the same refusal comes again, it is final. */
  readonly key: string;
  readonly event: Repaired;
  /** `if-it-helps`: the user learns of the repair when the answer begins. */
  readonly said: 'at-once' | 'if-it-helps';
  readonly request: ModelRequest;
  /** Changes only this request's body. */
  readonly once: BodyChange | undefined;
  /** Takes the lessons back. */
  readonly undo: () => void;
  /** The refusal for later runs, if they would get it too. */
  readonly known: KnownRefusal | undefined;
}

interface RefusedRequest {
  readonly request: ModelRequest;
  readonly body: JsonObject;
  readonly learned: SessionRefusalChanges;
  /** The name of the server, for people. */
  readonly server: string;
  /** The keys of the repairs of this request so far. */
  readonly tried: ReadonlySet<string>;
  readonly refusedBetas: Set<string> | undefined;
}

interface Step {
  readonly text: string;
  /** The refusal that leads to this step in a later run, if it is another one. */
  readonly as?: RefusalClass;
  /** The answers that the step is about. */
  readonly answers?: ReadonlySet<MessageId>;
  readonly key?: string;
  readonly leftOut?: readonly BlockAddress[];
  /** Applies to all later requests too. */
  readonly body?: BodyChange;
  readonly conversation?: RequestChange;
  readonly once?: BodyChange;
  readonly learn?: Partial<Pick<SessionRefusalChanges, 'thinkingEcho' | 'toolReferences'>>;
  readonly betas?: readonly string[];
}

/** Repairs a refused request, or returns `undefined` if nothing helps that was not tried. */
export function repairOf({is, said}: Pick<JudgedRefusal, 'is' | 'said'>, refused: RefusedRequest): Repair | undefined {
  const steps = [stepFor(is, said, refused), otherStep(is, refused)];
  const step = steps.find(each => each !== undefined && isNew(each, is, refused));
  if (step === undefined) return undefined;
  const {request, learned, refusedBetas} = refused;
  const {text, leftOut = [], body, conversation, once, learn = {}, betas = [], key = is.kind} = step;
  if (body !== undefined) learned.bodyChanges.push(body);
  if (conversation !== undefined) learned.requestChanges.push(conversation);
  const {thinkingEcho, toolReferences} = learned;
  Object.assign(learned, learn);
  for (const name of betas) refusedBetas?.add(name);
  const event: Repaired = {event: 'repaired', repair: is.kind, text, leftOut};
  const as = step.as ?? is;
  const isGuess = as.kind === 'unexplained';
  const from = isGuess ? 'refused-media' : as.kind === 'no-images' ? 'media' : 'request';
  const loss: Loss = {from, event, body, conversation};
  if (once === undefined && (isGuess || leftOut.length === 0) && takesAway(as)) learned.losses.push(loss);
  const undo = (): void => {
    remove(learned.losses, loss);
    if (body !== undefined) remove(learned.bodyChanges, body);
    if (conversation !== undefined) remove(learned.requestChanges, conversation);
    Object.assign(learned, {thinkingEcho, toolReferences});
    for (const name of betas) refusedBetas?.delete(name);
  };
  const messages = isGuess || leftOut.length === 0 ? request.messages : withoutMedia(request.messages, leftOut);
  return {
    key,
    event,
    said: isGuess ? 'if-it-helps' : 'at-once',
    request: {...request, messages},
    once,
    undo,
    known: knownRefusal(as, said, step),
  };
}

function knownRefusal(is: RefusalClass, said: string, {once, answers = new Set()}: Step): KnownRefusal | undefined {
  if (once !== undefined || !isLasting(is)) return undefined;
  return {is, said: said.includes('between_tools') ? 'between_tools' : '', messages: [...answers].slice(-maxKept)};
}

/** The maximum number of answers to keep with a refusal. */
const maxKept = 200;

/**
 * Applies the repairs that earlier runs have found, before the server refuses a request again. Returns the refusals that
 * don't concern this request.
 */
export function recallRepairs(
  known: readonly KnownRefusal[],
  body: () => JsonObject,
  refused: Omit<RefusedRequest, 'body' | 'tried'>,
): readonly KnownRefusal[] {
  const {messages: sent} = refused.request;
  return known.filter(({is, said, messages}) => {
    const needsMedia = is.kind === 'no-images' || is.kind === 'result-media';
    if (needsMedia && mediaOf(refused.request).length === 0) return true;
    if (messages.length > 0 && !sent.some(({id}) => messages.includes(id))) return true;
    return repairOf({is, said}, {...refused, body: body(), tried: new Set()}) === undefined;
  });
}

/** Returns what the lessons take away from the prompt that a request begins with, or from the media of its last results. */
export function lossesAt(request: ModelRequest, body: JsonObject, losses: readonly Loss[]): readonly Repaired[] {
  const {messages} = request;
  const given = messages.slice(messages.findLastIndex(({role}) => role === 'assistant') + 1);
  const isPrompt = !given.some(({blocks}) => blocks.some(({kind}) => kind === 'tool-result'));
  const media = mediaOf({...request, messages: given});
  const takes = ({body: change, conversation}: Loss): boolean =>
    (change !== undefined && JSON.stringify(change(body)) !== JSON.stringify(body)) ||
    (conversation !== undefined && JSON.stringify(conversation(request)) !== JSON.stringify(request));
  return losses
    .filter(loss => (loss.from === 'request' ? isPrompt : media.length > 0) && takes(loss))
    .map(({from, event}) => ({...event, leftOut: from === 'refused-media' ? addresses(media) : []}));
}

/** True unless the step was tried, or changes nothing. An unchanged body would only be refused again. */
function isNew({body, once, key}: Step, {kind}: RefusalClass, refused: RefusedRequest): boolean {
  if (refused.tried.has(key ?? kind)) return false;
  const change = body ?? once;
  return change === undefined || JSON.stringify(change(refused.body)) !== JSON.stringify(refused.body);
}

/** Returns what to try if the first step was tried, or would change nothing. */
function otherStep({kind}: RefusalClass, refused: RefusedRequest): Step | undefined {
  if (kind === 'parameter') return withoutMediaStep(refused);
  return kind === 'role-order' || kind === 'system-role' ? plainRoles(refused) : undefined;
}

const plainRoles = ({request}: RefusedRequest): Step => ({
  key: 'plain-roles',
  as: {kind: 'plain-roles'},
  body: withPlainRoles,
  text: `${request.model} knows only the roles of user and assistant in turn, so weft sent everything in these.`,
});

/** Providers refuse images in many words. If weft doesn't know them, it tries the request without media. */
function withoutMediaStep({server, request}: RefusedRequest): Step | undefined {
  const media = mediaOf(request);
  return media.length === 0
    ? undefined
    : {
        key: 'unexplained',
        as: {kind: 'unexplained'},
        leftOut: addresses(media),
        body: mediaInWords,
        text: `${server} rejected the request, so weft sent it without images and documents.`,
      };
}

function remove<T>(list: T[], item: T): void {
  const at = list.indexOf(item);
  if (at >= 0) list.splice(at, 1);
}

function stepFor(is: RefusalClass, said: string, refused: RefusedRequest): Step | undefined {
  const {request, body, server} = refused;
  const {model} = request;
  switch (is.kind) {
    case 'system-role':
      return {
        body: withoutRole,
        text: `${model} doesn't support this role for instructions, so weft sent them in another role.`,
      };
    case 'beta':
      return refused.refusedBetas === undefined
        ? undefined
        : {
            betas: is.names.length === 0 ? ['all'] : is.names,
            text: `${server} doesn't support ${is.names.length === 0 ? 'betas' : `the beta ${is.names.join(', ')}`}, so weft left ${is.names.length > 1 ? 'them' : 'it'} out.`,
          };
    case 'cache-control':
      return {
        body: without('cache_control'),
        text: `${server} doesn't support prompt caching marks, so weft left them out.`,
      };
    case 'tool-references':
      return refused.learned.toolReferences === 'refused'
        ? undefined
        : {
            learn: {toolReferences: 'refused'},
            text: `${server} doesn't load tools on demand, so the model calls them by ToolSearch.`,
          };
    case 'thinking-first':
      return {
        once: without('thinking'),
        text: `${model} can't start thinking in the middle of a turn. It continues without thinking.`,
      };
    case 'thinking-signature': {
      const ids = thoughtful(request.messages);
      if (ids.size === 0) return undefined;
      return {
        conversation: withoutThinking(ids),
        answers: ids,
        text: `${server} rejected ${model}'s earlier thinking, so weft sent the request without it.`,
      };
    }
    case 'thinking-echo':
      return {
        body: withReasoning,
        learn: {thinkingEcho: 'required'},
        text: `${model} requires its earlier thinking, so weft sent it.`,
      };
    case 'thinking-type':
      return {
        body: withOtherThinking(said),
        text: `${model} doesn't support this thinking mode, so weft chose another.`,
      };
    case 'effort':
      return {
        body: inTurn(without('output_config'), without('reasoning_effort'), without('reasoning.effort')),
        text: `${model} doesn't support this effort level, so weft left it out.`,
      };
    case 'plain-roles':
      return plainRoles(refused);
    case 'role-order':
      return {
        body: withRoleOrder,
        text: `${model} expects another order of roles, so weft joined or separated messages.`,
      };
    case 'call-signature':
      return {
        body: withCallSignatures,
        text: `Earlier tool calls had no signatures from ${model}, so weft added placeholders.`,
      };
    case 'call-id':
      return {body: withShortIds(is.most), text: `${server} accepts only short tool call IDs, so weft shortened them.`};
    case 'schema':
      return {
        body: withSimpleSchemas,
        text: `${server} rejected the full tool schemas, so weft sent simpler ones.`,
      };
    case 'text-tools':
      return {
        body: withFunctionTools,
        text: `${server} supports only tools with JSON inputs, so weft sent such tools.`,
      };
    case 'result-media':
      return mediaOf(request).some(({result}) => result)
        ? {
            conversation: mediaAfterResults,
            text: `${server} doesn't support images in tool results, so weft sent the images after the results.`,
          }
        : undefined;
    case 'no-images':
      return {body: imagesInWords, text: `${model} can't see images, so weft replaced them with text.`};
    case 'max-tokens':
      return is.input === 0
        ? {
            body: withMaxTokens(is.most),
            text: `${model} writes at most ${numeral(is.most)} tokens, so weft lowered the limit.`,
          }
        : {
            once: withMaxTokens(is.most),
            text: `The conversation leaves ${numeral(is.most)} tokens for the answer, so weft lowered the limit.`,
          };
    case 'image':
    case 'document': {
      const leftOut = namedMedia(said, body, request) ?? newest(is.kind, request);
      if (leftOut.length === 0 || refused.tried.size >= maxRepairs) return undefined;
      const what = is.kind === 'image' ? 'an image' : 'a document';
      return {
        leftOut,
        // The next refusal is about another block.
        key: `${is.kind} ${JSON.stringify(leftOut)}`,
        text: `${model} could not read ${leftOut.length === 1 ? what : `${leftOut.length} images`}; ${leftOut.length === 1 ? 'it was' : 'they were'} left out.`,
      };
    }
    case 'too-many-media':
    case 'too-many-bytes': {
      const leftOut = is.kind === 'too-many-media' ? oldestOver(said, request) : heaviest(request, body);
      if (leftOut.length === 0 || refused.tried.size >= maxRepairs) return undefined;
      return {
        leftOut,
        ...(is.kind === 'too-many-bytes' ? {key: `${is.kind} ${JSON.stringify(leftOut)}`} : {}),
        text: `The request held too many images or documents; ${leftOut.length === 1 ? 'the oldest one was' : `the oldest ${leftOut.length} were`} left out.`,
      };
    }
    case 'parameter': {
      const name = is.names.find(each => isDroppable(each, body));
      if (name === undefined) return undefined;
      // A server may refuse several parameters, one after the other. If it sends the same message again, weft gives up.
      const key = `parameter: ${said}`;
      const other = otherNames[name];
      const as = {kind: 'parameter', names: [name]} as const;
      return other === undefined
        ? {key, as, body: without(name), text: `${server} doesn't support "${name}", so weft left it out.`}
        : {
            key,
            as,
            body: renamed(name, other),
            text: `${server} expects "${other}" instead of "${name}", so weft sent that.`,
          };
    }
    case 'unexplained':
      return withoutMediaStep(refused);
    case 'too-long':
    case 'other':
      return undefined;
    default:
      return unreachable(is);
  }
}

/** The maximum number of repairs of one request, if each of them is about another image. */
const maxRepairs = 8;

const numeral = (count: number): string => count.toLocaleString('en-US');

// Thinking.

const isThinking = (block: AssistantBlock): boolean =>
  block.kind === 'thinking' ||
  block.kind === 'sealed-thinking' ||
  (block.kind === 'other' && block.type === 'reasoning');

/** Returns the answers that contain thinking. */
const thoughtful = (messages: readonly Message[]): ReadonlySet<MessageId> =>
  new Set(
    messages.flatMap(message => (message.role === 'assistant' && message.blocks.some(isThinking) ? [message.id] : [])),
  );

const withoutThinking =
  (ids: ReadonlySet<MessageId>): RequestChange =>
  request => ({
    ...request,
    messages: request.messages.map(message =>
      message.role === 'assistant' && ids.has(message.id)
        ? {...message, blocks: message.blocks.filter(block => !isThinking(block))}
        : message,
    ),
  });

// Media.

type Media = ImageBlock | DocumentBlock;
interface PlacedMedia extends BlockAddress {
  readonly media: Media;
  /** Whether the media are in the result of a tool call. */
  readonly result: boolean;
}

const isMedia = (block: ResultContent): block is Media => block.kind !== 'text';

/** Returns all images and documents of a request, oldest first. */
const mediaOf = ({messages}: ModelRequest): readonly PlacedMedia[] =>
  messages.flatMap(({role, id, blocks}) =>
    role === 'assistant'
      ? []
      : blocks.flatMap((block, at) =>
          mediaIn(block).map(media => ({message: id, block: at, media, result: block.kind === 'tool-result'})),
        ),
  );

function mediaIn(block: UserBlock | AssistantBlock): readonly Media[] {
  if (block.kind === 'image' || block.kind === 'document') return [block];
  return block.kind === 'tool-result' ? block.content.filter(isMedia) : [];
}

const addresses = (placed: readonly PlacedMedia[]): readonly BlockAddress[] => {
  const known = new Map(placed.map(({message, block}) => [`${message} ${block}`, {message, block}]));
  return [...known.values()];
};

/** Returns the media in the blocks that a refusal names by their position in the body; `undefined` if it names none. */
function namedMedia(said: string, body: JsonObject, request: ModelRequest): readonly BlockAddress[] | undefined {
  const places = [...said.matchAll(/(?:messages|input|contents)[.[](\d+)\]?\.(?:content|parts|output)[.[](\d+)/gu)];
  const items = listOf(body[messagesField(body)]);
  const blocks = places.flatMap(([, message, block]) => {
    const item = objectOf(items[Number(message)]);
    const part = listOf(item['content'] ?? item['output'])[Number(block)];
    return part === undefined ? [] : [JSON.stringify(part)];
  });
  const named = mediaOf(request).filter(({media}) => blocks.some(block => block.includes(media.data)));
  return named.length === 0 ? undefined : addresses(named);
}

function newest(kind: 'image' | 'document', request: ModelRequest): readonly BlockAddress[] {
  const last = mediaOf(request).findLast(({media}) => media.kind === kind);
  return last === undefined ? [] : addresses([last]);
}

/** Returns the oldest media: as many as exceed the limit that the refusal names, or half of all if it names none. */
function oldestOver(said: string, request: ModelRequest): readonly BlockAddress[] {
  const all = mediaOf(request);
  const bounds = [
    ...said.matchAll(/(?:>|at most|maximum(?: of| is)?|more than|up to|limit(?: of| is)?|exceeds?) ?(\d+)/gu),
  ];
  const bound = bounds.map(([, most]) => Number(most)).find(most => most < all.length) ?? Math.floor(all.length / 2);
  return addresses(all.slice(0, all.length - bound));
}

/** The share of a request's bytes from which its media may be why it is too large. */
const heavyShare = 0.25;

/**
 * Returns the oldest media that together have half of the bytes. The newest stays as long as there are others. Returns
 * none if text has most of the bytes.
 */
function heaviest(request: ModelRequest, body: JsonObject): readonly BlockAddress[] {
  const all = mediaOf(request);
  const total = all.reduce((sum, {media}) => sum + media.data.length, 0);
  if (total < JSON.stringify(body).length * heavyShare) return [];
  let gone = 0;
  return addresses(
    all.filter(({media}, at) => {
      if (gone * 2 >= total || (at > 0 && at === all.length - 1)) return false;
      gone += media.data.length;
      return true;
    }),
  );
}

/** Moves images out of results to the position after them. */
const mediaAfterResults: RequestChange = request => ({
  ...request,
  messages: request.messages.map(message => {
    if (message.role === 'assistant') return message;
    const images: UserBlock[] = [];
    const results = message.blocks.map((block): UserBlock => {
      if (block.kind !== 'tool-result' || !block.content.some(isMedia)) return block;
      images.push(...block.content.filter(part => part.kind === 'image'));
      const texts = block.content.filter(part => part.kind === 'text');
      return {...block, content: texts.length > 0 ? texts : [{kind: 'text', text: imageFollowsText}]};
    });
    const last = results.findLastIndex(({kind}) => kind === 'tool-result');
    return images.length === 0 ? message : {...message, blocks: results.toSpliced(last + 1, 0, ...images)};
  }),
});
