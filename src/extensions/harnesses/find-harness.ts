import {existsSync, readFileSync, realpathSync, statSync} from 'node:fs';
import {dirname, join} from 'node:path';
import type {SignInState} from '../../actions/harness-port.ts';
import {isJsonObject, type JsonObject, parseJson} from '../../base/json.ts';
import type {knownHarnesses} from '../../domain/harness.ts';

/** What weft is given of the machine to look around. */
export interface HarnessPlace {
  /** Folders that the workspace decides on are not in its PATH. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly home: string;
  readonly platform: NodeJS.Platform;
}

/**
 * The version of an installed program without starting it: the `package.json` above the file that its link leads to, or a version in that
 * path (`…/versions/2.1.330`). Empty if neither tells.
 */
export function installedVersion(file: string, npmPackage: string): string {
  let real: string;
  try {
    real = realpathSync(file);
  } catch {
    return '';
  }
  for (let at = dirname(real); dirname(at) !== at; at = dirname(at)) {
    const {name, version} = jsonIn(join(at, 'package.json')) ?? {};
    if (name === npmPackage && typeof version === 'string') return version;
  }
  return /\/(?:versions?\/|v)(\d+\.\d+\.\d+[\w.-]*)/u.exec(real)?.[1] ?? '';
}

/** Whether somebody is signed in, as far as files tell: nothing is started, and no secret is kept. */
export function signInOf(harness: (typeof knownHarnesses)[number], place: HarnessPlace): SignInState {
  const {environment, home, platform} = place;
  const has = (...names: readonly string[]): boolean => names.some(name => (environment[name] ?? '') !== '');
  const folder = (variable: string, ...path: readonly string[]): string => environment[variable] || join(home, ...path);
  switch (harness) {
    case 'claude': {
      const config = folder('CLAUDE_CONFIG_DIR', '.claude');
      if (has('ANTHROPIC_API_KEY', 'ANTHROPIC_AUTH_TOKEN', 'CLAUDE_CODE_OAUTH_TOKEN')) return 'signed-in';
      if (isJsonObject(jsonIn(join(config, '.credentials.json'))?.['claudeAiOauth'])) return 'signed-in';
      if (has('CLAUDE_CODE_USE_BEDROCK', 'CLAUDE_CODE_USE_VERTEX')) return 'unknown';
      const account = jsonIn(join(environment['CLAUDE_CONFIG_DIR'] || home, '.claude.json'));
      if (account?.['primaryApiKey'] !== undefined) return 'signed-in';
      const helper = jsonIn(join(config, 'settings.json'))?.['apiKeyHelper'];
      return helper !== undefined || platform === 'darwin' ? 'unknown' : 'signed-out';
    }
    case 'codex': {
      const config = folder('CODEX_HOME', '.codex');
      const kept = jsonIn(join(config, 'auth.json'));
      if (kept !== undefined && (isJsonObject(kept['tokens']) || typeof kept['OPENAI_API_KEY'] === 'string'))
        return 'signed-in';
      const settings = textIn(join(config, 'config.toml'));
      return /^\s*(?:model_provider|cli_auth_credentials_store|profile)\s*=/mu.test(settings)
        ? 'unknown'
        : 'signed-out';
    }
    case 'gemini': {
      const config = join(home, '.gemini');
      const {security, selectedAuthType} = jsonIn(join(config, 'settings.json')) ?? {};
      const auth =
        isJsonObject(security) && isJsonObject(security['auth']) ? security['auth']['selectedType'] : undefined;
      const chosen = auth ?? selectedAuthType;
      if (chosen === 'oauth-personal' && existsSync(join(config, 'oauth_creds.json'))) return 'signed-in';
      if (chosen === 'gemini-api-key' && has('GEMINI_API_KEY', 'GOOGLE_API_KEY')) return 'signed-in';
      return chosen === undefined && !has('GEMINI_API_KEY', 'GOOGLE_API_KEY') ? 'signed-out' : 'unknown';
    }
    case 'opencode': {
      const kept = jsonIn(join(folder('XDG_DATA_HOME', '.local', 'share'), 'opencode', 'auth.json'));
      // Some of its models need no sign-in, and a provider may have its key in the configuration.
      return kept !== undefined && Object.keys(kept).length > 0 ? 'signed-in' : 'unknown';
    }
    case 'pi': {
      const config = folder('PI_CODING_AGENT_DIR', '.pi', 'agent');
      const kept = jsonIn(join(config, 'auth.json'));
      if (kept !== undefined && Object.keys(kept).length > 0) return 'signed-in';
      return existsSync(join(config, 'models.json')) ? 'unknown' : 'signed-out';
    }
    default:
      return harness satisfies never;
  }
}

function jsonIn(file: string): JsonObject | undefined {
  const json = parseJson(textIn(file));
  return json.tag === 'ok' && isJsonObject(json.value) ? json.value : undefined;
}

/** The text of a regular file of at most a megabyte; empty for all else. */
function textIn(file: string): string {
  try {
    const {size} = statSync(file);
    return statSync(file).isFile() && size <= 1_000_000 ? readFileSync(file, 'utf8') : '';
  } catch {
    return '';
  }
}

/** Whether version `a` comes before `b`; what is no version comes before none. */
export function isOlder(a: string, b: string): boolean {
  const [left, right] = [a, b].map(version => /^\d+(?:\.\d+)*/u.exec(version)?.[0].split('.').map(Number));
  if (left === undefined || right === undefined) return false;
  const at = right.findIndex((number, index) => number !== (left[index] ?? 0));
  return at >= 0 && (left[at] ?? 0) < (right[at] ?? 0);
}
