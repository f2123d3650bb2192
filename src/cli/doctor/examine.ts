import {execFile} from 'node:child_process';
import {accessSync, constants, existsSync, statfsSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {dirname, join} from 'node:path';
import {promisify} from 'node:util';
import type {Places} from '../../config/places.ts';
import {causeText, faultText} from '../../domain/fault.ts';
import {findShell} from '../../workspace/find-shell.ts';
import {probeTerminal} from '../../workspace/probe-terminal.ts';
import {findSearchBinary} from '../../workspace/search-binary.ts';
import {isConfigured} from '../choose-model.ts';
import {leftoverNotices} from '../leftover-notices.ts';
import {loadSurroundings} from '../load-surroundings.ts';
import {noModelText} from '../no-model.ts';
import {version} from '../version.ts';
import {userPlaces} from '../user-places.ts';

/** `limited`: weft works without it, with less. `fix` says what to do; may be empty. */
export interface Check {
  readonly name:
    | 'weft'
    | 'model'
    | 'terminal'
    | 'shell'
    | 'search'
    | 'pty'
    | 'sandbox'
    | 'store'
    | 'settings'
    | 'disk'
    | 'leftovers';
  readonly state: 'ok' | 'limited' | 'failed';
  readonly detail: string;
  readonly fix: string;
}

/** Looks at everything weft works with. Each check says what it found, never throws, and takes two seconds at most. */
export async function examine(): Promise<readonly Check[]> {
  const places = userPlaces();
  return Promise.all([
    guarded('weft', async () =>
      ok('weft', `${version} on Node ${process.version}, ${process.platform} ${process.arch}`),
    ),
    guarded('settings', async () => settings()),
    guarded('model', async () => model()),
    guarded('terminal', async () => terminal()),
    guarded('shell', shell),
    guarded('search', search),
    guarded('pty', pty),
    guarded('sandbox', async () =>
      limited('sandbox', 'not built yet in this version.', 'Commands run with your own rights, once you allow them.'),
    ),
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

const surroundings = () =>
  loadSurroundings({directory: process.cwd(), added: [], options: {sessionPersistence: true, color: true}});

function settings(): Check {
  const {notices, places} = surroundings();
  return notices.length === 0
    ? ok('settings', existsSync(places.settings) ? places.settings : `none yet (${places.settings})`)
    : limited('settings', notices.join(' '), '');
}

/** Only whether there is one to ask: asking costs money. */
function model(): Check {
  const {settings: chosen} = surroundings();
  const choice = {...chosen, replay: undefined, record: undefined, effort: undefined, environment: process.env};
  if (!isConfigured(choice)) return limited('model', noModelText, '');
  const provider =
    chosen.provider ?? ((process.env['ANTHROPIC_API_KEY'] ?? '') === '' ? 'OpenAI-compatible' : 'anthropic');
  const address = chosen.baseUrl === undefined ? '' : ` at ${chosen.baseUrl}`;
  return ok('model', `${chosen.model ?? "the provider's default"} (${provider}${address}); not asked`);
}

function terminal(): Check {
  const {stdin, stdout} = process;
  const name = process.env['TERM'] ?? 'no TERM';
  if (!stdin.isTTY || !stdout.isTTY) {
    return limited('terminal', `stdin or stdout is no terminal here (${name}).`, 'weft --prompt works all the same.');
  }
  if (name === 'dumb') return limited('terminal', 'TERM is dumb.', 'weft --prompt works all the same.');
  return ok('terminal', `${name}, ${stdout.columns}×${stdout.rows}, ${stdout.getColorDepth()} bits of colour`);
}

async function shell(): Promise<Check> {
  const path = findShell(process.env, [process.cwd()]);
  const {stdout} = await run(path, ['-c', 'echo "${BASH_VERSION:-}"']);
  const bash = stdout.trim();
  return bash === ''
    ? limited('shell', `${path}, which is no bash.`, 'Commands are judged as bash reads them: install bash.')
    : ok('shell', `${path}, bash ${bash}`);
}

async function search(): Promise<Check> {
  const found = findSearchBinary();
  if (found.tag === 'failed') return {name: 'search', state: 'failed', detail: faultText(found.error), fix: ''};
  const {stdout} = await run(found.value, ['--version']);
  return ok('search', stdout.split('\n')[0] ?? 'ripgrep');
}

async function pty(): Promise<Check> {
  const probe = await probeTerminal(AbortSignal.timeout(lookMs));
  return probe.tag === 'ok'
    ? ok('pty', probe.value)
    : limited('pty', `${probe.error}.`, 'Commands beside the conversation run in pipes instead.');
}

/** Opening it would make it: a new place has to be writable, an old one has to be a database. */
async function store(places: Places): Promise<Check> {
  if (!existsSync(places.database)) {
    const folder = nearestFolder(places.data);
    try {
      accessSync(folder, constants.W_OK);
    } catch (cause) {
      const detail = `no session can be kept in ${places.data} (${causeText(cause)}).`;
      return {
        name: 'store',
        state: 'failed',
        detail,
        fix: 'Make it writable, or choose another folder with WEFT_HOME=<dir>.',
      };
    }
    return ok('store', `none yet (${places.database})`);
  }
  const {openUserStore} = await import('../load-surroundings.ts');
  const sessions = (await openUserStore(places)).list({}).length;
  return ok('store', `${places.database}, ${sessions} ${sessions === 1 ? 'session' : 'sessions'}`);
}

/** Sessions and checkpoints lie in one of them, output of commands in the other. */
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

/** Megabytes. */
const littleRoom = 100;

async function leftovers(places: Places): Promise<Check> {
  const notices = await leftoverNotices(join(places.data, 'blocks'));
  return notices.length === 0
    ? ok('leftovers', 'nothing runs that a killed weft has left')
    : limited('leftovers', notices.join(' '), '');
}

function nearestFolder(path: string): string {
  let folder = path;
  while (!existsSync(folder)) folder = dirname(folder);
  return folder;
}

/** Milliseconds for one program to answer. */
const lookMs = 2000;

const run = (program: string, words: readonly string[]) => promisify(execFile)(program, words, {timeout: lookMs});
