import type { HealthCheckRow } from './health-check-rows.ts'
import { addressOf, parseTarget } from './target.ts'
import type { Variants } from './variants.ts'

/** The fields up to modified_by, which are all that the response to a creation has. */
export function common(row: HealthCheckRow) {
  const { uuid, name, status, customer_id, protocol, target, port, frequency } = row
  const { created_at, created_by, modified_at, modified_by } = row
  return {
    ...{ uuid, name, status, customer_id, protocol, target, port, frequency },
    ...{ created_at, created_by, modified_at, modified_by },
  }
}

/** Includes the fields that only some protocols have. */
export function whole(row: HealthCheckRow) {
  return {
    ...common(row),
    ...(row.http_server_address !== null && { http_server_address: row.http_server_address }),
    ...(row.verify_ssl !== null && { verify_ssl: row.verify_ssl === 1 }),
  }
}

/** One row of a listing. */
export function listed(row: HealthCheckRow, variants: Readonly<Variants>) {
  const { http_server_address: given, verify_ssl, ...rest } = whole(row)
  const address = { given, resolved: given ?? resolvedAddress(row), none: undefined }[
    variants.listed_addresses
  ]
  return {
    ...rest,
    ...(address !== undefined && { http_server_address: address }),
    ...(verify_ssl !== undefined && variants.listed_verify_ssl && { verify_ssl }),
  }
}

/** The address that the target of an HTTP or HTTPS check resolves to. */
function resolvedAddress({ protocol, target }: HealthCheckRow): string | undefined {
  const parsed = protocol === 'TCP' ? undefined : parseTarget(target)
  return parsed && addressOf(parsed.host)
}

/**
 * The quirks of get-details: customer_id, port, frequency, and verify_ssl are strings, and if no address was given for HTTP or
 * HTTPS, it shows the one that the target resolves to.
 */
export function quoted(row: HealthCheckRow) {
  const details = whole(row)
  const address = resolvedAddress(row)
  return {
    ...(address !== undefined && { http_server_address: address }),
    ...details,
    customer_id: String(details.customer_id),
    port: String(details.port),
    frequency: String(details.frequency),
    ...(details.verify_ssl !== undefined && { verify_ssl: String(details.verify_ssl) }),
  }
}
