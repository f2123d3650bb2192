import {withoutReminders} from '../../../domain/reminder.ts';
import {emptyAbilities} from '../../../actions/front-end.ts';
import {keyVariableOf, keyVariables} from '../../../domain/api-key.ts';
import {failed, ok} from '../../../base/outcome.ts';
import type {AgentPort, ModelConfig} from '../../../jobs/agent-port.ts';
import {artifactPath} from '../../../server/routes/agent-routes.ts';
import {answerPartName, resultName} from '../../../protocol/rpc/message-names.ts';
import {wireBlock, wirePart, wireStop, wireToolResult, wireUsage} from '../../../protocol/rpc/wire-content.ts';
import {unreachable} from '../../../base/unreachable.ts';
import type {UserBlock} from '../../../domain/conversation.ts';
import type {SessionId} from '../../../domain/ids.ts';
import type {JournalRecord} from '../../../domain/journal.ts';
import {timelineOf} from '../../../domain/timeline.ts';
import type {Store} from '../../../store/open-store.ts';
import {readArtifact} from '../../../workspace/files/artifacts.ts';
import {chooseModel, type ModelChoice, modelChoice} from '../../../app/choose-model.ts';
import {composeSession, defaultDriver} from '../../../app/compose-session.ts';
import {messageUuid} from '../../../app/clock-and-ids.ts';
import {UsageError} from '../../../app/exit-code.ts';
import {loadRunContext, modeWithin, type RunContext} from '../../../app/run-context.ts';
import {requestFolder} from './request-folder.ts';

/** Milliseconds for connecting a model. */
const connectMs = 10_000;

/** The locations where sessions and artifacts are stored and served. */
export interface ServerPlace {
  /** The session store, if the command line names one. */
  readonly named: string | undefined;
  /** Returns the server's address; empty until it listens, and in a worker. */
  readonly url: () => string;
  readonly artifacts: string;
  /** The folders in which the missing folder of a request is made. */
  readonly workRoots: readonly string[];
}

/** Opens the agent's sessions in the user's store. A prompt runs with the settings of its folder, as with `weft` in that folder. */
export function agentSessions(store: Store, server: ServerPlace): AgentPort {
  return {
    artifact: (artifact, signal) => readArtifact(server.artifacts, artifact, signal),
    sessions: async (filter = {}) => store.list(filter),
    messages: async session => {
      const read = store.read(session);
      return read.tag === 'failed' ? 'unknown' : sessionMessages(read.value.records, session);
    },
    async open({session, workDir, model, work, conditions = {goal: '', requireChecks: []}}) {
      const known = typeof session === 'object' || session === 'new' ? undefined : store.list({idPrefix: session})[0];
      if (session !== 'new' && typeof session !== 'object' && known === undefined)
        return failed({status: 404, error: 'There is no such session.'});
      const folder = requestFolder(workDir ?? known?.directory, server.workRoots);
      if (folder === 'no-folder')
        return failed({
          status: 400,
          error: 'Invalid request: not an existing absolute folder, in body.workDir',
        });
      const skills = work.kind === 'execution' ? work.skills : '';
      const skillFolder = skills === '' ? folder : requestFolder(skills);
      if (skillFolder === 'no-folder')
        return failed({
          status: 400,
          error: 'Invalid request: not an existing absolute folder, in body.skillsPath',
        });
      const context = loadRunContext({
        directory: folder.path,
        added: [],
        options: {
          sessionPersistence: true,
          color: false,
          ...(server.named === undefined ? {} : {store: server.named}),
          ...(known === undefined ? {} : {resume: known.id}),
          ...(typeof session === 'object' ? {sessionId: session.new} : {}),
          ...(work.kind === 'plan' ? {permissionMode: 'plan'} : {}),
          ...(work.kind === 'scheduled' ? {permissionMode: modeWithin(work.mode, folder.path)} : {}),
          ...(work.kind === 'execution' && work.sandbox !== 'of-settings' ? {sandbox: work.sandbox} : {}),
          ...(skills === '' ? {} : {skillsPath: skills}),
          ...(conditions.goal === '' ? {} : {goal: conditions.goal}),
          requireCheck: conditions.requireChecks,
        },
      });
      // Running without the requested skills would look as if the agent had read them.
      const withheld = skills === '' ? [] : await withheldSkills(skills, context);
      if (withheld.length > 0)
        return failed({
          status: 400,
          error: `Invalid request: its skills are not offered (${withheld.join('; ')}), in body.skillsPath`,
        });
      const chosen = await chooseModel(withConfig(modelChoice(context), model), AbortSignal.timeout(connectMs));
      try {
        const client = await composeSession(
          chosen,
          {...context, store: async () => store},
          {
            ...defaultDriver,
            interaction: work.kind === 'plan' ? 'unattended' : 'interactive',
            newServers: work.kind === 'terminal' ? 'join-later' : 'awaited',
            frontEnd: work.kind === 'terminal' ? work.frontEnd : emptyAbilities,
            promptSource: 'sdk',
            // A request and its session end with the prompt. A terminal stays open.
            backgroundAgents: work.kind === 'terminal' ? 'left' : 'waited-for',
            artifactUrl: artifact => (server.url() === '' ? '' : `${server.url()}${artifactPath(artifact)}`),
          },
        );
        return ok(client);
      } catch (cause) {
        if (cause instanceof UsageError && (conditions.requireChecks.length > 0 || conditions.goal !== ''))
          return failed({status: 400, error: `Invalid request: ${cause.message}`});
        // Another weft process or a concurrent request has the session open.
        if (session === 'new' || cause instanceof UsageError) throw cause;
        return failed({status: 409, error: 'The session is open elsewhere.'});
      }
    },
  };
}

