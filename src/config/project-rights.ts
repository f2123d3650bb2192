import * as z from 'zod/mini';
import {unreachable} from '../base/unreachable.ts';
import type {Rights} from '../domain/sandbox.ts';

/** The `"sandbox"` setting of a hook or an MCP server. */
export const rightsSchema = z.optional(z.union([z.boolean(), z.object({network: z.boolean()})]));

/**
 * Reads the `"sandbox"` setting of a hook or an MCP server. A program that the project's shared files name is confined
 * unless they say otherwise. A program that the user's own or local settings name is not confined by default.
 */
export function rightsOf(written: z.infer<typeof rightsSchema>, source: string): Rights {
  if (written === undefined) return source === 'project' ? 'confined' : 'unconfined';
  if (typeof written === 'boolean') return written ? 'confined' : 'unconfined';
  return written.network ? 'network' : 'confined';
}

/** The words that mark a confined program in the list of what trust grants. */
export const insideWords = 'in the sandbox:';

/** Describes the rights in a few words, for the list of what trust in a project grants. */
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
