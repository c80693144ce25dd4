import { clip, oneLine } from '@signalman/slack'

/** The statuses that the service names, worst first; it may answer others, which are shown as they are. */
export const STATUSES = ['UNHEALTHY', 'INSTALLING', 'HEALTHY'] as const
export const PROTOCOLS = ['TCP', 'HTTP', 'HTTPS'] as const

const MAX_UNKNOWN = 40

// Maps, because a status is a text from outside: every object has something under `constructor`.
const SIGNS: ReadonlyMap<string, string> = new Map([
  ['UNHEALTHY', '🔴'],
  ['INSTALLING', '🟡'],
  ['HEALTHY', '🟢'],
])
const WORDS: ReadonlyMap<string, string> = new Map([
  ['UNHEALTHY', 'Unhealthy'],
  ['INSTALLING', 'Installing'],
  ['HEALTHY', 'Healthy'],
])

/** `🔴 Unhealthy`: a sign for the eye and a word for everyone. */
export const statusLabel = (status: string): string => `${SIGNS.get(status) ?? '⚪'} ${statusWord(status)}`

export const statusWord = (status: string): string =>
  WORDS.get(status) ?? (clip(oneLine(status), MAX_UNKNOWN) || 'Status not given')
