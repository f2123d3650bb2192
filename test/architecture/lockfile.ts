import * as z from 'zod/mini';

/** The part of package-lock.json that says what is installed where. */
const lockfile = z.object({
  packages: z.record(
    z.string(),
    z.object({
      version: z.optional(z.string()),
      /** There where it is not the name of its folder: another package stands in for it. */
      name: z.optional(z.string()),
      optionalDependencies: z.optional(z.record(z.string(), z.string())),
    }),
  ),
});

/**
 * Optional packages of exact version (builds for other platforms, mostly) that the lock file asks for and does not hold, as
 * `name@version`; those that `overrides` gives to another package are not meant. `npm install` drops those it cannot fetch at the moment; `npm ci` then refuses the whole file.
 */
export function missingOptionals(text: string): readonly string[] {
  const {packages} = lockfile.parse(JSON.parse(text));
  return Object.entries(packages).flatMap(([path, {optionalDependencies = {}}]) =>
    Object.entries(optionalDependencies)
      .filter(([name, version]) => {
        const found = packages[placeOf(name, path, packages)];
        return /^\d/u.test(version) && found?.name === undefined && found?.version !== version;
      })
      .map(([name, version]) => `${name}@${version}`),
  );
}

/** Where Node would find `name` from the package at `path`: the nearest `node_modules` above it that holds it. */
function placeOf(name: string, path: string, packages: Readonly<Record<string, unknown>>): string {
  const here = path === '' ? `node_modules/${name}` : `${path}/node_modules/${name}`;
  if (here in packages || path === '') return here;
  return placeOf(name, path.slice(0, Math.max(0, path.lastIndexOf('/node_modules/'))), packages);
}
