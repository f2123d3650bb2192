import type * as z from 'zod/mini';
import type {AgentClient} from '../../agent/client.ts';
import {isJsonObject, type JsonObject, parseJson} from '../../base/json.ts';
import {failed, ok, type Outcome} from '../../base/outcome.ts';
import {type Fault, faultText} from '../../domain/fault.ts';
import {parseSessionId, type SessionId} from '../../domain/ids.ts';
import {
  givenServers,
  loadSessionRequest,
  newSessionRequest,
  promptOf,
  promptRequest,
  setModeRequest,
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
  /** Opens the engine of a session in a folder. */
  readonly openEngine: (request: EngineRequest) => Promise<Outcome<AgentClient, Fault>>;
}

export interface EngineRequest {
  /** The absolute path of the folder. */
  readonly directory: string;
  readonly session: SessionId | 'new';
  /** The editor's MCP servers, in the form of `mcpServers`. */
  readonly servers: JsonObject;
}

export interface ServedEditor {
  /** Takes a line from the editor. Never throws and never blocks. */
  take(line: string): void;
  close(): Promise<void>;
}

/** ACP's error code for an unknown session. */
const notFound = -32_002;
const parseError = -32_700;

/** Serves one editor by the Agent Client Protocol, version 1. Each session has its own engine. */
export function serveEditor(serving: EditorServing): ServedEditor {
  const sessions = new Map<string, EditorSession>();
  const peer: RpcPeer = makeRpcPeer({
    write: serving.write,
    request: request => void answer(request),
    notification(method, params) {
      const {sessionId} = params;
      if (method === 'session/cancel' && typeof sessionId === 'string') sessions.get(sessionId)?.cancel();
    },
  });

  async function answer(request: RpcRequest): Promise<void> {
    switch (request.method) {
      case 'initialize':
        return request.answer(ok(greeting(serving.version)));
      case 'authenticate':
        return request.answer(ok({}));
      case 'session/new': {
        const asked = readParams(newSessionRequest, request);
        if (asked === undefined) return;
        const {cwd, mcpServers} = asked;
        return request.answer(
          await open({directory: cwd, session: 'new', servers: givenServers(mcpServers)}, 'not-told'),
        );
      }
      case 'session/load':
      case 'session/resume': {
        const asked = readParams(loadSessionRequest, request);
        if (asked === undefined) return;
        const session = parseSessionId(asked.sessionId);
        if (session === undefined) return request.answer(failed(unknownSession(asked.sessionId)));
        await sessions.get(session)?.close();
        const opening = {directory: asked.cwd, session, servers: givenServers(asked.mcpServers)};
        const opened = await open(opening, request.method === 'session/load' ? 'told' : 'not-told');
        return request.answer(opened.tag === 'failed' ? opened : ok({modes: opened.value.modes}));
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
        return request.answer(failed(rpcError(rpcErrors.noMethod, `weft has no method ${request.method}`)));
    }
  }

  async function open(
    request: EngineRequest,
    history: 'told' | 'not-told',
  ): Promise<Outcome<Awaited<ReturnType<EditorSession['open']>>, RpcError>> {
    const engine = await serving.openEngine(request);
    if (engine.tag === 'failed') return failed(rpcError(rpcErrors.internal, faultText(engine.error)));
    const session = new EditorSession(engine.value, peer, serving.uuid);
    const opened = await session.open(history);
    sessions.set(opened.sessionId, session);
    return ok(opened);
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

const unknownSession = (id: string): RpcError => rpcError(notFound, `Unknown session ${JSON.stringify(id)}.`);

const greeting = (version: string) => ({
  protocolVersion: 1,
  agentInfo: {name: 'weft', title: 'weft', version},
  agentCapabilities: {
    loadSession: true,
    promptCapabilities: {image: true, audio: false, embeddedContext: true},
    mcpCapabilities: {http: true, sse: true},
    sessionCapabilities: {resume: {}},
  },
  authMethods: [],
});

/** Parses the parameters of a request. If they are invalid, answers the request with an error that names the first invalid one. */
function readParams<Form extends z.ZodMiniType>(form: Form, request: RpcRequest): z.output<Form> | undefined {
  const parsed = form.safeParse(request.params);
  if (parsed.success) return parsed.data;
  const path = parsed.error.issues[0]?.path.map(String).join('.') ?? '';
  request.answer(failed(rpcError(rpcErrors.invalidParams, `"${path}" of ${request.method} is not valid`)));
  return undefined;
}
