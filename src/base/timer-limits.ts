/** The longest delay that a Node timer supports, in milliseconds: about 24 days. */
export const maxTimerMs = 2 ** 31 - 1;

/** The longest timeout that a user or program can set, in seconds: a round number that a timer supports. */
export const maxTimeoutSeconds = 2_000_000;
