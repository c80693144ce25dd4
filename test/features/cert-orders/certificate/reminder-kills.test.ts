import { describe, expect, it } from 'vitest'
import { openStore } from '../../../../src/app/store.ts'
import { SHARED_DATABASES } from '../../../databases/databases.ts'
import { eitherOf } from '../../../long.ts'
import type { Death } from '../../../simulated-process.ts'
import { createRecordingSlack, type FakeServices } from '../order-process.ts'
import { createSimulatedProcess, LEASE_MS } from '../simulated-order-process.ts'

const DAY_MS = 86_400_000
const WORKSPACE = 'T1'

describe.each(eitherOf(SHARED_DATABASES))('a reminder of a certificate, on $name', ({ start }) => {
  it('reaches its owner and each approver once, whenever the process is killed', async () => {
    await using database = await start()
    const clock = { now: Date.parse('2026-11-25T12:00:00.000Z') }
    const now = (): Date => new Date(clock.now)
    await using store = await openStore({ ...database, now, clock: now })
    const slack = createRecordingSlack()
    const received: string[] = []
    // Cast: nothing is ordered.
    const api = { orders: {} } as FakeServices['api']
    const poster: FakeServices['poster'] = {
      ...slack.poster,
      async post(destination, ...message) {
        if (destination.to !== undefined) received.push(destination.to)
        return slack.poster.post(destination, ...message)
      },
    }
    const errors: unknown[] = []
    const process = createSimulatedProcess({
      ...{ store, workspaceId: WORKSPACE, now, databaseNow: now },
      fakes: { api, poster, roles: new Set(['U2', 'U3']) },
      onError: (error) => void errors.push(error),
    })

    let kills = 0
    /** Kills the process at this call while it reminds of a new certificate. Returns whether it got that far. */
    async function remind(death: Death): Promise<boolean> {
      const sha256 = `${death.afterCalls}${death.isBefore}`.padEnd(64, '0')
      const { certificate } = await store.certificates.add(
        {
          ...{ workspaceId: WORKSPACE, environment: 'production', ownerId: 'U1', sha256, keyHash: sha256 },
          notAfter: new Date(clock.now + 3 * DAY_MS),
          content: {
            ...{ names: [`${sha256}.example.com`], subject: '', issuer: 'CN=Test', serial: '1', pem: '' },
            ...{ isChecked: false, reminded: 10 },
            notBefore: new Date(clock.now - 27 * DAY_MS).toISOString(),
          },
        },
        now(),
      )
      received.length = 0
      process.crashAt(death)
      await process.runDueWork()
      const wasKilled = !process.isCrashPlanned()
      kills += wasKilled ? 1 : 0
      process.cancelCrash()
      clock.now += LEASE_MS + 1000
      await process.runDueWork()
      clock.now += 60_000
      await process.runDueWork()
      expect(received.toSorted(), JSON.stringify(death)).toEqual(['U1', 'U2', 'U3'])
      expect(await store.certificates.get(certificate.id)).toMatchObject({
        content: { reminded: 4, sentTo: [] },
      })
      await store.certificates.update({
        ...((await store.certificates.get(certificate.id)) ?? certificate),
        ended: 'not-needed',
      })
      return wasKilled
    }

    // Dying right after a call and right before the next one is the same, because nothing happens in between.
    for (let afterCalls = 0; await remind({ afterCalls, isBefore: false }); afterCalls += 1);
    expect(kills).toBeGreaterThan(20)
    expect(errors).toEqual([])
    process.crash()
  })
})
