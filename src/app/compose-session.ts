import {emptyAbilities} from '../actions/front-end.ts';
import {fixedModel} from './host-services.ts';
import {passingDatabase} from '../config/places.ts';
import {endKilledSessions, openSession, sessionRequest, takeBackKilledRewinds} from './open-session.ts';
import type {PermissionRule} from '../safety/rules/permission-rule.ts';
import {systemPrompt} from '../agent/context/system-prompt.ts';
import {existsSync} from 'node:fs';
import {homedir} from 'node:os';
import {join} from 'node:path';
import {notesFolder, notesName} from '../config/instructions.ts';
import {actionNames, definitions} from '../actions/catalogue.ts';
import {builtInPromptCommands} from '../extensions/skills/built-in-commands.ts';
import {joinCommands, noopCommands} from '../actions/commands-port.ts';
import {limitedServers, type McpPort} from '../actions/mcp-port.ts';
import type {EngineOptions} from '../agent/create-engine.ts';
import type {Hook} from '../actions/hooks-port.ts';
import {isJsonObject, type Json, parseJson} from '../base/json.ts';
import {failed, ok, type Outcome} from '../base/outcome.ts';
import {causeText} from '../domain/fault.ts';
import {UsageError} from './exit-code.ts';
import {inlineOrFileText, isInlineJson, thinkingOf} from './main-options.ts';
import {agentKinds, type AgentTools, mayCall, toolsOf} from './agent-kinds.ts';
import {runHarnesses} from './run-harnesses.ts';
import type {ChosenModel, ModelChoice} from './choose-model.ts';
import type {AgentClient} from '../agent/client.ts';
import {keptSecrets} from './api-keys.ts';
import {finishApplies, requireNamedSandbox} from './prove-sandbox.ts';
import {composeEngine, type EngineSetup} from './compose-engine.ts';
import {hooksOfPlugins, sessionHooks} from './compose-hooks.ts';
import type {ModelSetup} from './host-services.ts';
import type {NoticesPort} from '../agent/ports.ts';
import {userPorts} from './user-ports.ts';
import {note} from './output.ts';
import {type OpenServers, openServers} from './open-servers.ts';
import type {RunContext} from './run-context.ts';
import {commandNamed, type GivenConditions} from '../agent/session-context.ts';
import {hidingText} from '../domain/receipt.ts';
import {weftFolders, placeholderKey} from './user-data.ts';

/** The person or program that drives weft, and the options that come with it. */
interface Driver
  extends Pick<EngineOptions, 'interaction' | 'frontEnd'>, Pick<EngineSetup, 'commands' | 'artifactUrl' | 'editor'> {
  /** `fixed`: flags, environment and settings choose the model. Only its effort can change. */
  readonly models: ModelSetup | 'fixed';
  /** `of-settings`: the MCP servers from the settings and the command line. */
  readonly servers: OpenServers | 'of-settings';
  /** Whether the first request waits for MCP servers that never connected before. */
  readonly newServers: 'awaited' | 'join-later';
  readonly hooks: readonly Hook[];
  readonly promptSource: 'user' | 'sdk';
  /** A `program` must approve commands that weft would run unasked for a person, unless its own settings say otherwise. */
  readonly answers: 'person' | 'program';
  /** `usual`: only unattended runs wait for their background agents. */
  readonly backgroundAgents: EngineOptions['backgroundAgents'] | 'usual';
  readonly structured: StructuredOutput | 'by-flag';
  /** `shown`: the session shows commands that still run, and project files that are not trusted. */
  readonly findings: 'shown' | 'left-out';
  /** Tells the user what weft mended before the session opened. By default it is a notice of the session. */
  readonly tell?: (text: string) => void;
}

async function permissionHooks(
  {permissionPromptTool: tool, permissionPrompts}: RunContext['options'],
  mcp: McpPort,
): Promise<readonly Hook[]> {
  if (tool === undefined || tool === 'stdio' || permissionPrompts === 'none') return [];
  return [(await import('../extensions/hooks/permission-tool.ts')).makePermissionToolHook(tool, mcp)];
}

