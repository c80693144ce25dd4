import type { Message } from '../../protocol/protocol.ts'
import { isoDay } from '../text/date.ts'

const GROUPING_SECONDS = 300

/** The browser's time zone. */
export const TIME_ZONE = Intl.DateTimeFormat().resolvedOptions().timeZone

export function toDate(ts: string): Date {
  return new Date(Number(ts) * 1000)
}

/** Formats a time of day, such as `9:41 AM`. */
export function clockTime(date: Date): string {
  return date.toLocaleTimeString('en-US', { hour: 'numeric', minute: '2-digit' })
}

/** Formats a time of day for the narrow column next to a message without a header, such as `9:41`. */
export const shortTime = (date: Date): string => clockTime(date).replace(/\s[AP]M$/, '')

export function fullTime(date: Date): string {
  return date.toLocaleString('en-US', { dateStyle: 'full', timeStyle: 'medium' })
}

export function dayName(date: Date): string {
  return date.toLocaleDateString('en-US', { weekday: 'long', day: 'numeric', month: 'long' })
}

/** Whether a message is grouped with the previous one: same author, neither is ephemeral, and less than five minutes apart. */
export function continuesPrevious(message: Message, previous: Message | undefined): boolean {
  return (
    previous !== undefined &&
    previous.user === message.user &&
    !previous.ephemeral &&
    !message.ephemeral &&
    Number(message.ts) - Number(previous.ts) < GROUPING_SECONDS
  )
}

/** Caches the day of each message, because every render needs it. */
const days = new WeakMap<Message, string>()

function messageDay(message: Message): string {
  const day = days.get(message) ?? isoDay(toDate(message.ts), TIME_ZONE)
  days.set(message, day)
  return day
}

export function startsNewDay(message: Message, previous: Message | undefined): boolean {
  return previous === undefined || messageDay(previous) !== messageDay(message)
}
