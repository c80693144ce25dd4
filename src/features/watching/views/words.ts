import { clip, isDirect, type Line, lineText, oneLine } from '@signalman/slack'
import type { RichTextElement } from '@slack/types'
import { grouped } from '../../../domain/wording.ts'
import { channelIn, type MuteSubject, threadIn } from '../rules/watch.ts'

/** Of a card that is not kept up to date any more. */
export const UNWATCHED = 'when watching here ended'

/** `99.95 %`; never rounded up to 100 or down to 0. */
export function percent(share: number): string {
  if (share >= 1) return '100 %'
  if (share <= 0) return '0 %'
  const cut = Math.floor(share * 10_000) / 100
  return `${Math.min(99.99, Math.max(0.01, cut))} %`
}

const PATTERN = 60
export function subjectName(about: MuteSubject): string {
  if (about.kind === 'all') return 'everything'
  return clip(oneLine(about.kind === 'check' ? about.name : about.pattern), PATTERN)
}

/** The same, as it is typed. */
export function subjectTyped(about: MuteSubject): string {
  if (about.kind === 'all') return 'all'
  return about.kind === 'check' ? about.uuid : about.pattern
}

/** A channel by its link, which Slack shows to those who may know its name. */
export const placeParts = (place: string): readonly (string | RichTextElement)[] => [
  { type: 'channel', channel_id: channelIn(place) },
  ...(threadIn(place) ? [' (a thread)'] : []),
]

/** A sentence about a place: “this channel” where that is read in it, `here`; else its link. */
export const saidOf = (
  [before, place, after]: readonly [before: string, place: string, after: string],
  here: readonly (string | undefined)[],
): Line => {
  const words = here.includes(place)
    ? `this ${threadIn(place) ? 'thread' : 'channel'}`
    : isDirect(place) && 'direct messages'
  return words ? `${before}${words}${after}` : [before, ...placeParts(place), after]
}

export const placeLink = (place: string): string => lineText(placeParts(place))

export const watchCount = (count: number): string => (count === 1 ? '1 watch' : `${grouped(count)} watches`)
