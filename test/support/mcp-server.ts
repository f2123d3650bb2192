import {readFileSync} from 'node:fs';
import {createInterface} from 'node:readline';

/*
 * An MCP server on stdio that does what its first argument, a JSON object, says. It speaks the protocol by hand, so that it can also
 * say what no library would let it say. Run it as a program of its own: `node test/support/mcp-server.ts '{"tools":[…]}'`.
 */

export interface ScriptedServer {
  readonly name?: string;
  readonly tools?: readonly {
    readonly name: string;
    readonly description?: string;
    readonly inputSchema?: object;
    readonly annotations?: object;
    readonly does?: ToolBehaviour;
  }[];
  readonly prompts?: readonly {
    readonly name: string;
    readonly description?: string;
    readonly arguments?: readonly object[];
    readonly text?: string;
  }[];
  readonly resources?: readonly {readonly uri: string; readonly name: string; readonly text: string}[];
  readonly instructions?: string;
  /** Lines that it prints to stdout before anything else. */
  readonly noise?: readonly string[];
  /** Lines that it prints to stderr before anything else. */
  readonly log?: readonly string[];
  /** Milliseconds before it answers `initialize`; -1: it never does. */
  readonly startMs?: number;
  /** It ends at once, with this code. */
  readonly exit?: number;
  /** A file whose text comes behind the description of every tool; with the text `gone` there are no tools. */
  readonly descriptionFile?: string;
  /** After `tools/call` of a tool that `does` this, its tools are these. */
  readonly laterTools?: ScriptedServer['tools'];
}

/** `text:…` answers with the text; the others are what they say. */
type ToolBehaviour =
  | `text:${string}`
  | `result:${string}`
  | 'arguments'
  | 'crash'
  | 'silent'
  | 'progress'
  | 'environment'
  | 'huge'
  | 'change'
  | 'roots'
  | 'sample'
  | 'elicit'
  | 'elicit-url'
  | 'fail'
  | 'child'
  | 'pid';

/** The command line of a scripted server. */
export const scriptedServer = (
  script: ScriptedServer,
): {readonly command: string; readonly args: readonly string[]} => ({
  command: process.execPath,
  args: [import.meta.filename, JSON.stringify(script)],
});

interface Message {
  readonly id?: number | string;
  readonly method?: string;
  readonly params?: {
    readonly name?: string;
    readonly arguments?: unknown;
    readonly uri?: string;
    readonly protocolVersion?: string;
    readonly requestId?: unknown;
    readonly _meta?: {readonly progressToken?: unknown};
  };
  readonly result?: unknown;
  readonly error?: unknown;
}

const print = (message: object): void => void process.stdout.write(`${JSON.stringify({jsonrpc: '2.0', ...message})}\n`);

const text = (value: string) => ({content: [{type: 'text', text: value}]});

