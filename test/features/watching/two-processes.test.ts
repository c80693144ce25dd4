import { expect, it } from 'vitest'
import { startDeployment } from '../../acts/deployment.ts'
import { SHARED_DATABASES } from '../../databases/databases.ts'
import { eitherOf } from '../../long.ts'
import { untilPolledAgain } from './watched-world.ts'

it.each(eitherOf(SHARED_DATABASES))(
  'posts and replies once although two processes share the database, Slack’s answer is lost, and both are killed, on $name',
  async ({ start }) => {
    await using database = await start()
    await using deployment = await startDeployment(database, {
      env: { WATCH_INTERVAL_SECONDS: '1' },
      hasStandby: true,
    })
    const { service, slack } = deployment
    for (let started = 0; started < 2; started += 1) await deployment.start()
    const uuids = [
      await service.addCheck({ name: 'web-1', status: 'HEALTHY' }),
      await service.addCheck({ name: 'web-2', status: 'HEALTHY' }),
    ]
    await slack.admin.command('/hc', 'watch all', { channel: 'general', until: 'now watches' })
    const read = async (part: string) =>
      (await slack.admin.messages('general')).flatMap(({ app, ephemeral, deleted, text }) =>
        app && !ephemeral && !deleted && text.includes(part) ? [text] : [],
      )
    const until = (part: string) => expect.poll(() => read(part), { timeout: 90_000 }).not.toEqual([])
    await slack.faults({ method: 'chat.postMessage', kind: 'drop-reply', times: 1 })
    await service.setStatus(uuids[0] ?? '', 'UNHEALTHY')
    await until('web-1 is down')
    await deployment.kill('first')
    deployment.connectSlack()
    await service.setStatus(uuids[0] ?? '', 'HEALTHY')
    await until('web-1 is up again after')
    await untilPolledAgain({ service }, 2)
    expect((await read('web-1')).map((text) => text.slice(0, 30))).toHaveLength(2)
    await deployment.kill('all')
    await service.setStatus(uuids[1] ?? '', 'UNHEALTHY')
    await deployment.start()
    await until('web-2 is down')
    await untilPolledAgain({ service }, 2)
    expect(await read('web-2 is down')).toHaveLength(1)
  },
  180_000,
)
