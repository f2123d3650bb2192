import {checksum, mcpServerName, wireName} from '../../domain/mcp-tool-name.ts';

/** Longest name of a tool on the wire, in characters. */
const longestName = 128;

const isPlain = (server: string): boolean => mcpServerName(server) === `mcp__${server}`;

/** The names by which models know the tools of some servers: no two alike, and the same in every run. */
export class ToolNames {
  readonly #servers = new Map<string, string>();
  readonly #taken = new Set<string>();

  /** A server whose name needs no replacement keeps it, whatever the others are called. */
  constructor(servers: readonly string[]) {
    for (const server of [...servers.filter(isPlain), ...servers.filter(each => !isPlain(each))]) {
      const plain = mcpServerName(server);
      const isFree = ![...this.#servers.values()].includes(plain);
      this.#servers.set(server, isFree ? plain : `${plain}_${checksum(server)}`);
    }
  }

  /**
   * Names the tools of a server, the first ones first: an earlier tool's name is never given to a later one. A tool whose names are
   * all taken gets none.
   */
  namesOf(
    server: string,
    tools: readonly string[],
  ): Map<string, {readonly name: string; readonly clash: 'none' | 'renamed'}> {
    const names = new Map<string, {readonly name: string; readonly clash: 'none' | 'renamed'}>();
    for (const tool of new Set(tools)) {
      const mark = checksum(JSON.stringify([server, tool]));
      const whole = `${this.#servers.get(server) ?? mcpServerName(server)}__${wireName(tool)}`;
      const marked = `${whole.slice(0, longestName - 9)}_${mark}`;
      const plain = whole.length <= longestName ? whole : marked;
      const name = this.#taken.has(plain) ? marked : plain;
      if (this.#taken.has(name)) continue;
      this.#taken.add(name);
      names.set(tool, {name, clash: name === plain ? 'none' : 'renamed'});
    }
    return names;
  }
}
