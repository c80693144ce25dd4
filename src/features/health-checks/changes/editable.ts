import type { Alert } from '../../../service/alerts.ts'
import { ApiError } from '../../../service/errors.ts'
import type { HealthCheck, HealthChecks } from '../../../service/health-checks.ts'
import type { Api } from '../../../service/service.ts'
import { FIELDS } from '../forms/read-fields.ts'
import type { Patch } from './change.ts'

export type EditableCheck = ReturnType<typeof editableOf>

/**
 * A check as it may be written back. Its details show a server address in any case: where nobody gave one, the address that
 * the target's domain resolves to just now, and a write that sends it would keep the check on it for good. Its row in the
 * listing tells them apart: it shows what was given.
 */
export function editableOf(shown: HealthCheck, given: string | undefined) {
  const fields = FIELDS.flatMap((field) => {
    const value = field === 'httpServerAddress' ? given : shown[field]
    return value === undefined ? [] : [[field, value]]
  })
  const { uuid, name, httpServerAddress } = shown
  return {
    uuid,
    name,
    /** With the server address that somebody gave, and no other. What the service did not say is absent. */
    fields: Object.fromEntries(fields) as Patch,
    /** The address that the service uses, where nobody gave one. */
    resolved: given === undefined ? httpServerAddress : undefined,
    /** All that the service says of it. */
    shown,
  }
}

/** A check of which the listing shows all that matters. */
export const asListed = (row: HealthCheck): EditableCheck => editableOf(row, row.httpServerAddress)

/** Reads a check by its details; `given` is the address that a listing has shown before. Throws ApiError. */
export async function readEditable(
  healthChecks: HealthChecks,
  uuid: string,
  { given, signal }: { given?: string | undefined; signal?: AbortSignal | undefined } = {},
): Promise<EditableCheck> {
  const shown = await healthChecks.get(uuid, signal)
  const address = shown.httpServerAddress
  if (address === undefined || address === given) return editableOf(shown, address)
  const row = await listedRow(healthChecks, shown, {}, signal)
  return editableOf(shown, row?.httpServerAddress)
}

/** The row of a check in a listing, where it lets the check through. Throws ApiError. */
export async function listedRow(
  healthChecks: HealthChecks,
  { uuid, name, customerId, target }: HealthCheck,
  filters: object = {},
  signal?: AbortSignal,
): Promise<HealthCheck | undefined> {
  // In a filter a * stands for anything, and a service may refuse too many of them.
  const query = { ...(name.includes('*') ? { target } : { name }), customerId, ...filters }
  for await (const page of healthChecks.listAll(query, { signal })) {
    const row = page.results.find((one) => one.uuid === uuid)
    if (row) return row
  }
  return undefined
}

/** The alerts of a check; undefined where it was deleted since it was listed. Throws ApiError. */
export async function alertsUnlessGone(
  { alerts, healthChecks }: Api,
  uuid: string,
  signal?: AbortSignal,
): Promise<readonly Alert[] | undefined> {
  try {
    return await alerts.list(uuid, signal)
  } catch (error) {
    undefinedIfGone(error)
    // That no alerts are found is no word about the check.
    if (await healthChecks.get(uuid, signal).catch(undefinedIfGone)) throw error
    return undefined
  }
}

export function undefinedIfGone(error: unknown): undefined {
  if (!(error instanceof ApiError) || error.kind !== 'not-found') throw error
}
