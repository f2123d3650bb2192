import * as z from 'zod/mini';

/**
 * How a harness is started, as the user's own settings say it. One that weft knows may have another program, and variables that it would
 * not get; any other name is an agent that speaks the Agent Client Protocol.
 */
export interface HarnessSetting {
  /** A name that PATH finds, or an absolute path; empty: the usual one. */
  readonly command: string;
  readonly args: readonly string[];
  /** `${VAR}` and `${VAR:-default}` stand for variables of weft's own environment. */
  readonly env: Readonly<Record<string, string>>;
}

export const harnessesSchema = z.record(
  z.string().check(z.regex(/^[\w.-]{1,64}$/u)),
  z.object({
    command: z.optional(z.string().check(z.minLength(1))),
    args: z.optional(z.array(z.string())),
    env: z.optional(z.record(z.string().check(z.regex(/^[A-Za-z_][A-Za-z0-9_]*$/u)), z.string())),
  }),
);

export type HarnessEntry = z.infer<typeof harnessesSchema>[string];

export const harnessSetting = ({command = '', args = [], env = {}}: HarnessEntry): HarnessSetting => ({
  command,
  args,
  env,
});