/** The options of an unattended driver that adds no servers, hooks or commands. */
export const defaultDriver: Driver = {
  interaction: 'unattended',
  frontEnd: emptyAbilities,
  models: 'fixed',
  servers: 'of-settings',
  newServers: 'awaited',
  commands: noopCommands,
  hooks: [],
  promptSource: 'user',
  answers: 'person',
  backgroundAgents: 'usual',
  structured: 'by-flag',
  findings: 'left-out',
  artifactUrl: () => '',
  editor: 'none',
};

const withEffort = (choice: ModelChoice, {places}: RunContext): ModelSetup => ({
  ...fixedModel('Flags, environment and settings choose the model of this run.'),
  useEffort: async request =>
    (await import('./model-setup.ts')).useEffort(request, {choice, settingsFile: places.settings}),
});

/** The default for background agents: unattended runs wait for them. */
const defaultBackgroundAgents = {interactive: 'left', unattended: 'waited-for'} as const;

/** Opens the session that the command line asks for, and makes its engine with this model. */
export async function composeSession(chosen: ChosenModel, context: RunContext, driver: Driver): Promise<AgentClient> {
  const {options, settings, directory, project, roots, agent} = context;
  await finishApplies(context);
  await requireNamedSandbox(context);
  const structured =
    driver.structured !== 'by-flag'
      ? driver.structured
      : options.jsonSchema === undefined
        ? ({kind: 'none'} as const)
        : await structuredOutputFromFlag(options.jsonSchema);
  const extensions = context.extensions();
  const store = options.sessionPersistence ? await context.store() : ('none' as const);
  const endKilled =
    store === 'none' ? undefined : () => endKilledSessions({store, directory, folder: context.places.checkpoints});
  await endKilled?.();
  const {session, origin, sessions, skipped} = openSession(sessionRequest(options), {
    store,
    directory,
    model: chosen.model,
  });
  if (skipped > 0) note(`skipped ${skipped} unreadable records of this session`);
  // In a terminal UI, notices must go through the engine. Otherwise they go to stderr.
  const notices = heldNotices();
  const {interaction} = driver;
  const log = interaction === 'unattended' ? note : notices.add;
  if (driver.findings === 'shown') void import('./leftovers.ts').then(found => found.noteFindings(context, log));
  const servers =
    driver.servers === 'of-settings'
      ? await openServers({context, log, newServers: driver.newServers})
      : driver.servers;
  const place = {store: context.store, roots, folder: context.places.checkpoints};
  const taken = takeBackKilledRewinds(session.id, place).catch((cause: unknown) => [{text: causeText(cause)}]);
  for (const {text} of await taken) (driver.tell ?? log)(text);
  const agentTools = toolsOf(agent);
  const promptParts = {instructions: context.startInstructions().found, addition: options.appendSystemPrompt ?? ''};
  const hasOwnPrompt = (options.systemPrompt ?? '') !== '';
  // Programs without a system prompt send an empty one.
  const replacement = agent === 'none' || hasOwnPrompt ? options.systemPrompt : agent.prompt;
  const tokens = existsSync(context.places.serverCredentials)
    ? (await import('./server-credentials.ts')).keptTokens(context.places)
    : {};
  return composeEngine({
    engine: {
      session,
      origin,
      model: chosen.model,
      mode: settings.permissionMode,
      environment: hasOwnPrompt ? 'left-out' : options.bare === undefined ? 'included' : 'portable',
      limits: {maxTurns: options.maxTurns ?? 'unlimited', maxCostUsd: options.maxCost ?? 'unlimited'},
      interaction,
      frontEnd: driver.frontEnd,
      backgroundAgents:
        driver.backgroundAgents === 'usual' ? defaultBackgroundAgents[interaction] : driver.backgroundAgents,
      structuredOutput: structured,
      conditions: {
        goal: await goalFromFlag(options.goal),
        required: await requiredChecks(settings, options.requireCheck ?? []),
        checks: settings.checks,
      },
      loopGuard: settings.loopGuard,
      selfReports: settings.selfReports,
      thinking: thinkingOf(options),
      compaction: settings.compaction,
      disabledTools: disabledTools(options.tools, settings.rules.deny, agentTools),
    },
    sessions,
    endKilledSessions: endKilled,
    model: chosen.port,
    roots,
    home: homedir(),
    environment: process.env,
    ownVariables: settings.env,
    passedVariables: settings.passEnv,
    secretVariables: {...keptSecrets(context.places), ...tokens, ...chosen.secrets},
    learnSecrets: learn => context.issuedKeys.onSecret(learn),
    blocksFolder: context.places.blocks,
    notesFile: () => join(notesFolder(context.places.memory, directory), notesName),
    plans: async () => {
      const {openUserStores} = await import('./user-jobs.ts');
      return (await openUserStores(options.sessionPersistence ? context.places : {database: passingDatabase})).plans;
    },
    runningAgents: options.sessionPersistence
      ? async () => (await (await import('./user-jobs.ts')).openUserStores(context.places)).jobs
      : 'unseen',
    artifactUrl: driver.artifactUrl,
    editor: driver.editor,
    artifactsFolder: options.sessionPersistence ? context.places.artifacts : undefined,
    checkpointsFolder: options.sessionPersistence ? context.places.checkpoints : undefined,
    savedTrees: async () => (await context.store()).checkpointTrees(),
    weftFolders: weftFolders(context.places, process.env),
    placeholderKey: placeholderKey(
      context.places.placeholderKey,
      options.sessionPersistence ? 'keep' : 'leave-no-trace',
    ),
    memoryCeiling: settings.memoryCeiling,
    sandbox: {
      choice: settings.sandbox,
      unasked: settings.unasked[driver.answers],
      heldBack: options.heldBack,
      unsandboxedRetry: settings.unsandboxedRetry,
      excluded: settings.excluded,
      proofFolder: context.places.data,
      loopback: settings.loopback,
    },
    rules: settings.rules,
    workspace: /^(?:never|changed)$/u.test(context.permissions.trust) ? 'untrusted' : 'own',
    removeRule: async rule => (await import('./write-settings.ts')).removeSavedRule(rule, project),
    saveRule: async rule => (await import('./write-settings.ts')).saveRule(rule, project),
    systemPrompt: profile => systemPrompt({...promptParts, replacement}, profile),
    instructions: {instructions: context.instructions, instructionsBelow: context.instructionsBelow},
    user: userPorts(context, {
      store,
      models: driver.models === 'fixed' ? withEffort(chosen.choice, context) : driver.models,
    }),
    notices,
    servers: {...servers, mcp: limitedServers(servers.mcp, ({toolName}) => mayCall(agentTools, toolName))},
    commands: joinCommands([extensions.commands, driver.commands, servers.commands, builtInPromptCommands]),
    skills: extensions.skills,
    agentKinds: agentKinds(context, prompt => systemPrompt({...promptParts, replacement: prompt}, 'open')),
    harnesses: runHarnesses(context),
    skillFolders: extensions.skillFolders,
    hooks: await sessionHooks({
      settings: settings.hooks,
      withheld: context.permissions.withheldHooks,
      driver: [...driver.hooks, ...(await permissionHooks(options, servers.mcp))],
      promptSource: driver.promptSource,
      directory: project,
      transcripts: options.sessionPersistence ? context.places.transcripts : undefined,
      projectTrust: context.projectTrust,
      plugins: await hooksOfPlugins(context.plugins),
    }),
  });
}

