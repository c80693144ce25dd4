import { newId } from '@signalman/runtime'
import { expect, it } from 'vitest'
import { EVERYONE } from '../../src/domain/roles.ts'
import { ALL_CHECKS } from '../../src/features/watching/rules/watch.ts'
import { createRequests } from '../bot/access/requests.ts'
import { startStubbedApp } from '../bot/access/slack-stub.ts'
import { untilPolledAgain } from '../features/watching/watched-world.ts'
import { readShown } from '../views/shown-views.ts'

const WORKSPACE = 'T0FAIR0001'
const CHANNEL = 'C0WATCHED1'
const PEOPLE = Array.from({ length: 20 }, (_, nth) => ({
  userId: `U0PERSON${String(nth).padStart(2, '0')}`,
  teamId: WORKSPACE,
  slack: { team_id: WORKSPACE },
}))
const ONLOOKER = { userId: 'U0ONLOOKER', teamId: WORKSPACE, slack: { team_id: WORKSPACE } }
/** More than there are connections to the service for one workspace, and acts that it may run at a time. */
const DELETIONS = 40
/** Long enough that nothing times out during the test. */
const FOREVER_MS = 200_000

interface OpenedView {
  callback_id: string
  private_metadata: string
  blocks: { type: string; block_id: string }[]
}

it(`keeps polling and responding while ${DELETIONS} deletions by ${PEOPLE.length} people hang`, async () => {
  const timeouts = { connectMs: FOREVER_MS, headersMs: FOREVER_MS, bodyMs: FOREVER_MS, totalMs: FOREVER_MS }
  await using stubbed = await startStubbedApp([...PEOPLE, ONLOOKER], {
    watchEveryMs: 250,
    // A busy machine may miss heartbeats, and a deletion whose lease ended isn’t sent again.
    workTimes: { pollMs: 50, leaseMs: FOREVER_MS },
    serviceLimits: { timeouts },
  })
  const { app, slack, service, send } = stubbed
  await app.store.grants.add(WORKSPACE, 'operator', EVERYONE, 'U1', new Date())
  await service.addCheck({ name: 'quick' })
  await app.store.watching.watches.add({
    id: newId(),
    workspaceId: WORKSPACE,
    channelId: CHANNEL,
    environment: 'production',
    filter: ALL_CHECKS,
    afterBadPolls: 1,
    ownerId: 'U1',
  })
  const channel = { workspaceId: WORKSPACE, channelId: CHANNEL, responseUrl: slack.responseUrl }
  await service.faults({ method: 'DELETE', path: '/healthcheck/v1/healthchecks/', kind: 'hold' })

  /** The window that asks for the name of this check, once it is complete. */
  function findWindow(name: string): OpenedView | undefined {
    const shown = slack.calls.flatMap((call) => readShown(call, '')).filter(({ kind }) => kind === 'view')
    // Cast, because the app sent this view.
    const opened = shown.map(({ payload }) => payload as unknown as OpenedView)
    return opened.find((view) => JSON.stringify(view).includes(name) && view.blocks.length > 1)
  }

  async function submitDeletion(nth: number): Promise<void> {
    const name = `hung-${nth}.`
    const request = createRequests(PEOPLE[nth % PEOPLE.length] ?? ONLOOKER, channel)
    await send(request.command(`/hc delete ${await service.addCheck({ name })}`))
    await expect.poll(() => findWindow(name), { timeout: 60_000 }).toBeDefined()
    const { callback_id = '', private_metadata = '', blocks = [] } = findWindow(name) ?? {}
    const input = blocks.find(({ type }) => type === 'input')
    const values = { [input?.block_id ?? '']: { value: name } }
    await send(request.submission(callback_id, private_metadata, values))
  }

  await Promise.all(Array.from({ length: DELETIONS }, (_, nth) => submitDeletion(nth)))
  await send(createRequests(ONLOOKER, channel).command('/hc show quick'))
  const countShown = () =>
    slack.calls.filter(
      ({ method, body }) => method === 'response_url' && JSON.stringify(body).includes('quick'),
    ).length
  await expect.poll(countShown, { timeout: 60_000 }).toBe(1)
  await untilPolledAgain({ service }, 3)
  // All of them still hang.
  const countDone = async () =>
    (await service.requests('DELETE')).filter(({ status }) => status === 200).length
  expect(await countDone()).toBe(0)
  await service.faults()
  await expect.poll(countDone, { timeout: 120_000 }).toBe(DELETIONS)
})
