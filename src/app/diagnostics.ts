import {byteSize} from '../base/byte-size.ts';
import {accessSync, constants, existsSync, lstatSync, statfsSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {dirname, join} from 'node:path';
import type {Outcome} from '../base/outcome.ts';
import {unreachable} from '../base/unreachable.ts';
import {pluralize} from '../base/clip.ts';
import {visibleExactLine} from '../base/visible.ts';
import {causeText, faultText} from '../domain/fault.ts';
import {holdsChanges, provenText} from '../domain/sandbox.ts';
import {allowsEveryCall} from '../safety/rules/permission-rule.ts';
import {displayNames, findDesktop} from '../workspace/computer/find-desktop.ts';
import {outputParent} from '../workspace/exec/output-folder.ts';
import {findProgram} from '../workspace/exec/trusted-path.ts';
import {entryNames} from '../workspace/files/list-folder.ts';
import {findShell} from '../workspace/exec/trusted-path.ts';
import {searchProviderOf} from '../workspace/web/search-provider.ts';
import {runProgram} from '../workspace/run-program.ts';
import {findSearchBinary} from '../workspace/search/ripgrep.ts';
import {probeTerminal} from '../workspace/terminals/block-source.ts';
import {
  configuredProvider,
  defaultModel,
  defaultModelText,
  keyText,
  type ModelChoice,
  noModelText,
  reasonText,
  modelChoice,
  providerNamed,
} from './choose-model.ts';
import {proveSandbox} from './prove-sandbox.ts';
import {isStoreMade, openUserStore} from './user-database.ts';
import {userPlaces} from './user-data.ts';
import {leftoverNotices} from './leftovers.ts';
import {version} from './version.ts';
import {contextFor} from './run-context.ts';

/** The result of a check. `limited`: weft works, with fewer features. `fix` says what to do; it may be empty. */
interface Finding {
  readonly state: 'ok' | 'limited' | 'failed';
  readonly detail: string;
  readonly fix: string;
}

interface Check extends Finding {
  readonly name: string;
}

/**
 * Checks everything that weft depends on. A check never throws. It takes at most two seconds; MCP servers have ten seconds to answer,
 * agents and displays up to thirty.
 */
export const examine = (): Promise<readonly Check[]> =>
  Promise.all(
    Object.entries({
      weft: () => ok(`${version} on Node ${process.version}, ${process.platform} ${process.arch}`),
      settings,
      model,
      terminal,
      shell,
      search,
      git,
      web,
      computer,
      pty,
      sandbox,
      mcp: servers,
      agents,
      store,
      storage,
      disk,
      leftovers,
    }).map(async ([name, look]) => {
      try {
        return {name, ...(await look())};
      } catch (cause) {
        return {name, ...failed(causeText(cause))};
      }
    }),
  );

const ok = (detail: string): Finding => ({state: 'ok', detail, fix: ''});
const limited = (detail: string, fix = ''): Finding => ({state: 'limited', detail, fix});
const failed = (detail: string, fix = ''): Finding => ({state: 'failed', detail, fix});

const context = () => contextFor({});

async function settings(): Promise<Finding> {
  const {places, ...here} = context();
  const notices = await here.notices();
  const advice = (await import('./import-settings.ts')).importAdvice();
  if (notices.length === 0 && advice !== '') return limited(`${advice}.`);
  return notices.length === 0
    ? ok(existsSync(places.settings) ? places.settings : `none yet (${places.settings})`)
    : limited(notices.join(' '));
}

/** Checks whether a model is configured. Sends it no request, because that costs money. */
async function model(): Promise<Finding> {
  const choice = modelChoice(context());
  const chosen = configuredProvider(choice);
  if (chosen === undefined || chosen === 'replay') return limited(noModelText());
  const provider = await providerNamed(chosen, choice);
  const {baseUrl, name} = provider;
  const address = baseUrl === undefined ? '' : ` at ${baseUrl}`;
  const used = defaultModelText(await defaultModel(provider, choice));
  const why = reasonText(choice);
  const reason = why === '' ? '' : `, because ${why}`;
  return ok(`${used} (${name}${address})${reason}, ${await keyText(provider, choice)}; not contacted`);
}

function terminal(): Finding {
  const {stdin, stdout} = process;
  const name = process.env['TERM'] ?? 'no TERM';
  if (!stdin.isTTY || !stdout.isTTY) {
    return limited(`stdin or stdout is not a terminal here (${name}).`, 'weft --prompt works.');
  }
  if (name === 'dumb') return limited('TERM is dumb.', 'weft --prompt works.');
  return ok(`${name}, ${stdout.columns}×${stdout.rows}, ${stdout.getColorDepth()} bits of color`);
}

async function shell(): Promise<Finding> {
  const path = findShell(process.env, [process.cwd()]);
  const answer = await ask(path, ['-c', 'echo "${BASH_VERSION:-}"']);
  if (answer.tag === 'failed') return limited(answer.error);
  const bash = answer.value;
  return bash === ''
    ? limited(`${path} did not print a bash version.`, 'Install bash: weft parses commands as bash does.')
    : ok(`${path}, bash ${bash}`);
}

async function search(): Promise<Finding> {
  const found = findSearchBinary();
  if (found.tag === 'failed') return failed(faultText(found.error));
  const {path, origin} = found.value;
  const answer = await ask(path, ['--version']);
  if (answer.tag === 'failed') return limited(answer.error);
  const whose = origin === 'package' ? "weft's own" : `${path} (weft's own is not installed)`;
  return ok(`${answer.value.split('\n')[0] ?? 'ripgrep'}, ${whose}; searches files directly, without an index`);
}

async function git(): Promise<Finding> {
  const path = findProgram('git');
  if (path === undefined) return limited('git is not installed.', 'Code review and agent worktrees need it.');
  const answer = await ask(path, ['--version']);
  return answer.tag === 'ok' ? ok(answer.value) : limited(answer.error);
}

/** Checks which service searches the web. Sends no request. */
async function web(): Promise<Finding> {
  const engine = searchProviderOf(process.env);
  if (engine !== undefined) return ok(`${engine.name} searches (${engine.variable}); weft reads pages itself`);
  const here = context();
  const searcher = allowsEveryCall(here.settings.rules, 'WebSearch') ? await searchingModel(modelChoice(here)) : '';
  if (searcher !== '') return ok(`${searcher} (the rule WebSearch allows it); weft reads pages itself`);
  return limited(
    'No search engine. weft can still read pages.',
    'Set BRAVE_API_KEY, TAVILY_API_KEY, EXA_API_KEY or SEARXNG_URL.',
  );
}

/** Describes the model provider that searches the web; empty if the provider has no search. */
async function searchingModel(choice: ModelChoice): Promise<string> {
  const name = configuredProvider(choice);
  if (name !== 'anthropic' && name !== 'openai') return '';
  const {baseUrl, title} = await providerNamed(name, choice);
  if (name === 'openai') {
    const {wireApiOf} = await import('../models/openai.ts');
    if (wireApiOf({baseUrl, wireApi: choice.wireApi ?? 'auto'}) === 'chat') return '';
  }
  return baseUrl === undefined ? `${title} searches` : `${baseUrl} is asked to search, which it may not support`;
}

/** Checks the programs for screen, mouse and keyboard, and whether the display answers them. */
async function computer(): Promise<Finding> {
  const found = findDesktop(process.platform, process.env, findProgram);
  if (found === undefined) return ok('no display here, so computer use is off');
  const {makeComputer, programRunner} = await import('../workspace/computer/make-computer.ts');
  const port = makeComputer({found, run: programRunner(process.env), newFile: () => ''});
  const probe = await port.probe(new AbortController().signal);
  return probe.tag === 'ok'
    ? ok(`${displayNames[found.display]} with ${found.programs.join(', ')}; the agent asks before it uses the screen`)
    : limited(faultText(probe.error));
}

async function pty(): Promise<Finding> {
  const probe = await probeTerminal(AbortSignal.timeout(lookMs));
  return probe.tag === 'ok' ? ok(probe.value) : limited(`${probe.error}.`, 'Background commands run in pipes instead.');
}

/** Checks what the configured sandbox stops here. Tests it if there is no result since the machine started. */
async function sandbox(): Promise<Finding> {
  const here = context();
  const proof = await proveSandbox(here);
  const {provider, works, reason} = proof;
  const stops = provenText(proof);
  if (works && stops !== '') {
    const detail = `${provider}, proven: ${stops}${reason === '' ? '' : ` (${reason})`}`;
    return holdsChanges(proof) ? ok(detail) : limited(`${detail}.`, 'Commands ask as they do without a sandbox.');
  }
  if (provider === 'native') return limited('No sandbox: commands run as you.');
  const named = here.settings.sandbox !== 'auto';
  const detail = `${provider} does not confine commands here: ${reason}.`;
  return named
    ? failed(detail, 'Fix it, or choose another one: weft sandbox test.')
    : limited(detail, 'Commands run as you, and ask first unless they only read.');
}

/** Checks whether the MCP servers of this folder answer. Starts their programs and calls their addresses, as a session does. */
async function servers(): Promise<Finding> {
  const [{serverRows}, {knownServers}] = await Promise.all([import('./server-rows.ts'), import('./known-servers.ts')]);
  const directory = process.cwd();
  const rows = await serverRows((await knownServers(directory)).servers, {directory, check: true});
  const asked = rows.filter(({status}) => status !== 'overridden' && status !== 'disabled');
  if (asked.length === 0) return ok('no servers');
  const silent = asked.filter(({status}) => status !== 'connected');
  const count = pluralize(asked.length, 'server');
  if (silent.length === 0) return ok(`${count}: ${visibleExactLine(asked.map(({name}) => name).join(', '))}`);
  const why = silent.map(({name, path, status, detail}) => {
    const reason = status === 'untrusted' ? 'not trusted' : detail === '' ? status : detail;
    return `${name} (${path}): ${reason}`;
  });
  const answering = asked.length - silent.length;
  return limited(visibleExactLine(`${answering} of ${count} answering; ${why.join('; ')}.`), 'Details: weft mcp list.');
}

/** Checks which other agents are installed. Starts an agent only to ask for its version. */
async function agents(): Promise<Finding> {
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
  if (found.some(({state}) => state.kind === 'unusable')) return limited(`${detail}.`, 'Details: weft agents list.');
  return ok(there.length === 0 ? "weft's own; no other agents are installed" : `weft's own, ${detail}`);
}

/** Checks whether sessions can be saved. Does not open a missing store, which would create it, but checks that its folder is writable. */
async function store(): Promise<Finding> {
  const places = userPlaces();
  const {database} = places;
  if (database.kind === 'sqlite' && !existsSync(database.file)) {
    const folder = nearestFolder(places.data);
    try {
      accessSync(folder, constants.W_OK);
    } catch (cause) {
      const detail = `can't save sessions in ${places.data} (${causeText(cause)}).`;
      return failed(detail, 'Make it writable, or set WEFT_HOME=<dir>.');
    }
    return ok(`none yet (${database.file})`);
  }
  const sessions = (await openUserStore(places)).list({}).length;
  return ok(
    `${database.kind === 'sqlite' ? database.file : 'Postgres'}, ${sessions} ${sessions === 1 ? 'session' : 'sessions'}`,
  );
}

/** Says how much space weft's files take: sessions, checkpoints, transcripts, artifacts, logs, and long outputs. */
async function storage(): Promise<Finding> {
  const places = userPlaces();
  const shown: string[] = [];
  let fix = '';
  if (isStoreMade(places)) {
    const kept = await openUserStore(places);
    const {bytes, free, file} = kept.space();
    kept.close();
    shown.push(`${byteSize(bytes)} sessions${free > bytes / 4 ? ` (${byteSize(free)} of it unused)` : ''}`);
    if (file === 'fixed' && free > bytes / 4) fix = 'To give back unused space: weft sessions prune';
  }
  const folders = {
    checkpoints: places.checkpoints,
    transcripts: places.transcripts,
    artifacts: places.artifacts,
    history: places.history,
    logs: dirname(places.log),
    'long outputs': outputParent(),
  };
  for (const [name, path] of Object.entries(folders)) {
    const bytes = bytesIn(path);
    if (bytes > 0) shown.push(`${byteSize(bytes)} ${name}`);
  }
  return {state: 'ok', detail: shown.length === 0 ? 'nothing yet' : shown.join(', '), fix};
}

/** Returns the size of a file, or of all files in a folder; 0 if it is missing. */
function bytesIn(path: string): number {
  const stats = lstatSync(path, {throwIfNoEntry: false});
  if (stats === undefined) return 0;
  if (!stats.isDirectory()) return stats.size;
  return entryNames(path).reduce((all, name) => all + bytesIn(join(path, name)), 0);
}

/** Checks the free space for sessions and checkpoints, and for long command output. */
function disk(): Finding {
  const places = userPlaces();
  const rooms = [nearestFolder(places.data), tmpdir()].map(folder => {
    const {bavail, bsize} = statfsSync(folder);
    return {folder, megabytes: Math.floor((bavail * bsize) / 1024 / 1024)};
  });
  const full = rooms.filter(({megabytes}) => megabytes < littleRoom);
  const said = (full.length === 0 ? rooms : full).map(({folder, megabytes}) => `${megabytes} MB free in ${folder}`);
  const detail = [...new Set(said)].join(', ');
  if (full.length === 0) return ok(detail);
  const state = full.some(({megabytes}) => megabytes < 1) ? 'failed' : 'limited';
  return {state, detail: `${detail}.`, fix: 'Free some space for sessions, undo and long output.'};
}

/** The check warns below this many megabytes of free space. */
const littleRoom = 100;

async function leftovers(): Promise<Finding> {
  const places = userPlaces();
  const {removeLeftSessions, removePlaceholders} = await import('../workspace/sandbox/leftovers.ts');
  const {keptSets} = await import('../workspace/sandbox/changes/stored-sets.ts');
  const {changesFolder} = await import('../config/places.ts');
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
      : [`Removed ${pluralize(sessions, 'folder')} that a sandbox left behind when weft was killed.`]),
  ];
  if (notices.length > 0) return limited(notices.join(' '));
  const kept = keptSets(changesFolder(places.data)).map(({id}) => id);
  return ok(kept.length === 0 ? 'none' : `none; changes saved for weft sandbox apply: ${kept.join(', ')}`);
}

function nearestFolder(path: string): string {
  let folder = path;
  while (!existsSync(folder)) folder = dirname(folder);
  return folder;
}

/** Milliseconds for one program to answer. */
const lookMs = 2000;

/** Returns what a program prints, or why it printed nothing. */
async function ask(program: string, words: readonly string[]): Promise<Outcome<string, string>> {
  const run = {folder: '.', environment: process.env, input: '', limitMs: lookMs, maxOutput: 100_000};
  const {kind, code, output, message} = await runProgram(program, words, run, new AbortController().signal);
  if (kind === 'too-slow') return {tag: 'failed', error: `${program} did not answer within ${lookMs / 1000} s.`};
  if (code !== 0) return {tag: 'failed', error: `${program} failed: ${message.trim()}.`};
  return {tag: 'ok', value: output.toString('utf8').trim()};
}

export const doctorText = async (): Promise<string> => (await examine()).map(lineOf).join('').trimEnd();

const marks = {ok: '✓', limited: '!', failed: '✗'} as const satisfies Record<Check['state'], string>;

export const lineOf = ({name, state, detail, fix}: Check): string =>
  `${marks[state]} ${name.padEnd(9)} ${detail}${fix === '' ? '' : ` ${fix}`}\n`;
