import type { HealthCheckRow } from './health-check-store.ts'
import { readHost, simulateAddress } from './target.ts'

/** The fields that every response contains. The response to a create contains only these. */
export function selectCommonFields(row: HealthCheckRow) {
  const { uuid, name, status, customer_id, protocol, target, port, frequency } = row
  const { created_at, created_by, modified_at, modified_by } = row
  const settings = { uuid, name, status, customer_id, protocol, target, port, frequency }
  return { ...settings, created_at, created_by, modified_at, modified_by }
}

/** All fields, including those that only some protocols have. */
export function selectAllFields(row: HealthCheckRow) {
  return {
    ...selectCommonFields(row),
    ...(row.http_server_address !== null && { http_server_address: row.http_server_address }),
    ...(row.verify_ssl !== null && { verify_ssl: row.verify_ssl === 1 }),
  }
}

/** The address that the target of an HTTP or HTTPS check resolves to. */
function resolveAddress({ protocol, target }: HealthCheckRow): string | undefined {
  const host = protocol === 'TCP' ? undefined : readHost(target)
  return host && simulateAddress(host)
}

/**
 * The fields in a check's details, with two quirks of the real service: customer_id, port, frequency, and verify_ssl are strings, and
 * an HTTP or HTTPS check without an address shows the address that its target resolves to.
 */
export function selectDetailFields(row: HealthCheckRow) {
  const details = selectAllFields(row)
  const address = resolveAddress(row)
  return {
    ...(address !== undefined && { http_server_address: address }),
    ...details,
    customer_id: String(details.customer_id),
    port: String(details.port),
    frequency: String(details.frequency),
    ...(details.verify_ssl !== undefined && { verify_ssl: String(details.verify_ssl) }),
  }
}
