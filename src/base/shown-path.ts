/** The path as a person reads it in a folder: relative to `directory` where it lies in it. */
export const relativeTo = (path: string, directory: string): string =>
  directory !== '' && path.startsWith(`${directory}/`) ? path.slice(directory.length + 1) : path;

/** With `~` in the place of the user's home. */
export const withTilde = (path: string, home: string): string =>
  path === home || path.startsWith(`${home}/`) ? `~${path.slice(home.length)}` : path;
