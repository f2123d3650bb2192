import {execFile} from 'node:child_process';
import {accessSync, constants, existsSync, statfsSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {dirname} from 'node:path';
import {promisify} from 'node:util';
import type {Places} from '../config/places.ts';
import {unreachable} from '../base/unreachable.ts';
import {pluralize} from '../base/clip.ts';
import {visibleExactLine} from '../base/visible.ts';
import {providerNames} from '../domain/api-key.ts';
import {causeText, faultText} from '../domain/fault.ts';
import {holdsChanges, provenText} from '../domain/sandbox.ts';
import {allowsEveryCall} from '../safety/rules/permission-rule.ts';
import {displayNames, findDesktop} from '../workspace/computer/find-desktop.ts';
import {findProgram} from '../workspace/exec/trusted-path.ts';
import {findShell} from '../workspace/exec/shell-start.ts';
import {searchProviderOf} from '../workspace/web/search-provider.ts';
import {findSearchBinary} from '../workspace/search/ripgrep.ts';
import {probeTerminal} from '../workspace/terminals/block-source.ts';
import {
  baseUrlOf,
  configuredProvider,
  defaultModel,
  defaultModelText,
  keyText,
  type ModelChoice,
  noModelText,
  modelChoice,
} from './choose-model.ts';
import {proveSandbox} from './prove-sandbox.ts';
import {userPlaces} from './user-data.ts';
import {leftoverNotices} from './leftovers.ts';
import {version} from './version.ts';
import {contextFor} from './run-context.ts';

/** `limited`: weft works without it, with less. `fix` says what to do; may be empty. */
interface Check {
  readonly name:
    | 'weft'
    | 'model'
    | 'terminal'
    | 'shell'
    | 'search'
    | 'git'
    | 'web'
    | 'computer'
    | 'pty'
    | 'sandbox'
    | 'mcp'
    | 'agents'
    | 'store'
    | 'settings'
    | 'disk'
    | 'leftovers';
  readonly state: 'ok' | 'limited' | 'failed';
  readonly detail: string;
  readonly fix: string;
}

/** Checks everything that weft works with. A check never throws and takes at most two seconds; MCP servers have ten to answer, agents and displays up to thirty. */
export async function examine(): Promise<readonly Check[]> {
  const places = userPlaces();
  return Promise.all([
    guarded('weft', async () =>
      ok('weft', `${version} on Node ${process.version}, ${process.platform} ${process.arch}`),
    ),
    guarded('settings', settings),
    guarded('model', () => model()),
    guarded('terminal', async () => terminal()),
    guarded('shell', shell),
    guarded('search', search),
    guarded('git', git),
    guarded('web', web),
    guarded('computer', computer),
    guarded('pty', pty),
    guarded('sandbox', sandbox),
    guarded('mcp', servers),
    guarded('agents', agents),
    guarded('store', async () => store(places)),
    guarded('disk', async () => disk(places)),
    guarded('leftovers', async () => leftovers(places)),
  ]);
}

async function guarded(name: Check['name'], look: () => Promise<Check>): Promise<Check> {
  try {
    return await look();
  } catch (cause) {
    return {name, state: 'failed', detail: causeText(cause), fix: ''};
  }
}

const ok = (name: Check['name'], detail: string): Check => ({name, state: 'ok', detail, fix: ''});
const limited = (name: Check['name'], detail: string, fix: string): Check => ({name, state: 'limited', detail, fix});

const context = () => contextFor({});

async function settings(): Promise<Check> {
  const {notices, places} = context();
  const advice = (await import('./import-settings.ts')).importAdvice();
  if (notices.length === 0 && advice !== '') return limited('settings', `${advice}.`, '');
  return notices.length === 0
    ? ok('settings', existsSync(places.settings) ? places.settings : `none yet (${places.settings})`)
    : limited('settings', notices.join(' '), '');
}

/** Whether a model is configured. It is not asked anything, since that costs money. */
async function model(): Promise<Check> {
  const choice = modelChoice(context());
  const provider = configuredProvider(choice);
  if (provider === undefined || provider === 'replay') return limited('model', noModelText(), '');
  const baseUrl = baseUrlOf(provider, choice);
  const address = baseUrl === undefined ? '' : ` at ${baseUrl}`;
  const name = defaultModelText(await defaultModel(provider, choice));
  return ok('model', `${name} (${provider}${address}), ${keyText(provider, choice)}; not contacted`);
}

function terminal(): Check {
  const {stdin, stdout} = process;
  const name = process.env['TERM'] ?? 'no TERM';
  if (!stdin.isTTY || !stdout.isTTY) {
    return limited('terminal', `stdin or stdout is not a terminal here (${name}).`, 'weft --prompt works.');
  }
  if (name === 'dumb') return limited('terminal', 'TERM is dumb.', 'weft --prompt works.');
  return ok('terminal', `${name}, ${stdout.columns}×${stdout.rows}, ${stdout.getColorDepth()} bits of colour`);
}

async function shell(): Promise<Check> {
  const path = findShell(process.env, [process.cwd()]);
  const {stdout} = await run(path, ['-c', 'echo "${BASH_VERSION:-}"']);
  const bash = stdout.trim();
  return bash === ''
    ? limited('shell', `${path}, not bash.`, 'Install bash: weft reads commands as bash does.')
    : ok('shell', `${path}, bash ${bash}`);
}

async function search(): Promise<Check> {
  const found = findSearchBinary();
  if (found.tag === 'failed') return {name: 'search', state: 'failed', detail: faultText(found.error), fix: ''};
  const {path, origin} = found.value;
  const {stdout} = await run(path, ['--version']);
  const whose = origin === 'package' ? "weft's own" : `${path} (weft's own is not installed)`;
  return ok('search', `${stdout.split('\n')[0] ?? 'ripgrep'}, ${whose}; reads files as they are, keeps no index`);
}

async function git(): Promise<Check> {
  const path = findProgram('git');
  if (path === undefined)
    return limited('git', 'git is not installed.', 'Code review and worktrees of agents need it.');
  const {stdout} = await run(path, ['--version']);
  return ok('git', stdout.trim());
}

/** Who searches the web. Nobody is asked anything. */
async function web(): Promise<Check> {
  const engine = searchProviderOf(process.env);
  if (engine !== undefined) return ok('web', `${engine.name} searches (${engine.variable}); pages are read from here`);
  const here = context();
  const searcher = allowsEveryCall(here.settings.rules, 'WebSearch') ? await searchingModel(modelChoice(here)) : '';
  if (searcher !== '') return ok('web', `${searcher} (the rule WebSearch allows it); pages are read from here`);
  return limited(
    'web',
    'No search engine; pages can be read.',
    'Set BRAVE_API_KEY, TAVILY_API_KEY, EXA_API_KEY or SEARXNG_URL.',
  );
}

/** Which model provider is asked to search, in words; empty where none has a search of its own. */
async function searchingModel(choice: ModelChoice): Promise<string> {
  const provider = configuredProvider(choice);
  if (provider !== 'anthropic' && provider !== 'openai') return '';
  const baseUrl = baseUrlOf(provider, choice);
  if (provider === 'openai') {
    const {wireApiOf} = await import('../models/openai.ts');
    if (wireApiOf({baseUrl, wireApi: choice.wireApi ?? 'auto'}) === 'chat') return '';
  }
  return baseUrl === undefined
    ? `${providerNames[provider]} searches`
    : `${baseUrl} is asked to search; whether it can is not known`;
}

/** Which programs use the screen, the mouse and the keyboard, and whether the display answers them. */
async function computer(): Promise<Check> {
  const found = findDesktop(process.platform, process.env, findProgram);
  if (found === undefined) return ok('computer', 'no display here, so the agent is not offered one');
  const {makeComputer, programRunner} = await import('../workspace/computer/make-computer.ts');
  const port = makeComputer({found, run: programRunner(process.env), newFile: () => ''});
  const probe = await port.probe(new AbortController().signal);
  return probe.tag === 'ok'
    ? ok(
        'computer',
        `${displayNames[found.display]} with ${found.programs.join(', ')}; the agent asks before it uses it`,
      )
    : limited('computer', faultText(probe.error), '');
}

async function pty(): Promise<Check> {
  const probe = await probeTerminal(AbortSignal.timeout(lookMs));
  return probe.tag === 'ok'
    ? ok('pty', probe.value)
    : limited('pty', `${probe.error}.`, 'Background commands run in pipes instead.');
}

/** What the sandbox of the settings stops here; it is tried anew where that is not known since the machine started. */
async function sandbox(): Promise<Check> {
  const here = context();
  const proof = await proveSandbox(here);
  const {provider, works, reason} = proof;
  const stops = provenText(proof);
  if (works && stops !== '') {
    const detail = `${provider}, proven: ${stops}${reason === '' ? '' : ` (${reason})`}`;
    return holdsChanges(proof)
      ? ok('sandbox', detail)
      : limited(
          'sandbox',
          `${detail}.`,
          'Nothing runs unasked because of it: commands ask as they do without a sandbox.',
        );
  }
  if (provider === 'native') return limited('sandbox', 'No sandbox: commands run as you.', '');
  const named = here.settings.sandbox !== 'auto';
  const detail = `${provider} does not confine commands here: ${reason}.`;
  return named
    ? {name: 'sandbox', state: 'failed', detail, fix: 'Mend it, or choose another: weft sandbox test.'}
    : limited('sandbox', detail, 'Commands run as you, and ask first unless they only read.');
}

/** Whether the MCP servers of this folder answer: their programs are started and their addresses called, as a session does. */
async function servers(): Promise<Check> {
  const rows = await (await import('./server-rows.ts')).serverRows(process.cwd(), 'asked');
  const asked = rows.filter(({status}) => status !== 'overridden' && status !== 'disabled');
  if (asked.length === 0) return ok('mcp', 'no servers');
  const silent = asked.filter(({status}) => status !== 'connected');
  const count = pluralize(asked.length, 'server');
  if (silent.length === 0) return ok('mcp', `${count}: ${visibleExactLine(asked.map(({name}) => name).join(', '))}`);
  const why = silent.map(({name, path, status, detail}) => {
    const reason = status === 'untrusted' ? 'not trusted' : detail === '' ? status : detail;
    return `${name} (${path}): ${reason}`;
  });
  const answering = asked.length - silent.length;
  return limited(
    'mcp',
    visibleExactLine(`${answering} of ${count} answering; ${why.join('; ')}.`),
    'More: weft mcp list.',
  );
}

/** Which agents of other programs could do a part of the work. They are started at most to ask for their version. */
async function agents(): Promise<Check> {
  const {runHarnesses} = await import('./run-harnesses.ts');
  const harnesses = runHarnesses(context());
  const found = await harnesses.find(new AbortController().signal);
  await harnesses.close();
  const there = found.flatMap(({name, state}) => {
    switch (state.kind) {
      case 'installed':
        return [`${name} ${state.version}`.trim() + (state.signIn === 'signed-out' ? ' (not signed in)' : '')];
      case 'unusable':
        return [`${name} (${state.reason.replace(/\.$/u, '')})`];
      case 'missing':
        return [];
      default:
        return unreachable(state);
    }
  });
  const detail = visibleExactLine(there.join(', '));
  if (found.some(({state}) => state.kind === 'unusable'))
    return limited('agents', `${detail}.`, 'More: weft agents list.');
  return ok('agents', there.length === 0 ? "weft's own; none of other programs is installed" : `weft's own, ${detail}`);
}

/** Whether sessions can be saved. A store that does not exist is not opened, since that would make it; its folder must be writable. */
async function store(places: Places): Promise<Check> {
  const {database} = places;
  if (database.kind === 'sqlite' && !existsSync(database.file)) {
    const folder = nearestFolder(places.data);
    try {
      accessSync(folder, constants.W_OK);
    } catch (cause) {
      const detail = `cannot save sessions in ${places.data} (${causeText(cause)}).`;
      return {
        name: 'store',
        state: 'failed',
        detail,
        fix: 'Make it writable, or set WEFT_HOME=<dir>.',
      };
    }
    return ok('store', `none yet (${database.file})`);
  }
  const {openUserStore} = await import('./user-database.ts');
  const sessions = (await openUserStore(places)).list({}).length;
  return ok(
    'store',
    `${database.kind === 'sqlite' ? database.file : 'Postgres'}, ${sessions} ${sessions === 1 ? 'session' : 'sessions'}`,
  );
}

/** Free space where sessions and checkpoints lie, and where long output of commands goes. */
function disk(places: Places): Check {
  const rooms = [nearestFolder(places.data), tmpdir()].map(folder => {
    const {bavail, bsize} = statfsSync(folder);
    return {folder, megabytes: Math.floor((bavail * bsize) / 1024 / 1024)};
  });
  const full = rooms.filter(({megabytes}) => megabytes < littleRoom);
  const said = (full.length === 0 ? rooms : full).map(({folder, megabytes}) => `${megabytes} MB free in ${folder}`);
  const detail = [...new Set(said)].join(', ');
  if (full.length === 0) return ok('disk', detail);
  const state = full.some(({megabytes}) => megabytes < 1) ? 'failed' : 'limited';
  return {name: 'disk', state, detail: `${detail}.`, fix: 'Free some space: sessions, undo and long output need it.'};
}

/** Megabytes of free space below which the check warns. */
const littleRoom = 100;

async function leftovers(places: Places): Promise<Check> {
  const {removeLeftSessions, removePlaceholders} = await import('../workspace/sandbox/leftovers.ts');
  const {keptSets} = await import('../workspace/sandbox/changes/kept-sets.ts');
  const {changesFolder} = await import('../workspace/sandbox/changes/held-set.ts');
  const signal = AbortSignal.timeout(lookMs);
  const removed = await removePlaceholders(process.cwd(), {environment: process.env, signal});
  const sessions = await removeLeftSessions(places.data);
  const notices = [
    ...(await leftoverNotices(places.blocks)),
    ...(removed.length === 0
      ? []
      : [`Removed empty files that an older weft left in this folder: ${removed.join(', ')}.`]),
    ...(sessions === 0
      ? []
      : [`Removed ${pluralize(sessions, 'folder')} that a sandbox left when its weft was killed.`]),
  ];
  if (notices.length > 0) return limited('leftovers', notices.join(' '), '');
  const kept = keptSets(changesFolder(places.data)).map(({id}) => id);
  return ok('leftovers', kept.length === 0 ? 'none' : `none; weft sandbox apply has the changes ${kept.join(', ')}`);
}

function nearestFolder(path: string): string {
  let folder = path;
  while (!existsSync(folder)) folder = dirname(folder);
  return folder;
}

/** Milliseconds for one program to answer. */
const lookMs = 2000;

const run = (program: string, words: readonly string[]) => promisify(execFile)(program, words, {timeout: lookMs});

/** All checks in words, one a line. */
export const doctorText = async (): Promise<string> => (await examine()).map(lineOf).join('').trimEnd();

const marks = {ok: '✓', limited: '!', failed: '✗'} as const satisfies Record<Check['state'], string>;

export const lineOf = ({name, state, detail, fix}: Check): string =>
  `${marks[state]} ${name.padEnd(9)} ${detail}${fix === '' ? '' : ` ${fix}`}\n`;
