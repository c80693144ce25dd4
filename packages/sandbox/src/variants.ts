import {
  boolean,
  type Field,
  findProblems,
  integer,
  type JsonObject,
  oneOf,
  throwIfInvalid,
} from './fields.ts'

/**
 * Options for behavior that the API's documentation leaves open, so that an app can be tested against each possibility. The first
 * value is the default.
 * - `listed_addresses`: which `http_server_address` the list shows: only one that was set on the check (`given`), the same one as
 *   in the details (`resolved`), or none (`none`).
 * - `listed_verify_ssl`: whether the list shows `verify_ssl`.
 * - `wildcards`: whether a `*` in a filter is a wildcard `anywhere`, or only at the end (`trailing`).
 * - `listing_lag`: 0, or 1 for a list that doesn't show the latest creation, update, or deletion yet. The details are always
 *   current.
 * - `equal_names`: checks with the same name are listed `by-uuid`, or `unordered`, which reverses their order in every other
 *   response.
 */
export interface Variants {
  listed_addresses: 'given' | 'resolved' | 'none'
  listed_verify_ssl: boolean
  wildcards: 'anywhere' | 'trailing'
  listing_lag: 0 | 1
  equal_names: 'by-uuid' | 'unordered'
}

const DEFAULTS: Variants = {
  listed_addresses: 'given',
  listed_verify_ssl: true,
  wildcards: 'anywhere',
  listing_lag: 0,
  equal_names: 'by-uuid',
}

const FIELDS: Record<keyof Variants, Field> = {
  listed_addresses: { validate: oneOf(['given', 'resolved', 'none']) },
  listed_verify_ssl: { validate: boolean },
  wildcards: { validate: oneOf(['anywhere', 'trailing']) },
  listing_lag: { validate: integer(0, 1) },
  equal_names: { validate: oneOf(['by-uuid', 'unordered']) },
}

export type VariantStore = ReturnType<typeof createVariantStore>

/** The variants of one environment. */
export function createVariantStore() {
  let current = DEFAULTS
  return {
    get current(): Readonly<Variants> {
      return current
    },
    /** Replaces all variants. Those missing from the body get their default. Throws a 400 that names every problem. */
    put(body: JsonObject): void {
      throwIfInvalid(findProblems(body, FIELDS))
      // Validated field by field above.
      current = { ...DEFAULTS, ...(body as Partial<Variants>) }
    },
  }
}
