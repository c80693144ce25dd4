import type { HealthCheck, HealthCheckQuery } from '../../../service/health-checks.ts'
import { hostIn } from './server-address.ts'

/** What narrows checks down. */
export type Filter = Pick<
  HealthCheckQuery,
  'name' | 'status' | 'protocol' | 'target' | 'customerId' | 'includeSubsidiaries'
>

/**
 * What the service is asked for: its filters are a hint, and a `*` may be understood at the end alone.
 */
export function serviceQuery({ name, ...filter }: Filter): HealthCheckQuery {
  const start = name?.split('*', 1)[0]
  const isWhole = name !== undefined && !name.includes('*')
  const hint = isWhole ? name : start ? `${start}*` : undefined
  return { ...filter, ...(hint !== undefined && { name: hint }) }
}

const sameWord = (one: string | undefined, other: string | undefined): boolean =>
  one?.toLowerCase() === other?.toLowerCase()

/** A pattern in which a `*` stands for anything; without case. */
export function nameMatches(pattern: string, name: string): boolean {
  const parts = pattern.toLowerCase().split('*')
  const text = name.toLowerCase()
  const [first = '', ...others] = parts
  const last = others.pop()
  if (last === undefined) return text === first
  if (!text.startsWith(first)) return false
  let at = first.length
  for (const part of others) {
    const found = text.indexOf(part, at)
    if (found < 0) return false
    at = found + part.length
  }
  return text.length - last.length >= at && text.endsWith(last)
}

/** Whether a check is what was asked for. That of another customer may be of a subsidiary: only the service knows those. */
export function matches(check: HealthCheck, filter: Filter): boolean {
  const { name, status, protocol, target, customerId, includeSubsidiaries } = filter
  return (
    (name === undefined || nameMatches(name, check.name)) &&
    (status === undefined || sameWord(status, check.status)) &&
    (protocol === undefined || sameWord(protocol, check.protocol)) &&
    (target === undefined || sameTarget(target, check.target)) &&
    (customerId === undefined || includeSubsidiaries !== false || check.customerId === customerId)
  )
}

/** The whole target, or its host where only a host was asked for. */
const sameTarget = (wanted: string, target = ''): boolean =>
  sameWord(wanted, target) || (hostIn(wanted) === wanted && sameWord(wanted, hostIn(target)))

/** The other customers among these checks, where those of one customer were asked for: its subsidiaries. */
export function subsidiariesIn(checks: readonly HealthCheck[], customerId: number | undefined) {
  const others = checks.filter((check) => customerId !== undefined && check.customerId !== customerId)
  const customers = new Set(others.flatMap((check) => check.customerId ?? []))
  return { count: others.length, customers: [...customers].sort((left, right) => left - right) }
}
