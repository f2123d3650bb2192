import {type EditText, editTexts, mapEditTexts, mapUserChanges} from '../../actions/edit-texts.ts';
import type {EditRequest, FilesPort, ReadFile, UserChanges} from '../../actions/files-port.ts';
import {resolve} from 'node:path';
import type {
  ActionPorts,
  BlockSnapshot,
  BlockState,
  BlocksPort,
  SearchPort,
  ShellPort,
  ShellReport,
} from '../../actions/ports.ts';
import type {ConversationsPort} from '../../actions/conversations-port.ts';
import type {ComputerPort} from '../../actions/computer-port.ts';
import {type DecideEnded, noHeldChanges} from '../../actions/changes-port.ts';
import type {CommandsPort, PromptPart} from '../../actions/commands-port.ts';
import type {SkillsPort} from '../../actions/skills-port.ts';
import type {McpCallObserver, McpPort, McpResource, McpResult} from '../../actions/mcp-port.ts';
import type {PageContent, WebPort} from '../../actions/web-port.ts';
import {readWebUrl} from '../../domain/web-url.ts';
import type {DiffHunk, FileDiff} from '../../actions/preview.ts';
import {isJsonList, isJsonObject, type Json, type JsonObject} from '../../base/json.ts';
import {failed, ok, type Outcome} from '../../base/outcome.ts';
import type {Change} from '../../domain/change-set.ts';
import {unreachable} from '../../base/unreachable.ts';
import {type Fault, rejected} from '../../domain/fault.ts';
import type {JudgedPath} from '../../domain/obligation.ts';
import {placeholderForm} from './placeholders.ts';
import {redactFault, type Redactor} from './redactor.ts';
import {restoreInCommand, unknownPlaceholderText} from './restore-in-command.ts';
import {secretFilesIn} from './secret-files.ts';

type Machine = Pick<ActionPorts, 'shell' | 'files' | 'search' | 'blocks' | 'mcp' | 'web' | 'skills' | 'conversations'>;

/**
 * Ports to the machine that redact secrets in all output, and restore them in all input (commands, edits, typed text). So edits fit the
 * files as they are, and commands work, while no approval card, no journal and no model sees a secret.
 */
export const redactingPorts = (machine: Machine, secrets: Redactor): Machine => ({
  shell: redactingShell(machine.shell, secrets),
  blocks: redactingBlocks(machine.blocks, secrets),
  files: redactingFiles(machine.files, secrets),
  search: redactingSearch(machine.search, secrets),
  mcp: redactingMcp(machine.mcp, secrets),
  web: redactingWeb(machine.web, secrets),
  skills: redactingSkills(machine.skills, secrets),
  conversations: redactingConversations(machine.conversations, secrets),
});

/** A secret may have become known after a session was kept. */
const redactingConversations = (conversations: ConversationsPort, {redact}: Redactor): ConversationsPort => ({
  async fetch(request, signal) {
    const fetched = await conversations.fetch(request, signal);
    if (fetched.tag === 'failed') return fetched;
    const {title, messages} = fetched.value;
    return ok({
      ...fetched.value,
      title: redact(title),
      messages: messages.map(message => ({...message, text: redact(message.text)})),
    });
  },
});

const redactingSkills = (skills: SkillsPort, secrets: Redactor): SkillsPort => ({
  ready: signal => skills.ready(signal),
  catalogue: () => skills.catalogue(),
  async read(request, signal) {
    const read = await skills.read(request, signal);
    if (read.tag === 'failed') return failed(redactFault(read.error, secrets));
    const {skill} = read.value;
    return ok({...read.value, skill: {...skill, instructions: secrets.redact(skill.instructions)}});
  },
});

/** What commands expand to, with placeholders for secrets: the shell puts them back into command lines. */
export const redactingCommands = (commands: CommandsPort, secrets: Redactor): CommandsPort => ({
  ready: signal => commands.ready(signal),
  list: () => commands.list(),
  async expand(request, signal) {
    const expanded = await commands.expand(request, signal);
    if (expanded.tag === 'failed') return failed(redactFault(expanded.error, secrets));
    const parts = expanded.value.parts.map((part): PromptPart => {
      if (part.kind === 'image') return part;
      return part.kind === 'text'
        ? {...part, text: secrets.redact(part.text)}
        : {...part, command: secrets.redact(part.command)};
    });
    return ok({...expanded.value, parts});
  },
});

