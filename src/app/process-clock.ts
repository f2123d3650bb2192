/** Milliseconds since the process started: `performance.now()` without the eight modules of Node behind `performance`. */
export const now = (): number => process.uptime() * 1000;
