export interface LocalServer {
  /** The program that usually listens at this address. */
  readonly name: string;
  readonly port: number;
  /** Including the `/v1`. */
  readonly baseUrl: string;
  readonly models: readonly string[];
}
