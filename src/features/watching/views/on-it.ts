import { card, commandButton, type Message } from '@signalman/slack'
import type { CheckFacts } from '../../../domain/outages/outage.ts'
import { joinNames, pluralize } from '../../../domain/wording.ts'
import { incidentName, listNames } from './words.ts'

/** `taken`: the checks that are down and that the person just took; empty if they were on them already. */
export const takenView = (taken: readonly Pick<CheckFacts, 'uuid' | 'name'>[]): Message =>
  card({
    headline: 'You’re on it. Nobody is paged while you are.',
    notes: taken.length > 0 ? [`Yours now: ${listNames(taken.map(incidentName))}.`] : [],
  })

/** `paged`: the names of whom each page went to. */
export const pagedView = (paged: readonly string[]): Message =>
  card({ headline: `Paging ${joinNames(paged)} now, in the channel.` })

export const steppedDownView = (count: number): Message =>
  card({
    headline:
      count > 0
        ? `You stepped down from ${pluralize(count, 'outage')}. Signalman posts that nobody is on ${count === 1 ? 'it' : 'them'}.`
        : 'You aren’t on anything that this message lists.',
  })

export const alreadyTakenView = (name: string, at: Date, line: string): Message =>
  card({
    headline: [`${name} has been on it since `, at, '. Nothing was changed.'],
    controls: [commandButton('Take over', line, { inPlace: true })],
  })
