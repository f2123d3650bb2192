import {clip, pluralize} from '../base/clip.ts';
import {isJsonList, isJsonObject, type Json, type JsonObject} from '../base/json.ts';
import {failed, ok, type Outcome} from '../base/outcome.ts';
import {type ImageBlock, maxImageData, type TextBlock} from '../domain/conversation.ts';
import {imageFrom} from '../domain/image-facts.ts';
import type {SamplingReply, SamplingRequest} from './mcp-port.ts';
import {type ActionPorts, plainQuestion} from './ports.ts';
import type {AskedMessage, ModelQuestion} from './sampling-port.ts';

/** The maximum number of tokens of one answer, whatever the server requests. */
const maxAnswerTokens = 4096;
const maxMessages = 50;
/** The maximum number of characters of text in one request from a server. */
const maxText = 100_000;
/** Characters of a request's text that the question shows. */
const shownText = 2000;

const yes = 'Allow once';

/**
 * Asks the model for an MCP server (`sampling/createMessage`) after the user has agreed to this very request. No rule or mode can agree
 * for the user. If no one can be asked, the server gets that as its error.
 */
export async function sampleWithApproval(
  {server, params}: SamplingRequest,
  {questions, sampling}: Pick<ActionPorts, 'questions' | 'sampling'>,
  signal: AbortSignal,
): Promise<SamplingReply> {
  const read = readQuestion(params);
  if (read.tag === 'failed') return read;
  const question = read.value;
  const problem = sampling.refusalReason();
  if (problem !== '') return failed(problem);
  const reply = await questions.ask(
    [
      plainQuestion('Ask model', questionText(server, question, sampling.model()), [
        ['Decline', 'tell the server that you decline'],
        [yes, 'you pay for it, and the server gets the answer'],
      ]),
    ],
    signal,
  );
  if (reply.kind === 'unattended') return failed("Sampling needs the user's approval, and no user can be asked here.");
  const isAllowed = reply.kind === 'answered' && reply.answers[0]?.selected[0] === yes;
  if (!isAllowed || signal.aborted) return failed('The user declined the sampling request.');
  const answer = await sampling.answer(question, signal);
  if (answer.tag === 'failed') return answer;
  const {text, model, end} = answer.value;
  return ok({
    role: 'assistant',
    content: {type: 'text', text},
    model,
    stopReason: end === 'whole' ? 'endTurn' : 'maxTokens',
  });
}

function questionText(server: string, {system, messages, maxTokens: most}: ModelQuestion, model: string): string {
  const texts = [system, ...messages.flatMap(({blocks}) => blocks.map(textOf))].filter(text => text !== '');
  const whole = texts.join('\n');
  const rest = whole.length - shownText;
  const shown = rest > 0 ? `${clip(whole, shownText)}\n[${pluralize(rest, 'more character')}]` : whole;
  return `The MCP server ${server} wants to ask ${model}, for at most ${pluralize(most, 'token')} of answer:\n${shown}`;
}

const textOf = (block: TextBlock | ImageBlock): string =>
  block.kind === 'text' ? block.text : `[image (${block.mediaType})]`;

/** Reads a server's request as far as weft supports it: text and images, without tools. */
function readQuestion({messages, systemPrompt, maxTokens, tools}: JsonObject): Outcome<ModelQuestion, string> {
  if (isJsonList(tools) && tools.length > 0) return failed('weft does not support tools in sampling requests.');
  const system = typeof systemPrompt === 'string' ? systemPrompt : '';
  const given = isJsonList(messages) ? messages : [];
  if (given.length > maxMessages) return failed(`A sampling request may have at most ${maxMessages} messages.`);
  const asked: AskedMessage[] = [];
  for (const message of given) {
    const read = readMessage(message);
    if (read === undefined) return failed('weft supports only text and images in sampling requests.');
    const last = asked.at(-1);
    if (last?.role === read.role) asked.splice(-1, 1, {...read, blocks: [...last.blocks, ...read.blocks]});
    else asked.push(read);
  }
  if (asked[0]?.role !== 'user' || asked.at(-1)?.role !== 'user')
    return failed('The first and the last message must be from the user.');
  const blocks = asked.flatMap(message => message.blocks);
  const text = blocks.reduce((sum, block) => sum + (block.kind === 'text' ? block.text.length : 0), system.length);
  const images = blocks.reduce((sum, block) => sum + (block.kind === 'image' ? block.data.length : 0), 0);
  if (text > maxText || images > maxImageData) return failed('The sampling request is too large.');
  const wanted = typeof maxTokens === 'number' && maxTokens >= 1 ? Math.floor(maxTokens) : maxAnswerTokens;
  return ok({system, messages: asked, maxTokens: Math.min(wanted, maxAnswerTokens)});
}

/** Returns `undefined` for messages that weft doesn't support. */
function readMessage(given: Json): AskedMessage | undefined {
  if (!isJsonObject(given)) return undefined;
  const {role, content = null} = given;
  if (role !== 'user' && role !== 'assistant') return undefined;
  const parts = isJsonList(content) ? content : [content];
  const blocks = parts.flatMap(part => blockOf(part, role));
  return parts.length === 0 || blocks.length < parts.length ? undefined : {role, blocks};
}

function blockOf(part: Json, role: AskedMessage['role']): readonly (TextBlock | ImageBlock)[] {
  if (!isJsonObject(part)) return [];
  const {type, text, data, mimeType} = part;
  if (type === 'text' && typeof text === 'string' && text !== '') return [{kind: 'text', text}];
  if (type !== 'image' || typeof data !== 'string' || role !== 'user') return [];
  const read = imageFrom(data, typeof mimeType === 'string' ? mimeType : undefined);
  return read.tag === 'ok' ? [read.value] : [];
}
