import type {FoundHarness, HarnessesPort, HarnessHost, HarnessRequest, HarnessRun} from '../../actions/harness-port.ts';
import type {ServerProcesses, ServerProgram} from '../../actions/mcp-port.ts';
import {nearestName} from '../../base/nearest-name.ts';
import {failed, ok, type Outcome} from '../../base/outcome.ts';
import {raceAbort, raceTimeout} from '../../base/race.ts';
import type {HarnessSetting, RemoteServer} from '../../config/harness-settings.ts';
import {variableReference} from '../../config/server-request.ts';
import {type Fault, faultText, rejected} from '../../domain/fault.ts';
import {knownHarnesses} from '../../domain/harness.ts';
import type {DriverRequest} from './driver.ts';
import {type HarnessPlace, installedVersion, isOlder, signInOf} from './find-harness.ts';
import {type RunTimes, startRun} from './harness-run.ts';
import {harnessTable, type KnownHarness, overAcp} from './known-harnesses.ts';

export interface HarnessesOptions extends Pick<DriverRequest, 'newId' | 'priceOf'> {
  readonly processes: ServerProcesses & {close(): Promise<void>};
  readonly place: HarnessPlace;
  /** The file that a program is started from; `undefined` if there is none that can be run. */
  readonly findProgram: (program: string) => string | undefined;
  /** What the user's own settings say, by name: of a harness that weft knows, or of another agent that speaks ACP. */
  readonly settings: Readonly<Record<string, HarnessSetting>>;
  readonly times: RunTimes;
  /** How weft itself is started. */
  readonly own: {readonly command: string; readonly args: readonly string[]};
}

/** Milliseconds in which a program has to tell its version. */
const versionMs = 15_000;

