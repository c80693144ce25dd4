import type { Environment } from '../../../domain/environment.ts'
import { formatList, pluralize } from '../../../domain/wording.ts'
import type { Csr } from './csr/csr.ts'
import type { KeyKind } from './csr/key.ts'
import { findContainingDomain, isOutsideDomains, listOrderNames, type OrderName } from './host-names.ts'
import type { OrderContent } from './order.ts'
import { MAX_APPROVALS, type OrderPolicy } from './policy.ts'

/** The parts of an order that a policy checks. */
export interface PolicyInput {
  environment: Environment
  names: readonly OrderName[]
  key: KeyKind
  duration: string
  productId: string | undefined
  customerId: number | undefined
  isUnusual: boolean
  /** The role that its requester needs and no longer has. */
  missingRole?: OrderPolicy['requesters'] | undefined
}

/**
 * Whether an order is allowed, and how many approvals it needs. `reasons` says why it's denied or needs extra approvals, in full
 * sentences.
 */
export type Judgment =
  | { decision: 'deny'; reasons: readonly string[] }
  | { decision: 'allow'; approvals: number; reasons: readonly string[] }

/** The policy and its judgment of one order. */
export interface PolicyJudgment {
  policy: OrderPolicy
  judgment: Judgment
  /** Whether the requester has left the workspace. */
  hasRequesterLeft: boolean
}

/** How many approvals the order needs. For a denied order, the policy's minimum. */
export const countNeededApprovals = ({ policy, judgment }: PolicyJudgment): number =>
  judgment.decision === 'allow' ? judgment.approvals : policy.approvals

export const toPolicyInput = ({
  environment,
  content,
}: {
  environment: Environment
  content: Pick<OrderContent, 'request' | 'csr' | 'renewed'>
}): PolicyInput => ({
  environment,
  names: listOrderNames(content.csr),
  key: content.csr.keyKind,
  duration: content.request.duration,
  // A renewal has the product of the original order.
  productId:
    content.request.certificateId === undefined ? content.request.productId : content.renewed?.productId,
  customerId: content.request.customerId,
  isUnusual: needsReview(content),
})

type ReviewedCsr = Pick<Csr, 'extensions' | 'attributes' | 'look' | 'warnings'>

interface ParsedOrder {
  csr: ReviewedCsr
  request: { duration: string }
}

/** Whether anything about an order is unusual, so that a person has to look at it. */
export const needsReview = (order: ParsedOrder): boolean => describeUnusual(order).length > 0

/** Describes everything unusual about an order, in a few words each. */
export function describeUnusual({
  csr: { extensions, attributes, look, warnings },
  request,
}: ParsedOrder): string[] {
  return [
    ...(parseDays(request.duration) === undefined ? ['a duration that can’t be read'] : []),
    ...extensions.flatMap((extension) =>
      extension.why === undefined ? [] : [`asks for ${extension.name ?? extension.oid}`],
    ),
    ...attributes.map(({ oid }) => `asks for the attribute ${oid}`),
    // `look` has the suspicious names.
    ...(look.total > 0 ? [pluralize(look.total, 'name')] : []),
    ...(warnings.length > 0 ? [pluralize(warnings.length, 'warning')] : []),
  ]
}

const UNITS: Readonly<Record<string, number>> = {
  day: 1,
  days: 1,
  week: 7,
  weeks: 7,
  month: 31,
  months: 31,
  year: 366,
  years: 366,
}

/**
 * The days in `1 year` or `1 year 6 months`, counting the longest months and years. The service accepts free text; anything
 * that isn't in this form, such as `1,000 days` or `1.5 years`, is undefined.
 */