function redactingShell(shell: ShellPort, secrets: Redactor): ShellPort {
  return {
    get directory() {
      return shell.directory;
    },
    async run(request, observe, signal) {
      learnSecretsOf(request.command, {secrets, directory: shell.directory});
      const command = restoreInCommand(request.command, secrets.valueOf);
      if (command.tag === 'failed') return notStarted(command.error, shell.directory);
      const {changes} = request;
      const report = await shell.run(
        {
          ...request,
          command: command.value,
          changes: changes === 'none' ? changes : redactingDecision(changes, secrets),
        },
        chunk => observe(secrets.redact(chunk)),
        signal,
      );
      return redactReport(report, secrets);
    },
  };
}

/** Whoever decides about changes sees no secrets in their paths and lines. */
const redactingDecision =
  (decide: DecideEnded, secrets: Redactor): DecideEnded =>
  (held, signal, blocked) => {
    /** The real paths by the redacted path. Two paths may look alike, and are decided about together. */
    const real = new Map<string, string[]>();
    const changes = held.changes.map(change => {
      const shown = redactChange(change, secrets);
      const known = real.get(shown.path);
      if (known === undefined) real.set(shown.path, [change.path]);
      else known.push(change.path);
      return shown;
    });
    const realPaths = (paths: readonly string[]): readonly string[] => paths.flatMap(path => real.get(path) ?? []);
    return decide(
      {
        changes,
        diffs: async (paths, aborted) =>
          (await held.diffs(realPaths(paths), aborted)).map(diff => redactDiff(diff, secrets)),
        keep: aborted => held.keep(aborted),
        async apply(paths, how, aborted) {
          const {applied, dropped} = await held.apply(realPaths(paths), how, aborted);
          return {
            applied: applied.map(change => redactChange(change, secrets)),
            dropped: dropped.map(({change, why}) => ({change: redactChange(change, secrets), why})),
          };
        },
      },
      signal,
      blocked,
    );
  };

const redactChange = (change: Change, {redact}: Redactor): Change => ({...change, path: redact(change.path)});

/** Reads the files of secrets that a command names, so that the secrets are known before the command prints them. */
function learnSecretsOf(
  command: string,
  {secrets, directory}: {readonly secrets: Redactor; readonly directory: string},
): void {
  secrets.refresh(secretFilesIn(command).map(path => resolve(directory, path)));
}

const notStarted = (why: string, directory: string): ShellReport => ({
  end: {kind: 'not-started', fault: rejected(`The command was not started: ${why}`)},
  output: {text: '', totalBytes: 0, leftOutLines: 0, file: undefined},
  durationMs: 0,
  directory,
  nextDirectory: directory,
  leftRunning: [],
  blocked: '',
  changes: noHeldChanges,
  notes: [],
});

const redactReport = (report: ShellReport, secrets: Redactor): ShellReport => ({
  ...report,
  end: report.end.kind === 'not-started' ? {...report.end, fault: redactFault(report.end.fault, secrets)} : report.end,
  output: {...report.output, text: secrets.redact(report.output.text)},
  leftRunning: report.leftRunning.map(secrets.redact),
  notes: report.notes.map(secrets.redact),
});

function redactingBlocks(blocks: BlocksPort, secrets: Redactor): BlocksPort {
  /** The commands with placeholders, as the model wrote them, by block id. */
  const asked = new Map<string, string>();
  const redact = (found: Outcome<BlockSnapshot, Fault>): Outcome<BlockSnapshot, Fault> =>
    found.tag === 'failed'
      ? failed(redactFault(found.error, secrets))
      : ok(redactSnapshot(found.value, {secrets, command: asked.get(found.value.id)}));
  return {
    find(id) {
      const found = blocks.find(id);
      return found.tag === 'failed'
        ? failed(redactFault(found.error, secrets))
        : ok({
            ...found.value,
            command: asked.get(id) ?? secrets.redact(found.value.command),
            state: redactState(found.value.state, secrets),
          });
    },
    async start(request, signal) {
      learnSecretsOf(request.command, {secrets, directory: request.directory});
      const command = restoreInCommand(request.command, secrets.valueOf);
      if (command.tag === 'failed') return failed(rejected(`The command was not started: ${command.error}`));
      const started = await blocks.start({...request, command: command.value}, signal);
      if (started.tag === 'ok') asked.set(started.value.id, request.command);
      return redact(started);
    },
    read: async (request, signal) => redact(await blocks.read(request, signal)),
    async write(request, signal) {
      const unknown = secrets.unknownPlaceholders(request.input);
      if (unknown.length > 0) return failed(rejected(`Nothing was typed: ${unknownPlaceholderText(unknown)}`));
      return redact(await blocks.write({...request, input: secrets.restore(request.input)}, signal));
    },
  };
}

