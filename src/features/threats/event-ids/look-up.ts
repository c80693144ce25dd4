import { ApiError } from '../../../api/errors.ts'
import type { ThreatEvent } from '../../../api/threat-event.ts'
import { explain } from '../../../bot/replies/explain.ts'
import type { CommandContext } from '../../../bot/routes/command-context.ts'
import type { Environment } from '../../../domain/environment.ts'
import { UserError } from '../../../errors.ts'
import type { EventReader } from './reader.ts'

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
  reader: EventReader,
  ask: CommandContext,
  verb: string,
  ids: readonly string[],
): Promise<Looked> {
  const results = await Promise.allSettled(ids.map((id) => lookUpOne(reader, ask, verb, id)))
  const found: Looked['found'] = []
  const errors: { id: string; error: unknown }[] = []
  for (const [index, result] of results.entries()) {
    const id = ids[index] ?? ''
    if (result.status === 'fulfilled') found.push({ id, event: result.value })
    else errors.push({ id, error: result.reason })
  }
  const [first] = errors
  if (first && found.length === 0) throw first.error
  return { found, missed: errors.map(({ id, error }) => missedLine(id, error)) }
}

/** One event, its reading audited under `verb`; an id that the service does not know is explained, with the other environment to look in. */
export async function lookUpOne(
  reader: EventReader,
  ask: CommandContext,
  verb: string,
  id: string,
): Promise<ThreatEvent> {
  try {
    return await reader.read(ask, verb, id)
  } catch (error) {
    throw named(error, verb, id, ask.environment)
  }
}

function named(error: unknown, verb: string, id: string, environment: Environment): unknown {
  if (!(error instanceof ApiError) || error.kind !== 'not-found') return error
  const [here, other] = environment === 'ote' ? ['OTE', 'production'] : ['production', 'ote']
  return new UserError(`The service knows no threat event ${id} in the ${here} environment.`, [
    { label: `Look in ${other === 'ote' ? 'OTE' : other}`, line: `${verb} ${id} --env ${other}` },
  ])
}

function missedLine(id: string, error: unknown): string {
  const { happened, said, next } = explain(error)
  const sentences = [happened, ...said.map((sentence) => `The service said: “${sentence}”`), next]
  return `${id} could not be shown. ${sentences.filter(Boolean).join(' ')}`
}
