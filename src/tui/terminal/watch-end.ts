interface Ends {
  readonly stdin: NodeJS.ReadStream;
  readonly stdout: NodeJS.WriteStream;
  readonly signal: AbortSignal;
}

/** A terminal that went away reads as end of input or fails to write: then there is nobody left to stay for. */
export function watchEnd({stdin, stdout, signal}: Ends, leave: () => void): () => void {
  stdin.on('end', leave);
  stdout.on('error', leave);
  signal.addEventListener('abort', leave);
  if (signal.aborted) leave();
  return () => {
    stdin.off('end', leave);
    stdout.off('error', leave);
    signal.removeEventListener('abort', leave);
  };
}
