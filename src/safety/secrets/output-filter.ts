import type {OutputFilter} from '../../actions/ports.ts';
import {asText, findSecrets, isInsideKey} from './find-secrets.ts';
import type {FoundSecret} from './scan-forms.ts';
import type {Vault} from './vault.ts';

/** Units before the new ones that are looked at again: names, and what stands right before a key. */
const contextLength = 256;

/** Bytes held back at most: what is open for longer goes as it is. */
const longestHeld = 32_000;

const keyContext = '-----BEGIN PRIVATE KEY-----\n';

/**
 * Hides secrets in bytes as they come, wherever they are divided. Bytes are taken for Latin-1, so that any of them pass unchanged.
 * Held back is only what may be the beginning of a secret.
 */
export function makeOutputFilter(vault: Vault): OutputFilter {
  /** What was let go last, secrets hidden. */
  let context = '';
  let held = '';

  function take(more: string, ending: 'open' | 'closed'): Uint8Array {
    const text = context + held + more;
    const {found, openFrom} = findSecrets({text, domain: 'bytes', end: ending}, vault);
    const until = ending === 'closed' ? text.length : letGoUntil(text, {found, openFrom, from: context.length});
    const cut = ending === 'closed' ? cutSecret(text, vault) : [];
    const passed = hide(text, {found: [...found, ...cut], from: context.length, until}, vault);
    held = text.slice(until);
    const seen = context + passed;
    const insideKey = isInsideKey(context + text.slice(context.length, until));
    context =
      (insideKey ? keyContext : '') + seen.slice(-contextLength).replaceAll(insideKey ? keyContext : '\0\0', '');
    return Buffer.from(passed, 'latin1');
  }

  return {
    push: bytes => take(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1'), 'open'),
    end: () => take('', 'closed'),
  };
}

/** Units of a secret that say something of it. */
const tellingCut = 6;

/** The beginning of a known secret at the end of an output that was cut off. */
function cutSecret(text: string, vault: Vault): readonly FoundSecret[] {
  const from = vault.finder('bytes').openFrom(text);
  return text.length - from < tellingCut ? [] : [{from, to: text.length, name: 'CUT'}];
}

function letGoUntil(
  text: string,
  scan: {readonly found: readonly FoundSecret[]; readonly openFrom: number; readonly from: number},
): number {
  if (text.length - scan.openFrom > longestHeld) return text.length;
  let until = Math.max(scan.from, scan.openFrom);
  // Backwards, since each that is held back may hold back the one before it.
  for (const {from, to} of scan.found.toReversed()) {
    if (to > until || to === text.length) until = Math.max(scan.from, Math.min(until, from));
  }
  return until;
}

function hide(
  text: string,
  part: {readonly found: readonly FoundSecret[]; readonly from: number; readonly until: number},
  vault: Vault,
): string {
  let done = part.from;
  let result = '';
  for (const {from, to, name} of part.found) {
    const start = Math.max(from, done);
    if (to <= start || start >= part.until) continue;
    result += text.slice(done, start) + vault.placeholder(asText(text.slice(start, to), 'bytes'), name);
    done = to;
  }
  return result + text.slice(done, part.until);
}
