import * as z from 'zod/mini';
import type {EditorFiles} from '../../actions/files-port.ts';
import type {AgentClient} from '../../agent/client.ts';
import {isJsonObject, type JsonObject, parseJson} from '../../base/json.ts';
import {failed, ok, type Outcome} from '../../base/outcome.ts';
import {raceAbort, raceTimeout} from '../../base/race.ts';
import type {Message} from '../../domain/conversation.ts';
import {parseSessionId, type SessionId} from '../../domain/ids.ts';
import type {SessionSummary} from '../../domain/journal.ts';
import {sessionTitle} from '../../domain/session-list.ts';
import {
  givenServers,
  initializeRequest,
  listSessionsRequest,
  loadSessionRequest,
  newSessionRequest,
  promptOf,
  promptRequest,
  sessionRequest,
  setModeRequest,
  setOptionRequest,
} from '../../protocol/acp/editor-request.ts';
import {
  makeRpcPeer,
  rpcError,
  rpcErrors,
  type RpcError,
  type RpcPeer,
  type RpcRequest,
} from '../../protocol/json-rpc/peer.ts';
import {EditorSession} from './editor-session.ts';

export interface EditorServing {
  readonly version: string;
  readonly uuid: () => string;
  readonly write: (message: object) => void;
  /** Writes one line to stderr, for the editor's log. */
  readonly note: (line: string) => void;
  readonly openEngine: (request: EngineRequest) => Promise<Outcome<AgentClient, EngineFailure>>;
  /** The saved sessions. `elsewhere`: they are on a server, which lists none to editors. */
  readonly saved: SavedSessions | 'elsewhere';
}

export interface SavedSessions {
  /** Returns the sessions of a folder, or of all folders, newest first. */
  list(directory: string | undefined): Promise<readonly SessionSummary[]>;
  /** Deletes a session. The error says why not. */
  delete(session: SessionId): Promise<Outcome<undefined, string>>;
  /** Returns a session's folder and its whole conversation, or `undefined` if the session is not saved. */
  read(session: SessionId): Promise<SavedConversation | undefined>;
  /** True if another process has the session open. */
  isOpenElsewhere(session: SessionId): Promise<boolean>;
}

export interface SavedConversation {
  readonly directory: string;
  /** All messages, also those that a compaction has replaced. */
  readonly messages: readonly Message[];
}

export interface EngineRequest {
  /** The absolute path of the folder. */
  readonly directory: string;
  readonly session: SessionId | 'new';
  /** `copy`: the session stays as it is, and the conversation continues in a copy. */
  readonly into: 'same' | 'copy';
  /** The editor's MCP servers, in the form of `mcpServers`. */
  readonly servers: JsonObject;
  readonly editor: EditorFiles | 'none';
}

export interface EngineFailure {
  /** `no-model`: the user must sign in or give an API key. `no-folder`: the folder does not exist. */
  readonly kind: 'no-model' | 'no-folder' | 'other';
  readonly message: string;
}

export interface ServedEditor {
  /** Takes a line from the editor. Never throws and never blocks. */
  take(line: string): void;
  close(): Promise<void>;
}

/** ACP's error code for an unknown session. */
const notFound = -32_002;
/** ACP's error code for a user who must sign in first. */
const authRequired = -32_000;
const parseError = -32_700;

