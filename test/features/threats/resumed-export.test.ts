import { expect, it } from 'vitest'
import { buildExport } from '../../../src/features/threats/indicators/export.ts'
import { startDeployment } from '../../acts/deployment.ts'
import { SHARED_DATABASES } from '../../databases/databases.ts'
import { eitherOf } from '../../long.ts'
import { readEvent } from '../../service/reading.ts'
import { createThreatEvent } from './events.ts'
import { downloadFiles, ID } from './world.ts'

const OTHER = ID.replace(/a$/, 'b')
const { date: _, ...UNDATED } = createThreatEvent('other.example')
const EVENTS = { [ID]: createThreatEvent('exa.mple'), [OTHER]: UNDATED }

it.each(eitherOf(SHARED_DATABASES))(
  'an export that a killed process began is finished with the bytes that it would have had, each file once, on $name',
  async ({ start }) => {
    await using database = await start()
    await using deployment = await startDeployment(database)
    const { slack, service } = deployment
    for (const [id, event] of Object.entries(EVENTS)) await service.storeThreat(id, event)
    await Promise.all([deployment.start(), deployment.start()])
    const listFiles = async () => (await slack.member.messages('dm')).flatMap(({ files = [] }) => files)
    const countBegun = async () =>
      (await slack.deliveries()).filter(({ kind }) => kind === 'files.getUploadURLExternal').length
    // Slack has two of the four files, and the third one is on its way when the process dies.
    const slow = { method: 'files.completeUploadExternal', kind: 'delay' } as const
    await slack.faults({ ...slow, ms: 0, times: 2 }, { ...slow, ms: 20_000 })
    await slack.member.command('/threat', `export ${ID} ${OTHER}`, { until: () => true })
    await expect.poll(countBegun, { interval: 5 }).toBe(3)
    // At once: after 10 s, the process itself would find out that Slack doesn't answer.
    const killedAt = new Date().toISOString()
    await deployment.kill('first')
    expect(await listFiles()).toHaveLength(2)
    await slack.faults()
    await deployment.waitUntilSettled()
    expect(await listFiles()).toHaveLength(4)
    // The message above them wasn't posted a second time, or the first one would still say that.
    expect((await slack.member.messages('dm')).map(({ text }) => text).join()).not.toContain('Sending')
    const files = await downloadFiles(deployment)
    // An event without a date has the time of the export.
    const { objects } = JSON.parse(files.get(`threat-${OTHER}.stix.json`)?.bytes.toString() ?? '')
    const begunAt = objects.findLast(({ created }: { created?: string }) => created).created
    expect(begunAt < killedAt).toBe(true)
    for (const [id, event] of Object.entries(EVENTS))
      for (const { name, body } of (
        await buildExport(readEvent(event), { id, now: new Date(begunAt), format: undefined })
      ).files)
        expect(files.get(name)?.bytes.equals(body), name).toBe(true)
  },
)