/** The maximum number of notices of MCP servers in one session, so that a failing server does not fill the screen. */
const maxNotices = 12;

function heldNotices(): NoticesPort & {readonly add: (text: string) => void} {
  const shown = new Set<string>();
  const held: string[] = [];
  let hear = (text: string): void => void held.push(text);
  return {
    add(text) {
      if (shown.has(text) || shown.size > maxNotices) return;
      shown.add(text);
      hear(shown.size > maxNotices ? 'For more about MCP servers, type /mcp' : text);
    },
    listen(listener) {
      hear = listener;
      for (const text of held.splice(0)) listener(text);
    },
  };
}

/** Applies the agent that the flags name, if any. */
export const applyNamedAgent = async (context: RunContext): Promise<RunContext> =>
  context.options.agent === undefined && context.agentDefinitions === undefined
    ? context
    : (await import('./chosen-agent.ts')).applyChosenAgent(context);

/**
 * Returns the tools that weft does not offer to the model: those that `--tools` or the chosen agent omits, and those that a deny rule
 * forbids completely. Without the flag, or with `default` in it, all of weft's own tools are offered. The flag never omits tools of MCP
 * servers or the tool for structured answers.
 */
function disabledTools(
  given: string | undefined,
  deny: readonly PermissionRule[],
  agent: AgentTools,
): EngineOptions['disabledTools'] {
  const disabled = new Map<string, 'absent' | 'forbidden'>();
  for (const {tool, about} of deny) if (about.kind === 'every-call') disabled.set(tool, 'forbidden');
  const named = given?.split(/[\s,]+/u).filter(name => name !== '');
  const isNamed = (name: string): boolean => named === undefined || named.includes('default') || named.includes(name);
  for (const action of actionNames) {
    const {offered, tools} = definitions[action];
    if (offered === 'answer-schema' || offered === 'more-tools') continue;
    for (const {name} of tools) if (!isNamed(name) || !mayCall(agent, name)) disabled.set(name, 'absent');
  }
  return disabled;
}

