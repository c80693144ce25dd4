/** An object that Slack sent. Each reader below checks its type: what is missing or odd becomes empty. */
export type PayloadFields = Record<string, unknown>

export const fields = (value: unknown): PayloadFields =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as PayloadFields) : {}
export const text = (value: unknown): string => (typeof value === 'string' ? value : '')
export const some = (value: unknown): string | undefined => text(value) || undefined
export const first = (value: unknown): PayloadFields => fields(Array.isArray(value) ? value[0] : undefined)