/** Returns the active conversation of a session as messages of the Agent SDK. */
function sessionMessages(records: readonly JournalRecord[], session: SessionId): readonly object[] {
  const envelope = (id: string) => ({parent_tool_use_id: null, session_id: session, uuid: id});
  return timelineOf(records).activeRecords.flatMap((record): readonly object[] => {
    switch (record.kind) {
      case 'prompt':
      case 'reminder': {
        const content = withoutReminders(record.message).map(wireUserBlock);
        return content.length === 0
          ? []
          : [{type: 'user', message: {role: 'user', content}, ...envelope(record.message.id)}];
      }
      case 'answer': {
        const {id, model, blocks, stop, usage} = record.message;
        const message = {
          id,
          type: 'message',
          role: 'assistant',
          model,
          content: blocks.map(wireBlock),
          stop_reason: wireStop(stop),
          stop_sequence: null,
          usage: wireUsage(usage),
        };
        return [{type: 'assistant', message, ...envelope(messageUuid(answerPartName(id, 0)))}];
      }
      case 'result': {
        const content = [wireToolResult(record.result)];
        return [
          {type: 'user', message: {role: 'user', content}, ...envelope(messageUuid(resultName(record.result.id)))},
        ];
      }
      default:
        return [];
    }
  });
}

function wireUserBlock(block: UserBlock): object {
  switch (block.kind) {
    case 'text':
    case 'image':
    case 'document':
      return wirePart(block);
    case 'tool-result':
      return wireToolResult(block);
    default:
      return unreachable(block);
  }
}

/** Returns the skills of the folder that are not offered, each with the reason. */
const withheldSkills = async (folder: string, context: RunContext): Promise<readonly string[]> =>
  (await context.extensions().found(AbortSignal.timeout(connectMs))).skills.flatMap(({name, root, offer}) =>
    root.folder === folder && offer.offered === 'no' ? [`${name}: ${offer.reason}`] : [],
  );

/** Returns the model choice of a request. Only its own engine gets its API key. */
function withConfig(choice: ModelChoice, {apiKey, baseUrl, model, effort}: ModelConfig): ModelChoice {
  const {provider = 'anthropic', providers} = choice;
  const variable = providers[provider]?.keyVariable ?? (keyVariableOf(provider) || keyVariables.anthropic);
  return {
    ...choice,
    model: model ?? choice.model,
    baseUrl: baseUrl ?? choice.baseUrl,
    effort: effort === undefined ? choice.effort : {value: effort, source: 'flags', path: ''},
    environment:
      apiKey === undefined ? choice.environment : {...choice.environment, ANTHROPIC_AUTH_TOKEN: '', [variable]: apiKey},
    keyCommand: apiKey === undefined ? choice.keyCommand : undefined,
  };
}
