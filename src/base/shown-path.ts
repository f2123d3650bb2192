/** Returns the path in the form that people read: relative to `directory` if it lies inside. */
export const relativeTo = (path: string, directory: string): string =>
  directory !== '' && path.startsWith(`${directory}/`) ? path.slice(directory.length + 1) : path;

/** With `~` in the place of the user's home. */
export const withTilde = (path: string, home: string): string =>
  path === home || path.startsWith(`${home}/`) ? `~${path.slice(home.length)}` : path;
