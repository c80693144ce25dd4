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
 * Where the API's documentation is ambiguous, the service may behave in any of these ways. The sandbox uses the first value by
 * default.
 * - `listed_addresses`: the `http_server_address` that a listing shows: only one that was set on the check (`given`), the same
 *   as in the details (`resolved`), or none at all (`none`).
 * - `listed_verify_ssl`: whether a listing shows it.
 * - `wildcards`: a `*` in a filter matches any characters `anywhere`, or only at the end (`trailing`).
 * - `listing_lag`: how many creations, updates, or deletions of health checks a listing lags behind: 0 or 1. The details are always
 *   current.
 * - `equal_names`: checks with the same name are listed `by-uuid`, or `unordered`, which reverses them in every other listing.
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
    /** Replaces all of them. Variants missing from the body return to the default. Throws a 400 that names every problem. */
    put(body: JsonObject): void {
      throwIfInvalid(findProblems(body, FIELDS))
      // Validated field by field above.
      current = { ...DEFAULTS, ...(body as Partial<Variants>) }
    },
  }
}
