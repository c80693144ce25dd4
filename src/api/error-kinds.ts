import type { ApiErrorKind } from './errors.ts'
import type { TransportFaultReason } from './transport.ts'

/** The interface names codes whose status it does not show: under any 4xx the code decides. */
export const KIND_BY_CODE: Record<string, ApiErrorKind> = {
  UNAUTHORIZED: 'unauthorized',
  FORBIDDEN: 'forbidden',
  NOT_FOUND: 'not-found',
  BAD_CONTEXT: 'conflict',
}

const KIND_BY_STATUS: Record<number, ApiErrorKind> = {
  401: 'unauthorized',
  403: 'forbidden',
  404: 'not-found',
  408: 'timeout',
  409: 'conflict',
  410: 'not-found',
  429: 'rate-limited',
}

export const KIND_BY_REASON: Record<TransportFaultReason, ApiErrorKind> = {
  stopped: 'cancelled',
  timeout: 'timeout',
  network: 'unavailable',
  untrusted: 'unavailable',
  'too-large': 'unreadable',
  garbled: 'unreadable',
}

export function kindOf(status: number, codes: readonly string[]): ApiErrorKind {
  if (status < 400) return 'unreadable'
  if (status >= 500) return 'unavailable'
  const byCode = codes.map((code) => (Object.hasOwn(KIND_BY_CODE, code) ? KIND_BY_CODE[code] : undefined))
  return byCode.find((kind) => kind !== undefined) ?? KIND_BY_STATUS[status] ?? 'rejected'
}