export function makeHarnesses(options: HarnessesOptions): HarnessesPort {
  const {processes, settings, place} = options;
  const names = [...new Set([...knownHarnesses, ...Object.keys(settings)])];
  const running = new Set<HarnessRun>();

  async function start(
    request: HarnessRequest,
    host: HarnessHost,
    signal: AbortSignal,
  ): Promise<Outcome<HarnessRun, Fault>> {
    const harness = harnessOf(request.harness, options);
    if (harness === undefined) return failed(unknownHarness(request.harness, names));
    const {title} = harness;
    if (request.resume !== 'new' && harness.abilities.resumes === 'no')
      return failed(needsUser(`${title} cannot go on with an earlier conversation`, 'Start a new one.'));
    if (request.isolation === 'worktree' && harness.folder === 'its own')
      return failed(rejected(`${title} works in a folder of its own machine: it gets no worktree here.`));
    const variables = environmentOf(harness, place);
    if (variables.tag === 'failed') return failed(needsUser(`${title} cannot be started: ${variables.error}`, ''));
    const file = options.findProgram(harness.program);
    if (harness.program === '') return failed(needsUser(`${title} cannot be started`, harness.install));
    if (file === undefined)
      return failed(needsUser(`${title} is not installed: there is no program ${harness.program}`, harness.install));
    const {newId, priceOf, times} = options;
    const {directory, model, access, resume, prompt} = request;
    const driver = await harness.driver({directory, model, access, resume, title, newId, priceOf});
    const program: ServerProgram = {
      command: file,
      args: [...harness.args, ...driver.args],
      env: {...variables.value, ...driver.env},
      directory,
    };
    const started = await startRun({title, program, driver, processes, host, prompt, access, times}, signal);
    if (started.tag === 'failed') return failed(withAdvice(started.error, harness, file));
    const run = started.value;
    running.add(run);
    return ok({...run, dispose: async () => run.dispose().finally(() => running.delete(run))});
  }

  async function findOne(name: string): Promise<FoundHarness> {
    const harness = harnessOf(name, options);
    if (harness === undefined) throw new Error(`no harness ${name}`);
    const {abilities, install, signIn} = harness;
    const found = (state: FoundHarness['state'], advice: string) => ({name, state, advice, abilities});
    const path = options.findProgram(harness.program);
    if (path === undefined) return found({kind: 'missing'}, install);
    const variables = environmentOf(harness, place);
    if (variables.tag === 'failed')
      return found({kind: 'unusable', path, reason: `It cannot be started: ${variables.error}.`}, '');
    const version = await versionOf(path, harness, variables.value);
    const environment = {...place.environment, ...withoutKeys(place.environment), ...variables.value};
    const known = knownHarnesses.find(each => each === name);
    const state = known === undefined ? 'unknown' : signInOf(known, {...place, environment});
    return found({kind: 'installed', path, version, signIn: state}, state === 'signed-out' ? signIn : '');
  }

  /** Empty if it is not known: an agent that weft does not know may take the question for its work. */
  async function versionOf(
    command: string,
    {npmPackage, asksVersion}: Harness,
    env: Readonly<Record<string, string>>,
  ): Promise<string> {
    const installed = installedVersion(command, npmPackage);
    if (installed !== '' || npmPackage === '') return installed;
    const told = Promise.withResolvers<string>();
    const line = (text: string): void => {
      const version = /\d+\.\d+\.\d+[\w.-]*/u.exec(text.slice(0, 1000))?.[0];
      if (version !== undefined) told.resolve(version);
    };
    const program = {command, args: asksVersion, env, directory: place.home};
    const started = await processes.start(program, {line, log: () => {}});
    if (started.tag === 'failed') return '';
    const ended = started.value.ended.then(() => '');
    const version = await raceTimeout(Promise.race([told.promise, ended]), versionMs);
    await started.value.stop();
    return version === 'timeout' ? '' : version;
  }

  return {
    names: () => names,
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
  /** What the program tells its version for. */
  readonly asksVersion: readonly string[];
  /** What the user wants it to be started with, before what its protocol needs. */
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** Whether it works in the folder that it is given. */
  readonly folder: 'given' | 'its own';
}

/** What is not known of a harness that is none of the table's. */
const unknown = {
  variables: [],
  npmPackage: '',
  madeFor: '',
  signIn: '',
  abilities: {acts: 'with-approvals', resumes: 'yes'},
} as const satisfies Partial<KnownHarness>;

function harnessOf(name: string, {settings, own}: Pick<HarnessesOptions, 'settings' | 'own'>): Harness | undefined {
  const known = knownHarnesses.find(each => each === name);
  const setting = Object.hasOwn(settings, name) ? settings[name] : undefined;
  const {command = '', args = [], env = {}} = setting ?? {};
  if (known !== undefined) {
    const harness = harnessTable[known];
    return {...harness, program: command === '' ? harness.program : command, asksVersion, args, env, folder: 'given'};
  }
  if (setting === undefined) return undefined;
  if (setting.server !== 'none') return remoteWeft(name, setting.server, own);
  return {
    ...unknown,
    title: name,
    program: command,
    asksVersion,
    args,
    env,
    install:
      command === ''
        ? `Your settings name no program for it: "harnesses": {${JSON.stringify(name)}: {"command": …}}.`
        : `Your settings name the program ${JSON.stringify(command)} for it: install it, or write its whole path there.`,
    folder: 'given',
    driver: request =>
      overAcp(request, {
        args: [],
        env: {},
        modelFlag: '',
        commandIn: 'raw-input',
        signIn: 'Sign in with that program.',
      }),
  };
}

const asksVersion = ['--version'];

/** weft on another machine: weft here speaks with its server, and with weft by the protocol of editors. */
const remoteWeft = (
  name: string,
  {url, tokenFile, directory, skills}: RemoteServer,
  own: HarnessesOptions['own'],
): Harness => ({
  ...unknown,
  title: name,
  program: own.command,
  asksVersion: [...own.args, ...asksVersion],
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
    overAcp(request, {args: [], env: {}, modelFlag: '--model', commandIn: 'own-call', signIn: 'See its settings.'}),
});

const needsUser = (message: string, fix: string): Fault => ({kind: 'needs-user', message, fix});

function unknownHarness(name: string, names: readonly string[]): Fault {
  const near = nearestName(name, names);
  const hint = near === undefined ? `weft knows ${names.join(', ')}.` : `Did you mean ${near}?`;
  return rejected(`There is no harness ${JSON.stringify(name)}. ${hint}`);
}

/** An older version may not know what weft says to it. */
function withAdvice(fault: Fault, {title, npmPackage, madeFor, install}: Harness, file: string): Fault {
  if (npmPackage === '') return fault;
  const version = installedVersion(file, npmPackage);
  if (!isOlder(version, madeFor)) return fault;
  const fix = `weft is made for ${title} ${madeFor} and newer, and here is ${version}. ${install}`;
  return needsUser(faultText(fault), fix);
}

/**
 * The variables that every harness gets beside HOME, PATH and the like: language, places of files, certificates, the way to the network,
 * and what a keyring or a git remote is reached by. Everything else stays behind, and so do weft's own keys and those of the user's other
 * programs: a harness that needs one is given it by name in the settings.
 */
const passedVariables: readonly string[] = `LANG LANGUAGE TZ TMPDIR TMP TEMP
  LC_ALL LC_CTYPE LC_MESSAGES LC_COLLATE LC_NUMERIC LC_TIME
  XDG_CONFIG_HOME XDG_DATA_HOME XDG_STATE_HOME XDG_CACHE_HOME XDG_RUNTIME_DIR
  HTTP_PROXY HTTPS_PROXY ALL_PROXY NO_PROXY http_proxy https_proxy all_proxy no_proxy
  NODE_EXTRA_CA_CERTS SSL_CERT_FILE SSL_CERT_DIR SSH_AUTH_SOCK DBUS_SESSION_BUS_ADDRESS`.split(/\s+/u);

function environmentOf({variables, env}: Harness, place: HarnessPlace): Outcome<Record<string, string>, string> {
  const {environment} = place;
  const passed: Record<string, string> = {NO_COLOR: '1'};
  for (const name of [...passedVariables, ...variables]) {
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

/** A key that weft has and the harness does not get says nothing of its sign-in. */
const withoutKeys = (environment: HarnessPlace['environment']): Record<string, undefined> =>
  Object.fromEntries(
    Object.keys(environment)
      .filter(name => /KEY|TOKEN|SECRET/u.test(name))
      .map(name => [name, undefined]),
  );
