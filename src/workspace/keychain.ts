import type {Environment} from './exec/shell-environment.ts';
import {runProgram} from './run-program.ts';

/** The keychain of the operating system. Every call has a time limit, because a locked keychain may ask the user in a window. */
export interface Keychain {
  /** The name of the keychain, as users know it. */
  readonly name: string;
  /** Stores a secret. Returns whether that succeeded. The secret is read back to be sure. */
  store(account: string, secret: string): Promise<boolean>;
  /** Returns the secret, or `undefined` if the keychain has none or does not answer. */
  read(account: string): Promise<string | undefined>;
  remove(account: string): Promise<boolean>;
}

/** Returns this platform's keychain, which weft reaches through its command-line program; `undefined` if weft knows none. */
export function systemKeychain(options: {
  readonly platform: NodeJS.Platform;
  readonly environment: Environment;
  readonly limitMs: number;
}): Keychain | undefined {
  const {signal} = new AbortController();
  const run: Run = async (program, words, input) => {
    const limits = {...options, folder: '.', input, maxOutput};
    const {code, output} = await runProgram(program, words, limits, signal);
    return code === 0 ? output.toString('utf8') : undefined;
  };
  if (options.platform === 'darwin') return macKeychain(run);
  return secretService(run);
}

const maxOutput = 1_000_000;

/** Returns the program's output; `undefined` if the program is missing, failed or reached its time limit. */
type Run = (program: string, words: readonly string[], input: string) => Promise<string | undefined>;

const service = 'weft';
const macName = (account: string): readonly string[] => ['-s', service, '-a', account];
const attributes = (account: string): readonly string[] => ['service', service, 'account', account];

/** The secret goes through stdin, so that process lists don't show it. Hexadecimal keeps it from being read as a command. */
function macKeychain(run: Run): Keychain {
  const program = '/usr/bin/security';
  const read = async (account: string): Promise<string | undefined> =>
    (await run(program, ['find-generic-password', ...macName(account), '-w'], ''))?.trim();
  return {
    name: 'the macOS keychain',
    async store(account, secret) {
      const hex = Buffer.from(secret).toString('hex');
      await run(program, ['-i'], `add-generic-password -U -s "${service}" -a "${account}" -X "${hex}"\n`);
      return (await read(account)) === secret;
    },
    read,
    remove: async account => (await run(program, ['delete-generic-password', ...macName(account)], '')) !== undefined,
  };
}

/** A keychain of any Secret Service (GNOME Keyring, KWallet, KeePassXC), through `secret-tool` of libsecret. */
function secretService(run: Run): Keychain {
  const program = 'secret-tool';
  const read = async (account: string): Promise<string | undefined> => {
    const found = await run(program, ['lookup', ...attributes(account)], '');
    return found === undefined || found.trim() === '' ? undefined : found.trim();
  };
  return {
    name: 'the keychain (Secret Service)',
    async store(account, secret) {
      await run(program, ['store', '--label', `weft: ${account}`, ...attributes(account)], secret);
      return (await read(account)) === secret;
    },
    read,
    remove: async account => (await run(program, ['clear', ...attributes(account)], '')) !== undefined,
  };
}
