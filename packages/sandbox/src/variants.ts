import { examine, type Field, type JsonObject, oneOf, refuse, whole, yesOrNo } from './fields.ts'

/**
 * Where the API's documentation is ambiguous, the service may behave in any of these ways. The sandbox uses the first value by
 * default: - `listed_addresses`: whether a listing shows `http_server_address` only if it was `given`, `resolved` as in the
 * details, or never (`none`). - `listed_verify_ssl`: `true`, or `false` if a listing leaves it out. - `wildcards`: a `*` in a
 * filter matches any characters `anywhere`, or only as `trailing`; any other is then an ordinary character. - `listing_lag`: how
 * many creations, updates, or deletions of health checks a listing lags behind: 0 or 1. The details are always current. -
 * `equal_names`: checks with the same name are listed `by-uuid`, or `unordered`: reversed in every other listing.
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
  listed_addresses: { check: oneOf(['given', 'resolved', 'none']) },
  listed_verify_ssl: { check: yesOrNo },
  wildcards: { check: oneOf(['anywhere', 'trailing']) },
  listing_lag: { check: whole(0, 1) },
  equal_names: { check: oneOf(['by-uuid', 'unordered']) },
}

export type VariantBoard = ReturnType<typeof createVariantBoard>

/** The variants of one environment. */
export function createVariantBoard() {
  let current = DEFAULTS
  return {
    get current(): Readonly<Variants> {
      return current
    },
    /** Replaces all of them. Variants missing from the body return to the default. Throws a 400 that names every fault. */
    put(body: JsonObject): void {
      refuse(examine(body, FIELDS))
      // Validated field by field above.
      current = { ...DEFAULTS, ...(body as Partial<Variants>) }
    },
  }
}
