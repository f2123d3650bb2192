/**
 * Parts of commands that commonly destroy work. The list only ever raises the risk that a card shows; it lets nothing through,
 * so what it misses is asked about all the same.
 */
const patterns: readonly RegExp[] = [
  /\brm\s+(?:-[a-z]*[rf][a-z]*|--recursive|--force)\b/u,
  /\bgit\s+reset\s+(?:.*\s)?--hard\b/u,
  /\bgit\s+clean\b(?=.*\s-\w*f)/u,
  /\bgit\s+(?:checkout|restore)\s+(?:--\s+)?\.(?:\s|$)/u,
  /\bgit\s+push\b(?=.*\s(?:--force|-f)\b)/u,
  /\bgit\s+(?:stash\s+(?:drop|clear)|branch\s+(?:.*\s)?-D)\b/u,
  /\bfind\b(?=.*\s-delete\b)/u,
  /\b(?:mkfs(?:\.\w+)?|shred|truncate|wipefs)\s/u,
  /\bdd\s+(?=.*\bof=)/u,
  /\brsync\b(?=.*\s--delete\b)/u,
  /\b(?:drop|truncate)\s+(?:table|database)\b/iu,
  /\bchmod\s+-R\b/u,
  /\bchown\s+-R\b/u,
];

/** The first part of `command` that is known to destroy, or `undefined`. */
export function destructivePart(command: string): string | undefined {
  for (const pattern of patterns) {
    const match = pattern.exec(command);
    if (match !== null) return match[0].trim();
  }
  return undefined;
}
