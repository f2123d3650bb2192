import type {FoundHarness, HarnessesPort, HarnessHost, HarnessRequest, HarnessRun} from '../../actions/harness-port.ts';
import type {ServerProcesses, ServerProgram} from '../../actions/mcp-port.ts';
import {nearestName} from '../../base/nearest-name.ts';
import {failed, ok, type Outcome} from '../../base/outcome.ts';
import {raceAbort, raceTimeout} from '../../base/race.ts';
import {type HarnessSetting, hostOf, type RemoteServer} from '../../config/harness-settings.ts';
import {variableReference} from '../../config/server-request.ts';
import {type Fault, faultText, rejected, needsUser} from '../../domain/fault.ts';
import {knownHarnesses} from '../../domain/harness.ts';
import type {DriverRequest} from './driver.ts';
import {type MachineInfo, installedVersion, isOlderVersion, signInStateOf} from './find-harness.ts';
import {type RunTimeouts, startRun} from './harness-run.ts';
import {harnessTable, type KnownHarness, makeAcpDriver} from './known-harnesses.ts';

export interface HarnessesOptions extends Pick<DriverRequest, 'newId' | 'priceOf'> {
  readonly processes: ServerProcesses & {close(): Promise<void>};
  readonly place: MachineInfo;
  /** Returns the executable file of a program, or `undefined` if none is found. */
  readonly findProgram: (program: string) => string | undefined;
  /** The user's own settings, by name: for a harness that weft knows, or for another agent that speaks ACP. */
  readonly settings: Readonly<Record<string, HarnessSetting>>;
  readonly times: RunTimeouts;
  /** The command that starts weft itself. */
  readonly own: {readonly command: string; readonly args: readonly string[]};
}

/** The time limit for a program to print its version, in milliseconds. */
const versionMs = 15_000;

export function makeHarnesses(options: HarnessesOptions): HarnessesPort {
  const {processes, settings, place} = options;
  const names = [...new Set([...knownHarnesses, ...Object.keys(settings)])];
  const running = new Set<HarnessRun>();
  /** The harnesses whose keys weft has announced to the user. */
  const announced = new Set<string>();

  async function start(
    request: HarnessRequest,
    host: HarnessHost,
    signal: AbortSignal,
  ): Promise<Outcome<HarnessRun, Fault>> {
    const harness = findHarness(request.harness, options);
    if (harness === undefined) return failed(unknownHarness(request.harness, names));
    const {title} = harness;
    if (request.resume !== 'new' && harness.abilities.resumes === 'no')
      return failed(needsUser(`${title} cannot resume a conversation`, 'Start a new one.'));
    if (request.isolation === 'worktree' && harness.folder === 'its own')
      return failed(rejected(`${title} works in a folder on its own machine, so it can't use a worktree here.`));
    const variables = environmentOf(harness, place);
    if (variables.tag === 'failed') return failed(needsUser(`${title} cannot be started: ${variables.error}`, ''));
    const file = options.findProgram(harness.program);
    if (harness.program === '') return failed(needsUser(`${title} cannot be started`, harness.install));
    if (file === undefined)
      return failed(needsUser(`${title} is not installed: no program ${harness.program} was found`, harness.install));
    const {newId, priceOf, times} = options;
    const {directory, model, access, resume, prompt} = request;
    const driver = await harness.driver({directory, model, access, resume, title, newId, priceOf});
    const {passed, withheld} = keysFor(harness, place);
    if (!announced.has(request.harness)) {
      announced.add(request.harness);
      const setting = `harnesses.${request.harness}`;
      if (passed.length > 0)
        host.observe({
          event: 'warning',
          text: `It gets your ${passed.join(', ')}. Set ${setting}.keys to "withhold" to keep them.`,
        });
      for (const key of withheld)
        host.observe({
          event: 'warning',
          text: `It does not get your ${key}, because that is for the server that ${addressVariable(key)} names. To give it a key, set ${setting}.env.`,
        });
    }
    const program: ServerProgram = {
      command: file,
      args: [...harness.args, ...driver.args],
      env: {...variables.value, ...driver.env},
      directory,
    };
    const started = await startRun({title, program, driver, processes, host, prompt, access, times}, signal);
    if (started.tag === 'failed') return failed(addUpgradeAdvice(started.error, harness, file));
    const run = started.value;
    running.add(run);
    return ok({...run, dispose: async () => run.dispose().finally(() => running.delete(run))});
  }

  async function findOne(name: string): Promise<FoundHarness> {
    const harness = findHarness(name, options);
    if (harness === undefined) throw new Error(`no harness ${name}`);
    const {abilities, install, signIn} = harness;
    const found = (state: FoundHarness['state'], advice: string) => ({name, state, advice, abilities});
    const path = options.findProgram(harness.program);
    if (path === undefined) return found({kind: 'missing'}, install);
    const variables = environmentOf(harness, place);
    if (variables.tag === 'failed')
      return found({kind: 'unusable', path, reason: `It cannot be started: ${variables.error}.`}, '');
    const version = await versionOf(path, harness, variables.value);
    const environment = {...place.environment, ...hideKeys(place.environment), ...variables.value};
    const known = knownHarnesses.find(each => each === name);
    const state = known === undefined ? 'unknown' : signInStateOf(known, {...place, environment});
    return found({kind: 'installed', path, version, signIn: state}, state === 'signed-out' ? signIn : '');
  }

  /**
   * Returns the version, or an empty text if it is unknown. Agents outside weft's table are not run for it, because
   * they might take the flag for a prompt.
   */
  async function versionOf(
    command: string,
    {npmPackages, versionArgs}: Harness,
    env: Readonly<Record<string, string>>,
  ): Promise<string> {
    const installed = installedVersion(command, npmPackages);
    if (installed !== '' || npmPackages.length === 0) return installed;
    const reported = Promise.withResolvers<string>();
    const line = (text: string): void => {
      const version = /\d+\.\d+\.\d+[\w.-]*/u.exec(text.slice(0, 1000))?.[0];
      if (version !== undefined) reported.resolve(version);
    };
    const program = {command, args: versionArgs, env, directory: place.home};
    const started = await processes.start(program, {line, log: () => {}});
    if (started.tag === 'failed') return '';
    const ended = started.value.ended.then(() => '');
    const version = await raceTimeout(Promise.race([reported.promise, ended]), versionMs);
    await started.value.stop();
    return version === 'timeout' ? '' : version;
  }

  return {
    names: () => names,
    hostOf: name => hostOf(settings[name]),
    find: async signal => {
      const found = await raceAbort(Promise.all(names.map(name => findOne(name))), signal);
      return found === 'aborted' ? [] : found;
    },
    start,
    async close() {
      await Promise.all([...running].map(run => run.dispose()));
      await processes.close();
    },
  };
}

