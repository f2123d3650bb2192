/** Longest name of a tool that models are told. */
const longestName = 128;

/** The names by which models know the tools of servers: unlike for unlike tools, and the same in every run. */
export class ToolNames {
  readonly #taken = new Map<string, string>();

  /** `undefined` for a tool that has its name already: a server that names two tools alike has one. */
  nameFor(server: string, tool: string): {readonly name: string; readonly clash: 'none' | 'renamed'} | undefined {
    const whole = JSON.stringify([server, tool]);
    const plain = bounded(`mcp__${cleanName(server)}__${cleanName(tool)}`, whole);
    const owner = this.#taken.get(plain);
    if (owner === whole) return undefined;
    if (owner === undefined) {
      this.#taken.set(plain, whole);
      return {name: plain, clash: 'none'};
    }
    const marked = bounded(`${plain.slice(0, longestName - 9)}_${checksum(whole)}`, whole);
    if (this.#taken.has(marked)) return undefined;
    this.#taken.set(marked, whole);
    return {name: marked, clash: 'renamed'};
  }
}

/** What names of tools may not have becomes `_`. */
export const cleanName = (name: string): string => name.replaceAll(/[^\w-]/gu, '_');

const bounded = (name: string, whole: string): string =>
  name.length <= longestName ? name : `${name.slice(0, longestName - 9)}_${checksum(whole)}`;

/** FNV-1a, eight hexadecimal digits: tells apart, guards nothing. */
function checksum(text: string): string {
  let hash = 0x81_1c_9d_c5;
  for (let at = 0; at < text.length; at += 1) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01_00_01_93);
  return (hash >>> 0).toString(16).padStart(8, '0');
}