export function parseDays(duration: string): number | undefined {
  const text = duration.trim().toLowerCase().replace(/\s+/g, ' ')
  if (!/^\d{1,5} [a-z]+( \d{1,5} [a-z]+)*$/.test(text)) return undefined
  let days = 0
  for (const [, count, unit = ''] of text.matchAll(/(\d+) ([a-z]+)/g)) {
    const daysPerUnit = Object.hasOwn(UNITS, unit) ? UNITS[unit] : undefined
    if (daysPerUnit === undefined) return undefined
    days += Number(count) * daysPerUnit
  }
  return days > 0 ? days : undefined
}

/**
 * The domains of an order, for telling whether one is new: for each host name, the allowed domain that contains it, or the exact
 * name if none does. Comparing the last two labels wouldn't be safe: an order for shop.co.uk would cover evil.co.uk.
 */
export function findDomains(names: readonly OrderName[], policy: Pick<OrderPolicy, 'domains'>): Set<string> {
  const allowed = new Set(policy.domains)
  const domains = new Set<string>()
  for (const name of names)
    if (name.kind === 'host') domains.add(findContainingDomain(name.host, allowed) ?? name.text)
  return domains
}

/** Whether the policy depends on which domains are new. */
export const usesNewDomains = ({ extra, ote }: OrderPolicy, environment: Environment): boolean =>
  extra.newDomain && !(environment === 'ote' && ote === 'one-approval')

/**
 * Decides whether an order is allowed and how many approvals it needs. `newDomains`: the order's domains (see `findDomains`) that no
 * order that was sent had.
 */
export function judge(order: PolicyInput, policy: OrderPolicy, newDomains: readonly string[] = []): Judgment {
  const names = groupNames(order.names, policy.domains)
  const refusals = listRefusals(order, names, policy)
  if (refusals.length > 0) return { decision: 'deny', reasons: refusals }
  if (order.environment === 'ote' && policy.ote === 'one-approval')
    return { decision: 'allow', approvals: 1, reasons: [] }
  const extra = listExtraReasons(order, names, policy, newDomains)
  if (extra.length === 0) return { decision: 'allow', approvals: policy.approvals, reasons: [] }
  const needed = policy.approvals + extra.length
  const approvals = Math.min(MAX_APPROVALS, needed)
  const approvalCount =
    needed > MAX_APPROVALS || approvals === policy.approvals
      ? `${approvals} approvals (the maximum)`
      : `${approvals} approvals instead of ${policy.approvals}`
  return {
    decision: 'allow',
    approvals,
    reasons: [`${approvalCount}, because ${extra.join('; and because ')}.`],
  }
}

/** An order's names, grouped by the rules for them. A wildcard or another name can also be in `outside` of the allowed domains. */
interface GroupedNames {
  wildcards: string[]
  outside: string[]
  others: string[]
  unrecognized: string[]
}

function groupNames(names: readonly OrderName[], allowedDomains: readonly string[]): GroupedNames {
  const allowed = new Set(allowedDomains)
  const groups: GroupedNames = { wildcards: [], outside: [], others: [], unrecognized: [] }
  for (const name of names) {
    if (name.kind === 'unrecognized') {
      groups.unrecognized.push(name.text)
      continue
    }
    if (name.kind === 'other') groups.others.push(name.text)
    else if (name.isWildcard) groups.wildcards.push(name.text)
    if (isOutsideDomains(name, allowed)) groups.outside.push(name.text)
  }
  return groups
}

function listRefusals(order: PolicyInput, names: GroupedNames, policy: OrderPolicy): string[] {
  const { products, customers, maxDays, extra } = policy
  const days = parseDays(order.duration)
  const limitsDays = maxDays !== undefined || extra.overDays !== undefined
  return [
    order.missingRole !== undefined && `Its requester no longer has the ${order.missingRole} role.`,
    order.names.length === 0 && 'The request has no names.',
    ...listNameRefusals(names, policy),
    products.length > 0 &&
      (order.productId === undefined
        ? 'Signalman doesn’t know the certificate’s product, and the policy allows only some products. Enter the product in the request.'
        : !products.includes(order.productId) && `Product ${order.productId} isn’t allowed.`),
    customers.length > 0 &&
      (order.customerId === undefined
        ? `Give a customer ID: only ${joinNames(customers.map(String))} ${customers.length === 1 ? 'is' : 'are'} allowed.`
        : !customers.includes(order.customerId) && `Customer ${order.customerId} isn’t allowed.`),
    limitsDays &&
      days === undefined &&
      `“${clipName(order.duration)}” can’t be read as a duration. Write a number and a unit, such as 1 year.`,
    maxDays !== undefined &&
      days !== undefined &&
      days > maxDays &&
      `${clipName(order.duration)} is longer than the ${maxDays} days allowed.`,
    explainKeyRefusal(order.key, policy.keys),
  ].filter(isSentence)
}

