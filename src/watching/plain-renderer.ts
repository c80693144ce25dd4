import { section } from '../blocks/layout.ts'
import { type Message, message } from '../blocks/message.ts'
import { literal } from '../blocks/text.ts'
import type { CardModel, DetailsModel, DigestModel, PausedModel } from '../domain/watching/card-model.ts'
import type { CheckFacts } from '../domain/watching/watch.ts'
import { counted } from '../domain/wording.ts'
import type { WatchRenderer } from './renderer.ts'

/** Says in one sentence what a card, a thread, a digest or a pause is about, and nothing more. */
export const plainRenderer: WatchRenderer = {
  card: (model) => plainly(cardWords(model)),
  details: ({ title, lines, leftOut }: DetailsModel) =>
    plainly(
      [
        title,
        ...lines.map(({ at, what, check, byName }) => `${timeOf(at)} ${what} ${check?.name ?? byName ?? ''}`),
        ...(leftOut > 0 ? [`${counted(leftOut, 'line')} left out`] : []),
      ].join('\n'),
    ),
  digest: ({ from, to, outages, stillDown }: DigestModel) =>
    plainly(
      `${counted(outages, 'outage')} from ${timeOf(from)} to ${timeOf(to)}, ${stillDown.length} still down`,
    ),
  paused: ({ why, watches, untold }: PausedModel) =>
    plainly(`${counted(watches, 'watch')} paused (${why}), ${counted(untold, 'card')} not told`),
}

/** The text is mrkdwn, the block is not. */
const plainly = (words: string): Message => message(literal(words), section(words))

const timeOf = (at: Date): string => at.toISOString()
const nameOf = ({ name, uuid }: CheckFacts): string => name || uuid

function cardWords(model: CardModel): string {
  const unwatched = model.unwatchedAt ? ' (not watched here any more)' : ''
  switch (model.kind) {
    case 'outage': {
      const until = model.endedAt ? ` until ${timeOf(model.endedAt)}` : ''
      return `${nameOf(model.check)} is ${model.state}, since ${timeOf(model.since)}${until}${unwatched}`
    }
    case 'flapping': {
      const over = model.overAt ? ', quiet by now' : ''
      return `${nameOf(model.check)} is flapping: ${model.flips} changes, ${model.now}${over}${unwatched}`
    }
    case 'blind': {
      const until = model.endedAt ? ` until ${timeOf(model.endedAt)}` : ''
      return `Nothing could be seen (${model.why}) since ${timeOf(model.since)}${until}${unwatched}`
    }
    default: {
      const names = model.rows.map(({ check }) => nameOf(check)).join(', ')
      const words = `${model.stillDown} of ${counted(model.total, 'health check')} down`
      return `${model.kind}: ${words}: ${names}${unwatched}`
    }
  }
}
