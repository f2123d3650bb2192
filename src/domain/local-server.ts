export interface LocalServer {
  /** The program that usually listens there. */
  readonly name: string;
  readonly port: number;
  /** With the `/v1`. */
  readonly baseUrl: string;
  readonly models: readonly string[];
}
