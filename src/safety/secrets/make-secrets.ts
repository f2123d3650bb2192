import type {OutputFilter} from '../../actions/ports.ts';
import {isSecretVariable, secretsIn, valuesOfEnvFile} from './env-file.ts';
import {findSecrets} from './find-secrets.ts';
import {shortestLiteral} from './literal-finder.ts';
import {makeOutputFilter} from './output-filter.ts';
import {placeholderForm, placeholderStart} from './placeholder.ts';
import {makeVault, placeholdersIn} from './vault.ts';

/** Hides secrets from whatever leaves this machine or stays on its disk, and gives them back where work is done. */
export interface Secrets {
  /** Puts placeholders in the place of secrets. The number of lines stays. What is hidden already stays as it is. */
  readonly conceal: (text: string) => string;
  /** Puts the secrets back; placeholders that this process does not know stay. */
  readonly reveal: (text: string) => string;
  /** What one placeholder stands for, `undefined` when it is not known. */
  readonly valueOf: (placeholder: string) => string | undefined;
  /** The placeholders in a text that this process does not know. */
  readonly unknownIn: (text: string) => readonly string[];
  /** Hides secrets in the output of one command as it comes. */
  readonly filter: () => OutputFilter;
  /** Looks again for files of secrets, and into the files that `paths` name. */
  readonly refresh: (paths: readonly string[]) => void;
}

/** Files that hold secrets by their name (`.env`, `id_rsa`, …). Every answer has only what is new or has changed since. */
export interface SecretFiles {
  /** Right in the workspace roots. */
  near(): readonly SecretFile[];
  /** Further down too, and those of `paths` that have such names. */
  all(paths: readonly string[]): readonly SecretFile[];
}

export interface SecretFile {
  readonly path: string;
  readonly text: string;
}

/** Rounds until nothing more is found: a secret recognised in one place is then looked for in all. */
const mostRounds = 5;

export function makeSecrets(options: {
  /** Variables whose names or values say that they are secret are hidden. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly files: SecretFiles;
  /** What tags are made with; asked for when the first secret turns up. The same key gives the same placeholders. */
  readonly key: () => Uint8Array;
}): Secrets {
  const vault = makeVault(options.key);
  let begun = false;

  function begin(): void {
    if (begun) return;
    begun = true;
    for (const [name, value = ''] of Object.entries(options.environment)) {
      if (value.length < shortestLiteral || !isSecretVariable(name, value)) continue;
      for (const secret of secretsIn(name, value)) vault.hideEverywhere(secret, name);
    }
    learn(options.files.near());
  }

  function learn(files: readonly SecretFile[]): void {
    for (const {text} of files) {
      for (const {name, value} of valuesOfEnvFile(text)) vault.hideEverywhere(value, name);
      findSecrets({text, domain: 'text', end: 'closed'}, vault);
    }
  }

  return {
    conceal(text) {
      begin();
      let current = text;
      for (let round = 0; round < mostRounds; round += 1) {
        const {found} = findSecrets({text: current, domain: 'text', end: 'closed'}, vault);
        if (found.length === 0) break;
        let done = 0;
        let next = '';
        for (const {from, to, name} of found) {
          next += current.slice(done, from) + vault.placeholder(current.slice(from, to), name);
          done = to;
        }
        current = next + current.slice(done);
      }
      return current;
    },
    reveal: text =>
      text.includes(placeholderStart)
        ? text.replaceAll(placeholderForm, placeholder => vault.valueOf(placeholder) ?? placeholder)
        : text,
    valueOf: placeholder => vault.valueOf(placeholder),
    unknownIn: text => placeholdersIn(text).filter(placeholder => vault.valueOf(placeholder) === undefined),
    filter() {
      begin();
      return makeOutputFilter(vault);
    },
    refresh(paths) {
      begin();
      learn(options.files.all(paths));
    },
  };
}
