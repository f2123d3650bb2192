/** Returns the milliseconds since the process started. Unlike `performance.now()`, it does not load eight more modules of Node. */
export const now = (): number => process.uptime() * 1000;
