/** A schema file: the build and the tests hand it over as text. */
declare module '*.proto' {
  export const schema: string;
}
