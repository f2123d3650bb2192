import {existsSync, readFileSync, realpathSync, statSync} from 'node:fs';
import {dirname, join} from 'node:path';
import {tryOr} from '../../base/outcome.ts';
import type {SignInState} from '../../actions/harness-port.ts';
import {isJsonObject, type JsonObject, parseJson} from '../../base/json.ts';
import type {knownHarnesses} from '../../domain/harness.ts';

/** The parts of the machine in which weft looks for harnesses. */
export interface MachineInfo {
  /** An environment whose PATH has no folders that the workspace controls. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly home: string;
  readonly platform: NodeJS.Platform;
}

/**
 * Returns the version of an installed program without starting it. Looks for the `package.json` above the link's
 * target, or for a version in that path (`…/versions/2.1.330`). Returns an empty text if it finds neither.
 */
export function installedVersion(file: string, npmPackages: readonly string[]): string {
  const real = tryOr(() => realpathSync(file), undefined);
  if (real === undefined) return '';
  for (let at = dirname(real); dirname(at) !== at; at = dirname(at)) {
    const {name, version} = readJson(join(at, 'package.json')) ?? {};
    if (npmPackages.some(each => each === name) && typeof version === 'string') return version;
  }
  return /\/(?:versions?\/|v)(\d+\.\d+\.\d+[\w.-]*)/u.exec(real)?.[1] ?? '';
}

/** Returns the sign-in state, as far as files show it. Starts no program and keeps no secret. */
export function signInStateOf(harness: (typeof knownHarnesses)[number], place: MachineInfo): SignInState {
  const {environment, home, platform} = place;
  const has = (...names: readonly string[]): boolean => names.some(name => (environment[name] ?? '') !== '');
  const folder = (variable: string, ...path: readonly string[]): string => environment[variable] || join(home, ...path);
  switch (harness) {
    case 'claude': {
      const config = folder('CLAUDE_CONFIG_DIR', '.claude');
      if (has('ANTHROPIC_API_KEY', 'ANTHROPIC_AUTH_TOKEN', 'CLAUDE_CODE_OAUTH_TOKEN')) return 'signed-in';
      if (isJsonObject(readJson(join(config, '.credentials.json'))?.['claudeAiOauth'])) return 'signed-in';
      if (has('CLAUDE_CODE_USE_BEDROCK', 'CLAUDE_CODE_USE_VERTEX')) return 'unknown';
      const account = readJson(join(environment['CLAUDE_CONFIG_DIR'] || home, '.claude.json'));
      if (account?.['primaryApiKey'] !== undefined) return 'signed-in';
      const helper = readJson(join(config, 'settings.json'))?.['apiKeyHelper'];
      return helper !== undefined || platform === 'darwin' ? 'unknown' : 'signed-out';
    }
    case 'codex': {
      const config = folder('CODEX_HOME', '.codex');
      const kept = readJson(join(config, 'auth.json'));
      if (kept !== undefined && (isJsonObject(kept['tokens']) || typeof kept['OPENAI_API_KEY'] === 'string'))
        return 'signed-in';
      const settings = readText(join(config, 'config.toml'));
      return /^\s*(?:model_provider|cli_auth_credentials_store|profile)\s*=/mu.test(settings)
        ? 'unknown'
        : 'signed-out';
    }
    case 'gemini': {
      const config = join(home, '.gemini');
      const {security, selectedAuthType} = readJson(join(config, 'settings.json')) ?? {};
      const auth =
        isJsonObject(security) && isJsonObject(security['auth']) ? security['auth']['selectedType'] : undefined;
      const chosen = auth ?? selectedAuthType;
      if (chosen === 'oauth-personal' && existsSync(join(config, 'oauth_creds.json'))) return 'signed-in';
      if (chosen === 'gemini-api-key' && has('GEMINI_API_KEY', 'GOOGLE_API_KEY')) return 'signed-in';
      return chosen === undefined && !has('GEMINI_API_KEY', 'GOOGLE_API_KEY') ? 'signed-out' : 'unknown';
    }
    case 'opencode': {
      const kept = readJson(join(folder('XDG_DATA_HOME', '.local', 'share'), 'opencode', 'auth.json'));
      // Some opencode models need no sign-in, and a provider's key may be in the configuration.
      return kept !== undefined && Object.keys(kept).length > 0 ? 'signed-in' : 'unknown';
    }
    case 'pi': {
      const config = folder('PI_CODING_AGENT_DIR', '.pi', 'agent');
      const kept = readJson(join(config, 'auth.json'));
      if (kept !== undefined && Object.keys(kept).length > 0) return 'signed-in';
      return existsSync(join(config, 'models.json')) ? 'unknown' : 'signed-out';
    }
    default:
      return harness satisfies never;
  }
}

function readJson(file: string): JsonObject | undefined {
  const json = parseJson(readText(file));
  return json.tag === 'ok' && isJsonObject(json.value) ? json.value : undefined;
}

/** Returns the text of a regular file of at most 1 MB, or an empty text for anything else. */
function readText(file: string): string {
  try {
    const {size} = statSync(file);
    return statSync(file).isFile() && size <= 1_000_000 ? readFileSync(file, 'utf8') : '';
  } catch {
    return '';
  }
}

/** True if version `a` is older than `b`. False if either is not a version. */
export function isOlderVersion(a: string, b: string): boolean {
  const [left, right] = [a, b].map(version => /^\d+(?:\.\d+)*/u.exec(version)?.[0].split('.').map(Number));
  if (left === undefined || right === undefined) return false;
  const at = right.findIndex((number, index) => number !== (left[index] ?? 0));
  return at >= 0 && (left[at] ?? 0) < (right[at] ?? 0);
}