const redactSnapshot = (
  snapshot: BlockSnapshot,
  {secrets, command}: {readonly secrets: Redactor; readonly command: string | undefined},
): BlockSnapshot => ({
  ...snapshot,
  command: command ?? secrets.redact(snapshot.command),
  output: {...snapshot.output, text: secrets.redact(snapshot.output.text)},
  notes: snapshot.notes.map(secrets.redact),
  state: redactState(snapshot.state, secrets),
});

const redactState = (state: BlockState, {redact}: Redactor): BlockState =>
  state.kind === 'waiting' ? {...state, lastLine: redact(state.lastLine)} : state;

function redactingFiles(files: FilesPort, secrets: Redactor): FilesPort {
  const redacted = (found: Outcome<readonly FileDiff[], Fault>): Outcome<readonly FileDiff[], Fault> =>
    found.tag === 'ok'
      ? ok(found.value.map(diff => redactDiff(diff, secrets)))
      : failed(redactFault(found.error, secrets));

  /** Reads the lines before those of a private key, which look like any other text without the key's beginning. */
  async function readLinesBefore(
    file: Extract<ReadFile, {kind: 'text'}>,
    path: string,
    signal: AbortSignal,
  ): Promise<void> {
    const [first = ''] = file.lines;
    if (file.firstLine === 1 || !/^[^A-Za-z0-9+/]*[A-Za-z0-9+/]{16,}={0,2}$/u.test(first.trim())) return;
    const offset = Math.max(1, file.firstLine - linesBefore);
    const before = await files.read({path, offset, limit: linesBefore + file.lines.length}, signal);
    if (before.tag === 'ok' && before.value.kind === 'text') secrets.redact(before.value.lines.join('\n'));
  }

  return {
    limitedTo: paths => redactingFiles(files.limitedTo(restoredPaths(paths, secrets)), secrets),
    resolve: path => files.resolve(secrets.restore(path)),
    async read(request, signal) {
      const path = secrets.restore(request.path);
      secrets.refresh(secretFilesIn(path).length > 0 ? [files.resolve(path).path] : []);
      const found = await files.read({...request, path}, signal);
      if (found.tag === 'failed') return failed(redactFault(found.error, secrets));
      if (found.value.kind === 'text') await readLinesBefore(found.value, path, signal);
      return ok(redactFile(found.value, secrets));
    },
    async plan(request, signal) {
      const restored = restoreRequest(request, secrets);
      return restored.tag === 'ok' ? redacted(await files.plan(restored.value, signal)) : restored;
    },
    async draft(request, signal) {
      const restored = restoreRequest(request, secrets);
      if (restored.tag === 'failed') return restored;
      const drafts = await files.draft(restored.value, signal);
      if (drafts.tag === 'failed') return failed(redactFault(drafts.error, secrets));
      const {redact} = secrets;
      return ok(
        drafts.value.map(({path, before, text}) => ({
          path: redact(path),
          before: redact(before),
          text: redact(text),
        })),
      );
    },
    async apply(request, shown, signal) {
      const restored = restoreRequest(request, secrets);
      if (restored.tag === 'failed') return restored;
      const asPlanned = shown.map(diff => ({
        ...diff,
        path: secrets.restore(diff.path),
        movedFrom: diff.movedFrom === undefined ? undefined : secrets.restore(diff.movedFrom),
      }));
      // The hunks that were shown are redacted already.
      const asShown = new Set(shown.flatMap(({hunks}) => hunks));
      const applied = await files.apply(restored.value, asPlanned, signal);
      if (applied.tag === 'failed') return failed(redactFault(applied.error, secrets));
      return ok({
        files: applied.value.files.map(diff => redactDiff(diff, secrets, asShown)),
        userChanged: applied.value.userChanged.map(({path, kind, hunks}) => ({
          path: secrets.redact(path),
          kind,
          hunks: hunks.map(hunk => redactHunk(hunk, secrets)),
        })),
      });
    },
  };
}

