import type {ComparisonPort} from '../actions/review-port.ts';
import {type EditText, editTexts, type EditRequest} from '../domain/file-edit.ts';
import type {FilesPort, ReadFile} from '../actions/files-port.ts';
import {resolve} from 'node:path';
import type {ActionPorts, BlockSnapshot, BlocksPort, SearchPort, ShellPort, ShellReport} from '../actions/ports.ts';
import type {ComputerPort} from '../actions/computer-port.ts';
import {type DecideChangesAfterRun, emptyChangesOutcome} from '../actions/changes-port.ts';
import type {CommandsPort} from '../actions/commands-port.ts';
import type {McpCallObserver, McpPort} from '../actions/mcp-port.ts';
import type {WebPort} from '../actions/web-port.ts';
import {readWebUrl} from '../domain/web-url.ts';
import {textsIn} from '../base/json.ts';
import {failed, ok, type Outcome} from '../base/outcome.ts';
import {type Fault, rejected} from '../domain/fault.ts';
import {placeholderForm} from '../safety/secrets/placeholders.ts';
import {redactDeep, type Redactor, restoreDeep} from '../safety/secrets/redactor.ts';
import {restoreInCommand, unknownPlaceholderText} from '../safety/secrets/restore-in-command.ts';
import {secretFilesIn} from '../safety/secrets/secret-files.ts';

type Machine = Pick<ActionPorts, 'shell' | 'files' | 'search' | 'blocks' | 'mcp' | 'web' | 'skills' | 'conversations'>;

/**
 * Returns ports to the machine that redact secrets in all output, and restore them in all input (commands, edits, typed text). So edits
 * match the real files and commands work, but no approval card, journal or model sees a secret.
 */
export const redactingPorts = (machine: Machine, secrets: Redactor): Machine => ({
  shell: redactingShell(machine.shell, secrets),
  blocks: redactingBlocks(machine.blocks, secrets),
  files: redactingFiles(machine.files, secrets),
  search: redactingSearch(machine.search, secrets),
  mcp: redactingMcp(machine.mcp, secrets),
  web: redactingWeb(machine.web, secrets),
  skills: {
    ready: signal => machine.skills.ready(signal),
    catalogue: () => machine.skills.catalogue(),
    read: async (request, signal) => redactDeep(await machine.skills.read(request, signal), secrets),
  },
  conversations: {
    // weft may have learned a secret after the session was saved.
    fetch: async (request, signal) => redactDeep(await machine.conversations.fetch(request, signal), secrets),
  },
});

/** Redacts the expansions of slash commands. The shell restores the secrets in command lines. */
export const redactingCommands = (commands: CommandsPort, secrets: Redactor): CommandsPort => ({
  ready: signal => commands.ready(signal),
  list: () => commands.list(),
  whyWithheld: name => secrets.redact(commands.whyWithheld(name)),
  expand: async (request, signal) => redactDeep(await commands.expand(request, signal), secrets),
});

/** Restores the secrets of a request. Fails for unknown placeholders; `undone` says what was not done. */
function restored<T>(request: T, secrets: Redactor, undone: string): Outcome<T, Fault> {
  const unknown = new Set(textsIn(request).flatMap(secrets.unknownPlaceholders));
  return unknown.size > 0
    ? failed(rejected(`${undone}: ${unknownPlaceholderText([...unknown])}`))
    : ok(restoreDeep(request, secrets));
}

function redactingShell(shell: ShellPort, secrets: Redactor): ShellPort {
  return {
    get directory() {
      return shell.directory;
    },
    async run(request, observe, signal) {
      learnSecretsOf(request.command, {secrets, directory: shell.directory});
      const command = restoreInCommand(request.command, secrets.valueOf);
      if (command.tag === 'failed') return notStarted(command.error, shell.directory);
      const decide = request.changes === 'none' ? 'none' : redactingDecision(request.changes, secrets);
      const {changes, ...report} = await shell.run(
        {...request, command: command.value, changes: decide},
        chunk => observe(secrets.redact(chunk)),
        signal,
      );
      // `redactingDecision` has already redacted the changes.
      return {...redactDeep(report, secrets), changes};
    },
  };
}

/** Redacts the paths and lines of changes for the function that decides about them. */
const redactingDecision =
  (decide: DecideChangesAfterRun, secrets: Redactor): DecideChangesAfterRun =>
  (held, signal, blocked) => {
    // Two paths may look the same after redaction. One decision applies to both.
    const real = Map.groupBy(held.changes, ({path}) => secrets.redact(path));
    const realPaths = (paths: readonly string[]): readonly string[] =>
      paths.flatMap(path => real.get(path) ?? []).map(({path}) => path);
    return decide(
      {
        changes: held.changes.map(change => ({...change, path: secrets.redact(change.path)})),
        diffs: async (paths, aborted) => redactDeep(await held.diffs(realPaths(paths), aborted), secrets),
        keep: aborted => held.keep(aborted),
        apply: async (paths, how, aborted) => redactDeep(await held.apply(realPaths(paths), how, aborted), secrets),
      },
      signal,
      secrets.redact(blocked),
    );
  };

