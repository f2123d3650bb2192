import {rightsOf, rightsSchema, rightsText} from './project-rights.ts';
import {isDeeperThan, isJsonList, isJsonObject, type Json, maxJsonDepth} from '../base/json.ts';

/**
 * Describes completely what an MCP server of the project asks of weft, including variables, headers and folders. The
 * user's variables whose values it gets come first, so that the text can't hide them.
 */
export function serverRequest(name: string, server: Json, source: string): string {
  if (isDeeperThan(server, maxJsonDepth))
    return `nothing with the MCP server ${name}: it is nested too deeply to be used`;
  const {command, args, url, sandbox, ...more} = isJsonObject(server) ? server : {};
  const rest = Object.keys(more).length === 0 ? '' : ` ${JSON.stringify(more)}`;
  const taken = variablesIn(server);
  const gets =
    taken.length === 0 ? '' : `, which gets the value${taken.length === 1 ? '' : 's'} of ${taken.join(', ')},`;
  if (command === undefined) return `connect to the MCP server ${name}${gets} at ${JSON.stringify(url ?? null)}${rest}`;
  const words = [command, ...(isJsonList(args) ? args : [])].map(shownWord).join(' ');
  const written = rightsSchema.safeParse(sandbox);
  if (!written.success)
    return `nothing with the MCP server ${name}: its "sandbox" is neither true, false nor {"network": true}`;
  return `run the MCP server ${name}${gets}: ${words}${rest} (${rightsText(rightsOf(written.data, source))})`;
}

const shownWord = (word: Json): string =>
  typeof word === 'string' && /^[\w@%+=:,./-]+$/u.test(word) ? word : JSON.stringify(word);

/** Matches a reference to a variable in the configuration of a server: `${NAME}` or `${NAME:-default}`. */
export const variableReference = /\$\{([A-Za-z_]\w*)(?::-([^}]*))?\}/gu;

/** Returns the names of the variables that a server's configuration refers to, in alphabetical order. */
export const variablesIn = (server: Json): readonly string[] =>
  [...new Set([...JSON.stringify(server).matchAll(variableReference)].map(([, name = '']) => name))].toSorted();
