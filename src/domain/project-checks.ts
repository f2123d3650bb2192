/** The files in the top folder of a project that name its checks. */
export const manifests = ['package.json', 'Makefile', 'Cargo.toml', 'pyproject.toml', 'go.mod'] as const;

/** Regular expressions for the lines of manifests that name checks. */
export const checkLines = [
  String.raw`^\s*"(?:test|build|lint|typecheck|type-check|types|check)"\s*:\s*"[^"]`,
  String.raw`^(?:test|build|lint|check|typecheck)\s*:(?:[^=]|$)`,
  String.raw`^\[(?:package|workspace)\]`,
  String.raw`^\[tool\.(?:pytest|ruff|mypy|pyright)\b`,
  String.raw`^module\s`,
];

/** The programs of a `package.json`, by their lock files. */
const lockFiles = {'pnpm-lock.yaml': 'pnpm', 'yarn.lock': 'yarn', 'bun.lock': 'bun', 'bun.lockb': 'bun'} as const;
export const lockFileNames: readonly string[] = Object.keys(lockFiles);

const commandsOf = {
  'Cargo.toml': () => ['cargo test', 'cargo build'],
  'go.mod': () => ['go test ./...', 'go vet ./...', 'go build ./...'],
  'pyproject.toml': (line: string) =>
    ({pytest: ['pytest'], ruff: ['ruff check .'], mypy: ['mypy .'], pyright: ['pyright']})[
      /pytest|ruff|mypy|pyright/u.exec(line)?.[0] ?? ''
    ] ?? [],
  Makefile: (line: string) => [`make ${/^\w+/u.exec(line)?.[0] ?? ''}`],
  'package.json': (line: string, program: string) => {
    const [, script = '', value = ''] = /"([\w-]+)"\s*:\s*"(.*)/u.exec(line) ?? [];
    // The default script of `npm init` fails, and a version is that of a dependency.
    if (/^[\^~\d]|no test specified/u.test(value)) return [];
    return [script === 'test' && program !== 'bun' ? `${program} test` : `${program} run ${script}`];
  },
} satisfies Record<(typeof manifests)[number], (line: string, program: string) => readonly string[]>;

/**
 * Returns the commands that check a project. `lines`: `path:line:text` of the manifests' lines that match `checkLines`.
 * `files`: the files in the top folder.
 */
export function projectChecks(lines: readonly string[], files: readonly string[]): readonly string[] {
  const lock = files.find((file): file is keyof typeof lockFiles => Object.hasOwn(lockFiles, file));
  const program = lock === undefined ? 'npm' : lockFiles[lock];
  const commands = lines.flatMap(line => {
    const [, path = '', text = ''] = /^(?:\.\/)?([^:]+):\d+:(.*)$/su.exec(line) ?? [];
    const name = manifests.find(manifest => manifest === path);
    return name === undefined ? [] : commandsOf[name](text, program);
  });
  return [...new Set(commands)];
}