/** Serves one editor by the Agent Client Protocol, version 1. Each session has its own engine. */
export function serveEditor(serving: EditorServing): ServedEditor {
  const sessions = new Map<string, EditorSession>();
  let abilities: EditorAbilities = {canSignIn: false, canRead: false};
  const peer: RpcPeer = makeRpcPeer({
    write: serving.write,
    request: request => void answer(request),
    notification(method, params) {
      const {sessionId} = params;
      if (method === 'session/cancel' && typeof sessionId === 'string') sessions.get(sessionId)?.cancel();
    },
  });

  async function answer(request: RpcRequest): Promise<void> {
    if (serving.saved === 'elsewhere' && savedMethods.has(request.method))
      return request.answer(failed(unknownMethod(request)));
    switch (request.method) {
      case 'initialize':
        abilities = editorAbilities(request);
        return request.answer(ok(greeting(serving, abilities)));
      case 'authenticate':
        return request.answer(ok({}));
      case 'session/new': {
        const asked = readParams(newSessionRequest, request);
        if (asked === undefined) return;
        const {cwd, mcpServers} = asked;
        return request.answer(
          await open(
            {directory: cwd, session: 'new', into: 'same', servers: givenServers(mcpServers)},
            {history: 'not-sent'},
          ),
        );
      }
      case 'session/list':
        return list(request);
      case 'session/fork': {
        const known = savedSession(readParams(loadSessionRequest, request), request);
        if (known === undefined) return;
        const {asked, session} = known;
        const opening = {directory: asked.cwd, session, servers: givenServers(asked.mcpServers)};
        return request.answer(await open({...opening, into: 'copy'}, {history: 'not-sent'}));
      }
      case 'session/load':
      case 'session/resume': {
        const known = savedSession(readParams(loadSessionRequest, request), request);
        if (known === undefined) return;
        const {asked, session: id} = known;
        // A copy that this process has begun goes on, although the editor knows only the id of the original.
        const session = sessions.get(id)?.savedAs ?? id;
        await release(session);
        const isTaken = serving.saved !== 'elsewhere' && (await serving.saved.isOpenElsewhere(session));
        const saved = serving.saved === 'elsewhere' ? undefined : await serving.saved.read(session);
        const opening = {directory: asked.cwd, session, servers: givenServers(asked.mcpServers)};
        const opened = await open(
          {...opening, into: isTaken ? 'copy' : 'same'},
          {history: request.method === 'session/load' ? (saved?.messages ?? 'as-opened') : 'not-sent', id},
        );
        if (opened.tag === 'failed') return request.answer(opened);
        const editorSession = sessions.get(id);
        const savedAs = editorSession?.savedAs ?? id;
        if (isTaken) editorSession?.tell(copyText(savedAs));
        if (saved !== undefined && editorSession !== undefined && saved.directory !== editorSession.directory)
          editorSession.tell(movedText(saved.directory, editorSession.directory));
        const {sessionId: _, ...rest} = opened.value;
        return request.answer(ok(savedAs === id ? rest : {...rest, _meta: {weft: {savedAs}}}));
      }
      case 'session/close': {
        const asked = readParams(sessionRequest, request);
        const session = asked === undefined ? undefined : sessionOf(asked.sessionId, request);
        if (asked === undefined || session === undefined) return;
        sessions.delete(asked.sessionId);
        await session.close();
        return request.answer(ok({}));
      }
      case 'session/delete': {
        const known = savedSession(readParams(sessionRequest, request), request);
        if (known === undefined || serving.saved === 'elsewhere') return;
        await sessions.get(known.session)?.close();
        sessions.delete(known.session);
        const deleted = await serving.saved.delete(known.session);
        if (deleted.tag === 'ok') return request.answer(ok({}));
        return request.answer(failed(rpcError(await codeFor(known.session), deleted.error)));
      }
      case 'session/set_config_option': {
        const asked = readParams(setOptionRequest, request);
        const session = asked === undefined ? undefined : sessionOf(asked.sessionId, request);
        if (asked === undefined || session === undefined) return;
        return request.answer(await session.setOption(asked.configId, asked.value));
      }
      case 'session/prompt': {
        const asked = readParams(promptRequest, request);
        const session = asked === undefined ? undefined : sessionOf(asked.sessionId, request);
        if (asked === undefined || session === undefined) return;
        const {text, images} = promptOf(asked.prompt);
        return session.prompt(text, images, result => request.answer(result));
      }
      case 'session/set_mode': {
        const asked = readParams(setModeRequest, request);
        const session = asked === undefined ? undefined : sessionOf(asked.sessionId, request);
        if (asked !== undefined && session !== undefined) request.answer(session.setMode(asked.modeId));
        return;
      }
      default:
        return request.answer(failed(unknownMethod(request)));
    }
  }

  async function list(request: RpcRequest): Promise<void> {
    const asked = readParams(listSessionsRequest, request);
    if (asked === undefined || serving.saved === 'elsewhere') return;
    const from = Number(asked.cursor ?? 0);
    const all = await serving.saved.list(asked.cwd ?? undefined);
    const page = all.slice(from, from + pageSize);
    return request.answer(
      ok({
        sessions: page.map(summary => ({
          sessionId: summary.id,
          cwd: summary.directory,
          title: sessionTitle(summary),
          updatedAt: new Date(summary.updatedAt).toISOString(),
        })),
        ...(all.length > from + pageSize ? {nextCursor: String(from + pageSize)} : {}),
      }),
    );
  }

  async function open(
    request: Omit<EngineRequest, 'editor'>,
    how: Parameters<EditorSession['open']>[0],
  ): Promise<Outcome<Awaited<ReturnType<EditorSession['open']>>, RpcError>> {
    let sessionId = '';
    let canRead = true;
    const read = async (path: string, signal: AbortSignal): Promise<string | undefined> => {
      if (!canRead) return undefined;
      const text = peer.request('fs/read_text_file', {sessionId, path});
      const result = await raceTimeout(raceAbort(text, signal), maxReadMs);
      // An editor that does not answer is not asked again.
      if (result === 'timeout') canRead = false;
      if (result === 'timeout' || result === 'aborted' || result.tag === 'failed') return undefined;
      const content = isJsonObject(result.value) ? result.value['content'] : undefined;
      return typeof content === 'string' ? content : undefined;
    };
    const engine = await serving.openEngine({...request, editor: abilities.canRead ? {read} : 'none'});
    if (engine.tag === 'failed') {
      const {kind, message} = engine.error;
      return failed(rpcError(failureCodes[kind] ?? (await codeFor(request.session)), message));
    }
    // A server's own warnings are in its log, and would become part of the answer of a sub-agent there.
    const notices = serving.saved === 'elsewhere' ? 'left-out' : 'shown';
    const session = new EditorSession(engine.value, peer, {...serving, notices});
    const opened = await session.open(how);
    sessionId = opened.sessionId;
    sessions.set(opened.sessionId, session);
    return ok(opened);
  }

  /** Closes a session that this editor has open, under whichever id. */
  async function release(session: SessionId): Promise<void> {
    for (const [id, held] of sessions) {
      if (id !== session && held.savedAs !== session) continue;
      sessions.delete(id);
      await held.close();
    }
  }

  /** Returns the error code for a failure with a session: that for an unknown session if it is not saved. */
  async function codeFor(session: EngineRequest['session']): Promise<number> {
    if (session === 'new' || serving.saved === 'elsewhere') return rpcErrors.internal;
    const saved = await serving.saved.list(undefined);
    return saved.some(({id}) => id === session) ? rpcErrors.internal : notFound;
  }

  function sessionOf(id: string, request: RpcRequest): EditorSession | undefined {
    const session = sessions.get(id);
    if (session === undefined) request.answer(failed(unknownSession(id)));
    return session;
  }

  return {
    take(line) {
      const json = parseJson(line);
      if (json.tag === 'ok' && isJsonObject(json.value)) return peer.take(json.value);
      const code = json.tag === 'ok' ? rpcErrors.invalidRequest : parseError;
      serving.write({jsonrpc: '2.0', id: null, error: {code, message: 'A line must be one JSON object.'}});
    },
    async close() {
      await Promise.all([...sessions.values()].map(session => session.close()));
    },
  };
}

