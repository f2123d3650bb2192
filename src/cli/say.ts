/** Writes what was asked for. */
export const print = (text: string): void => void process.stdout.write(text);

/** Tells the user one line on stderr. */
export const note = (line: string): void => void process.stderr.write(`weft: ${line}\n`);
