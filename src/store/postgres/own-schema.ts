import type {ClientBase} from 'pg';
import type {Fault} from '../../domain/fault.ts';

/** weft refuses a schema that another role can look into. */
export class ForeignSchemaError extends Error {
  override readonly name = 'ForeignSchemaError';
  readonly code = foreignSchemaCode;
}

/** No SQLSTATE, so the server never answers with it. */
export const foreignSchemaCode = 'foreign-schema';

/** The fault for the message of a `ForeignSchemaError`. */
export const foreignSchemaFault = (message: string): Fault => ({
  kind: 'needs-user',
  message,
  fix: 'Use another database, or drop or rename the schema; weft makes a new one.',
});

/** The owners of a schema, its tables and its functions: each could read the rows, or change what a statement of weft does. */
const owners = `
  SELECT '' AS thing, nspowner AS owner FROM pg_namespace WHERE oid = to_regnamespace($1)
  UNION ALL SELECT '.' || relname, relowner FROM pg_class WHERE relnamespace = to_regnamespace($1)
  UNION ALL SELECT '.' || proname, proowner FROM pg_proc WHERE pronamespace = to_regnamespace($1)`;

/**
 * Makes the schema if it is missing. Throws a `ForeignSchemaError` if another role owns the schema or something in it: the owner of a
 * schema made before weft came can read all that weft keeps there. A role that may use the schema needs no right to make one.
 */
export async function ownSchema(client: ClientBase, schema: 'weft' | 'weft_queue'): Promise<void> {
  await client.query(`DO $$ BEGIN
    IF to_regnamespace('${schema}') IS NULL THEN CREATE SCHEMA ${schema}; END IF;
  EXCEPTION WHEN duplicate_schema OR unique_violation THEN NULL; -- another process made it at this moment
  END $$`);
  const {rows} = await client.query<{thing: string; owner: string; role: string}>(
    `SELECT thing, pg_get_userbyid(owner) AS owner, current_user AS role FROM (${owners}) AS all_things
     WHERE pg_get_userbyid(owner) <> current_user ORDER BY thing LIMIT 1`,
    [schema],
  );
  const [found] = rows;
  if (found === undefined) return;
  const {thing, owner, role} = found;
  throw new ForeignSchemaError(
    `${thing === '' ? 'The schema' : 'In the store,'} ${schema}${thing} belongs to the role ${owner}, which could read what ${role} keeps there.`,
  );
}
