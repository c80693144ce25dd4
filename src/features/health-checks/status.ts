/** The statuses that the service names, worst first; it may answer others, which are shown as they are. */
export const STATUSES = ['UNHEALTHY', 'INSTALLING', 'HEALTHY'] as const
export const PROTOCOLS = ['TCP', 'HTTP', 'HTTPS'] as const

const SIGNS: Readonly<Record<string, string>> = { UNHEALTHY: '🔴', INSTALLING: '🟡', HEALTHY: '🟢' }
const WORDS: Readonly<Record<string, string>> = {
  UNHEALTHY: 'Unhealthy',
  INSTALLING: 'Installing',
  HEALTHY: 'Healthy',
}

/** `🔴 Unhealthy`: a sign for the eye and a word for everyone. */
export const statusLabel = (status: string): string => `${SIGNS[status] ?? '⚪'} ${statusWord(status)}`

export const statusWord = (status: string): string => WORDS[status] ?? (status || 'Status not given')
