import type { EventPage, Message, OpenView, Outcome, PlaygroundEvent, View } from '../protocol.ts'
import { readText } from './reading.ts'
import type { Wire } from './wire.ts'

/** What a person sees after doing something, up to now. */
export interface Answer {
  outcome: Outcome
  /**
   * New and changed messages that this person sees and didn't write, each in its latest form, by `ts`. The title of an
   * assistant's thread isn't one.
   */
  messages: Message[]
  /** The newest one. */
  message: Message | undefined
  /** The top modal after the stack changed; undefined if it didn't, or nothing is open. */
  view: OpenView | undefined
  /** True if the stack of modals changed and is empty now. */
  closed: boolean
  home: View | undefined
  notices: string[]
  /** Everything above that can be read, as one text. */
  text: string
}

/** An answer that arrives takes none of this time; a missing one is usually due to a busy machine. */
export const PATIENCE_MS = 30_000

export interface Waiting {
  /** Waits until this text or pattern can be read, or this is true. By default, until anything arrives. */
  until?: string | RegExp | ((answer: Answer) => boolean)
  /** `PATIENCE_MS` by default. */
  waitMs?: number
}

/** The first message of a thread with an assistant, which people see as the thread's title. */
const THREAD_TITLE = 'assistant_app_thread'

type Seen = Omit<Answer, 'text' | 'outcome' | 'message'>

function isAnswer(message: Message, user: string, outcome: Outcome): boolean {
  if (message.subtype === THREAD_TITLE) return false
  if (message.user === user) return message.warning !== null
  return message.cause === null || outcome.deliveryId === null || message.cause === outcome.deliveryId
}

function take(seen: Seen, event: PlaygroundEvent, user: string, outcome: Outcome): void {
  switch (event.type) {
    case 'message':
    case 'message-changed': {
      if (!isAnswer(event.message, user, outcome)) return
      const { channel, ts } = event.message
      const others = seen.messages.filter((one) => one.ts !== ts || one.channel !== channel)
      const isNew = others.length === seen.messages.length
      if (isNew && event.type === 'message-changed' && event.threadOnly) return
      seen.messages = [...others, event.message].sort((one, other) => Number(one.ts) - Number(other.ts))
      return
    }
    case 'message-deleted':
      seen.messages = seen.messages.filter((one) => one.ts !== event.ts || one.channel !== event.channel)
      return
    case 'views':
      seen.view = event.views.at(-1)
      seen.closed = event.views.length === 0
      return
    case 'home':
      seen.home = event.view
      return
    case 'notice':
      seen.notices.push(event.text)
      return
    default:
      return
  }
}

function complete(seen: Seen, outcome: Outcome): Answer {
  const parts = [...seen.messages.map(readText), readText(seen.view), readText(seen.home), ...seen.notices]
  return {
    ...seen,
    outcome,
    message: seen.messages.at(-1),
    text: parts.filter((part) => part !== '').join('\n'),
  }
}

function isReached(answer: Answer, until: Waiting['until']): boolean {
  if (typeof until === 'function') return until(answer)
  if (typeof until === 'string') return answer.text.includes(until)
  if (until) return until.test(answer.text)
  return answer.text !== '' || answer.closed || answer.view !== undefined || answer.home !== undefined
}

/** What arrived besides the answer: messages of other actions or none, and the news that the app has ended. */
interface Besides {
  others: Message[]
  end: string
}

function sort(page: EventPage, seen: Seen, besides: Besides, user: string, outcome: Outcome): void {
  for (const { event, trace = outcome.trace } of page.events)
    if (event.type === 'remark') besides.end ||= event.hasEnded ? event.text : ''
    else if (trace === outcome.trace) take(seen, event, user, outcome)
    else if (event.type === 'message') besides.others.push(event.message)
}

/**
 * Follows the person's events after `outcome.seq` until the answer is there; otherwise throws an Error that says what arrived.
 */
export async function awaitAnswer(
  wire: Wire,
  user: string,
  outcome: Outcome,
  { until, waitMs = PATIENCE_MS }: Waiting,
): Promise<Answer> {
  const seen: Seen = { messages: [], view: undefined, closed: false, home: undefined, notices: [] }
  const besides: Besides = { others: [], end: '' }
  // A test's own condition can be about anything, so it is checked again after every event, including requests.
  const looksElsewhere = typeof until === 'function'
  const endMs = performance.now() + waitMs
  let after = outcome.seq
  for (let first = true; ; first = false) {
    const leftMs = Math.max(0, Math.ceil(endMs - performance.now()))
    const page: EventPage = await wire.events(user, after, first ? 0 : leftMs, looksElsewhere)
    sort(page, seen, besides, user, outcome)
    after = page.seq
    const answer = complete(seen, outcome)
    if (isReached(answer, until)) return answer
    if (leftMs > 0 && besides.end === '') continue
    throw new Error(unanswered(answer, until, waitMs, besides) + toldOf(wire.printed() || besides.end))
  }
}

const toldOf = (printed: string): string =>
  printed.trim() === '' ? '' : `\nThe app printed:\n${printed.trimEnd()}`

function unanswered(answer: Answer, until: Waiting['until'], waitMs: number, { others }: Besides): string {
  const wanted =
    until === undefined ? 'anything' : typeof until === 'function' ? 'what was awaited' : `"${until}"`
  const outcome = answer.outcome.ok
    ? 'the app acknowledged'
    : `${answer.outcome.error}: ${answer.outcome.message}`
  const elsewhere = others.map(readText).filter((text) => text !== '')
  const meanwhile =
    elsewhere.length > 0
      ? `\nNot of this act, but at that time (\`see\` waits for it):\n${elsewhere.join('\n')}`
      : ''
  return `No answer with ${wanted} within ${waitMs} ms (${outcome}). Seen so far:\n${answer.text || '(nothing)'}${meanwhile}`
}
