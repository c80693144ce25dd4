import { clip, oneLine } from '@signalman/slack'
import type { WatchedStatus } from '../../../domain/outages/outage.ts'
import { grouped, listed } from '../../../domain/wording.ts'
import type { MuteSubject, WatchFilter, WatchRule, WatchTerms } from '../rules/watch.ts'

/** How a person says that a check is in a watched status. */
export const DOWN_WORDS: Readonly<Record<WatchedStatus, string>> = {
  UNHEALTHY: 'is down',
  INSTALLING: 'is still installing',
}
export const UP_WORDS: Readonly<Record<WatchedStatus, string>> = {
  UNHEALTHY: 'is up again',
  INSTALLING: 'is installed',
}

/** `99.95 %`; never rounded up to 100 or down to 0. */
export function percent(share: number): string {
  if (share >= 1) return '100 %'
  if (share <= 0) return '0 %'
  const cut = Math.floor(share * 10_000) / 100
  return `${Math.min(99.99, Math.max(0.01, cut))} %`
}

const PATTERN = 60
const RULES = 8

/** `web-*, api-*; protocol HTTPS; not web-test*`: what a watch is about, in words. */
export function filterWords({ include, exclude }: WatchFilter): string {
  const fields = Map.groupBy(include, ({ field }) => (field === 'uuid' ? 'name' : field))
  const parts = [...fields].map(([field, rules]) => {
    const words = listed(rules.map(ruleName), RULES, (rule) => rule)
    return field === 'name' ? words : `${field} ${words}`
  })
  const names = fields.has('name') ? [] : ['every health check']
  const not = exclude.map((rule) =>
    rule.field === 'name' ? ruleName(rule) : `${rule.field} ${ruleName(rule)}`,
  )
  return [...names, ...parts, ...(not.length > 0 ? [`not ${listed(not, RULES, (rule) => rule)}`] : [])].join(
    '; ',
  )
}

const ruleName = ({ pattern, label }: WatchRule): string => clip(oneLine(label ?? pattern), PATTERN)

/** How it tells, where that is not what a watch does by itself; empty then. */
export function termWords({ afterBadPolls, notify, reminderHours }: WatchTerms): string[] {
  return [
    ...(afterBadPolls > 1 ? [`after ${afterBadPolls} bad polls in a row`] : []),
    ...(notify === 'every' ? ['a card for every outage'] : []),
    ...(reminderHours > 0 ? [`reminder after ${reminderHours} h, then daily`] : []),
  ]
}

export function subjectName(about: MuteSubject): string {
  if (about.kind === 'all') return 'everything'
  return clip(oneLine(about.kind === 'check' ? about.name : about.pattern), PATTERN)
}

export const watchCount = (count: number): string => (count === 1 ? '1 watch' : `${grouped(count)} watches`)
