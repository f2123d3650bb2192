/**
 * Counts the milliseconds of processor time that this thread takes from now on: a bound on work holds on a machine that is busy
 * with something else too.
 */
export function processorClock(): () => number {
  const before = process.threadCpuUsage();
  return () => {
    const {user, system} = process.threadCpuUsage(before);
    return (user + system) / 1000;
  };
}
