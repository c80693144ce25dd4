import { ApiError } from '../../../api/errors.ts'
import type { Environment } from '../../../api/service.ts'
import type { ThreatEvent } from '../../../api/threat-event.ts'
import type { Threats } from '../../../api/threats.ts'
import { UserError } from '../../../errors.ts'
import { explain } from '../../../slack/explain.ts'

export interface Looked {
  found: { id: string; event: ThreatEvent }[]
  /** A sentence for each id that could not be shown. */
  missed: string[]
}

/**
 * Reads the events side by side. One that fails costs only itself; when all fail, throws the first one's error, with an
 * unknown id explained as such.
 */
export async function lookUp(
  threats: Threats,
  ids: readonly string[],
  environment: Environment,
): Promise<Looked> {
  const results = await Promise.allSettled(ids.map((id) => threats.get(id)))
  const found: Looked['found'] = []
  const errors: { id: string; error: unknown }[] = []
  for (const [index, result] of results.entries()) {
    const id = ids[index] ?? ''
    if (result.status === 'fulfilled') found.push({ id, event: result.value })
    else errors.push({ id, error: named(result.reason, id, environment) })
  }
  const [first] = errors
  if (first && found.length === 0) throw first.error
  return { found, missed: errors.map(({ id, error }) => missedLine(id, error)) }
}

function named(error: unknown, id: string, environment: Environment): unknown {
  if (!(error instanceof ApiError) || error.kind !== 'not-found') return error
  const [here, other] = environment === 'ote' ? ['OTE', 'production'] : ['production', 'ote']
  return new UserError(`The service knows no threat event ${id} in the ${here} environment.`, [
    { label: `Look in ${other === 'ote' ? 'OTE' : other}`, line: `/threat ${id} --env ${other}` },
  ])
}

function missedLine(id: string, error: unknown): string {
  const { happened, said, next } = explain(error)
  const sentences = [happened, ...said.map((sentence) => `The service said: “${sentence}”`), next]
  return `${id} could not be shown. ${sentences.filter(Boolean).join(' ')}`
}
