import type { HealthCheck, HealthCheckQuery } from '../../../service/health-checks.ts'
import { parseHost } from './server-address.ts'

/** Filters for checks. */
export type Filter = Pick<
  HealthCheckQuery,
  'name' | 'status' | 'protocol' | 'target' | 'customerId' | 'includeSubsidiaries'
>

/** The query for the service. Its filters are a hint, and it may only support `*` at the end. */
export function toServiceQuery({ name, ...filter }: Filter): HealthCheckQuery {
  const prefix = name?.split('*', 1)[0]
  const isExact = name !== undefined && !name.includes('*')
  const hint = isExact ? name : prefix ? `${prefix}*` : undefined
  return { ...filter, ...(hint !== undefined && { name: hint }) }
}

const equalsIgnoreCase = (one: string | undefined, other: string | undefined): boolean =>
  one?.toLowerCase() === other?.toLowerCase()

/** Whether a name matches a case-insensitive pattern, in which `*` matches anything. */
export function nameMatches(pattern: string, name: string): boolean {
  const parts = pattern.toLowerCase().split('*')
  const text = name.toLowerCase()
  const [first = '', ...others] = parts
  const last = others.pop()
  if (last === undefined) return text === first
  if (!text.startsWith(first)) return false
  let position = first.length
  for (const part of others) {
    const found = text.indexOf(part, position)
    if (found < 0) return false
    position = found + part.length
  }
  return text.length - last.length >= position && text.endsWith(last)
}

/** Whether a check matches a filter. Other customers may be subsidiaries, which only the service knows, so they match. */
export function matchesFilter(check: HealthCheck, filter: Filter): boolean {
  const { name, status, protocol, target, customerId, includeSubsidiaries } = filter
  return (
    (name === undefined || nameMatches(name, check.name)) &&
    (status === undefined || equalsIgnoreCase(status, check.status)) &&
    (protocol === undefined || equalsIgnoreCase(protocol, check.protocol)) &&
    (target === undefined || sameTarget(target, check.target)) &&
    (customerId === undefined || includeSubsidiaries !== false || check.customerId === customerId)
  )
}

/** Compares the whole target, or only the host if the filter is a host. */
const sameTarget = (wanted: string, target = ''): boolean =>
  equalsIgnoreCase(wanted, target) ||
  (parseHost(wanted) === wanted && equalsIgnoreCase(wanted, parseHost(target)))

/** The other customers among the checks of a requested customer: its subsidiaries. */
export function findSubsidiaries(checks: readonly HealthCheck[], customerId: number | undefined) {
  const others = checks.filter((check) => customerId !== undefined && check.customerId !== customerId)
  const customers = new Set(others.flatMap((check) => check.customerId ?? []))
  return { count: others.length, customers: [...customers].sort((left, right) => left - right) }
}
