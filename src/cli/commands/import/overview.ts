import {existsSync} from 'node:fs';
import {homedir} from 'node:os';
import {join} from 'node:path';
import {withTilde} from '../../../base/shown-path.ts';
import {visibleExactLine} from '../../../base/visible.ts';
import {unreachable} from '../../../base/unreachable.ts';
import type {Peer} from '../../../extensions/mcp/import/import-files.ts';
import {exitCode, type ExitCode} from '../../../app/exit-code.ts';
import {requireOutsideWeft} from '../../../app/folder-trust.ts';
import {importSettings} from '../../../app/import-settings.ts';
import {askYesNo, isStdoutTerminal, print} from '../../../app/output.ts';
import {claudeFolder, codexFolder} from '../../../app/user-data.ts';
import type {JsonOption} from '../../flags.ts';
import {printRows} from '../../rows.ts';
import {importServers} from '../mcp/run-import.ts';
import {type CopiedPart, copyFiles} from './copy-files.ts';

export const movedAgents = ['claude', 'codex', 'gemini', 'opencode', 'pi', 'cursor', 'aider'] as const;

export interface MoveOptions extends JsonOption {
  readonly yes?: true;
  readonly dryRun?: true;
  readonly replace?: true;
  readonly from?: (typeof movedAgents)[number];
}

/** The fate of a file, and the step of the import that takes the file. */
interface Fate {
  readonly state: 'read' | 'import' | 'left-out';
  /** Says what weft imports, or why not. */
  readonly text: string;
  readonly step?:
    | {readonly kind: 'settings'}
    | {readonly kind: 'servers'; readonly peer: Peer}
    | {readonly kind: 'copy'; readonly part: CopiedPart};
}

const leave = (text: string): Fate => ({state: 'left-out', text});
const secret = leave('it has keys, which weft does not copy: weft login');
const settings = leave('its settings have other meanings: weft config set');
const agentFiles = leave('its agents have other fields');
const copied = (part: CopiedPart): Fate => ({state: 'import', text: part, step: {kind: 'copy', part}});
const servers = (peer: Peer): Fate => ({state: 'import', text: 'servers', step: {kind: 'servers', peer}});
const skills = (folder: string) => [join(folder, 'skills'), copied('skills')] as const;

/** Returns the user's files of each agent, as their documentation names them. weft does not look into projects here. */
const placesOf = (
  home: string,
): Readonly<Record<(typeof movedAgents)[number], readonly (readonly [string, Fate])[]>> => {
  const claude = claudeFolder();
  const codex = codexFolder();
  const gemini = join(process.env['GEMINI_CLI_HOME'] || home, '.gemini');
  const opencode = join(process.env['XDG_CONFIG_HOME'] || join(home, '.config'), 'opencode');
  const pi = join(home, '.pi', 'agent');
  const cursor = join(home, '.cursor');
  return {
    claude: [
      [join(claude, 'settings.json'), {state: 'import', text: 'hooks, rules and variables', step: {kind: 'settings'}}],
      [join(process.env['CLAUDE_CONFIG_DIR'] || home, '.claude.json'), servers('claude')],
      [join(claude, 'projects'), {state: 'import', text: 'sessions: weft import session claude'}],
      [join(claude, 'CLAUDE.md'), {state: 'read', text: 'if you have no AGENTS.md for weft'}],
      ...['skills', 'commands', 'agents'].map(
        name => [join(claude, name), {state: 'read', text: 'in all projects'}] as const,
      ),
      [join(claude, 'keybindings.json'), leave('its keys have other names: weft keys')],
      [join(claude, '.credentials.json'), secret],
    ],
    codex: [
      [join(codex, 'config.toml'), servers('codex')],
      [join(codex, 'sessions'), {state: 'import', text: 'sessions: weft import session codex'}],
      [join(codex, 'AGENTS.md'), copied('instructions')],
      [join(codex, 'prompts'), copied('commands')],
      [join(codex, 'rules'), leave('its rules have another language: weft permissions add')],
      skills(codex),
      [join(codex, 'auth.json'), secret],
    ],
    gemini: [
      [join(gemini, 'settings.json'), servers('gemini')],
      [join(gemini, 'GEMINI.md'), copied('instructions')],
      [join(gemini, 'commands'), leave('its commands are TOML files, and those of weft are Markdown')],
      skills(gemini),
      [join(gemini, 'agents'), agentFiles],
      [join(gemini, 'oauth_creds.json'), secret],
    ],
    opencode: [
      [join(opencode, 'opencode.json'), servers('opencode')],
      [join(opencode, 'opencode.jsonc'), servers('opencode')],
      [join(opencode, 'AGENTS.md'), copied('instructions')],
      ...['command', 'commands'].map(name => [join(opencode, name), copied('commands')] as const),
      skills(opencode),
      ...['agent', 'agents'].map(name => [join(opencode, name), agentFiles] as const),
      [join(home, '.local', 'share', 'opencode', 'auth.json'), secret],
    ],
    pi: [
      [join(pi, 'settings.json'), settings],
      [join(pi, 'AGENTS.md'), copied('instructions')],
      [join(pi, 'prompts'), copied('commands')],
      skills(pi),
      [join(pi, 'auth.json'), secret],
    ],
    cursor: [
      [join(cursor, 'mcp.json'), servers('cursor')],
      [join(cursor, 'commands'), copied('commands')],
      skills(cursor),
      [join(cursor, 'agents'), agentFiles],
    ],
    aider: [[join(home, '.aider.conf.yml'), settings]],
  };
};

