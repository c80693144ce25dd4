import { isIP } from 'node:net'
import type { HealthCheck, HealthCheckQuery } from '../../../service/health-checks.ts'

/** Filters for checks. */
export type Filter = Pick<
  HealthCheckQuery,
  'name' | 'status' | 'protocol' | 'target' | 'customerId' | 'includeSubsidiaries'
>

/** Builds the service's query, which may return too many checks: the service may support `*` only at the end of a name. */
export function toServiceQuery({ name, ...filter }: Filter): HealthCheckQuery {
  const prefix = name?.split('*', 1)[0]
  if (name !== undefined && !name.includes('*')) return { ...filter, name }
  return prefix ? { ...filter, name: `${prefix}*` } : filter
}

const equalsIgnoreCase = (left: string | undefined, right: string | undefined): boolean =>
  left?.toLowerCase() === right?.toLowerCase()

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

/**
 * Whether a check matches a filter. Unless subsidiaries are excluded, every customer matches, because only the service knows which
 * customers are subsidiaries.
 */
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

/** `shop.example.com` of `https://shop.example.com:8443/health`; an IPv6 address without brackets. */
export function parseHost(target: string): string {
  const bare = target.replace(/^[a-z][a-z+.-]*:\/\//i, '')
  const bracketed = /^\[([^\]]*)\]/.exec(bare)?.[1]
  if (bracketed !== undefined) return bracketed
  return isIP(bare) === 0 ? bare.replace(/[:/?#].*$/s, '') : bare
}
