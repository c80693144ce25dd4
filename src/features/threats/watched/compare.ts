import { ApiError } from '../../../service/errors.ts'
import type { Api } from '../../../service/service.ts'
import { type CheckTarget, hasSameTarget, type ThreatCase } from '../rules/threat-case.ts'

/** The state of a case's health check compared with when it was created. */
export type Compared =
  | { readonly kind: 'same' | 'deleted' | 'unknown' }
  /** It has another target now. */
  | { readonly kind: 'edited'; readonly now: Partial<CheckTarget> }

/** Compares the watched check with what it was when it was created. Throws ApiError, except when it is gone. */
export async function compareCheck(
  { healthChecks, account }: Pick<Api, 'healthChecks'> & { account?: string | undefined },
  { watched, checkUuid }: Pick<ThreatCase, 'watched' | 'checkUuid'>,
  signal?: AbortSignal,
): Promise<Compared> {
  if (!watched || !checkUuid) return { kind: 'unknown' }
  try {
    const check = await healthChecks.get(checkUuid, signal)
    if (hasSameTarget(watched, check)) return { kind: 'same' }
    const { protocol, target, port } = check
    return { kind: 'edited', now: { protocol, ...(target !== undefined && { target }), port } }
  } catch (error) {
    if (!(error instanceof ApiError) || error.kind !== 'not-found') throw error
    // Another account gets the same answer for a check that still exists.
    return { kind: account === watched.account ? 'deleted' : 'unknown' }
  }
}
