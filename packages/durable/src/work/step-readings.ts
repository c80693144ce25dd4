import type { Kysely } from 'kysely'
import type { DatabaseTime } from '../database/clock.ts'
import type { Schema, StepState } from '../database/schema.ts'
import type { BodiesOf, WorkSteps } from './job-steps.ts'

/** What is told of the steps of a job. */
export function stepReadings(
  rows: Kysely<Schema>,
  time: DatabaseTime,
  bodiesOf: BodiesOf,
): Pick<WorkSteps, 'begun' | 'counts' | 'outcomes' | 'settled'> {
  const after = (workId: string, state: StepState, line: number, limit: number) =>
    rows
      .selectFrom('work_step')
      .select(['line', 'result'])
      .where('work_id', '=', workId)
      .where('state', '=', state)
      .where('line', '>', line)
      .orderBy('line')
      .limit(limit)

  return {
    async begun(workId) {
      const found = await rows
        .selectFrom('work_step')
        .select(['line', 'sealed_body', 'begun_at'])
        .select(time().as('now'))
        .where('work_id', '=', workId)
        .where('state', '=', 'begun')
        .orderBy('line')
        .execute()
      const bodies = await bodiesOf(rows, workId, found)
      return found.map(({ line, begun_at, now }) => ({
        line,
        body: bodies.get(line),
        begunMsAgo: Date.parse(now) - Date.parse(begun_at ?? now),
      }))
    },

    async counts(workId) {
      const found = await rows
        .selectFrom('work_step')
        .select(['state', (count) => count.fn.countAll().as('count')])
        .where('work_id', '=', workId)
        .groupBy('state')
        .execute()
      const counts = { ready: 0, begun: 0, done: 0, found: 0, refused: 0 }
      // PostgreSQL's driver gives a bigint as text.
      for (const { state, count } of found) counts[state] = Number(count)
      return counts
    },

    async outcomes(workId, state, afterLine, limit) {
      const found = await after(workId, state, afterLine, limit).execute()
      return found.map(({ line, result }) => ({ line, state, ...(result !== null && { result }) }))
    },

    async settled(workId, state, afterLine, limit) {
      const found = await after(workId, state, afterLine, limit).select('sealed_body').execute()
      const bodies = await bodiesOf(rows, workId, found)
      return found.map(({ line, result }) => ({
        line,
        result: result ?? undefined,
        opened: bodies.has(line) ? { body: bodies.get(line) } : undefined,
      }))
    },
  }
}
