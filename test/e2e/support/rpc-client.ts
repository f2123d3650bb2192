import type {ChildProcessWithoutNullStreams} from 'node:child_process';
import {StringDecoder} from 'node:string_decoder';
import type {Scene} from '../../support/scene.ts';
import {finish, type Finished} from '../../support/run-weft.ts';
import type {Message} from './messages.ts';

/** The built program, driven line by line. */
export interface RpcClient {
  readonly child: ChildProcessWithoutNullStreams;
  readonly ended: Promise<Finished>;
  send(message: object): void;
  /** Resolves with the first message, from now or before, for which that holds and that was not yet handed out. */
  next(matches: (message: Message) => boolean): Promise<Message>;
  /** Ends stdin, and waits for the end of the process. */
  finish(): Promise<Finished>;
}

export const rpcArgs = ['--output-format', 'stream-json', '--verbose', '--input-format', 'stream-json'];

export function startRpc(
  scene: Scene,
  args: readonly string[] = [],
  environment: Readonly<Record<string, string>> = {},
): RpcClient {
  const child = scene.start([...rpcArgs, ...args], {stdin: 'open', environment});
  const ended = finish(child);
  const unread: Message[] = [];
  const waiting: {matches: (message: Message) => boolean; resolve: (message: Message) => void}[] = [];
  const decoder = new StringDecoder('utf8');
  let begun = '';
  child.stdout.on('data', (chunk: Buffer) => {
    begun += decoder.write(chunk);
    const lines = begun.split('\n');
    begun = lines.pop() ?? '';
    for (const line of lines) {
      const value: unknown = JSON.parse(line);
      const message: Message = Object.fromEntries(Object.entries(Object(value)));
      const at = waiting.findIndex(({matches}) => matches(message));
      const [one] = at < 0 ? [] : waiting.splice(at, 1);
      if (one === undefined) unread.push(message);
      else one.resolve(message);
    }
  });
  return {
    child,
    ended,
    send: message => void child.stdin.write(`${JSON.stringify(message)}\n`),
    next: matches => {
      const at = unread.findIndex(matches);
      const [found] = at < 0 ? [] : unread.splice(at, 1);
      return found === undefined ? new Promise(resolve => waiting.push({matches, resolve})) : Promise.resolve(found);
    },
    finish: () => {
      child.stdin.end();
      return ended;
    },
  };
}

export const prompt = (text: string, more: object = {}) => ({
  type: 'user',
  message: {role: 'user', content: text},
  parent_tool_use_id: null,
  session_id: '',
  ...more,
});

export const request = (id: string, body: object) => ({type: 'control_request', request_id: id, request: body});

export const answerTo = (id: unknown, payload: object) => ({
  type: 'control_response',
  response: {subtype: 'success', request_id: id, response: payload},
});

export const isType =
  (type: string) =>
  (message: Message): boolean =>
    message['type'] === type;

export const isAnswer =
  (id: string) =>
  ({type, response}: Message): boolean =>
    type === 'control_response' && Object(response).request_id === id;
