import {
  boolean,
  type Field,
  findProblems,
  integer,
  ipAddress,
  type JsonObject,
  oneOf,
  text,
  throwIfInvalid,
} from './fields.ts'
import { type HealthCheckSettings, PROTOCOLS } from './health-check-store.ts'
import { readHost } from './target.ts'

const validateTarget = (value: unknown): string | undefined =>
  typeof value === 'string' && value.length <= 2048 && readHost(value)
    ? undefined
    : 'must be an IPv4 address, an IPv6 address, a domain or an http(s) URL'

/** The API documents neither limits nor required fields, so the sandbox defines its own and is strict. */
const FIELDS: Record<string, Field> = {
  name: { required: true, validate: text(255) },
  customer_id: { required: true, validate: integer(1, Number.MAX_SAFE_INTEGER) },
  protocol: { required: true, validate: oneOf(PROTOCOLS) },
  target: { required: true, validate: validateTarget },
  port: { required: true, validate: integer(1, 65_535) },
  frequency: { required: true, validate: integer(1, 86_400) },
  http_server_address: { validate: ipAddress },
  verify_ssl: { validate: boolean },
}

/**
 * Reads the body of a create or update. Both need the same fields, so an update replaces everything. `verify_ssl` defaults to true
 * for HTTPS. Without `http_server_address`, the host is resolved at each check. Throws a 400 error that lists every invalid field.
 */
export function readHealthCheck(body: JsonObject): HealthCheckSettings {
  const problems = findProblems(body, FIELDS)
  const { protocol } = body
  if (body.http_server_address !== undefined && protocol === 'TCP')
    problems.push({
      field: 'http_server_address',
      message: 'http_server_address is only for HTTP and HTTPS.',
    })
  if (body.verify_ssl !== undefined && (protocol === 'TCP' || protocol === 'HTTP'))
    problems.push({ field: 'verify_ssl', message: 'verify_ssl is only for HTTPS.' })
  throwIfInvalid(problems)
  return {
    http_server_address: null,
    verify_ssl: protocol === 'HTTPS' ? true : null,
    // Validated field by field above.
    ...(body as Partial<HealthCheckSettings>),
  } as HealthCheckSettings
}
