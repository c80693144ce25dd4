import type { HealthCheck, HealthCheckBody } from '../../api/health-checks.ts'

type Compared = { readonly [Field in keyof HealthCheckBody]?: HealthCheckBody[Field] | null | undefined }

/** What tells one health check from another in every listing. */
export function keyOf(check: Compared): string {
  const { name, customerId, protocol, target, port, frequency } = check
  return JSON.stringify([name, customerId, protocol?.toUpperCase(), target?.toLowerCase(), port, frequency])
}

/** The same with what not every listing shows. */
export const wholeKeyOf = (check: Compared): string =>
  JSON.stringify([keyOf(check), check.httpServerAddress ?? null, check.verifySsl ?? null])

/** Whether the service's check is what was asked for; what its listing does not show is no difference. */
export function isSame(wanted: HealthCheckBody, check: HealthCheck): boolean {
  const { httpServerAddress, verifySsl } = wanted
  return (
    keyOf(wanted) === keyOf(check) &&
    agrees(httpServerAddress, check.httpServerAddress) &&
    agrees(verifySsl, check.verifySsl)
  )
}

const agrees = (wanted: unknown, shown: unknown): boolean =>
  wanted === undefined || shown === undefined || wanted === shown
