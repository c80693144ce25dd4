import { clip, date, type Line, oneLine } from '@signalman/slack'

/** The statuses that the service documents, worst first. It may return others, which are shown unchanged. */
export const STATUSES = ['UNHEALTHY', 'INSTALLING', 'HEALTHY'] as const
export const PROTOCOLS = ['TCP', 'HTTP', 'HTTPS'] as const

// A map, because a status is text from outside, and every plain object has a `constructor`.
const STATUS_DISPLAY: ReadonlyMap<string, readonly [emoji: string, word: string]> = new Map([
  ['UNHEALTHY', ['🔴', 'down']],
  ['INSTALLING', ['🟡', 'installing']],
  ['HEALTHY', ['🟢', 'up']],
])
const MAX_STATUS = 40

export const statusEmoji = (status: string): string => STATUS_DISPLAY.get(status)?.[0] ?? '⚪'

/** `down`, `up`, `installing`: UNHEALTHY is shown only in filters. */
export const statusWord = (status: string): string =>
  STATUS_DISPLAY.get(status)?.[1] ?? (clip(oneLine(status), MAX_STATUS) || 'of no known status')

/** Beside an outage that somebody looks at. */
export const NO_CAUSE = 'The service reports only what is down, not why.'

const MAX_NAME = 120
const MAX_TARGET = 200
const MAX_PROTOCOL = 20
const MAX_PERSON = 100

/** A health check's name for display; its UUID if it has none. */
export const checkName = ({ name, uuid }: { name: string; uuid: string }): string =>
  clip(oneLine(name), MAX_NAME) || uuid

/** `HTTPS shop.example.com/health`, without repeating the protocol; empty if the service returned neither. */
export function checkAddress({
  protocol = '',
  target = '',
}: {
  protocol?: string | undefined
  target?: string | undefined
}): string {
  const repeatsProtocol = protocol !== '' && target.toLowerCase().startsWith(`${protocol.toLowerCase()}://`)
  const where = repeatsProtocol ? target.slice(protocol.length + '://'.length) : target
  return [clip(oneLine(protocol), MAX_PROTOCOL), clip(oneLine(where), MAX_TARGET)].filter(Boolean).join(' ')
}

/** When something was created or changed, and by whom. Leaves out what the service doesn't return. */
export function formatTimeAndAuthor(at: Date | undefined, by: string | undefined): Line | undefined {
  const author = by && `by ${clip(oneLine(by), MAX_PERSON)}`
  if (!at) return author || undefined
  return author ? [date(at), ` ${author}`] : at
}