const restoredPaths = (paths: readonly JudgedPath[], secrets: Redactor): readonly JudgedPath[] =>
  paths.map(path => ({...path, written: secrets.restore(path.written)}));

/** How many lines a private key has at most, roughly. */
const linesBefore = 120;

function redactFile(file: ReadFile, secrets: Redactor): ReadFile {
  const path = secrets.redact(file.path);
  switch (file.kind) {
    case 'text':
      return {...file, path, lines: redactLines(file.lines, secrets), notes: file.notes.map(secrets.redact)};
    case 'image':
    case 'document':
      return {...file, path};
    case 'directory':
      return {...file, path, entries: file.entries.map(secrets.redact)};
    default:
      return unreachable(file);
  }
}

/** Redacts lines together, since some secrets are recognised by the lines around them. */
const redactLines = (lines: readonly string[], secrets: Redactor): readonly string[] =>
  lines.length === 0 ? lines : secrets.redact(lines.join('\n')).split('\n');

/** The diff of a file with its secrets redacted. */
export const redactDiff = (
  diff: FileDiff,
  secrets: Redactor,
  redacted: ReadonlySet<DiffHunk> = new Set(),
): FileDiff => ({
  ...diff,
  path: secrets.redact(diff.path),
  movedFrom: diff.movedFrom === undefined ? undefined : secrets.redact(diff.movedFrom),
  notes: diff.notes.map(secrets.redact),
  hunks: diff.hunks.map(hunk => (redacted.has(hunk) ? hunk : redactHunk(hunk, secrets))),
});

function redactHunk(hunk: DiffHunk, secrets: Redactor): DiffHunk {
  const joined = hunk.lines.map(({text}) => text).join('\n');
  const redacted = secrets.redact(joined);
  // A hunk can be as long as a file, so one without a secret is not copied.
  if (redacted === joined) return hunk;
  const texts = redacted.split('\n');
  return {
    ...hunk,
    lines: hunk.lines.map((line, at) => {
      const text = texts[at] ?? '';
      return {...line, text, changed: text === line.text ? line.changed : []};
    }),
  };
}

/** Restores the secrets of an edit. It fails where an unknown placeholder would replace the secret that it stood for. */
function restoreRequest({edits, userChanges}: EditRequest, secrets: Redactor): Outcome<EditRequest, Fault> {
  const unknown = [...edits.flatMap(editTexts), ...textsIn(userChanges)].flatMap(({oldText, newText}) =>
    secrets.unknownPlaceholders(newText).filter(placeholder => !oldText.includes(placeholder)),
  );
  if (unknown.length > 0) return failed(rejected(`Nothing was changed: ${unknownPlaceholderText(unknown)}`));
  return ok({
    edits: edits.map(edit => mapEditTexts(edit, secrets.restore)),
    userChanges: mapUserChanges(userChanges, secrets.restore),
  });
}

const textsIn = (changes: UserChanges): readonly EditText[] =>
  changes.kind === 'texts' ? changes.texts.map(({text}) => ({newText: text, oldText: ''})) : [];

function redactingSearch(search: SearchPort, secrets: Redactor): SearchPort {
  const {redact, restore} = secrets;
  return {
    limitedTo: paths => redactingSearch(search.limitedTo(restoredPaths(paths, secrets)), secrets),
    async grep(request, signal) {
      secrets.refresh([]);
      const found = await search.grep(
        {
          ...request,
          queries: request.queries.map(query => restoreInPattern(query, secrets)),
          path: restore(request.path),
          globs: request.globs.map(restore),
        },
        signal,
      );
      if (found.tag === 'failed') return failed(redactFault(found.error, secrets));
      secrets.refresh(secretFilesIn(found.value.lines.join('\n')));
      return ok({...found.value, lines: redactLines(found.value.lines, secrets)});
    },
    async glob(request, signal) {
      const found = await search.glob(
        {...request, patterns: request.patterns.map(restore), path: restore(request.path)},
        signal,
      );
      return found.tag === 'ok'
        ? ok({...found.value, paths: found.value.paths.map(redact)})
        : failed(redactFault(found.error, secrets));
    },
    async codebase(request, signal) {
      secrets.refresh([]);
      const found = await search.codebase(
        {...request, path: restore(request.path), filters: request.filters.map(restore)},
        signal,
      );
      if (found.tag === 'failed') return failed(redactFault(found.error, secrets));
      const {places, terms} = found.value;
      secrets.refresh(secretFilesIn(places.map(({path}) => path).join('\n')));
      return ok({
        ...found.value,
        places: places.map(place => {
          const texts = redactLines(
            place.lines.map(({text}) => text),
            secrets,
          );
          const lines = place.lines.map(({line}, at) => ({line, text: texts[at] ?? ''}));
          return {...place, path: redact(place.path), within: redact(place.within), lines};
        }),
        terms: terms.map(redact),
      });
    },
  };
}