/** The error codes of failures that say by themselves what is wrong. */
const failureCodes: Readonly<Record<EngineFailure['kind'], number | undefined>> = {
  'no-model': authRequired,
  'no-folder': rpcErrors.invalidParams,
  other: undefined,
};

const savedMethods: ReadonlySet<string> = new Set(['session/list', 'session/delete', 'session/fork']);

const unknownMethod = ({method}: RpcRequest): RpcError =>
  rpcError(rpcErrors.methodNotFound, `weft has no method ${method}`);

const unknownSession = (id: string): RpcError => rpcError(notFound, `Unknown session ${JSON.stringify(id)}.`);

/** Returns the session id in a request. If it is not the id of a session, answers the request with an error. */
function savedSession<Asked extends {readonly sessionId: string}>(
  asked: Asked | undefined,
  request: RpcRequest,
): {readonly asked: Asked; readonly session: SessionId} | undefined {
  const session = asked === undefined ? undefined : parseSessionId(asked.sessionId);
  if (asked === undefined) return undefined;
  if (session === undefined) request.answer(failed(unknownSession(asked.sessionId)));
  return session === undefined ? undefined : {asked, session};
}

/** The time that an editor has to answer with the text of a file, in milliseconds. */
const maxReadMs = 2000;

/** The maximum number of sessions in one answer. */
const pageSize = 100;

const copyText = (copy: SessionId): string =>
  `Another weft process has this session open. weft continues here in a copy, so the two do not see each other. Open session ${copy} to get back to it.`;

const movedText = (from: string, to: string): string =>
  `This session worked in ${from} before. It continues in ${to}, the folder that the editor opened.`;

interface EditorAbilities {
  /** True if the editor can open a terminal in which the user signs in. */
  readonly canSignIn: boolean;
  /** True if the editor tells the text of its files. */
  readonly canRead: boolean;
}

function editorAbilities({params}: RpcRequest): EditorAbilities {
  const parsed = z.safeParse(initializeRequest, params);
  const {auth, fs} = parsed.success ? parsed.data.clientCapabilities : {};
  return {canSignIn: auth?.terminal === true, canRead: fs?.readTextFile === true};
}

const greeting = ({version, saved}: Pick<EditorServing, 'version' | 'saved'>, {canSignIn}: EditorAbilities) => ({
  protocolVersion: 1,
  agentInfo: {name: 'weft', title: 'weft', version},
  agentCapabilities: {
    loadSession: true,
    promptCapabilities: {image: true, audio: false, embeddedContext: true},
    mcpCapabilities: {http: true, sse: true},
    sessionCapabilities: {
      resume: {},
      close: {},
      ...(saved === 'elsewhere' ? {} : {list: {}, delete: {}, fork: {}}),
    },
  },
  authMethods: canSignIn
    ? [
        {
          type: 'terminal',
          id: 'terminal',
          name: 'Sign in or paste an API key',
          description: 'Opens weft in a terminal. Leave it with /exit when you are signed in.',
          args: ['--login'],
        },
      ]
    : [],
});

/** Parses the parameters of a request. If they are invalid, answers the request with an error that names the first invalid one. */
function readParams<Form extends z.ZodMiniType>(form: Form, request: RpcRequest): z.output<Form> | undefined {
  const parsed = form.safeParse(request.params);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const path = issue?.path.map(String).join('.') ?? '';
  const problem = issue?.code === 'custom' ? issue.message : 'is not valid';
  request.answer(failed(rpcError(rpcErrors.invalidParams, `"${path}" of ${request.method} ${problem}`)));
  return undefined;
}