/** Reads the secret files that a command names, so that weft knows the secrets before the command prints them. */
function learnSecretsOf(
  command: string,
  {secrets, directory}: {readonly secrets: Redactor; readonly directory: string},
): void {
  secrets.refresh(secretFilesIn(command).map(path => resolve(directory, path)));
}

const notStarted = (why: string, directory: string): ShellReport => ({
  end: {kind: 'not-started', fault: rejected(`Did not start the command: ${why}`)},
  output: {text: '', totalBytes: 0, leftOutLines: 0, file: undefined},
  durationMs: 0,
  directory,
  nextDirectory: directory,
  leftRunning: [],
  blocked: '',
  changes: emptyChangesOutcome,
  notes: [],
});

function redactingBlocks(blocks: BlocksPort, secrets: Redactor): BlocksPort {
  /** The commands as the model wrote them, with placeholders, by block id. */
  const asked = new Map<string, string>();
  const redacted = <T extends Pick<BlockSnapshot, 'command'>>(
    id: string,
    found: Outcome<T, Fault>,
  ): Outcome<T, Fault> => {
    const shown = redactDeep(found, secrets);
    return shown.tag === 'failed' ? shown : ok({...shown.value, command: asked.get(id) ?? shown.value.command});
  };
  return {
    find: id => redacted(id, blocks.find(id)),
    async start(request, signal) {
      learnSecretsOf(request.command, {secrets, directory: request.directory});
      const command = restoreInCommand(request.command, secrets.valueOf);
      if (command.tag === 'failed') return failed(rejected(`Did not start the command: ${command.error}`));
      const started = await blocks.start({...request, command: command.value}, signal);
      if (started.tag === 'failed') return redactDeep(started, secrets);
      asked.set(started.value.id, request.command);
      return redacted(started.value.id, started);
    },
    read: async (request, signal) => redacted(request.id, await blocks.read(request, signal)),
    async write(request, signal) {
      const typed = restored(request, secrets, 'Nothing was typed');
      return typed.tag === 'failed' ? typed : redacted(request.id, await blocks.write(typed.value, signal));
    },
  };
}

function redactingFiles(files: FilesPort, secrets: Redactor): FilesPort {
  /** Reads the lines before a part of a private key, which looks like any other text without the key's beginning. */
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
    limitedTo: paths => redactingFiles(files.limitedTo(restoreDeep(paths, secrets)), secrets),
    resolve: path => files.resolve(secrets.restore(path)),
    async read(request, signal) {
      const path = secrets.restore(request.path);
      secrets.refresh(secretFilesIn(path).length > 0 ? [files.resolve(path).path] : []);
      const found = await files.read({...request, path}, signal);
      if (found.tag === 'ok' && found.value.kind === 'text') await readLinesBefore(found.value, path, signal);
      return redactDeep(found, secrets);
    },
    async plan(request, signal) {
      const edit = restoreEdit(request, secrets);
      return edit.tag === 'failed' ? edit : redactDeep(await files.plan(edit.value, signal), secrets);
    },
    async draft(request, signal) {
      const edit = restoreEdit(request, secrets);
      return edit.tag === 'failed' ? edit : redactDeep(await files.draft(edit.value, signal), secrets);
    },
    async apply(request, shown, signal) {
      const edit = restoreEdit(request, secrets);
      if (edit.tag === 'failed') return edit;
      const asPlanned = shown.map(({hunks, ...diff}) => ({...restoreDeep(diff, secrets), hunks}));
      // The shown hunks are already redacted.
      const asShown = new Set(shown.flatMap(({hunks}) => hunks));
      return redactDeep(await files.apply(edit.value, asPlanned, signal), secrets, asShown);
    },
  };
}

/** The maximum number of lines of a private key, roughly. */
const linesBefore = 120;

/** Restores the secrets of an edit. Fails if an unknown placeholder would replace the secret that it stands for. */
function restoreEdit(request: EditRequest, secrets: Redactor): Outcome<EditRequest, Fault> {
  const {edits, userChanges} = request;
  const ofUser = userChanges.kind === 'texts' ? userChanges.texts : [];
  const texts: readonly EditText[] = [
    ...edits.flatMap(editTexts),
    ...ofUser.map(({text}) => ({newText: text, oldText: ''})),
  ];
  const unknown = texts.flatMap(({oldText, newText}) =>
    secrets.unknownPlaceholders(newText).filter(placeholder => !oldText.includes(placeholder)),
  );
  return unknown.length > 0
    ? failed(rejected(`Nothing was changed: ${unknownPlaceholderText(unknown)}`))
    : ok(restoreDeep(request, secrets));
}

