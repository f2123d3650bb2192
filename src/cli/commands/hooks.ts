import type {Command} from 'commander';
import {exiting, exitCode, type ExitCode, UsageError} from '../../app/exit-code.ts';
import type {FolderOption, MainOptions} from '../../app/main-options.ts';
import {addSubcommands, folderFlag, jsonFlag, type JsonOption, pluginFlag} from '../flags.ts';
import {randomBytes} from 'node:crypto';
import type {HookRow, HooksPort} from '../../actions/hooks-port.ts';
import {unreachable} from '../../base/unreachable.ts';
import {visibleExactLine, visibleLine} from '../../base/visible.ts';
import {type HookEvent, hookEvents, type HookSetting, hookText} from '../../config/hook-settings.ts';
import {projectTrust} from '../../config/trust-record.ts';
import {rejected} from '../../domain/fault.ts';
import {actionId, messageId} from '../../domain/ids.ts';
import {hooksOfPlugins, sessionHooks} from '../../app/compose-hooks.ts';
import {namedPlugins} from '../../app/named-plugins.ts';
import {valuesOf} from '../../app/run-context.ts';
import {userPlaces} from '../../app/user-data.ts';
import {settingsIn} from '../../app/write-settings.ts';
import {note} from '../../app/output.ts';
import {printRows} from '../rows.ts';

type HookOptions = JsonOption & FolderOption & Pick<MainOptions, 'pluginDir'>;

/** `weft hooks list|test`. */
export function add(hooks: Command): void {
  const flags = [jsonFlag, folderFlag, pluginFlag];
  const event = ['[event]', 'Only the hooks of this event'] as const;
  addSubcommands(hooks, [
    ['list', 'List the hooks and where they come from', flags, exiting(listHooks)],
    ['test', 'Call each hook with a sample of its event and show its verdict', [event, ...flags], exiting(testHooks)],
  ]);
}

/** Reads the hooks of the settings, and of the plugins that the settings and the flags name. */
async function hooksIn({cwd, pluginDir}: Pick<HookOptions, 'cwd' | 'pluginDir'>) {
  const {settings, place} = settingsIn(cwd);
  const trust = projectTrust(place);
  const {plugins, notices} = namedPlugins(settings.settings.plugins, pluginDir === undefined ? {} : {pluginDir}, {
    directory: place.directory,
    trust,
  });
  for (const notice of notices) note(visibleLine(notice));
  return {settings, place, trust, plugins: await hooksOfPlugins(plugins)};
}

/** `weft hooks list`: prints the hooks that run here, and how many hooks of the project do not. */
async function listHooks({json, ...options}: HookOptions): Promise<ExitCode> {
  const {settings, plugins} = await hooksIn(options);
  const found = [
    ...settings.settings.hooks,
    ...plugins.map(({hook, path}) => ({value: hook, source: 'plugin', path}) as const),
  ];
  const rows = found.map(({value, source, path}) => ({
    event: value.event,
    matcher: value.matcher,
    type: value.work.type,
    text: hookText(value),
    source,
    path,
    timeout: value.timeoutMs / 1000,
    onFailure: value.onFailure,
    if: value.condition,
  }));
  printRows({
    rows,
    json,
    line({event, matcher, text, path, if: condition}) {
      const title = `${titleOf(event, matcher)}${condition === '' ? '' : ` if ${visibleExactLine(condition)}`}`;
      return `${title}  ${visibleExactLine(text)}   (${visibleExactLine(path)})`;
    },
    none: 'no hooks here. Add them to settings.json ({"hooks": {"PreToolUse": […]}}), or use a plugin that has some',
  });
  const advice = (await import('../../app/import-settings.ts')).importAdvice();
  if (advice !== '') note(advice);
  const left = settings.withheldHooks.length;
  if (left > 0) note(`${left} of this project do not run. Review and trust the project: weft permissions trust`);
  return exitCode.done;
}

const titleOf = (event: string, matcher: string): string => (matcher === '' ? event : `${event}(${matcher})`);

/** Returns a hook that runs without its matcher and condition, and whose answer is awaited. */
const called = (hook: HookSetting) => ({...hook, matcher: '', condition: '', wait: 'for-answer'}) as const;

