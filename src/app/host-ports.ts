import type {SessionInfo} from '../actions/agent-event.ts';
import type {EditPreview, FileFinder, ImagePort} from '../actions/files-port.ts';
import type {TerminalControl} from '../actions/ports.ts';
import type {McpPort, McpServerState} from '../actions/mcp-port.ts';
import type {
  ExportEnd,
  ModelConnection,
  ModelList,
  Query,
  RequestedRuleChange,
  RuleRow,
  SessionMessage,
  SettingRow,
} from '../agent/client.ts';
import type {Outcome} from '../base/outcome.ts';
import type {TrustedSettings} from '../config/merge-settings.ts';
import type {LocalServer} from '../domain/local-server.ts';
import type {Fault} from '../domain/fault.ts';
import type {SessionId} from '../domain/ids.ts';
import type {MemoryNotes} from '../domain/memory-notes.ts';
import type {SessionSummary} from '../domain/journal.ts';

/** What front ends ask of this machine and of the user's own files. Nothing of it is loaded or read before it is asked for. */
export interface HostPorts {
  readonly terminals: TerminalControl;
  readonly edits: EditPreview;
  readonly finder: FileFinder;
  readonly images: Pick<ImagePort, 'read'>;
  readonly sessions: KeptSessions;
  readonly history: PromptHistoryStore;
  readonly settings: UserSettings;
  readonly trust: FolderTrustPort;
  readonly models: ModelSetup;
  readonly mcp: McpPort;
  /** Those that the project names and that are not started, since nobody trusts them. */
  untrustedServers(): Promise<readonly McpServerState[]>;
  permissionRules(): Promise<readonly RuleRow[]>;
  changeRule(rule: RequestedRuleChange): Promise<Outcome<string, Fault>>;
  addNote(note: string): Promise<Outcome<string, Fault>>;
  readonly memory: MemoryPort;
  exportSession(work: ExportWork): Promise<Outcome<ExportEnd, Fault>>;
  exportText(work: TextExport): Promise<Outcome<ExportEnd, Fault>>;
  diagnostics(): Promise<string>;
  branch(): string;
}

/** The user's own notes for the project. */
export interface MemoryPort {
  read(): Promise<Outcome<MemoryNotes, Fault>>;
  add(note: string): Promise<Outcome<MemoryNotes, Fault>>;
  write(edit: {readonly before: string; readonly text: string}): Promise<Outcome<MemoryNotes, Fault>>;
}

/** How the user chooses who answers, while weft runs. */
export interface ModelSetup {
  list(signal: AbortSignal): Promise<Outcome<ModelList, Fault>>;
  localServers(signal: AbortSignal): Promise<readonly LocalServer[]>;
  useKey(given: KeyRequest, signal: AbortSignal): Promise<Outcome<ModelConnection, Fault>>;
  useServer(given: ServerRequest, signal: AbortSignal): Promise<Outcome<ModelConnection, Fault>>;
  useEffort(given: EffortRequest, signal: AbortSignal): Promise<Outcome<ModelConnection, Fault>>;
}

/** Trust in the files of a folder, for front ends that show what they ask for and let the user accept it. */
export interface FolderTrustPort {
  /** Whether the folder is trusted, and what trust would grant, in several lines. */
  show(): Promise<{readonly state: TrustedSettings['trust']; readonly text: string}>;
  /**
   * Trusts the folder if its settings still ask for what they asked for when weft started, and its other files with the content they
   * had when they were shown. Answers with a sentence on the outcome.
   */
  accept(): Promise<string>;
  /** A sentence where files of the folder are not used; the settings' own are among the warnings at start. */
  untrustedFiles(): Promise<readonly string[]>;
}

export type KeyRequest = Omit<Query<'use-key'>, 'query'>;
export type ServerRequest = Omit<Query<'use-server'>, 'query'>;
export type EffortRequest = Omit<Query<'use-effort'>, 'query'>;

export interface KeptSessions {
  list(): readonly SessionSummary[];
  firstPrompts(): ReadonlyMap<SessionId, string>;
  /** In US dollars, where that is known. */
  costs(): Promise<ReadonlyMap<SessionId, number>>;
  lastMessages(id: SessionId): readonly SessionMessage[];
}

export interface PromptHistoryStore {
  load(): readonly string[];
  add(prompt: string): void;
}

export interface UserSettings {
  list(name: string): Promise<readonly string[]>;
  rows(): Promise<readonly SettingRow[]>;
  set(name: string, value: string): Promise<readonly string[]>;
}

export type TextExport = Omit<Query<'export-text'>, 'query'>;

export interface ExportWork {
  readonly name: string;
  readonly session: SessionInfo;
  readonly present: 'kept' | 'replaced';
}