type StructuredOutput = EngineOptions['structuredOutput'];

/** Reads the schema of `--json-schema`: JSON text, or the path of a file with it. */
async function structuredOutputFromFlag(given: string): Promise<StructuredOutput> {
  const where = isInlineJson(given) ? '--json-schema' : `--json-schema ${given}`;
  const text = inlineOrFileText(given, why => `${where} is neither JSON nor a readable file: ${why}`);
  const parsed = parseJson(text.replace(/^\uFEFF/u, ''));
  if (parsed.tag === 'failed') throw new UsageError(`${where} is not JSON: ${parsed.error}`);
  const structured = await structuredOutputFor(parsed.value);
  if (structured.tag === 'failed') throw new UsageError(`${where} is not a valid schema: ${structured.error}`);
  return structured.value;
}

/** Reads `--goal`. A condition that weft can't check is a usage error. */
async function goalFromFlag(given: string | undefined): Promise<string> {
  if (given === undefined) return '';
  const {programPath, userPath} = await import('../workspace/exec/trusted-path.ts');
  const isProgram = (name: string): boolean => programPath(name, userPath()) !== undefined;
  const read = (await import('../domain/goal.ts')).readCondition(given, isProgram);
  if (read.tag === 'failed') throw new UsageError(`--goal: ${read.error}`);
  if (read.value.kind === 'command') await refuseHidden(read.value.command, '--goal');
  return given;
}

/** Reads the setting `requireChecks` and `--require-check`. A command that can exit with 0 although its check fails is a usage error. */
async function requiredChecks(
  {requireChecks, checks}: Pick<RunContext['settings'], 'requireChecks' | 'checks'>,
  given: readonly string[],
): Promise<GivenConditions['required']> {
  const required = [
    ...requireChecks.map(text => ({text, when: 'usual'}) as const),
    ...given.map(text => ({text, when: 'always'}) as const),
  ];
  for (const {text, when} of required) {
    const where = when === 'usual' ? 'The setting requireChecks' : '--require-check';
    if (text.trim() === '')
      throw new UsageError(`${where} needs a command or the name of a check, such as "npm test".`);
    const named = commandNamed(text, checks);
    await refuseHidden(named ?? text, where, named === undefined ? 'written' : 'named');
  }
  return required;
}

/** Throws if a command can exit with 0 although its check fails. */
async function refuseHidden(command: string, where: string, source: 'written' | 'named' = 'written'): Promise<void> {
  const {hidingIn} = await import('../safety/commands/checks.ts');
  const why = hidingText(command, hidingIn(command), source);
  if (why !== '') throw new UsageError(`${where}: ${why}`);
}

/** Compiles a schema for the engine, which then requires answers that match it. The error says why it is not a valid schema. */
export async function structuredOutputFor(schema: Json): Promise<Outcome<StructuredOutput, string>> {
  const [{compileSchema}, {setFlagsFromString}] = await Promise.all([
    import('../protocol/json-schema/compile-schema.ts'),
    import('node:v8'),
  ]);
  // A pattern must not hang weft: with this flag, V8 switches to an engine without backtracking.
  setFlagsFromString('--enable-experimental-regexp-engine-on-excessive-backtracks');
  if (!isJsonObject(schema)) return failed('a schema is a JSON object');
  const check = compileSchema(schema);
  return check.tag === 'ok' ? ok({kind: 'schema', schema, check: check.value}) : check;
}
