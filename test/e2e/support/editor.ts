import {once} from 'node:events';
import {Writable} from 'node:stream';
import {
  client,
  type ClientContext,
  methods,
  type NewSessionRequest,
  ndJsonStream,
  type RequestPermissionRequest,
  type SessionUpdate,
} from '@agentclientprotocol/sdk';
import type {Scene} from '../../support/scene.ts';

/* The npm package `@agentclientprotocol/sdk`, unmodified, as editors use it, drives the built program. */

export interface Editor {
  readonly updates: SessionUpdate[];
  readonly asked: RequestPermissionRequest[];
  /** The kind of the option that is chosen; `undefined` cancels. */
  choice: 'allow_once' | 'allow_always' | 'reject_once' | undefined;
  /** The texts of open files, by path. */
  readonly texts: Map<string, string>;
  /** Everything that weft writes to stderr. */
  stderr: string;
}

/** Runs `work` as an editor; weft has ended when it settles, with the exit code. */
export async function asEditor(
  scene: Scene,
  work: (weft: ClientContext, editor: Editor) => Promise<void>,
  environment: Readonly<Record<string, string>> = {},
): Promise<number | null> {
  const editor: Editor = {updates: [], asked: [], choice: 'allow_once', texts: new Map(), stderr: ''};
  const child = scene.start(['acp'], {stdin: 'open', environment});
  const exited = once(child, 'exit');
  child.stderr.on('data', (chunk: Buffer) => (editor.stderr += chunk.toString()));
  let wanted = true;
  const stdout = new ReadableStream<Uint8Array>({
    start(controller) {
      child.stdout.on('data', (chunk: Buffer) => (wanted ? controller.enqueue(chunk) : undefined));
      child.stdout.on('end', () => (wanted ? controller.close() : undefined));
    },
    cancel() {
      wanted = false;
    },
  });
  const stream = ndJsonStream(Writable.toWeb(child.stdin), stdout);
  await client({name: 'editor'})
    .onRequest(methods.client.session.requestPermission, ({params}) => {
      editor.asked.push(params);
      const option = params.options.find(({kind}) => kind === editor.choice);
      return {
        outcome: option === undefined ? {outcome: 'cancelled'} : {outcome: 'selected', optionId: option.optionId},
      };
    })
    .onNotification(methods.client.session.update, ({params}) => void editor.updates.push(params.update))
    .onRequest(methods.client.fs.readTextFile, ({params}) => {
      const content = editor.texts.get(params.path);
      if (content === undefined) throw new Error('This file is not open.');
      return {content};
    })
    .connectWith(stream, async weft => work(weft, editor));
  child.stdin.end();
  const [code] = await exited;
  return code;
}

export const hello = {protocolVersion: 1, clientCapabilities: {}, clientInfo: {name: 'editor', version: '1'}} as const;

export async function newSession(
  weft: ClientContext,
  scene: Scene,
  mcpServers: NewSessionRequest['mcpServers'] = [],
): Promise<string> {
  await weft.request(methods.agent.initialize, hello);
  const {sessionId} = await weft.request(methods.agent.session.new, {cwd: scene.place.work, mcpServers});
  return sessionId;
}

export const prompt = (weft: ClientContext, sessionId: string, text: string) =>
  weft.request(methods.agent.session.prompt, {sessionId, prompt: [{type: 'text', text}]});

export const textIn = (updates: readonly SessionUpdate[], kind: SessionUpdate['sessionUpdate']): string =>
  updates
    .map(update =>
      update.sessionUpdate === kind &&
      'content' in update &&
      !Array.isArray(update.content) &&
      update.content?.type === 'text'
        ? update.content.text
        : '',
    )
    .join('');
