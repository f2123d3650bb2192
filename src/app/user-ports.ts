import {appendFileSync, closeSync, fstatSync, openSync, readSync} from 'node:fs';
import {homedir} from 'node:os';
import {dirname} from 'node:path';
import type {ConversationsPort} from '../actions/conversations-port.ts';
import type {ExportEnd, SessionMessage} from '../agent/client.ts';
import {isJsonObject, parseJson} from '../base/json.ts';
import {failed, type Outcome} from '../base/outcome.ts';
import {passingDatabase} from '../config/places.ts';
import {makeFolders} from '../config/make-folders.ts';
import {type Message, messageText} from '../domain/conversation.ts';
import {rejected, type Fault} from '../domain/fault.ts';
import type {JournalRecord, SessionSummary} from '../domain/journal.ts';
import type {Store} from '../store/open-store.ts';
import {type ExportWork, fixedModel, type HostPorts, type ModelSetup} from './host-services.ts';
import type {McpServerState} from '../actions/mcp-port.ts';
import type {RunContext} from './run-context.ts';
import type {InDatabase} from './user-database.ts';

/** The user's files for front ends: settings, trust, history and saved sessions. */
export interface UserPorts extends Pick<
  HostPorts,
  'sessions' | 'history' | 'settings' | 'trust' | 'work' | 'models' | 'permissionRules' | 'untrustedServers'
> {
  readonly fetchConversation: ConversationsPort['fetch'];
  readonly exportSession: (work: ExportWork, records: readonly JournalRecord[]) => Promise<Outcome<ExportEnd, Fault>>;
}

/** Makes the ports to the user's files. Each part is loaded when it is first used. `store` is `none` if sessions are not saved. */
export function userPorts(
  {directory, project, places, permissions, trust, settings}: RunContext,
  {store, models}: {readonly store: Store | 'none'; readonly models: ModelSetup},
): UserPorts {
  return {
    sessions: {
      list: filter => (store === 'none' ? [] : store.list({...filter, directory})),
      firstPrompts: () => (store === 'none' ? new Map() : store.firstPrompts(directory)),
      async costs(filter) {
        if (store === 'none') return new Map();
        const {sessionCosts} = await import('./session-costs.ts');
        return sessionCosts(store, settings.models, {...filter, directory});
      },
      async blame(target, signal) {
        if (store === 'none') return failed(unsavedSessionsFault);
        const {blame} = await import('./blame.ts');
        return blame(target, {store, folder: places.checkpoints, directory}, signal);
      },
      async cacheReport(id) {
        if (store === 'none') return [];
        const {cacheReport} = await import('../domain/cache-report.ts');
        return cacheReport(store.timedRecords(id));
      },
      lastMessages: id => (store === 'none' ? [] : store.lastMessages(id, messagesShown).flatMap(sessionMessages)),
    },
    history: openHistory(places.history, directory),
    settings: userSettings(project),
    trust,
    work: userWork(store === 'none' ? {database: passingDatabase} : places),
    models,
    async permissionRules() {
      const {ruleLines} = await import('./rule-lines.ts');
      return ruleLines(permissions).map(({behaviour, rule, source, reason}) => ({
        list: behaviour,
        rule,
        source,
        reason,
      }));
    },
    async untrustedServers() {
      const {knownServers} = await import('./known-servers.ts');
      const {servers} = await knownServers(project);
      return servers.flatMap(({standing, name, source, path, untrustedReason, config}): readonly McpServerState[] =>
        standing === 'untrusted'
          ? [
              {
                name,
                status: 'untrusted',
                source,
                path,
                transport: config.tag === 'ok' && config.value.transport.kind !== 'stdio' ? 'http' : 'program',
                error: untrustedReason,
                title: '',
                version: '',
                instructions: '',
                resources: 'none',
                log: [],
                latencyMs: undefined,
              },
            ]
          : [],
      );
    },
    async fetchConversation(request) {
      if (store === 'none') return failed(unsavedSessionsFault);
      const {fetchConversation} = await import('./fetch-conversation.ts');
      return fetchConversation(request, {store, directory});
    },
    exportSession(work, records) {
      const kept = store === 'none' ? undefined : store.read(work.session.id);
      return exportInto(directory, work, {records, summary: kept?.tag === 'ok' ? kept.value.summary : undefined});
    },
  };
}

const unsavedSessionsFault = rejected('This run saves no sessions, so there are none to read.');

const nothingToTrust = 'The demo has no settings.';

