import { isNotFound } from '../../../service/errors.ts'
import type { Api } from '../../../service/service.ts'
import { type CheckTarget, hasSameTarget, type ThreatCase } from '../rules/threat-case.ts'

/** How a case's health check has changed since it was created. */
export type Comparison =
  | { readonly kind: 'same'; readonly status: string; readonly customerId?: number | undefined }
  | { readonly kind: 'deleted' }
  | { readonly kind: 'unknown' }
  | { readonly kind: 'edited'; readonly newTarget: Partial<CheckTarget> }

/** Compares the watched check with its original target. Throws ApiError, except if the check was deleted. */
export async function compareCheck(
  { healthChecks, account }: Pick<Api, 'healthChecks'> & { account?: string | undefined },
  { watched, checkUuid }: Pick<ThreatCase, 'watched' | 'checkUuid'>,
  signal?: AbortSignal,
): Promise<Comparison> {
  if (!watched || !checkUuid) return { kind: 'unknown' }
  try {
    const check = await healthChecks.get(checkUuid, signal)
    if (hasSameTarget(watched, check))
      return { kind: 'same', status: check.status, customerId: check.customerId }
    const { protocol, target, port } = check
    return { kind: 'edited', newTarget: { protocol, ...(target !== undefined && { target }), port } }
  } catch (error) {
    if (!isNotFound(error)) throw error
    // Another account gets a 404 even if the check still exists.
    return { kind: account === watched.account ? 'deleted' : 'unknown' }
  }
}