function serve(script: ScriptedServer): void {
  let {tools = []} = script;
  let asked = 0;
  const waiting = new Map<string, (result: unknown) => void>();
  const ask = (method: string, params: object): Promise<unknown> => {
    asked += 1;
    const id = `s${asked}`;
    const {promise, resolve} = Promise.withResolvers<unknown>();
    waiting.set(id, resolve);
    print({id, method, params});
    return promise;
  };
  async function call(name: string | undefined, message: Message): Promise<object | undefined> {
    const does = tools.find(tool => tool.name === name)?.does ?? 'text:ok';
    if (does.startsWith('text:')) return text(does.slice(5));
    if (does.startsWith('result:')) return JSON.parse(does.slice(7));
    switch (does) {
      case 'arguments':
        return text(JSON.stringify(message.params?.arguments));
      case 'crash':
        process.stderr.write('it breaks\n');
        return process.exit(7);
      case 'silent':
        return undefined;
      case 'progress': {
        const progressToken = message.params?.['_meta']?.progressToken;
        const steps = [1, 2].map(progress => ({
          method: 'notifications/progress',
          params: {progressToken, progress, total: 2, message: `step ${progress}`},
        }));
        // In one piece, as it may well come.
        const messages = [...steps, {id: message.id, result: text('done')}];
        process.stdout.write(messages.map(each => `${JSON.stringify({jsonrpc: '2.0', ...each})}\n`).join(''));
        return undefined;
      }
      case 'environment':
        return text(JSON.stringify(process.env));
      case 'huge':
        return text('x'.repeat(2_000_000));
      case 'change':
        tools = script.laterTools ?? [];
        print({method: 'notifications/tools/list_changed'});
        return text('changed');
      case 'roots':
        return text(JSON.stringify(await ask('roots/list', {})));
      case 'sample':
        return text(
          JSON.stringify(
            await ask('sampling/createMessage', {
              messages: [{role: 'user', content: {type: 'text', text: 'Say hi.'}}],
              maxTokens: 50,
            }),
          ),
        );
      case 'elicit': {
        const requestedSchema = {
          type: 'object',
          properties: {color: {type: 'string', description: 'Which one'}},
          required: ['color'],
        };
        return text(JSON.stringify(await ask('elicitation/create', {message: 'Which color?', requestedSchema})));
      }
      case 'elicit-url':
        return text(
          JSON.stringify(
            await ask('elicitation/create', {
              mode: 'url',
              message: 'Log in there',
              url: 'https://example.com/in',
              elicitationId: 'e1',
            }),
          ),
        );
      case 'fail':
        return {...text('it did not work'), isError: true};
      case 'child': {
        const {spawn} = await import('node:child_process');
        const work = `setInterval(() => {}, 1e6); // child of ${process.pid}`;
        spawn(process.execPath, ['-e', work], {stdio: 'ignore', detached: true});
        return text(`// child of ${process.pid}`);
      }
      case 'pid':
        return text(String(process.pid));
      default:
        return text('ok');
    }
  }

  async function answer(message: Message): Promise<object | undefined> {
    switch (message.method) {
      case 'initialize':
        if (script.startMs === -1) return undefined;
        await new Promise(done => setTimeout(done, script.startMs ?? 0));
        return {
          protocolVersion: message.params?.protocolVersion,
          serverInfo: {name: script.name ?? 'scripted', version: '1.0.0'},
          instructions: script.instructions ?? '',
          capabilities: {
            tools: {listChanged: true},
            ...(script.prompts === undefined ? {} : {prompts: {}}),
            ...(script.resources === undefined ? {} : {resources: {}}),
          },
        };
      case 'tools/list': {
        const more = script.descriptionFile === undefined ? '' : readFileSync(script.descriptionFile, 'utf8');
        return {
          tools: (more === 'gone' ? [] : tools).map(({does: _does, description = '', ...tool}) => ({
            inputSchema: {type: 'object', properties: {}},
            ...tool,
            description: `${description}${more}`,
          })),
        };
      }
      case 'tools/call':
        return call(message.params?.name, message);
      case 'prompts/list':
        return {prompts: (script.prompts ?? []).map(({text: _text, ...prompt}) => prompt)};
      case 'prompts/get': {
        const found = script.prompts?.find(({name}) => name === message.params?.name);
        const filled = `${found?.text ?? ''} ${JSON.stringify(message.params?.arguments ?? {})}`;
        return {messages: [{role: 'user', content: {type: 'text', text: filled}}]};
      }
      case 'resources/list':
        return {resources: (script.resources ?? []).map(({text: _text, ...resource}) => resource)};
      case 'resources/read': {
        const found = script.resources?.find(({uri}) => uri === message.params?.uri);
        return {contents: found === undefined ? [] : [{uri: found.uri, mimeType: 'text/plain', text: found.text}]};
      }
      default:
        return {};
    }
  }

  async function reply(message: Message): Promise<void> {
    const result = await answer(message);
    if (result !== undefined) print({id: message.id, result});
  }

  for (const line of script.noise ?? []) process.stdout.write(`${line}\n`);
  for (const line of script.log ?? []) process.stderr.write(`${line}\n`);
  if (script.exit !== undefined) process.exit(script.exit);
  createInterface({input: process.stdin}).on('line', line => {
    const message: Message = JSON.parse(line);
    if (message.method === undefined) {
      waiting.get(String(message.id))?.(message.result ?? message.error);
      return;
    }
    if (message.method === 'notifications/cancelled')
      process.stderr.write(`cancelled ${String(message.params?.requestId)}\n`);
    if (message.id === undefined) return;
    void reply(message);
  });
}

if (process.argv[1] === import.meta.filename) serve(JSON.parse(process.argv[2] ?? '{}'));
