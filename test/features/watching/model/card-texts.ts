import { cardView } from '../../../../src/features/watching/views/cards.ts'
import type { createModel } from './model.ts'

const DATE = /^\d{4}-\d\d-\d\dT.*Z$/
const DATE_TOKEN = /<!date\^(\d+)\^[^>]*>/g

const reviveDates = <T>(value: T): T =>
  JSON.parse(JSON.stringify(value), (_, part: unknown) =>
    typeof part === 'string' && DATE.test(part) ? new Date(part) : part,
  ) as T

/** Writes each time in a message as `12:06`, in UTC. */
export const showTimes = (text: string): string =>
  text.replace(DATE_TOKEN, (_, seconds: string) =>
    new Date(Number(seconds) * 1000).toISOString().slice(11, 16),
  )

/** What the cards and pages in the model's channels say, oldest first. */
export const readCardTexts = ({
  channels,
}: Pick<Awaited<ReturnType<typeof createModel>>, 'channels'>): string[] =>
  [...channels.messages.values()].flatMap(({ model }) =>
    // The model's messages are JSON, so dates are text.
    model.kind === 'card' || model.kind === 'page' ? [showTimes(cardView(reviveDates(model)).text)] : [],
  )
