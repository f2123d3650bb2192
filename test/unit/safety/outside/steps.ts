import {mkdirSync, mkdtempSync, rmSync, writeFileSync} from 'node:fs';
import {dirname, join} from 'node:path';
import {tmpdir} from 'node:os';
import {accessOf, type Action, actionOf, judgedAction, ruleKinds} from '../../../../src/actions/catalogue.ts';
import type {Json, JsonObject} from '../../../../src/base/json.ts';
import type {Access} from '../../../../src/domain/access.ts';
import {weftItself} from '../../../../src/domain/executor.ts';
import type {PermissionMode, Verdict} from '../../../../src/domain/risk.ts';
import {mcpToolName} from '../../../../src/domain/mcp-tool-name.ts';
import {makeJudge, type OutsideOptions} from '../../../../src/safety/judge.ts';
import {isExecutable} from '../../../../src/workspace/exec/trusted-path.ts';
import {changedAt} from '../../../../src/workspace/files/list-folder.ts';
import {changedFiles, oldTexts} from '../../../../src/workspace/search/old-texts.ts';
import {action, diskOptions, parsedRules} from '../support/judging.ts';

/** One step of a session: the model reads something, has written a file, or wants to do something. */
export type Step =
  | {readonly learns: Access; readonly text: string}
  | {readonly wrote: string; readonly text: string}
  | {readonly ran: Action; readonly text: string; readonly left: Readonly<Record<string, string>>}
  | {readonly does: Action};

export interface Story {
  readonly name: string;
  readonly said?: string;
  readonly steps: readonly Step[];
}

export const story = (name: string, ...steps: readonly Step[]): Story => ({name, steps});
export const asked = (said: string, {name, steps}: Story): Story => ({name, steps, said});

export const page = (url: string, text: string): Step => ({learns: {kind: 'web-page', url}, text});
export const results = (text: string): Step => ({learns: {kind: 'web-query', text: 'x'}, text});
export const output = (command: string, text: string): Step => ({
  learns: {
    kind: 'command',
    command,
    place: 'foreground',
    claims: {readOnly: 'unsaid', risky: 'unsaid', usesPager: 'unsaid'},
  },
  text,
});
export const file = (path: string, text: string): Step => ({learns: {kind: 'read', paths: [path]}, text});
export const rows = (server: string, text: string, given: JsonObject = {}): Step => ({
  learns: {kind: 'mcp-tool', server, toolName: mcpToolName(server, 'x'), standing: 'as-known', arguments: given},
  text,
});

const call = (tool: string, input: Json): Step => ({does: action(tool, input)});
export const wrote = (path: string, text: string): Step => ({wrote: path, text});
/** A command ran, printed a text, and left files in the workspace. */
export const ran = (command: string, text: string, left: Readonly<Record<string, string>> = {}): Step => ({
  ran: action('Bash', {command}),
  text,
  left,
});
export const runs = (command: string): Step => call('Bash', {command});
export const writes = (path: string, content: string): Step => call('Write', {file_path: path, content});
export const edits = (path: string, old: string, text: string): Step =>
  call('Edit', {file_path: path, old_string: old, new_string: text});
export const fetches = (url: string): Step => call('WebFetch', {url});
export const searches = (query: string): Step => call('WebSearch', {query});
export const mcp = (server: string, tool: string, given: JsonObject): Step => ({
  does: actionOf('call-mcp-tool', {
    server,
    tool,
    toolName: mcpToolName(server, tool),
    standing: 'as-known',
    arguments: given,
  }),
});

/** Everything that the user of these stories allows for good. */
const generous = [
  'Bash',
  'Edit',
  'Write',
  'WebSearch',
  'WebFetch(domain:*)',
  ...['mail', 'db', 'shop', 'tracker', 'chat', 'files', 'shell', 'bank', 'calendar', 'github'].map(
    server => `mcp__${server}`,
  ),
];

const projectFiles: Readonly<Record<string, string>> = {
  'package.json': '{\n  "name": "shop",\n  "scripts": {"test": "vitest run", "build": "tsc -p ."}\n}\n',
  'README.md': '# Shop\n\nInstall it with `npm ci && npm run build && npm run migrate`.\n',
  LICENSE:
    'Permission is hereby granted, free of charge, to any person obtaining a copy of this software and associated documentation files\n',
  'src/cart.ts':
    'export const total = (prices: readonly number[]): number => prices.reduce((sum, each) => sum + each, 0);\n',
  'src/lib/duration-parser.js': 'export const parse = text => Number(text);\n',
  'test/unit/cart-total.test.ts': "import {expect, test} from 'vitest';\n",
  'scripts/release.sh': '#!/bin/sh\nset -e\nnpm run build\nnpm publish --access public --tag latest\n',
  'docs/notes.md': '# Notes\n',
  Makefile: 'build:\n\tnpm run build\n',
};

/** Where weft saves long outputs and pages. */
export const outputs = '/var/tmp/weft-outputs-of-tests';

/** A judge of a project on the disk, whose user allows everything that rules can allow. */
export class Workplace {
  readonly base = mkdtempSync(join(tmpdir(), 'weft-outside-'));
  readonly root = join(this.base, 'shop');
  readonly #rules: readonly string[];
  readonly #mode: PermissionMode;

  constructor(rules: readonly string[] = generous, mode: PermissionMode = 'acceptEdits') {
    this.#rules = rules;
    this.#mode = mode;
    mkdirSync(join(this.base, 'home'));
    for (const [path, text] of Object.entries(projectFiles)) this.#write(path, text);
  }

  #write(path: string, text: string): void {
    const at = join(this.root, path);
    mkdirSync(dirname(at), {recursive: true});
    writeFileSync(at, text);
  }

  /** Plays a story in a new session. Returns the verdict of each thing that the model does. */
  async play({steps, said = ''}: Story): Promise<readonly Verdict[]> {
    const outside: OutsideOptions = {
      text: undefined,
      outputs: () => [outputs],
      began: new Map(),
      changedAt,
      now: () => Date.now(),
      workspace: 'own',
      isExecutable,
      oldTexts: (word, before) => oldTexts(word, {roots: [this.root], before}),
      changedFiles: since => changedFiles([this.root], since),
    };
    const rules = {allow: parsedRules(...this.#rules), ask: [], deny: []};
    const judge = makeJudge({...diskOptions(this.root, join(this.base, 'home')), rules, ruleKinds, outside});
    const by = {executor: weftItself(this.root), mode: this.#mode, said: () => [said]};
    const verdicts: Verdict[] = [];
    const files: string[] = [];
    const assess = async (subject: Action): Promise<Verdict> =>
      (await judge.assess(judgedAction(subject), by, new AbortController().signal)).verdict;
    const write = (path: string, text: string): void => {
      this.#write(path, text);
      if (projectFiles[path] === undefined) files.push(path);
    };
    for (const step of steps) {
      if ('wrote' in step) write(step.wrote, step.text);
      else if ('learns' in step) await judge.learn(step.learns, step.text, this.root);
      else if ('does' in step) verdicts.push(await assess(step.does));
      else {
        await assess(step.ran);
        for (const [path, text] of Object.entries(step.left)) write(path, text);
        await judge.learn(accessOf(step.ran), step.text, this.root);
      }
    }
    for (const path of files) rmSync(join(this.root, path));
    return verdicts;
  }
}

export const taintOf = ({reasons}: Verdict): readonly {readonly source: string; readonly span: string}[] =>
  reasons.flatMap(reason => (reason.kind === 'tainted-data' ? [{source: reason.source, span: reason.span}] : []));