interface Harness extends KnownHarness {
  /** The arguments that make the program print its version. */
  readonly versionArgs: readonly string[];
  /** The user's arguments, before those of the protocol. */
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** Whether the harness works in the given folder or in its own. */
  readonly folder: 'given' | 'its own';
}

/** The defaults for a harness that is not in the table. */
const unknown = {
  variables: [],
  keys: [],
  npmPackages: [],
  minVersion: '',
  signIn: '',
  abilities: {resumes: 'yes'},
} as const satisfies Partial<KnownHarness>;

function findHarness(name: string, {settings, own}: Pick<HarnessesOptions, 'settings' | 'own'>): Harness | undefined {
  const known = knownHarnesses.find(each => each === name);
  const setting = Object.hasOwn(settings, name) ? settings[name] : undefined;
  const {command = '', args = [], env = {}, keys = 'pass'} = setting ?? {};
  if (known !== undefined) {
    const harness = harnessTable[known];
    return {
      ...harness,
      keys: keys === 'pass' ? harness.keys : [],
      program: command === '' ? harness.program : command,
      versionArgs,
      args,
      env,
      folder: 'given',
    };
  }
  if (setting === undefined) return undefined;
  if (setting.server !== 'none') return remoteWeft(name, setting.server, own);
  return {
    ...unknown,
    title: name,
    program: command,
    versionArgs,
    args,
    env,
    install:
      command === ''
        ? `Your settings have no program for it: add "harnesses": {${JSON.stringify(name)}: {"command": …}}.`
        : `Your settings name the program ${JSON.stringify(command)}: install it, or set its full path.`,
    folder: 'given',
    driver: request =>
      makeAcpDriver(request, {
        args: [],
        env: {},
        modelFlag: '',
        commandIn: 'raw-input',
        policy: 'none',
        signIn: 'Sign in with that program.',
      }),
  };
}

const versionArgs = ['--version'];

