import type { Environment } from '../../../domain/environment.ts'
import type { KeyKind } from './csr/key.ts'
import { needsLook } from './csr/verdict.ts'
import { readDays } from './duration.ts'
import { domainAbove, type OrderName, orderNames } from './host-names.ts'
import type { OrderContent } from './order.ts'
import { MOST_APPROVALS, type OrderPolicy } from './policy.ts'

/** The parts of an order that a policy checks. */
export interface JudgedOrder {
  environment: Environment
  names: readonly OrderName[]
  key: KeyKind
  duration: string
  productId: string | undefined
  customerId: number | undefined
  isUnusual: boolean
}

/** Whether an order is allowed, and how many approvals it needs. `because` has every reason, as sentences. */
export type Judgement =
  | { is: 'deny'; because: readonly string[] }
  | { is: 'allow'; approvals: number; because: readonly string[] }

export const judgedOrder = ({
  environment,
  content,
}: {
  environment: Environment
  content: Pick<OrderContent, 'request' | 'csr' | 'renewed'>
}): JudgedOrder => ({
  environment,
  names: orderNames(content.csr),
  key: content.csr.keyKind,
  duration: content.request.duration,
  // A renewal has the product of the original order.
  productId:
    content.request.certificateId === undefined ? content.request.productId : content.renewed?.productId,
  customerId: content.request.customerId,
  isUnusual: needsLook(content),
})

/**
 * The domains that count as new unless an order with them was placed before: the allowed domain that a name is under, or else the
 * exact name. Two labels aren't enough: shop.co.uk would vouch for evil.co.uk.
 */
export function findDomains(names: readonly OrderName[], policy: Pick<OrderPolicy, 'domains'>): Set<string> {
  const allowed = new Set(policy.domains)
  return new Set(
    names.flatMap((name) => (name.kind === 'host' ? [domainAbove(name.host, allowed) ?? name.text] : [])),
  )
}

/** Whether the policy depends on which domains are new. */
export const asksForNewDomains = ({ extra, ote }: OrderPolicy, environment: Environment): boolean =>
  extra.newDomain && !(environment === 'ote' && ote === 'one-approval')

/** Decides whether an order is allowed and how many approvals it needs. `newDomains`: of `domainsIn`, those without a placed order. */
export function judge(
  order: JudgedOrder,
  policy: OrderPolicy,
  newDomains: readonly string[] = [],
): Judgement {
  const refusals = listRefusals(order, policy)
  if (refusals.length > 0) return { is: 'deny', because: refusals }
  if (order.environment === 'ote' && policy.ote === 'one-approval')
    return { is: 'allow', approvals: 1, because: [] }
  const extra = extraReasons(order, policy, newDomains)
  if (extra.length === 0) return { is: 'allow', approvals: policy.approvals, because: [] }
  const wanted = policy.approvals + extra.length
  const approvals = Math.min(MOST_APPROVALS, wanted)
  const lead =
    wanted > MOST_APPROVALS || approvals === policy.approvals
      ? `${approvals} approvals (the maximum)`
      : `${approvals} approvals instead of ${policy.approvals}`
  return { is: 'allow', approvals, because: [`${lead}, because ${extra.join('; and because ')}.`] }
}

function listRefusals(order: JudgedOrder, policy: OrderPolicy): string[] {
  const { products, customers, maxDays, extra } = policy
  const days = readDays(order.duration)
  const asksForDays = maxDays !== undefined || extra.overDays !== undefined
  return [
    ...nameRefusals(order.names, policy),
    products.length > 0 &&
      (order.productId === undefined
        ? 'The product isn’t known here, and only some products are allowed.'
        : !products.includes(order.productId) && `Product ${order.productId} isn’t allowed.`),
    customers.length > 0 &&
      (order.customerId === undefined
        ? `Give a customer ID: only ${listed(customers.map(String))} ${customers.length === 1 ? 'is' : 'are'} allowed.`
        : !customers.includes(order.customerId) && `Customer ${order.customerId} isn’t allowed.`),
    asksForDays &&
      days === undefined &&
      `“${clipName(order.duration)}” can’t be read as a duration. Write a number and a unit, such as 1 year.`,
    maxDays !== undefined &&
      days !== undefined &&
      days > maxDays &&
      `${clipName(order.duration)} is longer than the ${maxDays} days allowed.`,
    keyRefusal(order.key, policy.keys),
  ].filter(isReason)
}

