import type { EventPage, Message, OpenView, Outcome, PlaygroundEvent, View } from '../protocol/protocol.ts'
import { readText } from './find-element.ts'
import type { HttpClient } from './http-client.ts'

/** What the person sees as a result of their action. */
export interface Answer {
  outcome: Outcome
  /**
   * New and changed messages from others that this person sees, in their latest version, sorted by `ts`. Excludes the title of an
   * assistant thread.
   */
  messages: Message[]
  /** The newest of `messages` with the text or pattern that was waited for. If none has it, the newest. */
  message: Message | undefined
  /** The top modal, if the action opened, changed, or closed a modal and one is still open. */
  view: OpenView | undefined
  /** True if the action closed the last modal. */
  closed: boolean
  home: View | undefined
  notices: string[]
  /** All text in the messages, modal, Home, and notices. */
  text: string
}

/** The default timeout for an answer. It's long because machines can be slow, and only failing tests wait this long. */
export const DEFAULT_WAIT_MS = 180_000

export interface Waiting {
  /**
   * The text, pattern, or condition to wait for. By default, waits until anything arrives; after an action in a conversation, until a
   * message there, or one that the action caused, because a message elsewhere, or App Home, may be about something else.
   */
  until?: string | RegExp | ((answer: Answer) => boolean)
  /** The timeout in ms; 30,000 by default. */
  waitMs?: number
}

type Received = Omit<Answer, 'text' | 'outcome' | 'message'>

function isAnswer(message: Message, user: string, outcome: Outcome): boolean {
  if (message.user === user) return message.warning !== null
  return message.cause === null || outcome.deliveryId === null || message.cause === outcome.deliveryId
}

function addEvent(received: Received, event: PlaygroundEvent, user: string, outcome: Outcome): void {
  switch (event.type) {
    case 'message':
    case 'message-changed': {
      if (!isAnswer(event.message, user, outcome)) return
      const { channel, ts } = event.message
      const otherMessages = received.messages.filter(
        (message) => message.ts !== ts || message.channel !== channel,
      )
      const isNew = otherMessages.length === received.messages.length
      if (isNew && event.type === 'message-changed' && event.threadOnly) return
      received.messages = [...otherMessages, event.message].sort((a, b) => Number(a.ts) - Number(b.ts))
      return
    }
    case 'message-deleted':
      received.messages = received.messages.filter(
        (message) => message.ts !== event.ts || message.channel !== event.channel,
      )
      return
    case 'views':
      received.view = event.views.at(-1)
      received.closed = event.views.length === 0
      return
    case 'home':
      received.home = event.view
      return
    case 'notice':
      received.notices.push(event.text)
      return
    default:
      return
  }
}

function toAnswer(received: Received, outcome: Outcome, until: Waiting['until']): Answer {
  const parts = [
    ...received.messages.map(readText),
    readText(received.view),
    readText(received.home),
    ...received.notices,
  ]
  return {
    ...received,
    outcome,
    message:
      received.messages.findLast((message) => hasText(readText(message), until)) ?? received.messages.at(-1),
    text: parts.filter((part) => part !== '').join('\n'),
  }
}

/** Whether a text or pattern was waited for, and a text has it. */
function hasText(text: string, until: Waiting['until']): boolean {
  if (typeof until === 'string') return text.includes(until)
  return until instanceof RegExp && until.test(text)
}

function isComplete(answer: Answer, until: Waiting['until'], channel: string | undefined): boolean {
  if (typeof until === 'function') return until(answer)
  if (until !== undefined) return hasText(answer.text, until)
  const { messages, notices, view, home, closed } = answer
  return (
    closed ||
    view !== undefined ||
    (home !== undefined && channel === undefined) ||
    notices.length > 0 ||
    messages.some((message) => readText(message) !== '' && canBeOnly(message, channel))
  )
}

/** Whether a message is an answer even if nothing else arrives. */
const canBeOnly = ({ channel, cause, warning }: Message, actedIn: string | undefined): boolean =>
  actedIn === undefined || channel === actedIn || cause !== null || warning !== null

function collectEvents(
  page: EventPage,
  received: Received,
  unrelatedMessages: Message[],
  user: string,
  outcome: Outcome,
): void {
  for (const { event, trace = outcome.trace } of page.events)
    if (trace === outcome.trace) addEvent(received, event, user, outcome)
    else if (event.type === 'message') unrelatedMessages.push(event.message)
}

/**
 * Collects the person's events after `outcome.seq` until the answer is complete. `channel`: where the person acted. After a timeout, throws an Error that lists what
 * arrived.
 */
export async function awaitAnswer(
  client: HttpClient,
  user: string,
  outcome: Outcome,
  { until, waitMs = DEFAULT_WAIT_MS, channel }: Waiting & { channel?: string | undefined },
): Promise<Answer> {
  const received: Received = { messages: [], view: undefined, closed: false, home: undefined, notices: [] }
  /** Messages that the action didn't cause, for the error message. */
  const unrelatedMessages: Message[] = []
  // A condition may depend on requests to and from the app, so it is also checked after each of these.
  const withDeliveries = typeof until === 'function'
  const endMs = performance.now() + waitMs
  let after = outcome.seq
  // The first request doesn't wait, because the answer may have arrived already.
  let isFirst = true
  for (;;) {
    const leftMs = Math.max(0, Math.ceil(endMs - performance.now()))
    const page: EventPage = await client.events(user, after, isFirst ? 0 : leftMs, withDeliveries)
    isFirst = false
    collectEvents(page, received, unrelatedMessages, user, outcome)
    after = page.seq
    const answer = toAnswer(received, outcome, until)
    if (isComplete(answer, until, channel)) return answer
    if (leftMs > 0) continue
    throw new Error(formatTimeoutMessage(answer, until, waitMs, unrelatedMessages))
  }
}

function describeExpected(until: Waiting['until']): string {
  if (until === undefined) return ''
  return typeof until === 'function' ? ' that meets the condition' : ` with "${until}"`
}

function formatTimeoutMessage(
  answer: Answer,
  until: Waiting['until'],
  waitMs: number,
  unrelatedMessages: readonly Message[],
): string {
  const expected = describeExpected(until)
  const outcome = answer.outcome.ok
    ? 'the app acknowledged'
    : `${answer.outcome.error}: ${answer.outcome.message}`
  const otherTexts = unrelatedMessages.map(readText).filter((text) => text !== '')
  const meanwhile =
    otherTexts.length > 0
      ? `\nNot caused by this action, but posted meanwhile (\`see\` waits for such messages):\n${otherTexts.join('\n')}`
      : ''
  return `No answer${expected} within ${waitMs} ms (${outcome}). Received so far:\n${answer.text || '(nothing)'}${meanwhile}`
}
