import {execFileSync} from 'node:child_process';
import {lstatSync, mkdirSync, readdirSync, readFileSync, readlinkSync, writeFileSync} from 'node:fs';
import {dirname, join} from 'node:path';
import {failed, ok, type Outcome} from '../../../src/base/outcome.ts';
import {lookUntil} from '../../support/look-until.ts';
import {type Answer, say} from '../../support/model-script.ts';
import type {ReceivedRequest} from '../../support/model-server.ts';
import {processesWith} from '../../support/processes.ts';
import {runWeft, TempPlace} from '../../support/run-weft.ts';
import {endProcess, type Scene} from '../../support/scene.ts';

/** The environment in which weft chooses the sandbox itself, as it does for users. */
export const auto = {environment: {WEFT_SANDBOX: 'auto'}} as const;

/** The proof that weft keeps of a sandbox with an overlay, or why no overlay works on this machine. */
let proving: Promise<Outcome<Buffer, string>> | undefined;

/**
 * Skips the test if no overlay works on this machine, with the reason for the report. Otherwise puts the proof into the home: weft needs
 * a second to prove its sandbox anew. `sandbox.test.ts` tests the proof itself.
 */
export async function skipWithoutOverlay(
  {place}: Pick<Scene, 'place'>,
  skip: (condition: boolean, reason: string) => void,
): Promise<void> {
  const proof = await (proving ??= prove());
  if (proof.tag === 'failed') {
    skip(true, `no overlay is proven: ${proof.error}`);
    return;
  }
  mkdirSync(join(place.home, 'weft'), {recursive: true, mode: 0o700});
  writeFileSync(join(place.home, proofFile), proof.value, {mode: 0o600});
}

const proofFile = 'weft/sandbox-bwrap.json';

/** A dry run starts nothing unless an overlay is proven. */
async function prove(): Promise<Outcome<Buffer, string>> {
  using place = new TempPlace();
  const words = ['sandbox', 'run', '--provider', 'bwrap', '--dry', '--json', '--', 'true'];
  const {code, stderr} = await runWeft(words, {place});
  return code === 0 ? ok(readFileSync(join(place.home, proofFile))) : failed(stderr.trim());
}

/** Writes files below a folder, with the folders they need; a name that ends in `.sh` may be executed. */
export function writeFiles(folder: string, files: Readonly<Record<string, string>>): void {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), {recursive: true});
    writeFileSync(join(folder, path), text, {mode: path.endsWith('.sh') ? 0o755 : 0o644});
  }
}

/** git as the user runs it in another terminal; what it prints. */
export const git = (folder: string, ...words: readonly string[]): string =>
  execFileSync('git', ['-c', 'user.name=t', '-c', 'user.email=t@example.com', ...words], {
    cwd: folder,
    env: {...process.env, GIT_CONFIG_GLOBAL: '/dev/null', GIT_CONFIG_NOSYSTEM: '1'},
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
  });

/** A repository in which these files are committed. */
export function makeRepository(folder: string, files: Readonly<Record<string, string>>): void {
  writeFiles(folder, files);
  git(folder, 'init', '-q', '-b', 'main');
  git(folder, 'add', '.');
  git(folder, 'commit', '-q', '-m', 'first');
}

/** Everything below a folder: of each path its kind, its mode and its bytes. What git keeps for itself is left out on request. */
export function treeOf(folder: string, leftOut: (path: string) => boolean = () => false): Record<string, string> {
  const tree: Record<string, string> = {};
  const walk = (below: string): void => {
    for (const name of readdirSync(join(folder, below)).toSorted()) {
      const path = join(below, name);
      if (leftOut(path)) continue;
      const stats = lstatSync(join(folder, path));
      const mode = (stats.mode & 0o7777).toString(8);
      if (stats.isSymbolicLink()) tree[path] = `-> ${readlinkSync(join(folder, path))}`;
      else if (stats.isFile()) tree[path] = `${mode} ${readFileSync(join(folder, path), 'latin1')}`;
      else if (stats.isDirectory()) {
        tree[path] = `${mode} folder`;
        walk(path);
      } else tree[path] = 'special';
    }
  };
  walk('');
  return tree;
}

/** The same without the data of the repository, which `git status` itself refreshes. */
export const filesOf = (folder: string): Record<string, string> => treeOf(folder, path => path === '.git');

/** Answers by the word with which the prompt begins: several wefts ask the same model. */
export const byPrompt =
  (scripts: Readonly<Record<string, readonly Answer[]>>) =>
  ({body}: ReceivedRequest): Answer => {
    const asked = JSON.stringify(body.messages[0]?.content);
    const script = Object.entries(scripts).find(([word]) => asked.includes(word))?.[1];
    return script?.[body.messages.filter(({role}) => role === 'assistant').length] ?? say('Done.');
  };

let sleepers = 7300;

/**
 * What a command waits at: a line for its shell that goes on when `goOn` is called. The workspace does not show what a command in the
 * overlay does, but its processes are seen.
 */
export function waitingPoint(): {readonly line: string; readonly reached: Promise<void>; readonly goOn: () => void} {
  sleepers += 1;
  const line = `sleep ${process.pid}.${sleepers}`;
  const found = () => processesWith(line).filter(({words}) => words.startsWith('sleep '));
  return {
    line,
    get reached() {
      return lookUntil(
        () => found().length > 0,
        () => `the command never came to ${line}`,
      );
    },
    goOn: () => {
      for (const {pid} of found()) endProcess(pid);
    },
  };
}
