import { UserError } from '@signalman/runtime'
import { explain, serviceSaid } from '../../../bot/replies/explain.ts'
import type { Environment } from '../../../domain/environment.ts'
import { ApiError } from '../../../service/errors.ts'

export const isNotFound = (error: unknown): boolean => error instanceof ApiError && error.kind === 'not-found'

/** The service knows no event with any of the ids. */
export class NoSuchEvents extends UserError {
  override readonly name = 'NoSuchEvents'
}

export function noSuchEvents(ids: readonly string[], verb: string, environment: Environment): UserError {
  const [here, other] = environment === 'ote' ? ['OTE', 'production'] : ['production', 'ote']
  const which =
    ids.length === 1 ? `no threat event ${ids[0]}` : `none of these threat events: ${ids.join(', ')}`
  return new NoSuchEvents(`The service knows ${which} in the ${here} environment.`, [
    { label: `Look in ${other === 'ote' ? 'OTE' : other}`, line: `${verb} ${ids.join(' ')} --env ${other}` },
  ])
}

export function missedLine(id: string, error: unknown): string {
  const { happened, said, next } = explain(error)
  const sentences = [happened, ...serviceSaid(said), next]
  return `${id} could not be shown. ${sentences.filter(Boolean).join(' ')}`
}
