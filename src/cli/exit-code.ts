/** What the process answers its caller with; part of the command line contract. */
export const exitCode = {
  done: 0,
  failed: 1,
  usage: 2,
  needsApproval: 3,
  limitReached: 4,
  timeLimit: 124,
  interrupted: 130,
  terminated: 143,
} as const;

export type ExitCode = (typeof exitCode)[keyof typeof exitCode];

/** What is said on stderr before `timeLimit`. */
export const timeLimitText = (seconds: number): string => `the time limit of ${seconds} s was reached`;
