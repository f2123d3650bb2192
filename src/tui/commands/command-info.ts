/** What people see of a slash command. */
export interface CommandInfo {
  /** Without the slash. */
  readonly name: string;
  /** Other names it goes by, which no list shows. */
  readonly aliases: readonly string[];
  /** How it is written, with its argument: `/model [name]`. */
  readonly usage: string;
  readonly summary: string;
}
