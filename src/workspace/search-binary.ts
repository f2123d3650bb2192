import {createRequire} from 'node:module';
import {failed, ok, type Outcome} from '../base/outcome.ts';
import type {Fault} from '../domain/fault.ts';

/** Finds a file inside an installed package; throws when there is none. */
export type ResolveModule = (id: string, from: string) => string;

/** The ripgrep program that is installed with weft for this machine. */
export function findSearchBinary(resolve: ResolveModule = resolveInstalled): Outcome<string, Fault> {
  const {platform, arch} = process;
  const program = platform === 'win32' ? 'rg.exe' : 'rg';
  try {
    // The program is a dependency of the package, so the package is where to look from.
    const owner = resolve('@vscode/ripgrep', import.meta.url);
    return ok(resolve(`@vscode/ripgrep-${platform}-${arch}/bin/${program}`, owner));
  } catch {
    return failed({
      kind: 'needs-user',
      message: `The search program ripgrep for ${platform}-${arch} is not installed with weft.`,
      fix: 'Install weft again without leaving out optional dependencies.',
    });
  }
}

const resolveInstalled: ResolveModule = (id, from) => createRequire(from).resolve(id);
