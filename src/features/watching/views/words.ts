import { clip, isDirect, type Line, lineText, oneLine } from '@signalman/slack'
import type { RichTextElement } from '@slack/types'
import { ENVIRONMENT_NAMES } from '../../../domain/environment.ts'
import { grouped } from '../../../domain/wording.ts'
import type { Silence, SilenceSubject } from '../rules/silence.ts'
import { channelIn, threadIn } from '../rules/watch.ts'

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
export function subjectName(about: SilenceSubject): string {
  if (about.kind === 'all') return 'everything'
  return clip(oneLine(about.kind === 'check' ? about.name : about.pattern), PATTERN)
}

/** The same, as it is typed. */
export function subjectTyped(about: SilenceSubject): string {
  if (about.kind === 'all') return 'all'
  return about.kind === 'check' ? about.uuid : about.pattern
}

/** A channel by its link, which Slack shows to those who may know its name. */
export const placeParts = (place: string): readonly (string | RichTextElement)[] => [
  { type: 'channel', channel_id: channelIn(place) },
  ...(threadIn(place) ? [' (a thread)'] : []),
]

/** The places that “this channel” and “this thread” mean to the reader. */
export type Here = readonly (string | undefined)[]

/** “this channel” to whoever reads it there, else a link. */
export const placeWords = (
  place: string | undefined,
  here: Here,
  demonstrative = 'this',
): readonly (string | RichTextElement)[] => {
  if (place === undefined) return ['every channel']
  if (here.includes(place)) return [`${demonstrative} ${threadIn(place) ? 'thread' : 'channel'}`]
  return isDirect(place) ? ['direct messages'] : placeParts(place)
}

/** A sentence about a place. */
export const saidOf = (
  [before, place, after]: readonly [before: string, place: string, after: string],
  here: Here,
): Line => sentence(before, ...placeWords(place, here), after)

type Part = string | Date | RichTextElement

/** Joins texts that follow each other, so that a screen reader reads them as one. */
export function sentence(...parts: readonly Part[]): Line {
  const joined: Part[] = []
  for (const part of parts) {
    const last = joined.at(-1)
    if (part === '') continue
    if (typeof part === 'string' && typeof last === 'string') joined[joined.length - 1] = last + part
    else joined.push(part)
  }
  const [only] = joined
  return joined.length === 1 && typeof only === 'string' ? only : joined
}

/** `shop* in production, in this channel`: what a silence covers. Every sentence about a silence is made with it. */
export const coverage = (
  { about, environment, channelId }: Pick<Silence, 'about' | 'environment' | 'channelId'>,
  here: Here,
  name = subjectName(about),
): readonly (string | RichTextElement)[] => {
  return [`${name} in ${ENVIRONMENT_NAMES[environment]}, in `, ...placeWords(channelId, here)]
}

/** The end of a silence. */
export const untilWords = (to: Date | undefined): readonly (string | Date)[] =>
  to ? ['until ', to] : ['until somebody ends it']

export const placeLink = (place: string): string => lineText(placeParts(place))

export const watchCount = (count: number): string => (count === 1 ? '1 watch' : `${grouped(count)} watches`)
