/** Returns the path in the form that people read: relative to `directory` if it is inside. */
export const relativeTo = (path: string, directory: string): string =>
  directory !== '' && path.startsWith(`${directory}/`) ? path.slice(directory.length + 1) : path;

/** Returns the path with `~` instead of the user's home folder. */
export const withTilde = (path: string, home: string): string =>
  path === home || path.startsWith(`${home}/`) ? `~${path.slice(home.length)}` : path;
