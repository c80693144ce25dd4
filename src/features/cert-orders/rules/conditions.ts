import { isIP } from 'node:net'
import { domainToASCII } from 'node:url'
import type { Environment } from '../../../domain/environment.ts'
import { commonNamesIn, type OrderContent } from '../order.ts'

/** What of an order the rules look at. */
export interface Ruled extends Pick<OrderContent, 'request' | 'csr' | 'names' | 'renewed'> {
  environment: Environment
}

/**
 * Whether a condition holds. Unsure: what it asks about is not known here. Some: of several names it holds for some and not for
 * others.
 */
export type Answer = 'yes' | 'no' | 'some' | 'unsure'

export type Condition = (order: Ruled) => Answer

const NEGATED = { yes: 'no', some: 'no', no: 'yes', unsure: 'unsure' } as const satisfies Record<
  Answer,
  Answer
>

const WORD = /^(not\s+)?([a-z]+(?:\s+(?:name|names)\s+under|\s+under)?)(?:\s+(.+))?$/i

/** One condition of a rule, such as `not names under example.com`; undefined for what is none. */
export function conditionOf(text: string): Condition | undefined {
  const [, not, typed = '', value = ''] = WORD.exec(text.trim()) ?? []
  const word = typed.toLowerCase().replace(/\s+/g, ' ')
  const make = Object.hasOwn(CONDITIONS, word) ? CONDITIONS[word] : undefined
  if (!make || (value === '') !== WITHOUT_VALUE.has(word)) return undefined
  const holds = make(alternatives(value))
  return not && holds ? (order) => NEGATED[holds(order)] : holds
}

/** What can be asked of an order; a value may be one of several, with `or` between them. */
const CONDITIONS: Readonly<Record<string, (wanted: readonly string[]) => Condition | undefined>> = {
  action:
    (wanted) =>
    ({ request }) =>
      isAmong(wanted, request.action),
  environment:
    (wanted) =>
    ({ environment }) =>
      isAmong(wanted, environment),
  product: (wanted) => (order) => {
    const { id, name } = productOf(order)
    return isNamed(wanted, id, name)
  },
  organization:
    (wanted) =>
    ({ request, names }) =>
      isNamed(wanted, request.organizationId, names.organization),
  duration(wanted) {
    const all = wanted.map(daysOf).filter((days) => days !== undefined)
    return all.length === wanted.length ? ({ request }) => isLasting(all, request.duration) : undefined
  },
  key:
    (wanted) =>
    ({ csr }) =>
      wanted.some((kind) => plain(csr.key).startsWith(kind)) ? 'yes' : 'no',
  'names under': (wanted) =>
    underAny(wanted, (answers) => {
      if (answers.includes('no')) return 'no'
      return answers.length === 0 || answers.includes('unsure') ? 'unsure' : 'yes'
    }),
  'any name under': (wanted) => underAny(wanted, ofSome),
  wildcard: () => (order) => ofSome(namesOf(order).map(isWildcard)),
  authority:
    () =>
    ({ csr: { extensions } }) => {
      const constraints = extensions
        .filter(({ name }) => name === 'Basic constraints')
        .map(({ value }) => value)
      if (constraints.some((value) => value.startsWith('CA:TRUE'))) return 'yes'
      return constraints.every((value) => value.startsWith('CA:FALSE')) ? 'no' : 'unsure'
    },
  noted:
    () =>
    ({ csr: { warnings, look, extensions } }) =>
      warnings.length > 0 || look.total > 0 || extensions.some(({ why }) => why) ? 'yes' : 'no',
}
const WITHOUT_VALUE: ReadonlySet<string> = new Set(['wildcard', 'authority', 'noted'])

/** A product's name, say, however it was typed. */
const plain = (text: string): string => text.normalize('NFKC').replace(/\s+/g, ' ').trim().toLowerCase()

const alternatives = (value: string): string[] =>
  value
    .split(/\sor\s/i)
    .map((one) => plain(one.trim().replace(/^"(.*)"$/, '$1')))
    .filter(Boolean)

const isAmong = (wanted: readonly string[], value: string): Answer =>
  wanted.includes(plain(value)) ? 'yes' : 'no'

/** Something of the service, which a rule calls by its id or by its name. */
function isNamed(wanted: readonly string[], id: string | undefined, name: string | undefined): Answer {
  const known = [id, name].filter((one) => one !== undefined).map(plain)
  if (known.some((one) => wanted.includes(one))) return 'yes'
  // Where the service did not say what it is called, a rule that calls it by a name may mean it.
  const isOpen = id === undefined || (name === undefined && wanted.some((one) => !/^\S*\d\S*$/.test(one)))
  return isOpen ? 'unsure' : 'no'
}

/** A renewed certificate is of the product that it was ordered as, where that is known here. */
const productOf = ({
  request,
  names,
  renewed,
}: Ruled): { id?: string | undefined; name?: string | undefined } =>
  request.certificateId === undefined
    ? { id: request.productId, name: names.product }
    : { id: renewed?.productId, name: renewed?.product }

const DAYS = { year: 365, month: 365 / 12, week: 7, day: 1 }
const UNITS: readonly (readonly [keyof typeof DAYS, RegExp])[] = [
  ['year', /^(?:y|yrs?|years?|ans?|ann[ée]es?|jahre?)$/],
  ['month', /^(?:mo|mons?|mths?|months?|mois|monate?)$/],
  ['week', /^(?:w|wks?|weeks?|semaines?|wochen?)$/],
  ['day', /^(?:d|days?|jours?|tage?)$/],
]
const LONGEST_DURATION = 100

