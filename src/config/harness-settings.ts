import * as z from 'zod/mini';

/**
 * A harness as the user's own settings describe it. A known harness may get another program and additional variables.
 * Any other name is an agent that speaks the Agent Client Protocol, or weft on another machine that runs `weft serve`
 * (`url`).
 */
export interface HarnessSetting {
  /** A program in PATH or an absolute path; empty for the usual program. */
  readonly command: string;
  readonly args: readonly string[];
  /** Additional variables. `${VAR}` and `${VAR:-default}` insert variables from weft's own environment. */
  readonly env: Readonly<Record<string, string>>;
  /** Whether the program gets the keys that its documentation names for its own sign-in. */
  readonly keys: 'pass' | 'withhold';
  /** A weft server that does the work instead of a program. */
  readonly server: RemoteServer | 'none';
}

export interface RemoteServer {
  readonly url: string;
  /** The file with the server's token; empty for the file of the user's own server. */
  readonly tokenFile: string;
  /** The folder to work in on the server's machine; empty for the same path as here. */
  readonly directory: string;
  /** The names of the skills on the server's machine that it reads first. */
  readonly skills: readonly string[];
}

export const harnessesSchema = z.record(
  z.string().check(z.regex(/^[\w.-]{1,64}$/u)),
  z.object({
    command: z.optional(z.string().check(z.minLength(1))),
    args: z.optional(z.array(z.string())),
    env: z.optional(z.record(z.string().check(z.regex(/^[A-Za-z_][A-Za-z0-9_]*$/u)), z.string())),
    keys: z.optional(z.enum(['pass', 'withhold'])),
    url: z.optional(z.string().check(z.regex(/^https?:\/\//u))),
    tokenFile: z.optional(z.string()),
    cwd: z.optional(z.string()),
    skills: z.optional(z.array(z.string().check(z.regex(/^[\w:.-]{1,128}$/u)))),
  }),
);

export type HarnessEntry = z.infer<typeof harnessesSchema>[string];

export const harnessSetting = ({
  command = '',
  args = [],
  env = {},
  keys = 'pass',
  url,
  tokenFile = '',
  cwd = '',
  skills = [],
}: HarnessEntry): HarnessSetting => ({
  server: url === undefined ? 'none' : {url, tokenFile, directory: cwd, skills},
  command,
  args,
  env,
  keys,
});

/** Returns the host and port of a harness's server. Empty if it has none. */
export const hostOf = (setting: HarnessSetting | undefined): string =>
  setting === undefined || setting.server === 'none' || !URL.canParse(setting.server.url)
    ? ''
    : new URL(setting.server.url).host;
