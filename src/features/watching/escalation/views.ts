import { durationWords } from '@signalman/runtime'
import { literal, type Message, message, say, when } from '@signalman/slack'
import { checkName } from '../../../bot/replies/check-facts.ts'
import type { Outage } from '../../../domain/outages/outage.ts'
import { counted } from '../../../domain/wording.ts'
import type { Called } from './rules.ts'

const mention = ({ id, isGroup, name }: Called): string => {
  if (id === undefined) return literal(name)
  return isGroup ? `<!subteam^${id}>` : `<@${id}>`
}

/** In the thread of a card that nobody is on: it is meant to be heard by those it names. */
export function callView({
  call,
  since,
  at,
  down,
}: {
  call: readonly Called[]
  since: Date
  at: Date
  down: readonly Outage[]
}): Message {
  const [first] = down
  const what =
    first && down.length === 1 ? literal(checkName(first.check)) : counted(down.length, 'health check')
  const isOne = down.length === 1
  const text = `${call.map(mention).join(' ')} Nobody has been on it for ${durationWords(at.getTime() - since.getTime())}: ${what} ${isOne ? 'is' : 'are'} down since ${when(since)}. *I’m on it* on the card ends this.`
  return message(text, say(text))
}