/** `24 months` and `2 years` are the same; undefined for what is no number with its unit. */
function daysOf(text: string): number | undefined {
  const typed = plain(text)
  const isRead =
    typed.length <= LONGEST_DURATION &&
    /^(?:\d{1,6}(?:[.,]\d{1,3})? ?\p{L}+\.?(?:,? (?:and )?|$))+$/u.test(typed)
  if (!isRead) return undefined
  let days = 0
  for (const [, count = '', word = ''] of typed.matchAll(/([\d.,]+) ?(\p{L}+)/gu)) {
    const unit = UNITS.find(([, form]) => form.test(word))?.[0]
    if (!unit) return undefined
    days += Number(count.replace(',', '.')) * DAYS[unit]
  }
  return days
}

/** Of two years the service may make 730 days, 731, or 104 weeks. */
const NEARLY = 0.02

function isLasting(wanted: readonly number[], duration: string): Answer {
  const days = daysOf(duration)
  if (days === undefined) return 'unsure'
  const apart = Math.min(...wanted.map((one) => Math.abs(one - days) / Math.max(one, 1)))
  return apart < 1e-9 ? 'yes' : apart <= NEARLY ? 'unsure' : 'no'
}

/** A name that the request has: a host, an address, or anything else, of which `text` is what can be read. */
type Name = { kind: 'host' | 'address' | 'other'; text: string } | { kind: 'unread' }

/** The subject's common names and all alternative names: a certificate is taken for either. */
const namesOf = ({ csr: { subject, names } }: Ruled): Name[] => [
  ...commonNamesIn(subject).map((name) => (name === undefined ? { kind: 'unread' as const } : hostOf(name))),
  ...names.map((name) => {
    const [, kind = '', text = ''] = /^(object id|\S+) (.*)$/s.exec(name) ?? []
    if (kind === 'DNS') return hostOf(text)
    if (kind === 'IP') return { kind: 'address' as const, text }
    // These are written byte by byte.
    return /^(?:other-name|X\.400|EDI|kind-\d+)$/.test(kind)
      ? { kind: 'unread' as const }
      : { kind: 'other' as const, text }
  }),
]

function hostOf(text: string): Name {
  const typed = text.trim().toLowerCase().replace(/\.$/, '')
  if (isIP(typed)) return { kind: 'address', text: typed }
  const host = asciiHost(typed)
  return host === undefined ? { kind: 'other', text } : { kind: 'host', text: host }
}

/** With its letters beyond ASCII in punycode; undefined for what is no host. */
function asciiHost(text: string): string | undefined {
  const ascii = /^[\x21-\x7e]*$/.test(text) ? text : domainToASCII(text)
  return /^[a-z0-9.*_-]+$/.test(ascii) ? ascii : undefined
}

const skeletonOf = (text: string): string => plain(text).replace(/[^a-z0-9.*-]/g, '')

const isWildcard = (name: Name): Answer =>
  name.kind === 'unread'
    ? 'unsure'
    : name.kind !== 'address' && skeletonOf(name.text).includes('*')
      ? 'yes'
      : 'no'

function underAny(
  wanted: readonly string[],
  ofAll: (answers: readonly Answer[]) => Answer,
): Condition | undefined {
  const suffixes = wanted.map((typed) => asciiHost(typed.replace(/^\*?\./, '').replace(/\.$/, '')))
  const isUsable = suffixes.every((suffix) => suffix !== undefined && !suffix.includes('*'))
  if (!isUsable) return undefined
  return (order) =>
    ofAll(
      namesOf(order).map((name) => {
        const answers = suffixes.map((suffix = '') => isUnder(name, suffix))
        return answers.includes('yes') ? 'yes' : answers.includes('unsure') ? 'unsure' : 'no'
      }),
    )
}

/** `shop.bank.com` and `bank.com` are under `bank.com`; `evilbank.com` is not. Unsure of what may be taken for one. */
function isUnder(name: Name, suffix: string): Answer {
  if (name.kind === 'unread') return 'unsure'
  if (name.kind === 'address') return 'no'
  if (name.kind === 'other') return skeletonOf(name.text).includes(suffix) ? 'unsure' : 'no'
  const labels = name.text.split('.')
  const wanted = suffix.split('.')
  const last = labels.slice(-wanted.length)
  if (last.length < wanted.length) return 'no'
  if (last.join('.') === suffix) return 'yes'
  // `*.com` is also good for `bank.com`.
  return last.every((label, at) => matchesLabel(label, wanted[at] ?? '')) ? 'unsure' : 'no'
}

/** Whether a label with `*` in it may stand for another one. */
function matchesLabel(pattern: string, label: string): boolean {
  const [first = '', ...rest] = pattern.split('*')
  const last = rest.at(-1)
  if (last === undefined) return pattern === label
  return label.length >= first.length + last.length && label.startsWith(first) && label.endsWith(last)
}

/** Of names: whether it holds for one of them. */
function ofSome(answers: readonly Answer[]): Answer {
  if (answers.includes('yes')) return answers.every((answer) => answer === 'yes') ? 'yes' : 'some'
  return answers.includes('unsure') ? 'unsure' : 'no'
}
