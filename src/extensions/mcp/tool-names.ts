import {checksum, mcpServerName, wireName} from '../../domain/mcp-tool-name.ts';

/** The longest tool name on the wire, in characters. */
const maxNameLength = 128;

const isPlain = (server: string): boolean => mcpServerName(server) === `mcp__${server}`;

/** Assigns the names that models use for servers' tools. Names are unique and the same in every run. */
export class ToolNames {
  readonly #servers = new Map<string, string>();
  readonly #taken = new Set<string>();

  /** A server with a valid name keeps it, whatever the other names are. */
  constructor(servers: readonly string[]) {
    for (const server of [...servers.filter(isPlain), ...servers.filter(each => !isPlain(each))]) {
      const plain = mcpServerName(server);
      const isFree = ![...this.#servers.values()].includes(plain);
      this.#servers.set(server, isFree ? plain : `${plain}_${checksum(server)}`);
    }
  }

  /**
   * Names the tools of a server in order. A later tool never takes an earlier tool's name. A tool gets no name if all
   * its candidates are taken.
   */
  namesOf(
    server: string,
    tools: readonly string[],
  ): Map<string, {readonly name: string; readonly clash: 'none' | 'renamed'}> {
    const names = new Map<string, {readonly name: string; readonly clash: 'none' | 'renamed'}>();
    for (const tool of new Set(tools)) {
      const mark = checksum(JSON.stringify([server, tool]));
      const whole = `${this.#servers.get(server) ?? mcpServerName(server)}__${wireName(tool)}`;
      const marked = `${whole.slice(0, maxNameLength - 9)}_${mark}`;
      const plain = whole.length <= maxNameLength ? whole : marked;
      const name = this.#taken.has(plain) ? marked : plain;
      if (this.#taken.has(name)) continue;
      this.#taken.add(name);
      names.set(tool, {name, clash: name === plain ? 'none' : 'renamed'});
    }
    return names;
  }
}