const isReason = (one: string | false | undefined): one is string => typeof one === 'string'

function nameRefusals(names: readonly OrderName[], policy: OrderPolicy): (string | false)[] {
  const { domains, wildcards, otherNames, extra } = policy
  const allowed = new Set(domains)
  const texts = (found: readonly OrderName[]): string[] => found.map(({ text }) => text)
  const asksForNames = domains.length > 0 || wildcards !== 'yes' || otherNames !== 'yes' || extra.newDomain
  const unread = texts(names.filter(({ kind }) => kind === 'unread'))
  const others = texts(names.filter(({ kind }) => kind === 'other'))
  const wild = texts(names.filter((name) => name.kind === 'host' && name.isWildcard))
  const outside = texts(
    names.filter((name) => name.kind === 'host' && domainAbove(name.host, allowed) === undefined),
  )
  return [
    names.length === 0 && 'The request has no names.',
    domains.length > 0 &&
      outside.length > 0 &&
      `${listed(outside)} ${isOrAre(outside) ? 'isn’t' : 'aren’t'} under an allowed domain (${listed(domains)}).`,
    asksForNames &&
      unread.length > 0 &&
      `${listed(unread)} can’t be read as ${isOrAre(unread) ? 'a host name' : 'host names'}, so the policy can’t allow ${isOrAre(unread) ? 'it' : 'them'}.`,
    otherNames === 'no' &&
      others.length > 0 &&
      `Only host names are allowed, and it asks for ${listed(others)}.`,
    wildcards === 'no' && wild.length > 0 && `Wildcards aren’t allowed: ${listed(wild)}.`,
  ]
}

function keyRefusal(key: KeyKind, { rsaFrom, others }: OrderPolicy['keys']): string | false {
  const allowed = [...(rsaFrom === undefined ? [] : [`RSA with at least ${rsaFrom} bits`]), ...others]
  const use = allowed.length === 0 ? 'The policy allows no keys.' : `Use ${allowed.join(', ')}.`
  if ('other' in key) return !others.includes(key.other) && `${key.other} keys aren’t allowed. ${use}`
  if (rsaFrom === undefined) return `RSA keys aren’t allowed. ${use}`
  return key.rsaBits < rsaFrom && `An RSA key with ${key.rsaBits} bits is too short. ${use}`
}

function extraReasons(order: JudgedOrder, policy: OrderPolicy, newDomains: readonly string[]): string[] {
  const { wildcards, otherNames, extra } = policy
  const { overDays } = extra
  const wild = order.names.flatMap((name) => (name.kind === 'host' && name.isWildcard ? [name.text] : []))
  const others = order.names.flatMap(({ kind, text }) => (kind === 'other' ? [text] : []))
  return [
    otherNames === 'extra' &&
      others.length > 0 &&
      `it asks for ${listed(others)}, which ${isOrAre(others) ? 'isn’t a host name' : 'aren’t host names'}`,
    wildcards === 'extra' && wild.length > 0 && `it has a wildcard (${listed(wild)})`,
    overDays !== undefined &&
      (readDays(order.duration) ?? 0) > overDays &&
      `it’s valid for more than ${overDays} days (${clipName(order.duration)})`,
    extra.newDomain && newDomains.length > 0 && `no order for ${listed(newDomains)} was placed before`,
    extra.unusual && order.isUnusual && 'the request needs a look',
  ].filter(isReason)
}

const isOrAre = (all: readonly unknown[]): boolean => all.length === 1

const MOST_LISTED = 3
const LONGEST = 100

const clipName = (text: string): string => (text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text)

const listed = (all: readonly string[]): string =>
  all.length <= MOST_LISTED
    ? all.map(clipName).join(', ')
    : `${all.slice(0, MOST_LISTED).map(clipName).join(', ')} and ${all.length - MOST_LISTED} more`
