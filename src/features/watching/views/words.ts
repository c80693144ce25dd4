import { clip, joinLines, type Line, oneLine } from '@signalman/slack'
import type { RichTextElement } from '@slack/types'
import { checkName } from '../../../bot/views/check-facts.ts'
import type { CheckFacts, PollFailure, Unseen } from '../../../domain/outages/outage.ts'
import { formatCount, formatList, pluralize } from '../../../domain/wording.ts'
import type { SilenceSubject } from '../rules/silence.ts'
import type { MatchingChecks } from '../rules/watch.ts'

/** `99.95%`; never rounded up to 100 or down to 0. */
export function formatPercent(share: number): string {
  if (share >= 1) return '100%'
  if (share <= 0) return '0%'
  if (share < 0.0001) return '< 0.01%'
  if (share > 0.9999) return '> 99.99%'
  return `${Math.floor(share * 10_000) / 100}%`
}

const MAX_NAMES = 10

export const listNames = (names: readonly string[]): string =>
  formatList(names, MAX_NAMES, (name) => clip(oneLine(name), 80))

/** The name of what an incident is about. The check without a UUID is the environment, whose checks can't be seen. */
export const incidentName = (check: Pick<CheckFacts, 'uuid' | 'name'>): string =>
  check.uuid === '' ? 'Access to the health checks' : checkName(check)

/** `Matches 12 health checks now (1 down): web-1, web-2, …`. */
export function describeMatching(matching: MatchingChecks | undefined): readonly string[] {
  if (!matching) return []
  const { count, down, names } = matching
  if (count === 0) return ['No health check matches now. One that matches later is watched from then on.']
  const state = down > 0 ? ` (${formatCount(down)} down)` : ''
  const more = count > names.length ? ', …' : ''
  return [
    `Matches ${pluralize(count, 'health check')} now${state}: ${names.map((name) => clip(oneLine(name), 80)).join(', ')}${more}`,
  ]
}

export const UNSEEN_REASONS: Readonly<Record<PollFailure, string>> = {
  unreachable: 'The service doesn’t answer.',
  failing: 'The service answers with an error (HTTP 5xx).',
  refused: 'The service refuses the request (HTTP 4xx). The token may lack a permission.',
  'rate-limited': 'The service is limiting requests (HTTP 429).',
  unreadable: 'The service’s answer can’t be read.',
  unauthorized: 'The service doesn’t accept the token. An admin can replace it.',
  'not-connected':
    'Signalman has no token that it can use for this environment. An admin can check the connection.',
}

/** While the checks can't be seen, everything about them is as of then. */
export const describeUnseen = ({ since, failure }: Unseen, suffix = ''): Line => [
  '⚫ As of ',
  since,
  `: I haven’t seen the health checks${suffix} since. ${UNSEEN_REASONS[failure]}`,
]

const MAX_NAME = 60
export function describeSubject(subject: SilenceSubject): string {
  if (subject.kind === 'all') return 'everything'
  return clip(oneLine(subject.kind === 'check' ? subject.name : subject.pattern), MAX_NAME)
}

/** Formats the subject the way people type it. */
export function formatSubject(subject: SilenceSubject): string {
  if (subject.kind === 'all') return 'all'
  return subject.kind === 'check' ? subject.uuid : subject.pattern
}

/** A channel link, which Slack shows only to people who may see the channel. */
export const channelLink = (channelId: string): RichTextElement => ({
  type: 'channel',
  channel_id: channelId,
})

const MAX_CHANNELS = 5

export const listChannels = (channels: readonly string[]): Line => [
  joinLines(channels.slice(0, MAX_CHANNELS).map(channelLink)),
  channels.length > MAX_CHANNELS ? ` and ${pluralize(channels.length - MAX_CHANNELS, 'more channel')}` : '',
]

export const describeChannel = (channelId: string, here: string | undefined, thisWord = 'this'): Part =>
  here === channelId ? `${thisWord} channel` : channelLink(channelId)

type Part = string | Date | RichTextElement

/** Joins parts into a line. Merges adjacent texts, so that screen readers read them as one. */
export function joinParts(...parts: readonly Part[]): Line {
  const merged: Part[] = []
  for (const part of parts) {
    const last = merged.at(-1)
    if (part === '') continue
    if (typeof part === 'string' && typeof last === 'string') merged[merged.length - 1] = last + part
    else merged.push(part)
  }
  const [only] = merged
  return merged.length === 1 && typeof only === 'string' ? only : merged
}

export const countWatches = (count: number): string =>
  count === 1 ? '1 watch' : `${formatCount(count)} watches`
