import { expect, it } from 'vitest'
import type { CommandContext } from '../../../../src/bot/routes/command-context.ts'
import type { OnlyEnd } from '../../../../src/features/health-checks/bulk/end-changes.ts'
import { saveRow } from '../../../../src/features/health-checks/bulk/save-row.ts'
import type { BulkDeps } from '../../../../src/features/health-checks/bulk/start.ts'
import { createSettings } from './changes-run.ts'

const AWAY = 'The service is unreachable or failing.'

/** How a change of one ended, and what its window says. A service that is away refuses nothing. */
const ENDS: Record<string, [result: OnlyEnd | undefined, said: RegExp, unsaid: RegExp]> = {
  'its job couldn’t find out how far it got': [undefined, /unknown/, /Nothing was changed|stopped/],
  'it was stopped': [
    { end: undefined, problem: undefined },
    /It was stopped\. Nothing was changed/,
    /refused/,
  ],
  'it ended early': [{ end: undefined, problem: AWAY }, /unreachable.* Nothing was changed/, /refused/],
  'it ended early, and the service doesn’t have it': [
    { end: { is: 'refused', reason: AWAY }, problem: AWAY },
    /unreachable.* Nothing was changed/,
    /refused/,
  ],
  'the service refused it': [
    { end: { is: 'refused', reason: 'Not today.' }, problem: undefined },
    /refused it: Not today\. Nothing was changed/,
    /unknown/,
  ],
  'its answer was lost, and somebody else has changed it since': [
    { end: { is: 'unclear', reason: 'Its recipients have changed.' }, problem: undefined },
    /unknown.*Its recipients have changed\. Check before you repeat it/,
    /Nothing was changed|nothing was saved/,
  ],
  'its check had changed': [
    { end: { is: 'outdated', reason: 'Its port is now 80, not 443.' }, problem: undefined },
    /nothing was saved\. Its port is now 80/,
    /unknown/,
  ],
}

it.each(Object.entries(ENDS))('says what a window changed: %s', async (_, [result, said, unsaid]) => {
  const queue = { find: async () => undefined, end: async () => ({ result }) }
  // Cast: these are all that it uses.
  const context = { once: async () => 'job' } as unknown
  const before = { settings: createSettings('web') }
  const row = { do: 'edit', line: 1, name: 'web', uuid: 'web', before, set: { port: 8443 } } as const
  const saving = saveRow({ queue } as unknown as BulkDeps, context as CommandContext, {
    ...{ verb: '/hc edit', account: 'A', row },
  })
  const text = await saving.then(String, (error: Error) => error.message)
  expect(text).toMatch(said)
  expect(text).not.toMatch(unsaid)
})