const words = {read: 'weft reads it', import: 'import', 'left-out': 'not imported'} as const;

/**
 * `weft import`: prints what other agents have in the user's home, and what becomes of it. After a question or with `--yes`, imports the
 * rest. Without a terminal it only prints.
 */
export async function moveIn(options: MoveOptions): Promise<ExitCode> {
  const {from, json, yes, dryRun} = options;
  const home = homedir();
  const places = placesOf(home);
  const found = (from === undefined ? movedAgents : [from]).flatMap(agent =>
    places[agent].flatMap(([path, fate]) => (existsSync(path) ? [{agent, path, ...fate}] : [])),
  );
  printRows({
    rows: found,
    json,
    toJson: ({agent, path, state, text}) => ({agent, path, state, text}),
    line: ({agent, path, state, text}) =>
      visibleExactLine(`${agent.padEnd(8)}  ${withTilde(path, home)}  ${words[state]}: ${text}`),
    none: 'found no files of other agents in your home',
  });
  const steps = found.flatMap(({path, step}) => (step === undefined ? [] : [{path, step}]));
  if (json !== undefined || steps.length === 0) return exitCode.done;
  if (dryRun !== undefined || yes === undefined) {
    if (isStdoutTerminal()) print('\n');
    const shown = await runSteps(steps, {...options, dryRun: true});
    if (dryRun !== undefined || !process.stdin.isTTY) return shown;
    if (!(await askYesNo('Import these? [y/N] '))) return exitCode.done;
  }
  return runSteps(steps, options);
}

/** Runs the steps, each peer's servers once. The exit code is 1 if a file is broken. */
async function runSteps(
  steps: readonly {readonly path: string; readonly step: NonNullable<Fate['step']>}[],
  {dryRun, replace}: MoveOptions,
): Promise<ExitCode> {
  if (dryRun === undefined) await requireOutsideWeft('Importing from other agents');
  const how = {...(dryRun === undefined ? {} : {dryRun}), ...(replace === undefined ? {} : {replace})};
  const codes: ExitCode[] = [];
  const peers = new Set<Peer>();
  const copies: {path: string; part: CopiedPart}[] = [];
  for (const {path, step} of steps) {
    switch (step.kind) {
      case 'settings':
        codes.push(await importSettings({user: true, ...how}));
        break;
      case 'servers':
        peers.add(step.peer);
        break;
      case 'copy':
        copies.push({path, part: step.part});
        break;
      default:
        unreachable(step);
    }
  }
  // In the home folder, no project takes part.
  const place = {cwd: homedir(), scope: 'user', owner: 'user'} as const;
  for (const peer of peers) codes.push(await importServers(peer, {...place, ...how}));
  copyFiles(copies, how);
  return codes.find(code => code !== exitCode.done) ?? exitCode.done;
}
