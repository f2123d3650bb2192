import {exitCode, type ExitCode} from '../app/exit-code.ts';
import {randomUUID} from 'node:crypto';
import type {AgentClient} from '../agent/client.ts';
import {jsonText} from '../base/json.ts';
import {failed, ok, type Outcome} from '../base/outcome.ts';
import {causeText} from '../domain/fault.ts';
import {type EngineFailure, type EngineRequest, type SavedSessions, serveEditor} from '../headless/acp/serve-editor.ts';
import {makeStdoutWriter} from '../headless/stdout-writer.ts';
import {connectClient} from '../server/client-stream.ts';
import {connectSession, knownServer, serverUrl, type WeftServer} from '../app/server-connection.ts';
import {openApiKeys} from '../app/api-keys.ts';
import {connectModel, modelChoice, noModelText, requireModel} from '../app/choose-model.ts';
import {exchangeableModel} from '../app/model-setup.ts';
import {composeSession, defaultDriver} from '../app/compose-session.ts';
import type {MainOptions} from '../app/main-options.ts';
import {note, stdoutSink} from '../app/output.ts';
import {onStopSignal} from './signals.ts';
import {readLines} from './read-lines.ts';
import {version} from '../app/version.ts';
import type {Store} from '../store/open-store.ts';
import {openUserStore} from '../app/user-database.ts';
import {userPlaces} from '../app/user-data.ts';
import {contextFor} from '../app/run-context.ts';
import {isFolder} from '../workspace/files/list-folder.ts';

export interface AcpOptions {
  readonly server?: string;
  readonly tokenFile?: string;
  readonly cwd?: string;
  readonly model?: string;
  readonly skill?: readonly string[];
  readonly askAboutEverything?: boolean;
}

/**
 * Serves an editor over stdin and stdout by the Agent Client Protocol. Ends when the editor closes stdin, and ends all sessions.
 * With `server` the sessions run there; their running work is stopped when this ends, however it ends.
 */
export async function runAcp(options: AcpOptions): Promise<ExitCode> {
  const stopped = Promise.withResolvers<ExitCode>();
  const openEngine =
    options.server === undefined
      ? openOwnEngine
      : remoteEngines(knownServer(serverUrl(options.server), options.tokenFile), {
          ...options,
          lost(url) {
            note(`lost the connection to ${url.origin}`);
            stopped.resolve(exitCode.failed);
          },
        });
  const writer = makeStdoutWriter(stdoutSink('json'), () => stopped.resolve(exitCode.done));
  const editor = serveEditor({
    version,
    uuid: randomUUID,
    write: message => writer.write(`${jsonText(message)}\n`),
    note,
    openEngine,
    saved: options.server === undefined ? savedSessions() : 'elsewhere',
  });
  onStopSignal(stopped.resolve);
  void readLines(line => editor.take(line)).then(() => stopped.resolve(exitCode.done));
  const code = await stopped.promise;
  await editor.close();
  await writer.drained();
  return code;
}

/** The sessions in the user's database, which is opened with the first request for them. */
function savedSessions(): SavedSessions {
  let opened: Promise<Store> | undefined;
  const store = (): Promise<Store> => (opened ??= openUserStore(userPlaces()));
  return {
    list: async directory => (await store()).list(directory === undefined ? {} : {directory}),
    delete: async session => (await import('../app/delete-session.ts')).deleteSession(await store(), session),
    async read(session) {
      const read = (await store()).read(session);
      if (read.tag === 'failed') return undefined;
      const {wholeConversation} = await import('../domain/history.ts');
      return {directory: read.value.summary.directory, messages: wholeConversation(read.value.records)};
    },
    isOpenElsewhere: async session => (await store()).isOpenElsewhere(session),
  };
}

async function openOwnEngine({
  directory,
  session,
  into,
  servers,
  editor,
}: EngineRequest): Promise<Outcome<AgentClient, EngineFailure>> {
  if (!isFolder(directory)) return failed({kind: 'no-folder', message: `${directory} is not a folder.`});
  const options: MainOptions = {
    sessionPersistence: true,
    color: false,
    cwd: directory,
    ...(session === 'new' ? {} : {resume: session, ...(into === 'copy' ? {forkSession: true} : {})}),
    ...(Object.keys(servers).length === 0 ? {} : {mcpConfig: [jsonText({mcpServers: servers})]}),
  };
  try {
    const context = contextFor(options);
    for (const notice of await context.notices()) note(notice);
    const chosen = await connectModel(context);
    if (chosen.state === 'missing') return failed({kind: 'no-model', message: noModelText()});
    requireModel(chosen);
    const apiKeys = openApiKeys(context.places, process.env);
    const model = exchangeableModel(chosen, {
      choice: modelChoice(context),
      apiKeys,
      settingsFile: context.places.settings,
    });
    const driver = {
      ...defaultDriver,
      interaction: 'interactive',
      models: model.setup,
      editor,
      findings: 'shown',
    } as const;
    return ok(await composeSession({...chosen, port: model.port}, context, driver));
  } catch (cause) {
    return failed({kind: 'other', message: causeText(cause)});
  }
}

/** Opens engines of sessions on a server. Ignores the editor's MCP servers, which would run on that machine. */
const remoteEngines =
  (
    server: WeftServer,
    {
      cwd,
      model,
      skill = [],
      askAboutEverything = false,
      lost,
    }: Pick<AcpOptions, 'cwd' | 'model' | 'skill' | 'askAboutEverything'> & {readonly lost: (url: URL) => void},
  ) =>
  async ({directory, session}: EngineRequest): Promise<Outcome<AgentClient, EngineFailure>> => {
    const path =
      session === 'new'
        ? `/agent/attach?leaving=stops&frontEnd=editor&workDir=${encodeURIComponent(cwd ?? directory)}`
        : `/agent/sessions/${session}/attach?leaving=stops&frontEnd=editor`;
    const connected = await connectSession(server, path);
    if (connected.tag === 'failed') return failed({kind: 'other', message: connected.error});
    let isClosing = false;
    connected.value.once('close', () => {
      if (!isClosing) lost(server.url);
    });
    const client = connectClient(connected.value);
    if (model !== undefined) client.submit({op: 'set-model', model});
    if (session === 'new' && skill.length > 0)
      client.submit({
        op: 'add-context',
        text: `Load these skills before you begin, and work by them: ${skill.join(', ')}.`,
      });
    if (askAboutEverything) client.submit({op: 'ask-about-everything'});
    return ok({
      ...client,
      async close() {
        isClosing = true;
        client.submit({op: 'interrupt'});
        connected.value.end();
      },
    });
  };
