import type {CommandForms} from './command-forms.ts';

/**
 * Parts of commands that commonly destroy work. The list only ever raises the risk that a card shows; it lets nothing through,
 * so what it misses is asked about all the same.
 */
const patterns: readonly RegExp[] = [
  /\brm\s+(?:-\S+\s+)*(?:-[a-z]*[rf][a-z]*|--recursive|--force)\b/iu,
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

/** Characters of one form that are looked at; it bounds the time. */
const longestForm = 2000;

/** The first part of a command, in any of its forms, that is known to destroy, or `undefined`. */
export function destructivePart({forms}: CommandForms): string | undefined {
  for (const form of forms) {
    const text = form.slice(0, longestForm);
    for (const pattern of patterns) {
      const match = pattern.exec(text);
      if (match !== null) return match[0].trim();
    }
  }
  return undefined;
}