/** Returns the harness for weft on another machine. A local weft talks to that server, and to weft by the editor protocol (ACP). */
const remoteWeft = (
  name: string,
  {url, tokenFile, directory, skills}: RemoteServer,
  own: HarnessesOptions['own'],
): Harness => ({
  ...unknown,
  title: name,
  program: own.command,
  versionArgs: [...own.args, ...versionArgs],
  args: [
    ...own.args,
    'acp',
    '--ask-about-everything',
    '--server',
    url,
    ...(tokenFile === '' ? [] : ['--token-file', tokenFile]),
    ...(directory === '' ? [] : ['--cwd', directory]),
    ...skills.flatMap(skill => ['--skill', skill]),
  ],
  env: {},
  variables: ['WEFT_HOME'],
  install: '',
  folder: directory === '' ? 'given' : 'its own',
  driver: request =>
    makeAcpDriver(request, {
      args: [],
      env: {},
      modelFlag: '--model',
      commandIn: 'own-call',
      policy: 'none',
      signIn: 'See its settings.',
    }),
});

function unknownHarness(name: string, names: readonly string[]): Fault {
  const near = nearestName(name, names);
  const hint = near === undefined ? `Available: ${names.join(', ')}.` : `Did you mean ${near}?`;
  return rejected(`Unknown harness ${JSON.stringify(name)}. ${hint}`);
}

/** An older version may not understand weft's messages. */
function addUpgradeAdvice(fault: Fault, {title, npmPackages, minVersion, install}: Harness, file: string): Fault {
  if (npmPackages.length === 0) return fault;
  const version = installedVersion(file, npmPackages);
  if (!isOlderVersion(version, minVersion)) return fault;
  const fix = `weft needs ${title} ${minVersion} or newer, but found ${version}. ${install}`;
  return needsUser(faultText(fault), fix);
}

/**
 * The variables that every harness gets besides HOME, PATH and the like: language, file locations, certificates,
 * network proxies, and what keyrings and git remotes need. Everything else is withheld, except the keys for its own
 * sign-in. The settings can give a harness another key by name.
 */
const inheritedVariables: readonly string[] = `LANG LANGUAGE TZ TMPDIR TMP TEMP
  LC_ALL LC_CTYPE LC_MESSAGES LC_COLLATE LC_NUMERIC LC_TIME
  XDG_CONFIG_HOME XDG_DATA_HOME XDG_STATE_HOME XDG_CACHE_HOME XDG_RUNTIME_DIR
  HTTP_PROXY HTTPS_PROXY ALL_PROXY NO_PROXY http_proxy https_proxy all_proxy no_proxy
  NODE_EXTRA_CA_CERTS SSL_CERT_FILE SSL_CERT_DIR SSH_AUTH_SOCK DBUS_SESSION_BUS_ADDRESS`.split(/\s+/u);

/**
 * Returns the names of the keys in weft's environment that a harness gets, and of those that it knows but does not get. A key for
 * another address, such as a gateway's, goes only to a harness that gets the address, too.
 */
function keysFor(
  {keys, variables, env}: Harness,
  {environment}: MachineInfo,
): {readonly passed: readonly string[]; readonly withheld: readonly string[]} {
  const isSet = (name: string): boolean => (environment[name] ?? '') !== '';
  const found = keys.filter(name => isSet(name) && env[name] === undefined);
  const isWithheld = (name: string): boolean =>
    isSet(addressVariable(name)) && !variables.includes(addressVariable(name));
  return {passed: found.filter(name => !isWithheld(name)), withheld: found.filter(isWithheld)};
}

/** Returns the variable with the address of the server that a provider's key is for. */
const addressVariable = (key: string): string => `${key.replace(/_.*$/u, '')}_BASE_URL`;

function environmentOf(harness: Harness, place: MachineInfo): Outcome<Record<string, string>, string> {
  const {variables, env} = harness;
  const {environment} = place;
  const passed: Record<string, string> = {NO_COLOR: '1'};
  for (const name of [...inheritedVariables, ...variables, ...keysFor(harness, place).passed]) {
    const value = environment[name];
    if (value !== undefined) passed[name] = value;
  }
  const missing = new Set<string>();
  const expand = (text: string): string =>
    text.replaceAll(variableReference, (_whole, name: string, otherwise: string | undefined) => {
      const value = environment[name] ?? '';
      if (value === '' && otherwise === undefined) missing.add(name);
      return value === '' ? (otherwise ?? '') : value;
    });
  for (const [name, text] of Object.entries(env)) passed[name] = expand(text);
  return missing.size === 0
    ? ok(passed)
    : failed(`the environment variable ${[...missing].join(', ')}, which its settings refer to, is not set`);
}

/** Hides keys that the harness does not get, because they say nothing about its sign-in. */
const hideKeys = (environment: MachineInfo['environment']): Record<string, undefined> =>
  Object.fromEntries(
    Object.keys(environment)
      .filter(name => /KEY|TOKEN|SECRET/u.test(name))
      .map(name => [name, undefined]),
  );
