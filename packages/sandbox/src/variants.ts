import { examine, type Field, type JsonObject, oneOf, refuse, whole, yesOrNo } from './fields.ts'

/**
 * Where the interface can be understood in more than one way, the service may do any of these. The first value of each is
 * what the sandbox does unless told otherwise:
 * - `listed_addresses`: whether a listing shows `http_server_address` where one was `given`, `resolved` as the details
 *   do, or for `none`.
 * - `listed_verify_ssl`: `true`, or `false` where a listing leaves it out.
 * - `wildcards`: a `*` in a filter matches any characters `anywhere`, or only `trailing`; any other is then an ordinary character.
 * - `listing_lag`: how many creations, updates, or deletions of health checks a listing is behind: 0 or 1. The details are current.
 * - `equal_names`: checks of the same name are listed `by-uuid`, or `unordered`: the other way round in every other listing.
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

/** Which variants of one environment are on. */
export function createVariantBoard() {
  let current = DEFAULTS
  return {
    get current(): Readonly<Variants> {
      return current
    },
    /** Replaces all of them; those that the body leaves out go back to the default. Throws a 400 that names every fault. */
    put(body: JsonObject): void {
      refuse(examine(body, FIELDS))
      // Examined field by field above.
      current = { ...DEFAULTS, ...(body as Partial<Variants>) }
    },
  }
}
