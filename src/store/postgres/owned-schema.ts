import type {ClientBase} from 'pg';
import {type Fault, needsUser} from '../../domain/fault.ts';

/** Thrown if another role can read the schema. */
export class ForeignSchemaError extends Error {
  override readonly name = 'ForeignSchemaError';
  readonly code = foreignSchemaCode;
}

/** Not a SQLSTATE, so the server never returns it. */
export const foreignSchemaCode = 'foreign-schema';

/** Returns the fault for the message of a `ForeignSchemaError`. */
export const foreignSchemaFault = (message: string): Fault =>
  needsUser(message, 'Use another database, or drop or rename the schema. weft creates a new one.');

/** The owners of a schema, its tables and its functions. Each could read the rows, or change what weft's statements do. */
const owners = `
  SELECT '' AS thing, nspowner AS owner FROM pg_namespace WHERE oid = to_regnamespace($1)
  UNION ALL SELECT '.' || relname, relowner FROM pg_class WHERE relnamespace = to_regnamespace($1)
  UNION ALL SELECT '.' || proname, proowner FROM pg_proc WHERE pronamespace = to_regnamespace($1)`;

/**
 * Creates the schema if it is missing. Throws a `ForeignSchemaError` if another role owns the schema or something in it. The owner of a
 * schema that existed before weft can read everything weft stores there. A role that may use the schema needs no right to create one.
 */
export async function createOwnedSchema(client: ClientBase, schema: 'weft' | 'weft_queue'): Promise<void> {
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