/** Makes the ports for the demo, which does not use the user's files. */
export const demoUserPorts = (directory: string): UserPorts => ({
  sessions: {
    list: () => [],
    firstPrompts: () => new Map(),
    costs: async () => new Map(),
    blame: async () => failed(unsavedSessionsFault),
    cacheReport: async () => [],
    lastMessages: () => [],
  },
  history: {load: () => [], add: () => {}},
  settings: userSettings(directory),
  trust: {
    show: async () => ({state: 'nothing', text: nothingToTrust}),
    accept: async () => nothingToTrust,
    untrustedFiles: async () => [],
  },
  work: userWork({database: passingDatabase}),
  models: fixedModel('The demo has its own model. Leave the demo first.'),
  permissionRules: async () => [],
  untrustedServers: async () => [],
  fetchConversation: async () => failed(unsavedSessionsFault),
  exportSession: (work, records) => exportInto(directory, work, {records, summary: undefined}),
});

/** Opens the stores for each request, because few sessions use them. */
const userWork = (places: InDatabase): HostPorts['work'] => ({
  plans: async () => (await import('./work-board.ts')).listPlans(places),
  changePlan: async request => (await import('./work-board.ts')).changePlan(request, places),
  bisect: async (request, signal) => (await import('./bisect-run.ts')).runBisect(request, signal),
  stack: async () => (await import('./work-board.ts')).readStack(places),
  changeStack: async change => (await import('./work-board.ts')).changeUserStack(change, places),
});

const userSettings = (directory: string): HostPorts['settings'] => ({
  async list(name) {
    return (await import('./setting-rows.ts')).settingLines(name, directory);
  },
  async rows() {
    return (await import('./setting-rows.ts')).settingRows(directory);
  },
  async set(name, value) {
    const {changeSetting} = await import('./setting-rows.ts');
    return changeSetting(name, value, {user: true, cwd: directory});
  },
});

async function exportInto(
  directory: string,
  work: ExportWork,
  session: {readonly records: readonly JournalRecord[]; readonly summary: SessionSummary | undefined},
): Promise<Outcome<ExportEnd, Fault>> {
  const {exportToFile} = await import('./export-session.ts');
  return exportToFile(work, {...session, directory, home: homedir(), now: Date.now()});
}

const messagesShown = 6;
const messageLength = 600;

function sessionMessages(message: Message): readonly SessionMessage[] {
  const text = messageText(message).trim().slice(0, messageLength);
  return text === '' ? [] : [{by: message.role === 'user' ? 'user' : 'agent', text}];
}

/** The maximum number of prompts to offer again, for this folder and for all others each. Older ones stay in the file. */
const maxPrompts = 1000;

/** The number of bytes at the end of the file that are read, so that weft starts as fast with years of prompts. */
const maxHistoryBytes = 1024 * 1024;

/**
 * Opens the history of prompts: one JSON value per line, so that many weft processes can append to it. Prompts of this folder count as the
 * latest, after those of other folders. Errors with the file are ignored.
 */
export function openHistory(file: string, directory: string): HostPorts['history'] {
  return {
    load() {
      try {
        const entries = lastLines(file, maxHistoryBytes).flatMap(entryOf);
        const here = entries.filter(entry => entry.directory === directory);
        const elsewhere = entries.filter(entry => entry.directory !== directory);
        return [...elsewhere.slice(-maxPrompts), ...here.slice(-maxPrompts)].map(({prompt}) => prompt);
      } catch {
        return [];
      }
    },
    add(prompt) {
      try {
        makeFolders(dirname(file));
        appendFileSync(file, `${JSON.stringify({prompt, directory})}\n`, {mode: 0o600});
      } catch {
        // With a full disk or a read-only home, only the history is lost.
      }
    },
  };
}

/** Returns the whole lines in the last `maxBytes` bytes of a file. */
function lastLines(file: string, maxBytes: number): readonly string[] {
  const descriptor = openSync(file, 'r');
  try {
    const {size} = fstatSync(descriptor);
    const length = Math.min(size, maxBytes);
    const end = Buffer.alloc(length);
    const read = readSync(descriptor, end, 0, length, size - length);
    const lines = end.toString('utf8', 0, read).split('\n');
    return size > length ? lines.slice(1) : lines;
  } finally {
    closeSync(descriptor);
  }
}

interface Entry {
  readonly prompt: string;
  /** The folder; empty for lines of older versions, which had only the prompt. */
  readonly directory: string;
}

function entryOf(line: string): readonly Entry[] {
  const read = parseJson(line);
  if (read.tag === 'failed') return [];
  if (typeof read.value === 'string') return [{prompt: read.value, directory: ''}];
  if (!isJsonObject(read.value)) return [];
  const {prompt, directory} = read.value;
  return typeof prompt === 'string' && typeof directory === 'string' ? [{prompt, directory}] : [];
}