const isSentence = (sentence: string | false | undefined): sentence is string => typeof sentence === 'string'

function listNameRefusals(
  { wildcards, outside, others, unrecognized }: GroupedNames,
  policy: OrderPolicy,
): (string | false)[] {
  const { domains, extra } = policy
  const limitsNames =
    domains.length > 0 || policy.wildcards !== 'yes' || policy.otherNames !== 'yes' || extra.newDomain
  return [
    domains.length > 0 &&
      outside.length > 0 &&
      `${joinNames(outside)} ${isSingle(outside) ? 'isn’t' : 'aren’t'} under an allowed domain (${joinNames(domains)}).`,
    limitsNames &&
      unrecognized.length > 0 &&
      `${joinNames(unrecognized)} can’t be read as ${isSingle(unrecognized) ? 'a host name' : 'host names'}, so the policy can’t allow ${isSingle(unrecognized) ? 'it' : 'them'}.`,
    policy.otherNames === 'no' &&
      others.length > 0 &&
      `Only host names are allowed, and it asks for ${joinNames(others)}.`,
    policy.wildcards === 'no' && wildcards.length > 0 && `Wildcards aren’t allowed: ${joinNames(wildcards)}.`,
  ]
}

function explainKeyRefusal(key: KeyKind, { rsaFrom, others }: OrderPolicy['keys']): string | false {
  const allowed = [...(rsaFrom === undefined ? [] : [`RSA with at least ${rsaFrom} bits`]), ...others]
  const use = allowed.length === 0 ? 'The policy allows no keys.' : `Use ${allowed.join(', ')}.`
  if ('other' in key) return !others.includes(key.other) && `${key.other} keys aren’t allowed. ${use}`
  if (rsaFrom === undefined) return `RSA keys aren’t allowed. ${use}`
  return key.rsaBits < rsaFrom && `An RSA key with ${key.rsaBits} bits is too short. ${use}`
}

function listExtraReasons(
  { duration, isUnusual }: PolicyInput,
  { wildcards, others }: GroupedNames,
  policy: OrderPolicy,
  newDomains: readonly string[],
): string[] {
  const { extra } = policy
  return [
    policy.otherNames === 'extra' &&
      others.length > 0 &&
      `it asks for ${joinNames(others)}, which ${isSingle(others) ? 'isn’t a host name' : 'aren’t host names'}`,
    policy.wildcards === 'extra' && wildcards.length > 0 && `it has a wildcard (${joinNames(wildcards)})`,
    extra.overDays !== undefined &&
      (parseDays(duration) ?? 0) > extra.overDays &&
      `it’s valid for more than ${extra.overDays} days (${clipName(duration)})`,
    extra.newDomain && newDomains.length > 0 && `no earlier order for ${joinNames(newDomains)} was received`,
    extra.unusual && isUnusual && 'the request needs a look',
  ].filter(isSentence)
}

const isSingle = (items: readonly unknown[]): boolean => items.length === 1

const MAX_LISTED = 3
const MAX_NAME_LENGTH = 100

const clipName = (text: string): string =>
  text.length > MAX_NAME_LENGTH ? `${text.slice(0, MAX_NAME_LENGTH)}…` : text

const joinNames = (names: readonly string[]): string => formatList(names, MAX_LISTED, clipName)