function redactingSearch(search: SearchPort, secrets: Redactor): SearchPort {
  return {
    limitedTo: paths => redactingSearch(search.limitedTo(restoreDeep(paths, secrets)), secrets),
    async grep(request, signal) {
      secrets.refresh([]);
      const queries = request.queries.map(query => restoreInPattern(query, secrets));
      const found = await search.grep({...restoreDeep(request, secrets), queries}, signal);
      if (found.tag === 'ok') secrets.refresh(secretFilesIn(found.value.lines.join('\n')));
      return redactDeep(found, secrets);
    },
    glob: async (request, signal) => redactDeep(await search.glob(restoreDeep(request, secrets), signal), secrets),
    async codebase({query, ...request}, signal) {
      secrets.refresh([]);
      // A question contains no secrets.
      const found = await search.codebase({...restoreDeep(request, secrets), query}, signal);
      if (found.tag === 'ok') secrets.refresh(secretFilesIn(found.value.places.map(({path}) => path).join('\n')));
      return redactDeep(found, secrets);
    },
  };
}

/** Restores secrets in a regular expression, with all their special characters escaped. */
const restoreInPattern = (query: string, secrets: Redactor): string =>
  query.replaceAll(placeholderForm, placeholder => {
    const value = secrets.valueOf(placeholder);
    return value === undefined ? placeholder : value.replaceAll(/[\\^$.*+?()[\]{}|#&~-]/gu, String.raw`\$&`);
  });

/** Returns a port to MCP servers that redacts secrets in their answers and restores them in the input of their tools. */
export function redactingMcp(mcp: McpPort, secrets: Redactor): McpPort {
  const hide = <T>(value: T): T => redactDeep(value, secrets);
  return {
    ready: async signal => hide(await mcp.ready(signal)),
    settled: (signal, server) => mcp.settled(signal, server),
    // Not redacted: callers rely on the same list object while nothing changes, and calls use its names.
    tools: () => mcp.tools(),
    prompts: () => mcp.prompts(),
    servers: () => mcp.servers().map(server => ({...hide(server), name: server.name})),
    reconnect: async server => hide(await mcp.reconnect(server)),
    toggle: async (server, wanted) => hide(await mcp.toggle(server, wanted)),
    // Not redacted: the link is only for the user, and works only unchanged.
    async signIn(server, say, signal) {
      const done = await mcp.signIn(server, say, signal);
      return done.tag === 'failed' ? hide(done) : done;
    },
    expandPrompt: async (request, signal) => hide(await mcp.expandPrompt(request, signal)),
    async call(request, {progress, elicit, sample}, signal) {
      const call = restored(request, secrets, 'The tool was not called');
      if (call.tag === 'failed') return call;
      const observer: McpCallObserver = {
        progress: line => progress(secrets.redact(line)),
        elicit,
        // The answer goes to the server unchanged, with placeholders for secrets.
        sample: (asked, during) => sample(hide(asked), during),
      };
      return hide(await mcp.call(call.value, observer, signal));
    },
    resources: async (server, signal) => hide(await mcp.resources(server, signal)),
    listedResources: () => hide(mcp.listedResources()),
    readResource: async (request, signal) =>
      hide(await mcp.readResource({...request, uri: secrets.restore(request.uri)}, signal)),
  };
}

/** Restores secrets in typed text, which a person has approved. Screenshots are not changed. */
export const redactingComputer = (computer: ComputerPort, secrets: Redactor): ComputerPort => ({
  get using() {
    return computer.using;
  },
  probe: async signal => redactDeep(await computer.probe(signal), secrets),
  async act(step, signal) {
    const typed = restored(step, secrets, 'Nothing was typed');
    return typed.tag === 'failed' ? typed : redactDeep(await computer.act(typed.value, signal), secrets);
  },
  screenshot: async signal => redactDeep(await computer.screenshot(signal), secrets),
});

/**
 * Returns a port to the web that redacts secrets in answers and restores them in addresses and queries, after a person has seen who gets
 * them. A secret can't change the host, because the host was judged. Pages read with secrets are not cached.
 */
export const redactingWeb = (web: WebPort, secrets: Redactor): WebPort => ({
  get searching() {
    return web.searching;
  },
  async fetch(request, signal) {
    const known = restored(request.url, secrets, 'Nothing was fetched');
    if (known.tag === 'failed') return known;
    const url = request.url.replaceAll(placeholderForm, placeholder =>
      encodeURIComponent(secrets.valueOf(placeholder) ?? placeholder),
    );
    const [judged, used] = [readWebUrl(request.url), readWebUrl(url)];
    if (judged.tag === 'failed' || used.tag === 'failed' || judged.value.host !== used.value.host)
      return failed(rejected("Nothing was fetched: a secret can't be part of a host."));
    return redactDeep(await web.fetch({url, cache: url === request.url ? request.cache : 'none'}, signal), secrets);
  },
  async search(request, signal) {
    const known = restored(request, secrets, 'Nothing was searched');
    if (known.tag === 'failed') return known;
    return redactDeep(await web.search({...request, query: known.value.query}, signal), secrets);
  },
});

/** Wraps comparisons of files: their texts contain placeholders instead of secrets. */
export const redactingComparison = (comparison: ComparisonPort, secrets: Redactor): ComparisonPort => ({
  compare: async (changes, signal) => redactDeep(await comparison.compare(changes, signal), secrets),
  stateNow: signal => comparison.stateNow(signal),
  unchangedSince: (receipts, now, signal) => comparison.unchangedSince(receipts, now, signal),
});
