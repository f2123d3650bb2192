import {accessSync, constants, existsSync, lstatSync} from 'node:fs';
import {isAbsolute, join} from 'node:path';
import {compileName, hasWildcard} from '../../base/glob.ts';
import {failed, ok, type Outcome, tryOr} from '../../base/outcome.ts';
import {listFolder} from '../files/list-folder.ts';
import {outermost, realPath} from '../files/resolve-path.ts';

/**
 * Paths with the user's secrets, or that let a program act as the user. They are relative to the home folder and may
 * not exist. A workspace inside one of them stays visible.
 */
const homePaths: readonly string[] = [
  '.ssh',
  '.gnupg',
  '.aws',
  '.azure',
  '.kube',
  '.docker',
  '.config/gcloud',
  '.config/gh',
  '.config/glab-cli',
  '.config/op',
  '.config/rclone',
  '.config/doctl',
  '.config/heroku',
  '.config/hub',
  '.config/github-copilot',
  '.config/google-chrome',
  '.config/chromium',
  '.config/BraveSoftware',
  '.config/Code',
  '.config/Cursor',
  '.config/Slack',
  '.config/1Password',
  '.config/containers',
  '.mozilla',
  '.thunderbird',
  '.password-store',
  '.local/share/keyrings',
  '.local/share/kwalletd',
  '.local/share/containers',
  '.vault-token',
  '.netrc',
  '.npmrc',
  '.yarnrc.yml',
  '.pypirc',
  '.git-credentials',
  '.config/git/credentials',
  '.pgpass',
  '.my.cnf',
  '.s3cfg',
  '.boto',
  '.terraform.d',
  '.terraformrc',
  '.cargo/credentials',
  '.cargo/credentials.toml',
  '.gem/credentials',
  '.m2/settings.xml',
  '.gradle/gradle.properties',
  '.claude',
  '.claude.json',
  '.codex',
  '.gemini',
  '.config/opencode',
  '.local/share/opencode',
  '.bash_history',
  '.zsh_history',
  '.python_history',
  '.node_repl_history',
  '.psql_history',
  '.mysql_history',
  '.lesshst',
  '.viminfo',
  'Library/Keychains',
];

/** System files that only the system's own programs need. Only root could read them inside; other users can't read them anyway. */
const systemFiles: readonly string[] = [
  '/etc/shadow',
  '/etc/gshadow',
  '/etc/sudoers',
  '/etc/ssl/private',
  '/root/.ssh',
];

/** Variables with the path of a socket or file that gives access to secrets. */
const secretVariables: readonly string[] = [
  'SSH_AUTH_SOCK',
  'GOOGLE_APPLICATION_CREDENTIALS',
  'KUBECONFIG',
  'AWS_SHARED_CREDENTIALS_FILE',
  'AWS_CONFIG_FILE',
  'NPM_CONFIG_USERCONFIG',
  'DOCKER_CONFIG',
  'GNUPGHOME',
  'CLOUDSDK_CONFIG',
  'AZURE_CONFIG_DIR',
];

/** Returns the existing files and folders to hide. `own` are the folders of weft's settings, grants and sessions. */
export function hiddenPaths({
  home,
  environment,
  own,
}: {
  readonly home: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly own: readonly string[];
}): readonly string[] {
  const named = secretVariables.map(name => environment[name] ?? '').filter(path => isAbsolute(path));
  const system = systemFiles.filter(path => isReadable(path));
  const all = [...homePaths.map(name => join(home, name)), ...system, ...named, ...own];
  return [...new Set(all.filter(path => existsSync(path)).map(path => realPath(path)))];
}

function isReadable(path: string): boolean {
  try {
    accessSync(path, constants.R_OK);
    return true;
  } catch {
    return false;
  }
}

/** The maximum number of files that deny rules may match. With more the sandbox is not used. */
const maxDenied = 500;

/**
 * Returns the existing files and folders that deny rules make unreadable. `./…` is relative to each root; all others
 * are absolute. Fails if there are too many to hide one by one.
 */
export function deniedFiles(globs: readonly string[], roots: readonly string[]): Outcome<readonly string[], string> {
  const found = new Set<string>();
  for (const glob of globs) {
    const parts = glob.split('/').slice(1);
    for (const folder of glob.startsWith('./') ? roots : ['/']) {
      for (const path of matchingPaths(folder, parts)) {
        if (isRealPath(path)) found.add(path);
        if (found.size > maxDenied) return failed(`deny rules name more than ${String(maxDenied)} files (${glob})`);
      }
    }
  }
  // A hidden folder hides its content too.
  return ok(outermost([...found]));
}

/** True for a folder or file; false if nothing is at the path, or weft may not look. */
const isRealPath = (path: string): boolean =>
  tryOr(() => lstatSync(path, {throwIfNoEntry: false})?.isSymbolicLink() === false, false);

/**
 * Yields the paths below a folder that match a glob, part by part; `**` enters no links. Node's own `globSync` finds no
 * names with a leading dot after a `**`, such as `.env` files. Node 22 also warns on stderr that it is experimental.
 */
function* matchingPaths(folder: string, parts: readonly string[]): Generator<string> {
  const [part, ...rest] = parts;
  if (part === undefined || (part === '**' && rest.length === 0)) yield folder;
  else if (part === '**') {
    yield* matchingPaths(folder, rest);
    for (const {name, kind} of listFolder(folder))
      if (kind === 'folder') yield* matchingPaths(join(folder, name), parts);
  } else if (hasWildcard(part)) {
    const fits = compileName(part, {sets: 'exact', hidden: 'like others'});
    for (const {name} of listFolder(folder)) if (fits(name)) yield* matchingPaths(join(folder, name), rest);
  } else yield* matchingPaths(join(folder, part), rest);
}
