import * as z from 'zod/mini';
import {unreachable} from '../base/unreachable.ts';
import type {Rights} from '../domain/sandbox.ts';

/** `"sandbox"` of a hook or of an MCP server in the settings. */
export const rightsSchema = z.optional(z.union([z.boolean(), z.object({network: z.boolean()})]));

/**
 * Reads it. A program that the project's shared files name is confined unless they say otherwise, and trust names its rights. One that the
 * user's own or local settings name is not.
 */
export function rightsOf(written: z.infer<typeof rightsSchema>, source: string): Rights {
  if (written === undefined) return source === 'project' ? 'confined' : 'unconfined';
  if (typeof written === 'boolean') return written ? 'confined' : 'unconfined';
  return written.network ? 'network' : 'confined';
}

/** Stands in the list wherever something is confined. */
export const insideWords = 'in the sandbox:';

/** The rights in a few words, for the list of what trust in a project grants. */
export function rightsText(rights: Rights): string {
  switch (rights) {
    case 'unconfined':
      return 'outside the sandbox, with all that you may do';
    case 'confined':
      return `${insideWords} may change the workspace, no network`;
    case 'network':
      return `${insideWords} may change the workspace, and reaches the network`;
    default:
      return unreachable(rights);
  }
}
