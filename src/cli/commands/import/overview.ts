import {existsSync} from 'node:fs';
import {homedir} from 'node:os';
import {join} from 'node:path';
import {withTilde} from '../../../base/shown-path.ts';
import {visibleExactLine} from '../../../base/visible.ts';
import type {ExitCode} from '../../../app/exit-code.ts';
import {claudeFolder} from '../../../app/user-data.ts';
import type {JsonOption} from '../../flags.ts';
import {printRows} from '../../rows.ts';

export const movedAgents = ['claude', 'codex', 'gemini', 'opencode', 'pi', 'cursor', 'aider'] as const;

export interface OverviewOptions extends JsonOption {
  readonly from?: (typeof movedAgents)[number];
}

/** The fate of a file: weft reads it anyway, a command copies it, or weft leaves it out. The text says which command, or why. */
type Fate = readonly [state: 'read' | 'import' | 'left-out', text: string];

const secret: Fate = ['left-out', 'it has keys, which weft does not copy: weft login'];
const settings: Fate = ['left-out', 'its settings have other meanings: weft config set'];
const instructions: Fate = ['left-out', "copy what you want to keep into AGENTS.md in weft's settings folder"];
const commands: Fate = ['left-out', "copy the Markdown files into commands in weft's settings folder"];
const servers = (agent: string): Fate => ['import', `servers: weft mcp import ${agent}`];

/** Returns the user's files of each agent, as their documentation names them. weft does not look into projects here. */
const placesOf = (
  home: string,
): Readonly<Record<(typeof movedAgents)[number], readonly (readonly [string, Fate])[]>> => {
  const claude = claudeFolder();
  const codex = process.env['CODEX_HOME'] || join(home, '.codex');
  const gemini = join(process.env['GEMINI_CLI_HOME'] || home, '.gemini');
  const opencode = join(process.env['XDG_CONFIG_HOME'] || join(home, '.config'), 'opencode');
  const pi = join(home, '.pi', 'agent');
  const cursor = join(home, '.cursor');
  return {
    claude: [
      [join(claude, 'settings.json'), ['import', 'hooks, rules and variables: weft config import']],
      [join(process.env['CLAUDE_CONFIG_DIR'] || home, '.claude.json'), servers('claude')],
      [join(claude, 'projects'), ['import', 'sessions: weft import session claude']],
      [join(claude, 'CLAUDE.md'), ['read', 'if you have no AGENTS.md for weft']],
      ...['skills', 'commands', 'agents'].map(name => [join(claude, name), ['read', 'in all projects']] as const),
      [join(claude, 'keybindings.json'), ['left-out', 'its keys have other names: weft keys']],
      [join(claude, '.credentials.json'), secret],
    ],
    codex: [
      [join(codex, 'config.toml'), servers('codex')],
      [join(codex, 'sessions'), ['import', 'sessions: weft import session codex']],
      [join(codex, 'AGENTS.md'), instructions],
      [join(codex, 'prompts'), commands],
      [join(codex, 'rules'), ['left-out', 'its rules have another language: weft permissions add']],
      [join(codex, 'auth.json'), secret],
    ],
    gemini: [
      [join(gemini, 'settings.json'), servers('gemini')],
      [join(gemini, 'GEMINI.md'), instructions],
      [join(gemini, 'commands'), ['left-out', 'its commands are TOML files, and those of weft are Markdown']],
      [join(gemini, 'oauth_creds.json'), secret],
    ],
    opencode: [
      [join(opencode, 'opencode.json'), servers('opencode')],
      [join(opencode, 'opencode.jsonc'), servers('opencode')],
      [join(opencode, 'AGENTS.md'), instructions],
      ...['command', 'commands'].map(name => [join(opencode, name), commands] as const),
      [join(home, '.local', 'share', 'opencode', 'auth.json'), secret],
    ],
    pi: [
      [join(pi, 'settings.json'), settings],
      [join(pi, 'AGENTS.md'), instructions],
      [join(pi, 'prompts'), commands],
      [join(pi, 'auth.json'), secret],
    ],
    cursor: [[join(cursor, 'mcp.json'), servers('cursor')]],
    aider: [[join(home, '.aider.conf.yml'), settings]],
  };
};

const words = {read: 'weft reads it', import: 'import', 'left-out': 'not imported'} as const;

/** `weft import`: prints what other agents have in the user's home, and what becomes of it. Changes nothing. */
export function printOverview({from, json}: OverviewOptions): ExitCode {
  const home = homedir();
  const places = placesOf(home);
  const rows = (from === undefined ? movedAgents : [from]).flatMap(agent =>
    places[agent].flatMap(([path, [state, text]]) => (existsSync(path) ? [{agent, path, state, text}] : [])),
  );
  return printRows({
    rows,
    json,
    line: ({agent, path, state, text}) =>
      visibleExactLine(`${agent.padEnd(8)}  ${withTilde(path, home)}  ${words[state]}: ${text}`),
    none: 'found no files of other agents in your home',
  });
}