/** Restores secrets in a regular expression, with all their special characters escaped. */
const restoreInPattern = (query: string, secrets: Redactor): string =>
  query.replaceAll(placeholderForm, placeholder => {
    const value = secrets.valueOf(placeholder);
    return value === undefined ? placeholder : value.replaceAll(/[\\^$.*+?()[\]{}|#&~-]/gu, String.raw`\$&`);
  });

/** A port to MCP servers that redacts secrets in their answers, and restores them in the input of their tools. */
export function redactingMcp(mcp: McpPort, secrets: Redactor): McpPort {
  const redactedFault = <T>(found: Outcome<T, Fault>): Outcome<T, Fault> =>
    found.tag === 'failed' ? failed(redactFault(found.error, secrets)) : found;
  const redacted = (found: Outcome<McpResult, Fault>): Outcome<McpResult, Fault> =>
    found.tag === 'failed'
      ? failed(redactFault(found.error, secrets))
      : ok({
          ...found.value,
          blocks: found.value.blocks.map(block =>
            block.kind === 'text' ? {...block, text: secrets.redact(block.text)} : block,
          ),
        });
  const redactedResource = (resource: McpResource): McpResource => ({
    ...resource,
    uri: secrets.redact(resource.uri),
    name: secrets.redact(resource.name),
    description: secrets.redact(resource.description),
  });
  const redactedWords = <T>(done: Outcome<T, string>): Outcome<T, string> =>
    done.tag === 'failed' ? failed(secrets.redact(done.error)) : done;
  return {
    ready: async signal => redactedFault(await mcp.ready(signal)),
    settled: signal => mcp.settled(signal),
    tools: () => mcp.tools(),
    prompts: () => mcp.prompts(),
    servers: () =>
      mcp.servers().map(server => ({
        ...server,
        error: secrets.redact(server.error),
        instructions: secrets.redact(server.instructions),
        log: server.log.map(line => secrets.redact(line)),
      })),
    reconnect: async server => redactedWords(await mcp.reconnect(server)),
    toggle: async (server, wanted) => redactedWords(await mcp.toggle(server, wanted)),
    // A link is for the user alone, and works only as it is.
    signIn: async (server, say, signal) => redactedWords(await mcp.signIn(server, say, signal)),
    expandPrompt: async (request, signal) => redacted(await mcp.expandPrompt(request, signal)),
    async call(request, observer, signal) {
      const unknown = stringsIn(request.input).flatMap(secrets.unknownPlaceholders);
      if (unknown.length > 0)
        return failed(rejected(`The tool was not called: ${unknownPlaceholderText([...new Set(unknown)])}`));
      const {progress, elicit, sample} = observer;
      const redactedObserver: McpCallObserver = {
        progress: line => progress(secrets.redact(line)),
        elicit,
        // The answer goes to the server as it is: with placeholders where the model names a secret.
        sample: (asked, during) => sample({...asked, params: redactedIn(asked.params, secrets)}, during),
      };
      return redacted(
        await mcp.call({...request, input: restoredIn(request.input, secrets)}, redactedObserver, signal),
      );
    },
    async resources(server, signal) {
      const found = await mcp.resources(server, signal);
      return found.tag === 'failed' ? failed(redactFault(found.error, secrets)) : ok(found.value.map(redactedResource));
    },
    listedResources: () => mcp.listedResources().map(redactedResource),
    readResource: async (request, signal) =>
      redacted(await mcp.readResource({...request, uri: secrets.restore(request.uri)}, signal)),
  };
}

/** The screen as it is; the text that is typed has the secrets themselves, which a person has seen go there. */
export const redactingComputer = (computer: ComputerPort, secrets: Redactor): ComputerPort => ({
  get using() {
    return computer.using;
  },
  async probe(signal) {
    const probe = await computer.probe(signal);
    return probe.tag === 'ok' ? probe : failed(redactFault(probe.error, secrets));
  },
  async act(step, signal) {
    const unknown = step.kind === 'type' ? secrets.unknownPlaceholders(step.text) : [];
    if (unknown.length > 0) return failed(rejected(`Nothing was typed: ${unknownPlaceholderText(unknown)}`));
    const acted = await computer.act(step.kind === 'type' ? {...step, text: secrets.restore(step.text)} : step, signal);
    return acted.tag === 'ok' ? acted : failed(redactFault(acted.error, secrets));
  },
  async screenshot(signal) {
    const taken = await computer.screenshot(signal);
    return taken.tag === 'ok' ? taken : failed(redactFault(taken.error, secrets));
  },
});

/**
 * A port to the web that redacts secrets in what it answers, and restores them in addresses and queries: by then a person has seen
 * who gets them. They change no host, since the host is what was judged, and nothing that was read with them is kept.
 */
export function redactingWeb(web: WebPort, secrets: Redactor): WebPort {
  const {redact} = secrets;
  return {
    get searching() {
      return web.searching;
    },
    async fetch(request, signal) {
      const unknown = secrets.unknownPlaceholders(request.url);
      if (unknown.length > 0) return failed(rejected(`Nothing was fetched: ${unknownPlaceholderText(unknown)}`));
      const url = request.url.replaceAll(placeholderForm, placeholder =>
        encodeURIComponent(secrets.valueOf(placeholder) ?? placeholder),
      );
      const [judged, restored] = [readWebUrl(request.url), readWebUrl(url)];
      if (judged.tag === 'failed' || restored.tag === 'failed' || judged.value.host !== restored.value.host)
        return failed(rejected('Nothing was fetched: a secret cannot be part of a host.'));
      const page = await web.fetch({url, cache: url === request.url ? request.cache : 'none'}, signal);
      if (page.tag === 'failed') return failed(redactFault(page.error, secrets));
      const {url: found, content, notes, ...rest} = page.value;
      return ok({...rest, url: redact(found), content: redactPage(content, secrets), notes: notes.map(redact)});
    },
    async search(request, signal) {
      const texts = [request.query, ...request.allowedDomains, ...request.blockedDomains];
      const unknown = texts.flatMap(secrets.unknownPlaceholders);
      if (unknown.length > 0)
        return failed(rejected(`Nothing was searched: ${unknownPlaceholderText([...new Set(unknown)])}`));
      const found = await web.search({...request, query: secrets.restore(request.query)}, signal);
      if (found.tag === 'failed') return failed(redactFault(found.error, secrets));
      const results = found.value.results.map(({url, title, snippet, published}) => ({
        url: redact(url),
        title: redact(title),
        snippet: redact(snippet),
        published,
      }));
      return ok({...found.value, results});
    },
  };
}

function redactPage(content: PageContent, {redact}: Redactor): PageContent {
  switch (content.kind) {
    case 'text':
      return {...content, text: redact(content.text)};
    case 'moved':
      return {...content, to: redact(content.to)};
    case 'image':
      return content;
    default:
      return unreachable(content);
  }
}

function stringsIn(value: Json): readonly string[] {
  if (typeof value === 'string') return [value];
  if (isJsonList(value)) return value.flatMap(stringsIn);
  return isJsonObject(value) ? Object.values(value).flatMap(stringsIn) : [];
}

const redactedIn = (input: JsonObject, secrets: Redactor): JsonObject =>
  Object.fromEntries(Object.entries(input).map(([key, value]) => [key, redactedValue(value, secrets)]));

function redactedValue(value: Json, secrets: Redactor): Json {
  if (typeof value === 'string') return secrets.redact(value);
  if (isJsonList(value)) return value.map(item => redactedValue(item, secrets));
  return isJsonObject(value) ? redactedIn(value, secrets) : value;
}

const restoredIn = (input: JsonObject, secrets: Redactor): JsonObject =>
  Object.fromEntries(Object.entries(input).map(([key, value]) => [key, restoredValue(value, secrets)]));

function restoredValue(value: Json, secrets: Redactor): Json {
  if (typeof value === 'string') return secrets.restore(value);
  if (isJsonList(value)) return value.map(item => restoredValue(item, secrets));
  return isJsonObject(value) ? restoredIn(value, secrets) : value;
}
