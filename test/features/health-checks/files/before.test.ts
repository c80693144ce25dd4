import { LeaseLost, OutcomeUnknown } from '@signalman/durable'
import { expect, it } from 'vitest'
import type { CommandContext } from '../../../../src/bot/routes/command-context.ts'
import { sendBefore } from '../../../../src/features/health-checks/files/before.ts'
import { describeNotes } from '../../../../src/features/health-checks/views/notes.ts'
import { saveRow } from '../../../../src/features/health-checks/write/save-row.ts'

const CHANGED = {
  row: { line: 1, do: 'delete', name: 'web', uuid: 'u', before: { settings: { name: 'web' }, alerts: [] } },
}

const send = (error: Error) =>
  sendBefore(
    // Casts: only these are used, and nothing of the row but what a file has.
    {
      ...{ environment: 'production', userId: 'U1', reference: 'R' },
      once: () => Promise.reject(error),
    } as unknown as CommandContext,
    CHANGED as unknown as Parameters<typeof sendBefore>[1],
  )

it('says that Slack didn’t confirm the file of what was before, and sends it later if the act goes on later', async () => {
  const undo = await send(new Error('An API error occurred: internal_error'))
  expect(describeNotes({ addresses: [], undo })).toEqual([
    'Slack didn’t confirm the file of what was before.',
  ])
  await expect(send(new LeaseLost())).rejects.toBeInstanceOf(LeaseLost)
})

it('is sent also if nobody knows whether the change was made', async () => {
  const kept: string[] = []
  const context = {
    ...{ environment: 'production', userId: 'U1', reference: 'R' },
    api: async () => ({ account: 'A1' }),
    step: () => Promise.reject(new OutcomeUnknown()),
    once: async (name: string) => {
      kept.push(name)
      return { channelId: 'D1', ts: '1.0' }
    },
    slack: async () => ({ edit: async () => undefined }),
  }
  // Casts: these are all that it uses.
  const [deps, change] = [{}, { verb: '/hc delete', account: 'A1', row: CHANGED.row }] as unknown as [
    Parameters<typeof saveRow>[0],
    Parameters<typeof saveRow>[2],
  ]
  const saving = saveRow(deps, context as unknown as CommandContext, change)
  await expect(saving).rejects.toBeInstanceOf(OutcomeUnknown)
  expect(kept).toEqual(['announced before.csv', 'sent before.csv'])
})
