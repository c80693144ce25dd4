import { clip, isDirect, type Line, lineText, oneLine } from '@signalman/slack'
import type { RichTextElement } from '@slack/types'
import { ENVIRONMENT_NAMES } from '../../../domain/environment.ts'
import { formatCount } from '../../../domain/wording.ts'
import type { Silence, SilenceSubject } from '../rules/silence.ts'
import { getChannelId, getThreadTs } from '../rules/watch.ts'

/** Ends the title of a card that is no longer updated. */
export const UNWATCHED = 'when watching here ended'

/** `99.95 %`; never rounded up to 100 or down to 0. */
export function formatPercent(share: number): string {
  if (share >= 1) return '100 %'
  if (share <= 0) return '0 %'
  const rounded = Math.floor(share * 10_000) / 100
  return `${Math.min(99.99, Math.max(0.01, rounded))} %`
}

const MAX_NAME = 60
export function describeSubject(subject: SilenceSubject): string {
  if (subject.kind === 'all') return 'everything'
  return clip(oneLine(subject.kind === 'check' ? subject.name : subject.pattern), MAX_NAME)
}

/** The subject as it would be typed. */
export function formatSubject(subject: SilenceSubject): string {
  if (subject.kind === 'all') return 'all'
  return subject.kind === 'check' ? subject.uuid : subject.pattern
}

/** A channel link, which Slack shows only to people who may see the channel. */
export const placeLinkParts = (place: string): readonly (string | RichTextElement)[] => [
  { type: 'channel', channel_id: getChannelId(place) },
  ...(getThreadTs(place) ? [' (a thread)'] : []),
]

/** The places that are called “this channel” and “this thread”. */
export type CurrentPlaces = readonly (string | undefined)[]

/** “this channel” for readers in that channel, otherwise a link. */
export const describePlace = (
  place: string | undefined,
  here: CurrentPlaces,
  thisWord = 'this',
): readonly (string | RichTextElement)[] => {
  if (place === undefined) return ['every channel']
  if (here.includes(place)) return [`${thisWord} ${getThreadTs(place) ? 'thread' : 'channel'}`]
  return isDirect(place) ? ['direct messages'] : placeLinkParts(place)
}

/** A sentence about a place. */
export const formatPlaceSentence = (
  [before, place, after]: readonly [before: string, place: string, after: string],
  here: CurrentPlaces,
): Line => joinParts(before, ...describePlace(place, here), after)

type Part = string | Date | RichTextElement

/** Joins adjacent texts, so that screen readers read them as one. */
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

/** `shop* in production, in this channel`: what a silence covers. Every sentence about a silence uses it. */
export const describeCoverage = (
  { subject, environment, channelId }: Pick<Silence, 'subject' | 'environment' | 'channelId'>,
  here: CurrentPlaces,
  name = describeSubject(subject),
): readonly (string | RichTextElement)[] => {
  return [`${name} in ${ENVIRONMENT_NAMES[environment]}, in `, ...describePlace(channelId, here)]
}

/** The end of a silence. */
export const describeEnd = (to: Date | undefined): readonly (string | Date)[] =>
  to ? ['until ', to] : ['until someone ends it']

export const placeLink = (place: string): string => lineText(placeLinkParts(place))

export const countWatches = (count: number): string =>
  count === 1 ? '1 watch' : `${formatCount(count)} watches`
