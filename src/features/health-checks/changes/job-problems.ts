import type { ApiError } from '../../../api/errors.ts'
import { explain } from '../../../bot/replies/explain.ts'
import { serviceSaid } from '../../../bot/replies/service-said.ts'

/** Nothing that waiting would mend. */
export const ENDS_A_JOB: ReadonlySet<ApiError['kind']> = new Set(['unauthorized', 'forbidden'])

export function problemSentence(error: ApiError): string {
  const { happened, said, next } = explain(error)
  return [happened, ...serviceSaid(said), next].join(' ')
}