/** `weft hooks test`: calls each hook with a sample of its event and prints its answer. The exit code is 1 if one is broken. */
async function testHooks(event: string | undefined, {json, ...options}: HookOptions): Promise<ExitCode> {
  if (event !== undefined && !hookEvents.some(each => each === event)) {
    throw new UsageError(`Unknown hook event ${event}. Use one of ${hookEvents.join(', ')}.`);
  }
  const {settings, place, trust, plugins} = await hooksIn(options);
  const hooks = [
    ...settings.settings.hooks.map(hook => ({
      hook: hook.value,
      settings: [{...hook, value: called(hook.value)}],
      plugins: [],
    })),
    ...plugins.map(one => ({hook: one.hook, settings: [], plugins: [{...one, hook: called(one.hook)}]})),
  ].filter(({hook}) => event === undefined || hook.event === event);
  const own = valuesOf(settings.settings.env);
  const processes = await hookProcesses(place.directory, own);
  const redact = await redactorOf(place.directory, own);
  const rows: HookRow[] = [];
  for (const {hook, ...sources} of hooks) {
    const {matcher} = hook;
    const make = await sessionHooks({
      ...sources,
      withheld: [],
      driver: [],
      promptSource: 'user',
      directory: place.directory,
      transcripts: undefined,
      projectTrust: trust,
    });
    const port = make({
      command: (work, stdin, signal) => processes.run(work, stdin, signal),
      redact,
      reach: async () => 'whole',
    });
    port.attach({
      session: () => ({sessionId: 'test', directory: place.directory, mode: 'default', model: '', promptId: 'test'}),
      messages: () => [],
      publish: () => {},
      beforeChange: async () => {},
    });
    await callSample(hook.event, port, matcher);
    rows.push(...port.list().map(row => ({...row, matcher})));
  }
  await processes.end();
  printRows({
    rows,
    json,
    line: row => `${titleOf(row.event, row.matcher)}  ${visibleExactLine(row.text)}\n    ${visibleExactLine(row.last)}`,
    none: 'no hooks to test',
  });
  return rows.some(({last}) => /^(?:blocks|does not count): /u.test(last)) ? exitCode.failed : exitCode.done;
}

/** Makes the redactor of a session for the output of hooks: it hides the secrets of the environment and of the folder. */
async function redactorOf(directory: string, own: Readonly<Record<string, string>>) {
  const [{makeRedactor}, {isSecretFile}, {watchSecretFiles}] = await Promise.all([
    import('../../safety/secrets/redactor.ts'),
    import('../../safety/secrets/secret-files.ts'),
    import('../../workspace/files/secret-files.ts'),
  ]);
  const {redact} = makeRedactor({
    environment: {...own, ...process.env},
    files: watchSecretFiles({roots: [directory], isSecretFile}),
    key: () => randomBytes(32),
  });
  return redact;
}

async function hookProcesses(directory: string, userSet: Readonly<Record<string, string>>) {
  const [{makeHookProcesses}, {makeRunTags}, {startProcessWatchdog}, {restrictOwnPath, userPath}, {folderSandbox}] =
    await Promise.all([
      import('../../workspace/exec/run-hook.ts'),
      import('../../workspace/exec/run-tag.ts'),
      import('../../workspace/exec/watchdog.ts'),
      import('../../workspace/exec/trusted-path.ts'),
      import('../../app/command-sandbox.ts'),
    ]);
  restrictOwnPath([directory]);
  const sandbox = folderSandbox(directory);
  const tags = await makeRunTags(userPlaces().blocks);
  const watchdog = startProcessWatchdog(tags.prefix);
  const processes = makeHookProcesses({
    variables: {
      inherited: {...process.env, PATH: userPath()},
      userSet,
      passedThrough: [],
      roots: [directory],
    },
    runContext: async () => ({tags, watchdog}),
    sandbox,
  });
  return {
    run: (...hook: Parameters<typeof processes.run>) => processes.run(...hook),
    async end(): Promise<void> {
      await processes.close();
      watchdog.dismiss();
      await sandbox.close();
    },
  };
}

const sampleAgent = {agentId: 'sample', agentType: 'sample'};

/** Calls the hooks with a sample of the event, in its real form. */
async function callSample(event: HookEvent, port: HooksPort, matcher: string): Promise<void> {
  const {signal} = new AbortController();
  const name = /^\w+/u.exec(matcher)?.[0] ?? 'Bash';
  const call = {kind: 'tool-call', id: actionId('sample'), name, input: {command: 'echo sample'}} as const;
  const content = {
    kind: 'tool-result',
    id: call.id,
    content: [{kind: 'text', text: 'sample\n'}],
    outcome: 'success',
  } as const;
  const ended = {call, content, durationMs: 1, result: {tag: 'undecodable', fault: rejected('')}} as const;
  switch (event) {
    case 'PreToolUse':
      return void (await port.preToolUse(call, signal));
    case 'PermissionRequest':
      return void (await port.permissionRequest({call, rules: [], changes: []}, signal));
    case 'PostToolUse':
      return void (await port.postToolUse(ended, signal));
    case 'PostToolUseFailure':
      return void (await port.postToolUseFailure(ended, signal));
    case 'UserPromptSubmit':
      return void (await port.userPromptSubmit({id: messageId('sample'), text: 'A sample prompt'}, signal));
    case 'Stop':
      return void (await port.stop({answer: 'A sample answer.', round: 'first'}, signal));
    case 'SessionStart':
      return void (await port.sessionStart('startup', signal));
    case 'PreCompact':
      return void (await port.preCompact({trigger: 'manual', instructions: ''}, signal));
    case 'SessionEnd':
      return void (await port.notify({event, reason: 'other'}, signal));
    case 'Notification':
      return void (await port.notify({event, type: 'permission_prompt', message: 'A sample'}, signal));
    case 'PermissionDenied':
      return void (await port.notify({event, call, reason: 'A sample reason'}, signal));
    case 'PostCompact':
      return void (await port.notify({event, trigger: 'manual', summary: 'A sample summary.'}, signal));
    case 'SubagentStart':
      return void (await port.subagentStart(sampleAgent, signal));
    case 'SubagentStop':
      return void (await port.subagentStop({...sampleAgent, answer: '', round: 'first'}, signal));
    default:
      return unreachable(event);
  }
}
